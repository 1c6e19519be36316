// Scores of Gaussian mixtures, as speech recognition computes them for each frame (Young et al., The HTK Book): the
// logarithm, to the base 2, of the sum of the components' densities. A thread a mixture; coefficients lie feature by
// feature, so that a warp reads neighbours.

extern "C" __global__ void gmm_score(const float* __restrict__ frame, const float* __restrict__ means,
                                     const float* __restrict__ precisions, const float* __restrict__ weights,
                                     float* __restrict__ scores, unsigned mixtures, unsigned components,
                                     unsigned features) {
  const unsigned m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= mixtures) return;
  float score = -1e30f;
#pragma unroll 1
  for (unsigned c = 0; c < components; ++c) {
    float distance = 0.0f;
#pragma unroll 4
    for (unsigned f = 0; f < features; ++f) {
      const unsigned at = (c * features + f) * mixtures + m;
      const float d = frame[f] - means[at];
      distance = fmaf(d * d, precisions[at], distance);
    }
    const float density = weights[c * mixtures + m] - distance;  // logarithms to the base 2
    const float larger = fmaxf(score, density), smaller = fminf(score, density);
    score = larger + log2_approx(1.0f + exp2_approx(smaller - larger));
  }
  scores[m] = score;
}
