// A step of the lattice Boltzmann method with 19 velocities (D3Q19), as Parboil's lbm: a thread a cell, which collides what
// has come to it and streams the result to its neighbours. Densities are stored velocity by velocity, `pitch` apart; cell
// (x, y, z) is [x + row * (y + gridDim.x * z)]. A CTA is a row.

constexpr float kOmega = 1.95f;
constexpr unsigned kObstacle = 1, kDriven = 2;
constexpr unsigned kVelocities = 19;

// (x, y, z) of each velocity: itself, then pairs of opposite ones.
constexpr int kX[kVelocities] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
constexpr int kY[kVelocities] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constexpr int kZ[kVelocities] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__device__ constexpr unsigned opposite(unsigned v) { return v == 0 ? 0 : (v - 1 ^ 1) + 1; }
__device__ constexpr float weight(unsigned v) { return v == 0 ? 1.0f / 3.0f : v <= 6 ? 1.0f / 18.0f : 1.0f / 36.0f; }

extern "C" __global__ void lbm_step(const float* __restrict__ from, float* __restrict__ to,
                                    const unsigned* __restrict__ flags, unsigned row, unsigned pitch) {
  const int down = static_cast<int>(row), below = static_cast<int>(row * gridDim.x);
  const int cell = static_cast<int>(threadIdx.x) + down * static_cast<int>(blockIdx.x) + below * static_cast<int>(blockIdx.y);
  float f[kVelocities];
#pragma unroll
  for (unsigned v = 0; v < kVelocities; ++v) f[v] = from[static_cast<int>(v * pitch) + cell];
  const unsigned flag = flags[cell];
  if (flag & kObstacle) {  // turned back
#pragma unroll
    for (unsigned v = 0; v < kVelocities; ++v) {
      to[static_cast<int>(v * pitch) + cell + kX[v] + down * kY[v] + below * kZ[v]] = f[opposite(v)];
    }
    return;
  }
  float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
  for (unsigned v = 0; v < kVelocities; ++v) {
    density += f[v];
    if (kX[v] != 0) ux += static_cast<float>(kX[v]) * f[v];
    if (kY[v] != 0) uy += static_cast<float>(kY[v]) * f[v];
    if (kZ[v] != 0) uz += static_cast<float>(kZ[v]) * f[v];
  }
  ux /= density;
  uy /= density;
  uz /= density;
  if (flag & kDriven) {
    ux = 0.005f;
    uy = 0.002f;
    uz = 0.0f;
  }
  const float rest = fmaf(-1.5f, fmaf(ux, ux, fmaf(uy, uy, uz * uz)), 1.0f);
#pragma unroll
  for (unsigned v = 0; v < kVelocities; ++v) {
    float along = 0.0f;
    if (kX[v] != 0) along += static_cast<float>(kX[v]) * ux;
    if (kY[v] != 0) along += static_cast<float>(kY[v]) * uy;
    if (kZ[v] != 0) along += static_cast<float>(kZ[v]) * uz;
    const float balance = fmaf(along, fmaf(4.5f, along, 3.0f), rest);
    to[static_cast<int>(v * pitch) + cell + kX[v] + down * kY[v] + below * kZ[v]] =
        fmaf(1.0f - kOmega, f[v], weight(v) * kOmega * density * balance);
  }
}
