// C = A B, row-major, A is m x k and B k x n in f16, C in f32, on matrix instructions (PTX ISA 9.7.14): CTAs of four
// warps make tiles of 32 x 32, each warp 16 x 16 with two products of 16 x 8 x 16. m and n are multiples of 32, k of 16.
// Target: sm_80

constexpr unsigned kSide = 32, kDepth = 16;
// Rows of 16 bytes that ldmatrix reads together lie in different banks.
constexpr unsigned kStrideA = kDepth + 8, kStrideB = kSide + 8;

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(reinterpret_cast<size_t>(
      (const __attribute__((address_space(3))) void*)(p)));
}
struct Registers {
  unsigned r[4];
};
__device__ __forceinline__ Registers load_matrices(const uint16_t* row) {
  Registers f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])
               : "r"(shared_address(row))
               : "memory");
  return f;
}
__device__ __forceinline__ Registers load_transposed(const uint16_t* row) {
  Registers f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])
               : "r"(shared_address(row))
               : "memory");
  return f;
}
__device__ __forceinline__ void multiply(float (&sum)[4], const Registers& a, unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void matmul_half(const uint16_t* __restrict__ a, const uint16_t* __restrict__ b,
                                       float* __restrict__ c, unsigned n, unsigned k) {
  __shared__ __attribute__((aligned(16))) uint16_t tile_a[kSide * kStrideA], tile_b[kDepth * kStrideB];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned row0 = blockIdx.y * kSide, column0 = blockIdx.x * kSide;
  const unsigned warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
  // Four elements of each tile.
  const unsigned row_a = threadIdx.x / 4, place_a = threadIdx.x % 4 * 4;
  const unsigned row_b = threadIdx.x / 8, place_b = threadIdx.x % 8 * 4;
  float sums[2][4] = {};
#pragma unroll 1
  for (unsigned at = 0; at < k; at += kDepth) {
    *reinterpret_cast<uint2*>(&tile_a[row_a * kStrideA + place_a]) =
        *reinterpret_cast<const uint2*>(&a[(row0 + row_a) * k + at + place_a]);
    *reinterpret_cast<uint2*>(&tile_b[row_b * kStrideB + place_b]) =
        *reinterpret_cast<const uint2*>(&b[(at + row_b) * n + column0 + place_b]);
    __syncthreads();
    const Registers left = load_matrices(&tile_a[(warp_row + lane % 16) * kStrideA + lane / 16 * 8]);
    const Registers right = load_transposed(&tile_b[lane % 16 * kStrideB + warp_column + lane / 16 * 8]);
    multiply(sums[0], left, right.r[0], right.r[1]);
    multiply(sums[1], left, right.r[2], right.r[3]);
    __syncthreads();
  }
#pragma unroll
  for (unsigned side = 0; side < 2; ++side)
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      c[(row0 + warp_row + lane / 4 + i / 2 * 8) * n + column0 + warp_column + side * 8 + lane % 4 * 2 + i % 2] =
          sums[side][i];
}
