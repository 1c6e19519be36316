// One small kernel for each feature of PTX that the other kernels leave out, every result exact.

// Dynamic shared memory: each CTA reverses its stretch.
extern __shared__ unsigned stretch[];
extern "C" __global__ void dynamic_shared(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
  const unsigned first = blockIdx.x * blockDim.x;
  stretch[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = stretch[blockDim.x - 1 - threadIdx.x];
}

// A struct passed by value, indexed by the thread.
struct Mixture {
  uint8_t tag;
  int weights[5];
  uint64_t big;
  double scale;
};
extern "C" __global__ void struct_parameter(Mixture m, double* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = fma(m.scale, static_cast<double>(m.weights[t % 5]), static_cast<double>(m.big + m.tag));
}

// An array in local memory: insertion sort of eight values a thread.
extern "C" __global__ void local_array(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v[8];
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    const unsigned x = in[t * 8 + i];
    int at = i;
#pragma unroll 1
    for (; at > 0 && v[at - 1] > x; --at) v[at] = v[at - 1];
    v[at] = x;
  }
#pragma unroll 1
  for (int i = 0; i < 8; ++i) out[t * 8 + i] = v[i];
}

// Calls through pointers that differ from lane to lane.
__device__ __noinline__ unsigned twice(unsigned v) { return 2 * v; }
__device__ __noinline__ unsigned squared(unsigned v) { return v * v; }
__device__ __noinline__ unsigned complement(unsigned v) { return ~v; }
extern "C" __global__ void indirect_call(unsigned* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned (*f)(unsigned) = t % 3 == 0 ? twice : t % 3 == 1 ? squared : complement;
  out[t] = f(t);
}

// Recursion, to a depth that differs from lane to lane.
__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(unsigned* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = fibonacci(t % 11);
}

// 128-bit arithmetic: carry chains and high halves of products.
extern "C" __global__ void wide_arithmetic(const uint64_t* __restrict__ in, uint64_t* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  using uint128 = unsigned __int128;
  const uint128 a = static_cast<uint128>(in[2 * t]) << 64 | in[2 * t + 1];
  const uint128 r = a * a + (a >> 3) - static_cast<uint128>(in[2 * t]) * in[2 * t + 1];
  out[2 * t] = static_cast<uint64_t>(r >> 64);
  out[2 * t + 1] = static_cast<uint64_t>(r);
}

// A grid-wide sum without a second launch: the CTA that finishes last, known by an atomic count after a fence, adds
// up what the others left.
extern "C" __global__ void last_cta_sum(const unsigned* __restrict__ in, unsigned n, unsigned* partial, unsigned* done,
                                        unsigned* result) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  static_cast<volatile unsigned*>(partial)[blockIdx.x] = sum;
  __threadfence();
  if (atomicAdd(done, 1u) != gridDim.x - 1) return;
  unsigned total = 0;
  for (unsigned cta = 0; cta < gridDim.x; ++cta) total += static_cast<volatile unsigned*>(partial)[cta];
  *result = total;
}

// Named barriers with counts: the first warp fills a slot for each of the other three and goes on; each of them waits
// for its own. 128 threads.
extern "C" __global__ void named_barriers(unsigned* __restrict__ out) {
  __shared__ unsigned slot[3][32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    for (unsigned k = 0; k < 3; ++k) {
      slot[k][lane] = 100 * (k + 1) + lane;
      __asm__ volatile("bar.arrive %0, 64;" ::"r"(k + 1) : "memory");
    }
    out[blockIdx.x * 128 + lane] = lane;
  } else {
    __asm__ volatile("bar.sync %0, 64;" ::"r"(warp) : "memory");
    out[blockIdx.x * 128 + threadIdx.x] = slot[warp - 1][31 - lane];
  }
}

// Lanes with equal keys find each other; the first of each group writes its size, the others zero.
extern "C" __global__ void match_keys(const unsigned* __restrict__ keys, unsigned* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned peers = __match_any_sync(~0u, keys[t]);
  const bool first = static_cast<unsigned>(__ffs(static_cast<int>(peers))) - 1 == lane_id();
  out[t] = first ? static_cast<unsigned>(__popc(peers)) : 0;
}

// A lock taken by one lane of each warp around an increment that is not atomic.
extern "C" __global__ void spin_lock(unsigned* lock, unsigned* counter) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0u, 1u) != 0) {
  }
  __threadfence();
  volatile unsigned* c = counter;
  *c = *c + 1;
  __threadfence();
  atomicExch(lock, 0u);
}

// Bits and bytes: reversal, leading zeros, population, byte permutation, funnel shift, sub-word stores.
extern "C" __global__ void bits_and_bytes(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                          uint8_t* __restrict__ bytes, uint16_t* __restrict__ halves) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = in[t];
  out[4 * t] = __builtin_bitreverse32(v);
  out[4 * t + 1] = static_cast<unsigned>(v == 0 ? 32 : __builtin_clz(v)) << 16 | static_cast<unsigned>(__popc(v));
  out[4 * t + 2] = __builtin_bswap32(v);
  out[4 * t + 3] = v << t % 32 | v >> (32 - t % 32) % 32;
  bytes[t] = static_cast<uint8_t>(v >> 24);
  halves[t] = static_cast<uint16_t>(v >> 8);
}

// A switch of eight ways in a loop: a tree of divergent branches.
extern "C" __global__ void branch_tree(unsigned* __restrict__ out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = t;
#pragma unroll 1
  for (unsigned k = 0; k < 4; ++k) {
    switch ((t + k) % 8) {
      case 0: v += 17; break;
      case 1: v *= 3; break;
      case 2: v ^= 0x55; break;
      case 3: v = v << 2 | 1; break;
      case 4: v -= k; break;
      case 5: v = ~v; break;
      case 6: v += v >> 1; break;
      default: v *= v; break;
    }
  }
  out[t] = v;
}
