// One level of a breadth-first search over a graph in compressed rows: a thread per vertex; those of the current
// level give their unvisited neighbours the next level. Divergent, and two writers of a vertex write the same value.

constexpr int kUnvisited = -1;

extern "C" __global__ void bfs_level(const unsigned* __restrict__ first, const unsigned* __restrict__ neighbour,
                                     int* __restrict__ level, int current, unsigned vertices, int* __restrict__ more) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != current) return;
#pragma unroll 1
  for (unsigned k = first[v]; k < first[v + 1]; ++k) {
    if (atomicCAS(&level[neighbour[k]], kUnvisited, current + 1) == kUnvisited) *more = 1;
  }
}
