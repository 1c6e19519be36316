// Breadth-first search in two launches a level, as Rodinia's bfs: marks of a byte tell which vertices are to be expanded,
// and a second kernel makes those that the first has found the next ones.

struct Vertex {
  unsigned first, edges;
};

extern "C" __global__ void bfs_expand(const Vertex* __restrict__ vertex, const unsigned* __restrict__ neighbour,
                                      uint8_t* __restrict__ now, uint8_t* __restrict__ found,
                                      const uint8_t* __restrict__ seen, int* __restrict__ level, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !now[v]) return;
  now[v] = 0;
#pragma unroll 1
  for (unsigned k = vertex[v].first; k < vertex[v].first + vertex[v].edges; ++k) {
    const unsigned other = neighbour[k];
    if (!seen[other]) {
      level[other] = level[v] + 1;
      found[other] = 1;
    }
  }
}

extern "C" __global__ void bfs_advance(uint8_t* __restrict__ now, uint8_t* __restrict__ found, uint8_t* __restrict__ seen,
                                       int* __restrict__ more, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !found[v]) return;
  now[v] = 1;
  seen[v] = 1;
  *more = 1;
  found[v] = 0;
}
