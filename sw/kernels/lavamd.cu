// Potential and forces between particles in neighbouring boxes, as Rodinia's lavaMD: a CTA a box, a thread a particle of
// it, which meets all particles of the box and of up to 26 boxes around it. In double precision, as the original.

constexpr unsigned kMost = 100;  // particles a box

struct Particle {
  double half_square, x, y, z;  // of a place: half the square of its distance from the origin; of a force: the potential
};
struct Surroundings {
  int boxes, box[27];  // the box itself first
};

extern "C" __device__ double exp(double a) __asm__("_Z3expd");

// The original adds to its sums in global memory at every step: read, add, write. This compiler would keep them in
// registers, had it not to suppose that the statement reads and writes memory.
__device__ __forceinline__ void add(double* sum, double v) {
  *sum = *sum + v;
  asm volatile("" ::: "memory");
}

extern "C" __global__ void lavamd(double alpha, const Surroundings* around, const Particle* places,
                                  const double* charges, Particle* forces, unsigned particles) {
  __shared__ Particle home[kMost], other[kMost];
  __shared__ double charge[kMost];
  const unsigned first = blockIdx.x * particles, t = threadIdx.x;
  const double decay = 2.0 * alpha * alpha;
  if (t < particles) home[t] = places[first + t];
  __syncthreads();
  const int boxes = around[blockIdx.x].boxes;
#pragma unroll 1
  for (int k = 0; k < boxes; ++k) {
    const unsigned from = static_cast<unsigned>(around[blockIdx.x].box[k]) * particles;
    if (t < particles) {
      other[t] = places[from + t];
      charge[t] = charges[from + t];
    }
    __syncthreads();
    if (t < particles) {
#pragma unroll 1
      for (unsigned j = 0; j < particles; ++j) {
        const double dot = fma(home[t].x, other[j].x, fma(home[t].y, other[j].y, home[t].z * other[j].z));
        const double fall = exp(-decay * (home[t].half_square + other[j].half_square - dot));
        const double force = 2.0 * fall * charge[j];
        add(&forces[first + t].half_square, charge[j] * fall);
        add(&forces[first + t].x, force * (home[t].x - other[j].x));
        add(&forces[first + t].y, force * (home[t].y - other[j].y));
        add(&forces[first + t].z, force * (home[t].z - other[j].z));
      }
    }
    __syncthreads();
  }
}
