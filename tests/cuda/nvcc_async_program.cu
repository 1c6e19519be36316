// Asynchronous copies, clusters of one CTA and sparse matrices as libcu++ and inline assembly have them.
// Prints a line a part; ends with the number of parts that were wrong.

#include <cooperative_groups.h>

#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace device = cuda::device::experimental;

constexpr int kTile = 1024, kTiles = 4, kThreads = 64;

// A thread copies a tile, all wait for it.
__global__ void by_memcpy_async(const int* in, int* out) {
  __shared__ alignas(16) int tile[kTile];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::memcpy_async(tile, in + blockIdx.x * kTile, cuda::aligned_size_t<16>(sizeof tile), barrier);
  barrier.arrive_and_wait();
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) out[blockIdx.x * kTile + i] = tile[kTile - 1 - i];
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// With the transaction count in the program's hands, two tiles under way at a time, and results copied back.
__global__ void by_transactions(const int* in, int* out) {
  __shared__ alignas(128) int tiles[2][kTile];
  __shared__ Barrier barriers[2];
  if (threadIdx.x == 0) {
    for (Barrier& b : barriers) init(&b, blockDim.x);
    device::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const auto fetch = [&](int n) {
    Barrier& b = barriers[n % 2];
    if (threadIdx.x != 0) return b.arrive();
    cuda::device::memcpy_async_tx(tiles[n % 2], in + n * kTile, cuda::aligned_size_t<16>(sizeof tiles[0]), b);
    return cuda::device::barrier_arrive_tx(b, 1, sizeof tiles[0]);
  };
  Barrier::arrival_token tokens[2] = {fetch(0), fetch(1)};
  for (int n = 0; n < kTiles; ++n) {
    int* const tile = tiles[n % 2];
    barriers[n % 2].wait(std::move(tokens[n % 2]));
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) tile[i] = 3 * tile[i] + n;
    device::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
      device::cp_async_bulk_shared_to_global(out + n * kTile, tile, sizeof tiles[0]);
      device::cp_async_bulk_commit_group();
      device::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
    if (n + 2 < kTiles) tokens[n % 2] = fetch(n + 2);
  }
}

__global__ void reduce(int* sums) {
  __shared__ alignas(16) int mine[kThreads];
  mine[threadIdx.x] = threadIdx.x + blockIdx.x;
  device::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x != 0) return;
  cuda::ptx::cp_reduce_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, cuda::ptx::op_add, sums,
                                  mine, sizeof mine);
  cuda::ptx::cp_async_bulk_commit_group();
  cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
}

__global__ void in_a_cluster_of_one(int* out) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ int values[kThreads];
  values[threadIdx.x] = 5 * threadIdx.x;
  cluster.sync();
  const int* const same = cluster.map_shared_rank(values, 0);
  out[threadIdx.x] = same[kThreads - 1 - threadIdx.x] + cluster.block_rank() + cluster.num_blocks() +
                     cluster.query_shared_rank(values);
  cluster.sync();
}

__global__ void elect_one(int* out) {
  unsigned leader = 0;
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; @p st.global.u32 [%1], 99; }"
               : "=r"(leader)
               : "l"(out));
  out[1 + threadIdx.x] = leader;
}
#endif

// m16n8k32 of u8 with each second byte of A: the sum of every other row of B.
__global__ void sparse(const unsigned* b, int* d) {
  int sums[4] = {1, 2, 3, 4};
  const unsigned ones = 0x01010101u, places = 0x88888888u;  // 0 and 2 of each four
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%4}, {%5,%6}, "
      "{%0,%1,%2,%3}, %7, 0x1;"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(ones), "r"(b[2 * threadIdx.x]), "r"(b[2 * threadIdx.x + 1]), "r"(places));
  for (int i = 0; i < 4; ++i) d[4 * threadIdx.x + i] = sums[i];
}

static int wrong_parts = 0;
static void report(const char* part, bool right) {
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s %s%s%s\n", part, right && error == cudaSuccess ? "right" : "WRONG", error ? ": " : "",
              error ? cudaGetErrorString(error) : "");
  wrong_parts += !right || error != cudaSuccess;
}

int main() {
  int *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, kTiles * kTile * sizeof(int));
  cudaMallocManaged(&out, kTiles * kTile * sizeof(int));
  for (int i = 0; i < kTiles * kTile; ++i) in[i] = 7 * i;
  by_memcpy_async<<<kTiles, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < kTiles * kTile; ++i)
    right = right && out[i] == in[i / kTile * kTile + kTile - 1 - i % kTile];
  report("memcpy_async", right);
  {
    unsigned* b = nullptr;
    cudaMallocManaged(&b, 64 * sizeof(unsigned));
    for (int i = 0; i < 64; ++i) b[i] = 0x01020304u * (i % 5 + 1);
    sparse<<<1, 32>>>(b, out);
    cudaDeviceSynchronize();
    right = true;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int sum = i + 1;
        // Column n of B is in the four lanes from 4 n on, row 4 t + e of it in byte e, rows 16 on in the
        // second word.
        const int column = lane % 4 * 2 + i % 2;
        for (int word = 0; word < 8; ++word)
          for (int byte = 0; byte < 4; byte += 2) sum += b[8 * column + word] >> (8 * byte) & 255;
        right = right && out[4 * lane + i] == sum;
      }
    report("sparse matrices", right);
  }
#ifdef BULK
  by_transactions<<<1, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  right = true;
  for (int i = 0; i < kTiles * kTile; ++i) right = right && out[i] == 3 * in[i] + i / kTile;
  report("bulk copies", right);
  for (int i = 0; i < kThreads; ++i) out[i] = i;
  reduce<<<5, kThreads>>>(out);
  cudaDeviceSynchronize();
  right = true;
  for (int i = 0; i < kThreads; ++i) right = right && out[i] == 6 * i + 10;
  report("bulk reductions", right);
  in_a_cluster_of_one<<<1, kThreads>>>(out);
  cudaDeviceSynchronize();
  right = true;
  for (int i = 0; i < kThreads; ++i) right = right && out[i] == 5 * (kThreads - 1 - i) + 1;
  report("clusters of one", right);
  elect_one<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  right = out[0] == 99;
  for (int i = 0; i < 32; ++i) right = right && out[1 + i] == out[1];
  report("elect", right);
#endif
  return wrong_parts;
}
