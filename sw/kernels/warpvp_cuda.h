#pragma once
// CUDA C++ for device code compiled by plain clang, without a CUDA toolkit: keywords, dim3 and float2/float4,
// atomics, fences, warp shuffles and votes, and mathematics, all expressed in clang's builtins for NVPTX. Only
// what the kernels of this folder use; see docs/kernels.md for the compile line.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

using size_t = decltype(sizeof(0));
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using int64_t = long long;

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct __attribute__((aligned(8))) float2 {
  float x, y;
};
struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};
struct __attribute__((aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
  unsigned x, y, z, w;
};

#include <__clang_cuda_builtin_vars.h>  // threadIdx, blockIdx, blockDim, gridDim

extern "C" __device__ int printf(const char* format, ...);  // lowered to vprintf
extern "C" __device__ void __assertfail(const char* condition, const char* file, unsigned line,
                                        const char* function, size_t char_size);
#define assert(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))

// ---- atomics on generic addresses; every one returns the old value

__device__ __forceinline__ int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
__device__ __forceinline__ unsigned atomicAdd(unsigned* p, unsigned v) {
  return __nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), v);
}
__device__ __forceinline__ uint64_t atomicAdd(uint64_t* p, uint64_t v) {
  return __nvvm_atom_add_gen_ll(reinterpret_cast<int64_t*>(p), v);
}
__device__ __forceinline__ float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
__device__ __forceinline__ int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
__device__ __forceinline__ int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
__device__ __forceinline__ unsigned atomicOr(unsigned* p, unsigned v) {
  return __nvvm_atom_or_gen_i(reinterpret_cast<int*>(p), v);
}
__device__ __forceinline__ unsigned atomicExch(unsigned* p, unsigned v) {
  return __nvvm_atom_xchg_gen_i(reinterpret_cast<int*>(p), v);
}
__device__ __forceinline__ int atomicCAS(int* p, int expected, int v) {
  return __nvvm_atom_cas_gen_i(p, expected, v);
}
__device__ __forceinline__ unsigned atomicCAS(unsigned* p, unsigned expected, unsigned v) {
  return __nvvm_atom_cas_gen_i(reinterpret_cast<int*>(p), expected, v);
}
__device__ __forceinline__ uint64_t atomicCAS(uint64_t* p, uint64_t expected, uint64_t v) {
  return __nvvm_atom_cas_gen_ll(reinterpret_cast<int64_t*>(p), expected, v);
}

// ---- fences and warps

__device__ __forceinline__ void __threadfence_block() { __nvvm_membar_cta(); }
__device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }
__device__ __forceinline__ void __threadfence_system() { __nvvm_membar_sys(); }
__device__ __forceinline__ void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }

__device__ __forceinline__ int __shfl_sync(unsigned mask, int v, int lane) {
  return __nvvm_shfl_sync_idx_i32(mask, v, lane, 31);
}
__device__ __forceinline__ int __shfl_up_sync(unsigned mask, int v, unsigned delta) {
  return __nvvm_shfl_sync_up_i32(mask, v, delta, 0);
}
__device__ __forceinline__ int __shfl_down_sync(unsigned mask, int v, unsigned delta) {
  return __nvvm_shfl_sync_down_i32(mask, v, delta, 31);
}
__device__ __forceinline__ int __shfl_xor_sync(unsigned mask, int v, int lanes) {
  return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, 31);
}
__device__ __forceinline__ float __shfl_down_sync(unsigned mask, float v, unsigned delta) {
  return __nvvm_shfl_sync_down_f32(mask, v, delta, 31);
}
__device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float v, int lanes) {
  return __nvvm_shfl_sync_bfly_f32(mask, v, lanes, 31);
}
__device__ __forceinline__ bool __all_sync(unsigned mask, bool p) { return __nvvm_vote_all_sync(mask, p); }
__device__ __forceinline__ bool __any_sync(unsigned mask, bool p) { return __nvvm_vote_any_sync(mask, p); }
__device__ __forceinline__ unsigned __ballot_sync(unsigned mask, bool p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
__device__ __forceinline__ unsigned __match_any_sync(unsigned mask, unsigned v) {
  return __nvvm_match_any_sync_i32(mask, v);
}
__device__ __forceinline__ unsigned lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ __forceinline__ unsigned sm_id() { return __nvvm_read_ptx_sreg_smid(); }
__device__ __forceinline__ uint64_t clock64() { return __nvvm_read_ptx_sreg_clock64(); }

// ---- mathematics. fmaf is one rounding (fma.rn); sqrtf is correctly rounded;
// those with _approx are single instructions of the special function unit (ex2.approx.ftz, ...).
// expf and logf are libclc's, bound by the C++-mangled label its bitcode exports them under.

__device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ __forceinline__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__device__ __forceinline__ float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
__device__ __forceinline__ float fabsf(float a) { return __builtin_fabsf(a); }
__device__ __forceinline__ float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__device__ __forceinline__ float fminf(float a, float b) { return __builtin_fminf(a, b); }
__device__ __forceinline__ float exp2_approx(float a) { return __nvvm_ex2_approx_ftz_f(a); }
__device__ __forceinline__ float log2_approx(float a) { return __nvvm_lg2_approx_ftz_f(a); }
__device__ __forceinline__ float sin_approx(float a) { return __nvvm_sin_approx_ftz_f(a); }
__device__ __forceinline__ float cos_approx(float a) { return __nvvm_cos_approx_ftz_f(a); }
__device__ __forceinline__ float rsqrt_approx(float a) { return __nvvm_rsqrt_approx_ftz_f(a); }
/// Within two units in the last place, for divisors of any size; subnormal numbers count as zero.
__device__ __forceinline__ float div_full(float a, float b) {
  float q;
  __asm__("div.full.ftz.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(b));
  return q;
}
__device__ __forceinline__ int __popc(unsigned a) { return __builtin_popcount(a); }
__device__ __forceinline__ int __clz(unsigned a) { return a == 0 ? 32 : __builtin_clz(a); }
__device__ __forceinline__ int __ffs(unsigned a) { return __builtin_ffs(a); }
extern "C" __device__ float expf(float a) __asm__("_Z3expf");
extern "C" __device__ float logf(float a) __asm__("_Z3logf");

// ---- texture and surface objects. A handle is a number of 64 bits, as Runtime::create_texture gives it.

using texture_object = uint64_t;
using surface_object = uint64_t;

__device__ __forceinline__ float4 tex2D_float4(texture_object t, float x, float y) {
  float4 v;
  __asm__("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
          : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
          : "l"(t), "f"(x), "f"(y));
  return v;
}
/// `x` counts bytes. A place outside the surface is a fault.
__device__ __forceinline__ void surf2D_write(unsigned v, surface_object s, int x, int y) {
  __asm__ volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" : : "l"(s), "r"(x), "r"(y), "r"(v) : "memory");
}

template <class T>
__device__ __forceinline__ T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ __forceinline__ T max(T a, T b) {
  return a < b ? b : a;
}
