// The value of a portfolio of swaptions in the LIBOR market model by Monte Carlo, a path a thread, after the published
// algorithm (Giles and Glasserman, "Smoking adjoints: fast Monte Carlo Greeks", Risk 2006; the value without its
// sensitivities), which LIB of the ISPASS 2009 benchmarks of GPGPU-Sim computes: forward rates in a local array, evolved
// from maturity to maturity, then bonds and swaps of them. LIB has volatilities, maturities and swap rates in constant
// memory; here they are read from global memory, all threads at the same address, as the DARSIE study counts them. Division
// is div.full, what compilers made of `/` for the chips of 2009, without subnormal numbers as on these, and exp the special
// function unit's.

constexpr unsigned kMostRates = 80, kMostBonds = 40;

/// exp by the special function unit: 2^(x log2 e).
__device__ __forceinline__ float growth(float x) { return exp2_approx(x * 1.44269504f); }

struct Portfolio {
  const float* volatility;   // by distance of a rate from now
  const unsigned* maturity;  // of each option, in bonds
  const float* swap_rate;    // of each option
  float first_rate, delta;   // delta: years from one maturity to the next
  unsigned rates, steps, options;
};

/// `normals` has a number for each step: one for all paths, or kOwn: one a path, all paths of a step together.
template <bool kOwn>
__device__ __forceinline__ void price(float* values, const float* normals, const Portfolio& p) {
  float rate[kMostRates];
  float bond[kMostBonds], annuity[kMostBonds];
  const unsigned path = blockIdx.x * blockDim.x + threadIdx.x, paths = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < p.rates; ++i) rate[i] = p.first_rate;

  const float root = sqrtf(p.delta);
  for (unsigned n = 0; n < p.steps; ++n) {
    const float shock = root * normals[kOwn ? n * paths + path : n];
    float drift = 0.0f;
    for (unsigned i = n + 1; i < p.rates; ++i) {
      const float sigma = p.volatility[i - n - 1], part = p.delta * sigma;
      drift += div_full(part * rate[i], fmaf(p.delta, rate[i], 1.0f));
      rate[i] *= growth(fmaf(part, drift, sigma * fmaf(-0.5f, part, shock)));
    }
  }

  // What bonds and annuities are worth after the last step.
  float discount = 1.0f, sum = 0.0f;
  for (unsigned n = p.steps; n < p.rates; ++n) {
    discount = div_full(discount, fmaf(p.delta, rate[n], 1.0f));
    sum = fmaf(p.delta, discount, sum);
    bond[n - p.steps] = discount;
    annuity[n - p.steps] = sum;
  }
  float value = 0.0f;
  for (unsigned i = 0; i < p.options; ++i) {
    const unsigned last = p.maturity[i] - 1;
    const float swap = fmaf(p.swap_rate[i], annuity[last], bond[last]) - 1.0f;
    if (swap < 0.0f) value = fmaf(-100.0f, swap, value);
  }
  discount = 1.0f;
  for (unsigned n = 0; n < p.steps; ++n) discount = div_full(discount, fmaf(p.delta, rate[n], 1.0f));
  values[path] = discount * value;
}

extern "C" __global__ void libor(float* values, const float* normals, Portfolio portfolio) {
  price<true>(values, normals, portfolio);
}

/// All paths alike, as LIB's are, whose variates are 0.3 all.
extern "C" __global__ void libor_alike(float* values, const float* normals, Portfolio portfolio) {
  price<false>(values, normals, portfolio);
}
