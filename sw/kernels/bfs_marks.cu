// Breadth-first search in two launches a level, as Rodinia's bfs: marks of a byte tell which vertices are to be expanded,
// and a second kernel makes those that the first has found the next ones.

struct Vertex {
  unsigned first, edges;
};

// `expanded` is the mark that a vertex of the level has from then on.
inline __device__ void expand(const Vertex* __restrict__ vertex, const unsigned* __restrict__ neighbour,
                              uint8_t* __restrict__ now, uint8_t* __restrict__ found, const uint8_t* __restrict__ seen,
                              int* __restrict__ level, unsigned vertices, uint8_t expanded) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !now[v]) return;
  now[v] = expanded;
#pragma unroll 1
  for (unsigned k = vertex[v].first; k < vertex[v].first + vertex[v].edges; ++k) {
    const unsigned other = neighbour[k];
    if (!seen[other]) {
      level[other] = level[v] + 1;
      found[other] = 1;
    }
  }
}

extern "C" __global__ void bfs_expand(const Vertex* __restrict__ vertex, const unsigned* __restrict__ neighbour,
                                      uint8_t* __restrict__ now, uint8_t* __restrict__ found,
                                      const uint8_t* __restrict__ seen, int* __restrict__ level, unsigned vertices) {
  expand(vertex, neighbour, now, found, seen, level, vertices, 0);
}

// The same accesses, and vertices keep their marks: the level can be expanded again.
extern "C" __global__ void bfs_expand_again(const Vertex* __restrict__ vertex, const unsigned* __restrict__ neighbour,
                                            uint8_t* __restrict__ now, uint8_t* __restrict__ found,
                                            const uint8_t* __restrict__ seen, int* __restrict__ level,
                                            unsigned vertices) {
  expand(vertex, neighbour, now, found, seen, level, vertices, 1);
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
