// Temperature of a chip in two dimensions, as Rodinia's hotspot: CTAs of 16 x 16 threads take overlapping tiles into
// shared memory and compute `steps` steps in one launch, the valid part shrinking by a cell on each side with each step.
// The flows are computed in double precision, as in the original (whose 2.0 is a double).

constexpr int kTile = 16;

struct TilePackage {
  float step, capacity, rx, ry, rz, ambient;
};

__device__ __forceinline__ bool within(int v, int low, int high) { return v >= low && v <= high; }

extern "C" __global__ void hotspot_tiles(int steps, const float* power, const float* from, float* to, int columns, int rows,
                                         int border, TilePackage p) {
  __shared__ float heat[kTile][kTile];
  __shared__ float source[kTile][kTile];
  __shared__ float next[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float step_per_capacity = p.step / p.capacity;
  const float gx = 1.0f / p.rx, gy = 1.0f / p.ry, gz = 1.0f / p.rz;
  const int inner = kTile - 2 * steps;
  const int top = inner * static_cast<int>(blockIdx.y) - border, left = inner * static_cast<int>(blockIdx.x) - border;
  const int y = top + ty, x = left + tx, here = columns * y + x;
  if (within(y, 0, rows - 1) && within(x, 0, columns - 1)) {
    heat[ty][tx] = from[here];
    source[ty][tx] = power[here];
  }
  __syncthreads();
  const int y_low = top < 0 ? -top : 0, x_low = left < 0 ? -left : 0;
  const int y_high = top + kTile > rows ? rows - 1 - top : kTile - 1;
  const int x_high = left + kTile > columns ? columns - 1 - left : kTile - 1;
  const int north = max(ty - 1, y_low), south = min(ty + 1, y_high);
  const int west = max(tx - 1, x_low), east = min(tx + 1, x_high);
  bool computed = false;
  for (int i = 0; i < steps; ++i) {
    computed = false;
    if (within(tx, i + 1, kTile - i - 2) && within(ty, i + 1, kTile - i - 2) && within(tx, x_low, x_high) &&
        within(ty, y_low, y_high)) {
      computed = true;
      const float t = heat[ty][tx];
      double flow = fma(fma(-2.0, static_cast<double>(t), static_cast<double>(heat[south][tx] + heat[north][tx])),
                        static_cast<double>(gy), static_cast<double>(source[ty][tx]));
      flow = fma(fma(-2.0, static_cast<double>(t), static_cast<double>(heat[ty][east] + heat[ty][west])),
                 static_cast<double>(gx), flow);
      flow += static_cast<double>((p.ambient - t) * gz);
      next[ty][tx] = static_cast<float>(fma(static_cast<double>(step_per_capacity), flow, static_cast<double>(t)));
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) heat[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) to[here] = next[ty][tx];
}
