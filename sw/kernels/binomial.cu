// European call options by a binomial tree ("bin" of QAWS Table I): a CTA an option. The payoffs at the leaves go to
// shared memory and are folded back step by step; thread t owns the nodes t, t + blockDim.x, ...

constexpr unsigned kMostSteps = 1024;

struct OptionData {
  float spot, strike, years, unused;
};

__device__ __forceinline__ void option_cta(unsigned cta, const OptionData* options, float* values, unsigned steps,
                                           float rate, float volatility) {
  __shared__ float node[kMostSteps + 1];
  const OptionData o = options[cta];
  const float dt = o.years / static_cast<float>(steps);
  const float move = volatility * sqrtf(dt);  // logarithm of one step up
  const float up = expf(move), down = 1.0f / up;
  const float growth = expf(rate * dt);
  const float p_up = (growth - down) / (up - down);
  const float keep_up = p_up / growth, keep_down = (1.0f - p_up) / growth;

  for (unsigned i = threadIdx.x; i <= steps; i += blockDim.x) {
    const float ups = static_cast<float>(2 * static_cast<int>(i) - static_cast<int>(steps));
    node[i] = fmaxf(fmaf(o.spot, expf(move * ups), -o.strike), 0.0f);
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned level = steps; level > 0; --level) {
    // Node i of the level above needs i and i + 1 of this one; a stretch of blockDim.x nodes is read before it is
    // written, and stretches go upwards, so that nothing is overwritten while it is still needed.
#pragma unroll 1
    for (unsigned first = 0; first < level; first += blockDim.x) {
      const unsigned i = first + threadIdx.x;
      float value = 0.0f;
      if (i < level) value = fmaf(keep_up, node[i + 1], keep_down * node[i]);
      __syncthreads();
      if (i < level) node[i] = value;
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) values[cta] = node[0];
  __syncthreads();
}

extern "C" __global__ void binomial(const OptionData* __restrict__ options, float* __restrict__ values, unsigned steps,
                                    float rate, float volatility) {
  option_cta(blockIdx.x, options, values, steps, rate, volatility);
}

extern "C" __global__ void binomial_persistent(const OptionData* __restrict__ options, float* __restrict__ values,
                                               unsigned steps, float rate, float volatility, unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) {
    option_cta(cta, options, values, steps, rate, volatility);
  }
}
