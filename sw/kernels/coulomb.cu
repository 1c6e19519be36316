// The electric potential of point charges on a plane of grid points, as CP of the ISPASS 2009 benchmarks of GPGPU-Sim
// (Parboil's cp; Stone et al., "Accelerating molecular modeling applications with graphics processors", J. Comput. Chem. 28,
// 2007): charges in constant memory, a thread for eight points of a row that lie a CTA's width apart.

constexpr unsigned kPoints = 8, kMostCharges = 4000;

/// x, y, square of the distance from the plane, charge.
__constant__ float4 charges[kMostCharges];

/// Adds the potential of `count` charges to that in `energy`. The grid covers whole rows.
extern "C" __global__ void coulomb(unsigned count, float spacing, float* energy) {
  const unsigned column = blockIdx.x * (blockDim.x * kPoints) + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const float x = spacing * static_cast<float>(column), y = spacing * static_cast<float>(row);
  const float step = spacing * static_cast<float>(blockDim.x);
  float sum[kPoints] = {};
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    const float4 charge = charges[i];
    const float dy = y - charge.y, dyz2 = fmaf(dy, dy, charge.z);
    float dx = x - charge.x;
#pragma unroll
    for (unsigned p = 0; p < kPoints; ++p) {
      sum[p] = fmaf(charge.w, rsqrt_approx(fmaf(dx, dx, dyz2)), sum[p]);
      dx += step;
    }
  }
  float* const own = energy + row * (gridDim.x * blockDim.x * kPoints) + column;
#pragma unroll
  for (unsigned p = 0; p < kPoints; ++p) own[p * blockDim.x] += sum[p];
}
