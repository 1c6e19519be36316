// The kernels of one step of an LSTM (Hochreiter and Schmidhuber, Neural Computation 1997), one by one as a library
// launches them: the matrix product of all four gates, activations, and operations on vectors. The weights lie column
// by column, so that a warp reads neighbours; input and state lie one after the other in `v`.

/// gates = W v + bias: a thread a row.
extern "C" __global__ void lstm_gemm(const float* __restrict__ weights, const float* __restrict__ v,
                                     const float* __restrict__ bias, float* __restrict__ gates, unsigned rows,
                                     unsigned columns) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = bias[row];
#pragma unroll 4
  for (unsigned c = 0; c < columns; ++c) sum = fmaf(weights[c * rows + row], v[c], sum);
  gates[row] = sum;
}

/// out = sigmoid(in), or tanh(in): 2 sigmoid(2 in) - 1.
extern "C" __global__ void lstm_activation(const float* __restrict__ in, float* __restrict__ out, unsigned count,
                                           unsigned is_tanh) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = is_tanh ? 2.0f * in[i] : in[i];
  const float s = 1.0f / (1.0f + exp2_approx(-1.44269504f * x));
  out[i] = is_tanh ? 2.0f * s - 1.0f : s;
}

/// out = a b, and c on top if there is one.
extern "C" __global__ void lstm_tensor(const float* __restrict__ a, const float* __restrict__ b, const float* c,
                                       float* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = c ? fmaf(a[i], b[i], c[i]) : a[i] * b[i];
}
