// Calls of every kind: by value and by structure, recursive, through a table of function pointers; local arrays,
// constant and initialised global memory, dynamic shared memory. calls.ptx is this file through clang-19 (the
// command line of sw/kernels/build_ptx.sh).

struct Record {
  int a;
  double b;
  char c[5];
};

__constant__ int weights[8];
__device__ int table[4] = {11, 22, 33, 44};
__device__ int* middle = table + 2;

__device__ __noinline__ Record bump(Record r, int k) {
  r.a += k;
  r.b *= 2.0;
  r.c[2] = static_cast<char>(k);
  return r;
}
__device__ __noinline__ unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
using Function = int (*)(int);
__device__ Function functions[2] = {twice, square};

extern "C" __global__ void structures(Record r, double* out) {
  const int i = threadIdx.x;
  const Record s = bump(r, i);
  out[i] = s.a + s.b + s.c[2] + s.c[4];
}
extern "C" __global__ void recursion(unsigned* out) {
  const unsigned i = threadIdx.x;
  out[2 * i] = factorial(i % 7);
  out[2 * i + 1] = ackermann(i % 3, i % 4);
}
extern "C" __global__ void indirect(int* out) {
  const int i = threadIdx.x;
  out[i] = functions[i & 1](i) + *middle + weights[i & 7];
}
extern "C" __global__ void local_array(const int* in, int* out, int n) {
  int counts[16];
  for (int k = 0; k < 16; ++k) counts[k] = 0;
  for (int k = 0; k < n; ++k) ++counts[(in[k] + threadIdx.x) & 15];
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum = sum * 3 + counts[k];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(128, 2) dispatch(const int* in, int* out, int n) {
  extern __shared__ int staged[];
  const int i = threadIdx.x;
  staged[i] = in[i];
  __syncthreads();
  int v = staged[blockDim.x - 1 - i];
  for (int k = 0; k < n; ++k) {
    if (v == 1000) continue;
    if (v > 5000) break;
    switch (v & 7) {
      case 0: v += 3; break;
      case 1: v *= 3; break;
      case 2: v ^= 5; [[fallthrough]];
      case 3: v += 7; break;
      case 4: v = v / 3 + 1; break;
      case 5: v = v % 1001; break;
      default: v += k;
    }
  }
  out[i] = v;
}
