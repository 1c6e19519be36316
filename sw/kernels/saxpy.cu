// y = alpha x + y over n floats with a grid-stride loop: any grid covers any n.

extern "C" __global__ void saxpy(float alpha, const float* __restrict__ x, float* __restrict__ y, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = fmaf(alpha, x[i], y[i]);
  }
}
