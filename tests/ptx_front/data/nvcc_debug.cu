// What nvcc emits for ordinary code with debug information (-G): virtual functions, managed and packed variables, function
// pointers, device heap, printf. nvcc_debug.ptx is the output of nvcc 13.0: nvcc -ptx -arch=sm_75 -G nvcc_debug.cu

#include <cstdio>
struct V { virtual __device__ int f(int x) { return x + 1; } int a; };
struct W : V { __device__ int f(int x) override { return x * a; } };
__device__ __managed__ int managed = 4;
__constant__ float table[4] = {1.0f, -2.5f, 3e10f};
__device__ int plain = 3; __device__ int* ptr = &plain;
struct P { char c; int* p; } __attribute__((packed));
__device__ P packed = {1, &plain};
__device__ __noinline__ int helper(int x) { return x * managed; }
__device__ int (*fp)(int) = helper;
template <class T> __global__ void __launch_bounds__(128, 2) k(T* o, int n) {
  extern __shared__ int sm[];
  int i = threadIdx.x;
  W w; w.a = n; V* v = n > 3 ? (V*)&w : new V();
  sm[i] = v->f(i) + fp(i);
  __syncthreads();
  if (i < n) o[i] = sm[n - i] + table[i & 3];
  if (o[i] > 100) printf("%d\n", (int)o[i]);
  int* h = (int*)malloc(16); if (h) { h[0] = i; o[i] += h[0]; free(h); }
}
template __global__ void k<int>(int*, int);
template __global__ void k<float>(float*, int);
