// Fluxes of compressible flow through an unstructured mesh, as compute_flux of Rodinia's euler3d: a thread an element,
// which gathers the five conserved variables of its four neighbours. Everything is stored variable by variable:
// variable v of element i is [v * count + i], face f of it [f * count + i].

constexpr unsigned kFaces = 4;
constexpr int kWing = -1;  // what lies behind a face instead of a neighbour; the far field is any other below zero
constexpr float kGamma = 1.4f, kSmoothing = 0.2f;

struct Vector {
  float x, y, z;
};
struct State {
  float density;
  Vector momentum;
  float energy;
};
struct Flow {  // what follows from a state
  Vector velocity;
  float speed, pressure, sound;
};
struct Flux {
  float density;
  Vector momentum;
  float energy;
};
struct FarField {
  State state;
  Vector momentum[3], energy;  // its fluxes along x, y and z
};

__device__ __forceinline__ float dot(Vector a, Vector b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

__device__ __forceinline__ State load(const float* variables, unsigned count, unsigned i) {
  return {variables[i], {variables[count + i], variables[2 * count + i], variables[3 * count + i]}, variables[4 * count + i]};
}

__device__ __forceinline__ Flow flow_of(const State& s) {
  Flow f;
  f.velocity = {s.momentum.x / s.density, s.momentum.y / s.density, s.momentum.z / s.density};
  const float squared = dot(f.velocity, f.velocity);
  f.speed = sqrtf(squared);
  f.pressure = (kGamma - 1.0f) * fmaf(-0.5f * s.density, squared, s.energy);
  f.sound = sqrtf(kGamma * f.pressure / s.density);
  return f;
}

// Row `axis` of the momentum's flux, symmetric; and the energy's flux.
__device__ __forceinline__ void fluxes(const State& s, const Flow& f, Vector momentum[3], Vector& energy) {
  momentum[0] = {fmaf(f.velocity.x, s.momentum.x, f.pressure), f.velocity.x * s.momentum.y, f.velocity.x * s.momentum.z};
  momentum[1] = {momentum[0].y, fmaf(f.velocity.y, s.momentum.y, f.pressure), f.velocity.y * s.momentum.z};
  momentum[2] = {momentum[0].z, momentum[1].z, fmaf(f.velocity.z, s.momentum.z, f.pressure)};
  const float both = s.energy + f.pressure;
  energy = {f.velocity.x * both, f.velocity.y * both, f.velocity.z * both};
}

// Adds the mean of both sides' fluxes along one axis.
__device__ __forceinline__ void add_axis(Flux& sum, float half, float momentum_a, float momentum_b, Vector a, Vector b,
                                         float energy_a, float energy_b) {
  sum.density = fmaf(half, momentum_a + momentum_b, sum.density);
  sum.momentum.x = fmaf(half, a.x + b.x, sum.momentum.x);
  sum.momentum.y = fmaf(half, a.y + b.y, sum.momentum.y);
  sum.momentum.z = fmaf(half, a.z + b.z, sum.momentum.z);
  sum.energy = fmaf(half, energy_a + energy_b, sum.energy);
}

__device__ __forceinline__ void add_face(Flux& sum, Vector normal, const State& here, const Vector* momentum,
                                         Vector energy, const State& there, const Vector* other_momentum,
                                         Vector other_energy) {
  add_axis(sum, 0.5f * normal.x, there.momentum.x, here.momentum.x, other_momentum[0], momentum[0], other_energy.x, energy.x);
  add_axis(sum, 0.5f * normal.y, there.momentum.y, here.momentum.y, other_momentum[1], momentum[1], other_energy.y, energy.y);
  add_axis(sum, 0.5f * normal.z, there.momentum.z, here.momentum.z, other_momentum[2], momentum[2], other_energy.z, energy.z);
}

extern "C" __global__ void cfd_flux(const int* __restrict__ neighbours, const float* __restrict__ normals,
                                    const float* __restrict__ variables, float* __restrict__ result,
                                    const FarField far, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const State here = load(variables, count, i);
  const Flow flow = flow_of(here);
  Vector momentum[3], energy;
  fluxes(here, flow, momentum, energy);
  Flux sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
#pragma unroll
  for (unsigned face = 0; face < kFaces; ++face) {
    const int other = neighbours[face * count + i];
    const Vector normal = {normals[face * count + i], normals[(kFaces + face) * count + i],
                           normals[(2 * kFaces + face) * count + i]};
    if (other >= 0) {
      const State there = load(variables, count, static_cast<unsigned>(other));
      const Flow other_flow = flow_of(there);
      Vector other_momentum[3], other_energy;
      fluxes(there, other_flow, other_momentum, other_energy);
      // Artificial viscosity, which keeps the scheme stable.
      const float smooth = -sqrtf(dot(normal, normal)) * kSmoothing * 0.5f *
                           (flow.speed + other_flow.speed + flow.sound + other_flow.sound);
      sum.density = fmaf(smooth, here.density - there.density, sum.density);
      sum.energy = fmaf(smooth, here.energy - there.energy, sum.energy);
      sum.momentum.x = fmaf(smooth, here.momentum.x - there.momentum.x, sum.momentum.x);
      sum.momentum.y = fmaf(smooth, here.momentum.y - there.momentum.y, sum.momentum.y);
      sum.momentum.z = fmaf(smooth, here.momentum.z - there.momentum.z, sum.momentum.z);
      add_face(sum, normal, here, momentum, energy, there, other_momentum, other_energy);
    } else if (other == kWing) {
      sum.momentum.x = fmaf(normal.x, flow.pressure, sum.momentum.x);
      sum.momentum.y = fmaf(normal.y, flow.pressure, sum.momentum.y);
      sum.momentum.z = fmaf(normal.z, flow.pressure, sum.momentum.z);
    } else {
      add_face(sum, normal, here, momentum, energy, far.state, far.momentum, far.energy);
    }
  }
  result[i] = sum.density;
  result[count + i] = sum.momentum.x;
  result[2 * count + i] = sum.momentum.y;
  result[3 * count + i] = sum.momentum.z;
  result[4 * count + i] = sum.energy;
}
