// Lengths of the shortest paths between all pairs of vertices by the algorithm of Floyd and Warshall, as Pannotia's fw and
// fw_block. The matrix has whole tiles of 16 x 16, a CTA each.

constexpr unsigned kTile = 16;

/// Paths through vertex `k`. Row and column k stay as they are, as the way from k to itself has length 0: whoever reads them
/// reads what they were, whether it comes before or after others.
extern "C" __global__ void floyd_warshall(int* distance, unsigned size, unsigned k) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const int through = distance[row * size + k] + distance[k * size + column];
  if (through < distance[row * size + column]) distance[row * size + column] = through;
}

/// Paths through the kTile vertices of a tile; `tile` is what they improve.
__device__ __forceinline__ void relax(int (&tile)[kTile][kTile], const int (&to)[kTile][kTile],
                                      const int (&from)[kTile][kTile]) {
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll 1
  for (unsigned k = 0; k < kTile; ++k) {
    const int through = to[ty][k] + from[k][tx];
    if (through < tile[ty][tx]) tile[ty][tx] = through;
    __syncthreads();
  }
}

__device__ __forceinline__ unsigned place(unsigned tile_row, unsigned tile_column, unsigned size) {
  return (tile_row * kTile + threadIdx.y) * size + tile_column * kTile + threadIdx.x;
}

/// Round `round` of the blocked algorithm, first the tile on the diagonal, by one CTA.
extern "C" __global__ void floyd_warshall_diagonal(int* distance, unsigned size, unsigned round) {
  __shared__ int tile[kTile][kTile];
  const unsigned here = place(round, round, size);
  tile[threadIdx.y][threadIdx.x] = distance[here];
  __syncthreads();
  relax(tile, tile, tile);
  distance[here] = tile[threadIdx.y][threadIdx.x];
}

/// Then the tiles beside it: those of its row if blockIdx.y is 0, of its column otherwise.
extern "C" __global__ void floyd_warshall_strips(int* distance, unsigned size, unsigned round) {
  __shared__ int diagonal[kTile][kTile];
  __shared__ int tile[kTile][kTile];
  const unsigned other = blockIdx.x < round ? blockIdx.x : blockIdx.x + 1;
  const bool in_row = blockIdx.y == 0;
  const unsigned here = in_row ? place(round, other, size) : place(other, round, size);
  diagonal[threadIdx.y][threadIdx.x] = distance[place(round, round, size)];
  tile[threadIdx.y][threadIdx.x] = distance[here];
  __syncthreads();
  if (in_row) {
    relax(tile, diagonal, tile);
  } else {
    relax(tile, tile, diagonal);
  }
  distance[here] = tile[threadIdx.y][threadIdx.x];
}

/// Then all others, which nothing of their own tile improves.
extern "C" __global__ void floyd_warshall_rest(int* distance, unsigned size, unsigned round) {
  __shared__ int to[kTile][kTile];
  __shared__ int from[kTile][kTile];
  const unsigned tile_column = blockIdx.x < round ? blockIdx.x : blockIdx.x + 1;
  const unsigned tile_row = blockIdx.y < round ? blockIdx.y : blockIdx.y + 1;
  const unsigned here = place(tile_row, tile_column, size), tx = threadIdx.x, ty = threadIdx.y;
  to[ty][tx] = distance[place(tile_row, round, size)];
  from[ty][tx] = distance[place(round, tile_column, size)];
  int shortest = distance[here];
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kTile; ++k) shortest = min(shortest, to[ty][k] + from[k][tx]);
  distance[here] = shortest;
}
