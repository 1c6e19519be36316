// European calls by binomial trees of 2048 steps, as the CUDA samples' binomialOptions: a CTA of 128 threads an option, 16
// neighbouring nodes in the registers of a thread; only the node at the border passes through shared memory.

constexpr unsigned kSteps = 2048, kThreads = 128, kNodes = kSteps / kThreads, kMostOptions = 1024;

struct TreeOption {
  float spot, strike, move, up, down;  // logarithm of one step up; discounted probabilities of a step up and down
};
__constant__ TreeOption tree_options[kMostOptions];

__device__ __forceinline__ float payoff(const TreeOption& o, unsigned node) {
  const float ups = fmaf(2.0f, static_cast<float>(static_cast<int>(node)), -static_cast<float>(kSteps));
  // exp of the special function unit: 2^(x log2 e)
  const float value = fmaf(o.spot, exp2_approx(o.move * ups * 1.44269504f), -o.strike);
  return value > 0.0f ? value : 0.0f;
}

extern "C" __global__ void binomial_options(float* values) {
  __shared__ float border[kThreads + 1];
  const unsigned t = threadIdx.x;
  const TreeOption o = tree_options[blockIdx.x];
  float node[kNodes + 1];
#pragma unroll
  for (unsigned i = 0; i < kNodes; ++i) node[i] = payoff(o, t * kNodes + i);
  if (t == 0) border[kThreads] = payoff(o, kSteps);
  const int last = max(0, static_cast<int>(t * kNodes) - 1);
#pragma unroll 16
  for (int level = kSteps; level > 0; --level) {
    border[t] = node[0];
    __syncthreads();
    node[kNodes] = border[t + 1];
    __syncthreads();
    if (level > last) {
#pragma unroll
      for (unsigned i = 0; i < kNodes; ++i) node[i] = fmaf(o.up, node[i + 1], o.down * node[i]);
    }
  }
  if (t == 0) values[blockIdx.x] = node[0];
}
