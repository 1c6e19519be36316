// Temperature of a chip in two dimensions, as Rodinia's hotspot, by one CTA: a thread a cell, and all steps in one
// launch. Lanes run down a column of the row-major grids, so that no access of a warp can be coalesced (SWaS paper,
// section VI-B1).

struct Package {
  float capacity, rx, ry, rz, step, ambient;  // heat capacity of a cell, thermal resistances, length of a step
};

// `even` holds the temperatures before step 0; an odd number of steps leaves the result in `odd`. Both are written
// while the kernel runs, so neither may be taken for read-only.
extern "C" __global__ void __launch_bounds__(1024)
    hotspot(float* even, float* odd, const float* __restrict__ power, Package p, unsigned rows, unsigned columns,
            unsigned steps) {
  const unsigned row = threadIdx.x, column = threadIdx.y;
  const unsigned here = row * columns + column;
  const unsigned north = row == 0 ? here : here - columns, south = row == rows - 1 ? here : here + columns;
  const unsigned west = column == 0 ? here : here - 1, east = column == columns - 1 ? here : here + 1;
  const float step_per_capacity = p.step / p.capacity;
  const float gx = 1.0f / p.rx, gy = 1.0f / p.ry, gz = 1.0f / p.rz;
  const float* from = even;
  float* to = odd;
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    const float t = from[here];
    float flow = fmaf(fmaf(-2.0f, t, from[north] + from[south]), gy, power[here]);
    flow = fmaf(fmaf(-2.0f, t, from[west] + from[east]), gx, flow);
    flow = fmaf(p.ambient - t, gz, flow);
    to[here] = fmaf(step_per_capacity, flow, t);
    float* const written = to;
    to = const_cast<float*>(from);
    from = written;
    __syncthreads();
  }
}
