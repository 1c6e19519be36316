// The step of k-means that finds the nearest centre of every point, as in Rodinia: a thread a point. Points are
// stored feature by feature, so that a warp reads neighbours; all lanes read the same centre.

extern "C" __global__ void kmeans(const float* __restrict__ points, const float* __restrict__ centres,
                                  unsigned* __restrict__ member, unsigned count, unsigned features, unsigned clusters) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float least = 3.402823466e38f;
  unsigned nearest = 0;
#pragma unroll 1
  for (unsigned c = 0; c < clusters; ++c) {
    float distance = 0.0f;
#pragma unroll 1
    for (unsigned f = 0; f < features; ++f) {
      const float d = points[f * count + i] - centres[c * features + f];
      distance = fmaf(d, d, distance);
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  member[i] = nearest;
}

// The transposition before it: points that lie point by point, as a file has them, are stored feature by feature. A thread
// a point, so lanes read `features` numbers apart (invert_mapping of the original).
extern "C" __global__ void kmeans_by_feature(const float* __restrict__ by_point, float* __restrict__ points, unsigned count,
                                             unsigned features) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
#pragma unroll 1
  for (unsigned f = 0; f < features; ++f) points[f * count + i] = by_point[i * features + f];
}
