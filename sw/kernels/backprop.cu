// Training of a layered neural network, as Rodinia's backprop: the sums of a hidden layer of 16 units over a large input
// layer, and the correction of the weights between them. CTAs of 16 x 16 threads, 16 input units each. Row 0 of the
// weights and unit 0 of every layer belong to the threshold.

constexpr unsigned kHigh = 16, kWide = 16;
constexpr double kRate = 0.3, kMomentum = 0.3;  // in double precision, as the original computes

// An instruction, whatever the compiler knows of `a`.
__device__ __forceinline__ int to_int_instruction(float a) {
  int whole;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(whole) : "f"(a));
  return whole;
}

extern "C" __global__ void layer_forward(float* input, float* weights, float* partial_sums, unsigned hidden) {
  __shared__ float unit[kHigh];
  __shared__ float product[kHigh][kWide];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
  const unsigned index = (hidden + 1) * (kHigh * by + ty + 1) + tx + 1;
  if (tx == 0) unit[ty] = input[kHigh * by + ty + 1];
  __syncthreads();
  product[ty][tx] = weights[index];
  __syncthreads();
  product[ty][tx] = product[ty][tx] * unit[ty];
  __syncthreads();
#pragma unroll
  for (int level = 1; 1 << level <= static_cast<int>(kHigh); ++level) {
    // The original computes powers and logarithms of constants, which its compiler knows but for the conversion.
    const int span = to_int_instruction(static_cast<float>(1 << level));
    if (static_cast<int>(ty) % span == 0) product[ty][tx] = product[ty][tx] + product[ty + span / 2][tx];
    __syncthreads();
  }
  weights[index] = product[ty][tx];
  __syncthreads();
  if (tx == 0) partial_sums[by * hidden + ty] = product[tx][ty];
}

__device__ __forceinline__ double correction(float delta, double unit, float old) {
  return fma(kRate * static_cast<double>(delta), unit, kMomentum * static_cast<double>(old));
}

extern "C" __global__ void adjust_weights(float* delta, unsigned hidden, float* units, float* weights, float* old) {
  const unsigned tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
  const unsigned index = (hidden + 1) * (kHigh * by + ty + 1) + tx + 1;
  const unsigned y = kHigh * by + ty + 1, x = tx + 1;
  // The arrays may overlap for all the compiler knows, so everything is read again after the first store.
  weights[index] = static_cast<float>(weights[index] + correction(delta[x], units[y], old[index]));
  old[index] = static_cast<float>(correction(delta[x], units[y], old[index]));
  __syncthreads();
  if (ty == 0 && by == 0) {
    weights[x] = static_cast<float>(weights[x] + correction(delta[x], 1.0, old[x]));
    old[x] = static_cast<float>(correction(delta[x], 1.0, old[x]));
  }
}
