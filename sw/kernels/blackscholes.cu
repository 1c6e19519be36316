// European options by the formula of Black and Scholes, the normal distribution by the polynomial 26.2.17 of
// Abramowitz and Stegun; threads stride over the options. From the benchmarks of the SWaS paper (table I).

struct OptionTerms {
  float spot, strike, years, unused;
};

__device__ __forceinline__ float normal_cdf(float d) {
  const float k = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
  float poly = 1.330274429f;
  poly = fmaf(poly, k, -1.821255978f);
  poly = fmaf(poly, k, 1.781477937f);
  poly = fmaf(poly, k, -0.356563782f);
  poly = fmaf(poly, k, 0.31938153f);
  const float tail = 0.39894228f * expf(-0.5f * d * d) * (poly * k);
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(const OptionTerms* __restrict__ options, float2* __restrict__ values,
                                        unsigned count, float rate, float volatility) {
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const OptionTerms o = options[i];
    const float deviation = volatility * sqrtf(o.years);
    const float drift = fmaf(0.5f * volatility, volatility, rate) * o.years;
    const float d1 = (logf(o.spot / o.strike) + drift) / deviation;
    const float in_money = normal_cdf(d1), exercised = normal_cdf(d1 - deviation);
    const float paid = o.strike * expf(-rate * o.years);
    values[i] = float2{fmaf(o.spot, in_money, -paid * exercised),
                       fmaf(paid, 1.0f - exercised, -o.spot * (1.0f - in_money))};
  }
}
