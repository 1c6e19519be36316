// One step of the temperature of a stacked chip, as Rodinia's hotspot3D: a thread a column of cells, which it
// climbs layer by layer, with the cells below and above in registers. Warps read along x.

struct Stencil3d {
  float centre, west_east, north_south, below_above, step_per_capacity, ambient;
};

extern "C" __global__ void hotspot3d(const float* __restrict__ from, float* __restrict__ to,
                                     const float* __restrict__ power, Stencil3d s, unsigned nx, unsigned ny,
                                     unsigned nz) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const unsigned layer = nx * ny;
  const unsigned to_west = x == 0 ? 0 : 1, to_east = x == nx - 1 ? 0 : 1;
  const unsigned to_north = y == 0 ? 0 : nx, to_south = y == ny - 1 ? 0 : nx;
  unsigned here = y * nx + x;
  float t = from[here], below = t;
#pragma unroll 1
  for (unsigned z = 0; z < nz; ++z) {
    const float above = z == nz - 1 ? t : from[here + layer];
    float next = fmaf(s.west_east, from[here - to_west] + from[here + to_east], s.centre * t);
    next = fmaf(s.north_south, from[here - to_north] + from[here + to_south], next);
    next = fmaf(s.below_above, below + above, next);
    next = fmaf(s.step_per_capacity, power[here], next);
    to[here] = fmaf(s.below_above, s.ambient, next);
    below = t;
    t = above;
    here += layer;
  }
}
