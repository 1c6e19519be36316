// Products of cuBLASLt: elements of any type and order, with factors of matrices and blocks, a bias, an activation or its gradient,
// and the greatest magnitude of what comes out; sums of rows for gradients of a bias; changes of type and order.

#include "blas/stored.h"
#include "blas/tile.h"

/// 2 sqrt(2 / pi) (x + 0.044715 x^3): GELU by tanh (Hendrycks and Gimpel, 2016, section 2) is x / (1 + exp(-this)).
constexpr float kSlope = 1.5957691f, kCubic = 0.044715f;
INLINE float logistic(float x) {
  return 1.0f / (1.0f + __nvvm_ex2_approx_ftz_f(-1.44269504f * kSlope * (x + kCubic * x * x * x)));
}
INLINE float gelu(float x) { return x * logistic(x); }
INLINE float gelu_gradient(float x) {
  const float s = logistic(x);
  return s + x * s * (1.0f - s) * kSlope * (1.0f + 3.0f * kCubic * x * x);
}
INLINE float scale_of(const float* at, int i = 0) { return at ? at[i] : 1.0f; }

/// Of the warp, for all its lanes.
INLINE float greatest_of_warp(float v) {
#pragma unroll
  for (int lanes = 16; lanes; lanes /= 2) {
    const float other = __shfl_xor_sync(~0u, v, lanes);
    v = other > v ? other : v;
  }
  return v;
}
/// Magnitudes are ordered as their bits are.
INLINE void raise(unsigned* greatest, float v) {
  v = greatest_of_warp(v);
  if (lane_id() == 0) atomicMax(reinterpret_cast<int*>(greatest), static_cast<int>(as_bits(v)));
}

/// What becomes of a sum of real numbers: the element at row i and column j, and what is recorded of it.
struct Finished {
  float value, magnitude, aux_magnitude;
  bool positive;
};
INLINE Finished finish(const LtProduct& product, float v, int i, int j, unsigned batch) {
  Finished made = {};
  const long long at = i + j * product.aux_leading + batch * product.aux_stride;
  switch (product.activation) {
    case kRelu:
      made.positive = v > 0;
      v = made.positive ? v : 0;
      break;
    case kGelu:
      if (product.aux) {
        made.aux_magnitude = __builtin_fabsf(v);
        put_real(product.aux, at, product.aux_type, v * scale_of(product.scale_aux));
      }
      v = gelu(v);
      break;
    case kReluGradient:
      if (!(typed<unsigned char>(product.aux)[at >> 3] >> (at & 7) & 1)) v = 0;
      break;
    case kGeluGradient:
      v *= gelu_gradient(real_at(product.aux, at, product.aux_type));
      break;
  }
  made.magnitude = __builtin_fabsf(v);
  made.value = v * scale_of(product.scale_d);
  return made;
}

/// Sums are of type Sum, what follows of type Acc. Matrices of integers lie in any order, others in columns or rows.
template <int kEach, class Sum, class Acc>
INLINE void multiply(const LtProduct& product) {
  constexpr int kTile = kEach * kThreads;
  const auto number = [](const LtMatrix& matrix, int i, int j) {
    return kInteger<Sum> ? number_in_order(matrix, i, j) : number_of(matrix, i, j);
  };
  constexpr bool kScaled = !kComplex<Sum> && !kInteger<Sum> && sizeof(Sum) == sizeof(float);
  const unsigned batch = product.first_batch + blockIdx.z;
  const LtMatrix &as = product.a, &bs = product.b, &cs = product.c, &ds = product.d;
  const void* const a = matrix_of(as, batch);
  const void* const b = matrix_of(bs, batch);
  // Of an operand in row i and column j, which is `p` along the sum and `outer` of `outers` across it.
  const auto element = [&](const LtMatrix& of, const void* at, int shape, int i, int j, int p, int outer, int outers) {
    const bool across = (shape & kTransposed) != 0;
    const long long n = number(of, across ? j : i, across ? i : j);
    Sum v = conjugate(element_at<Sum>(at, n, of.type, of.plane), (shape & kConjugated) != 0);
    if constexpr (kScaled)
      if (of.scales) v *= block_factor(of, p, outer, product.k, outers);
    return v;
  };
  Sum sum[kEach][kEach] = {};
  // A factor of zero: operands are not read.
  const int k = product.alpha.per_row == 0 && factor_of<Acc>(product.alpha, 0, batch) == Acc(0) ? 0 : product.k;
  const auto rows_lie_together = [](const LtMatrix& of, int shape) { return ((shape & kTransposed) != 0) != (of.order == kRows); };
  add_products<kEach, Sum>(
      product.m, product.n, k, rows_lie_together(as, product.shape_a), rows_lie_together(bs, product.shape_b),
      [&](int i, int p) { return element(as, a, product.shape_a, i, p, p, i, product.m); },
      [&](int p, int j) { return element(bs, b, product.shape_b, p, j, p, j, product.n); }, sum);

  const void* const c = matrix_of(cs, batch);
  void* const d = const_cast<void*>(matrix_of(ds, batch));
  float greatest = 0, greatest_aux = 0;
  // In memory, as the loops choose among them.
  Sum sums[kEach][kEach];
#pragma unroll
  for (int p = 0; p < kEach; ++p) {
#pragma unroll
    for (int q = 0; q < kEach; ++q) sums[p][q] = sum[p][q];
  }
  ONCE for (int q = 0; q < kEach; ++q) {
    unsigned positive = 0;
    ONCE for (int p = 0; p < kEach; ++p) {
      const int i = blockIdx.x * kTile + threadIdx.x + p * kThreads, j = blockIdx.y * kTile + threadIdx.y + q * kThreads;
      const bool there = i < product.m && j < product.n;
      bool is_positive = false;
      if (there) {
        Acc v = factor_of<Acc>(product.alpha, i, batch) * Acc(sums[p][q]);
        const Acc beta = factor_of<Acc>(product.beta, i, batch);
        // A factor of zero reads nothing: what is there may be no number.
        const bool keeps = beta != Acc(0);
        const Acc old = keeps ? element_at<Acc>(c, number(cs, i, j), cs.type, cs.plane) : Acc(0);
        if constexpr (kComplex<Acc> || kInteger<Acc> || sizeof(Acc) == sizeof(double)) {
          if (keeps) v = multiply_add(beta, old, v);
          if (product.bias)
            v += element_at<Acc>(product.bias, i + batch * product.bias_stride, product.bias_type, 0);
          put_element(d, number(ds, i, j), ds.type, ds.plane, v);
        } else {
          v *= scale_of(product.scale_a, product.rows_a ? i : 0) * scale_of(product.scale_b, product.columns_b ? j : 0);
          if (keeps) v = multiply_add(beta * scale_of(product.scale_c), old, v);
          if (product.bias) v += real_at(product.bias, i + batch * product.bias_stride, product.bias_type);
          const Finished made = finish(product, v, i, j, batch);
          is_positive = made.positive;
          greatest = made.magnitude > greatest ? made.magnitude : greatest;
          greatest_aux = made.aux_magnitude > greatest_aux ? made.aux_magnitude : greatest_aux;
          put_real(d, number(ds, i, j), ds.type, made.value);
        }
      }
      // A warp has 16 rows of two columns: its half of 32 bits of each.
      const unsigned warp = __ballot_sync(~0u, is_positive);
      const unsigned half = threadIdx.y & 1 ? warp >> 16 : warp & 0xffff;
      positive = p & 1 ? positive | half << 16 : half;
      if ((p & 1) == 0 || product.activation != kRelu || !product.aux || threadIdx.x != 0) continue;
      const int first = blockIdx.x * kTile + (p - 1) * kThreads;  // of 32 rows
      if (first < product.m && j < product.n)
        static_cast<unsigned*>(product.aux)[(first + j * product.aux_leading + batch * product.aux_stride) >> 5] = positive;
    }
  }
  if constexpr (!kComplex<Acc>) {
    if (product.greatest_d) raise(product.greatest_d, greatest);
    if (product.greatest_aux) raise(product.greatest_aux, greatest_aux);
  }
}

#define PRODUCT(name, kEach, Sum, Acc)                                                      \
  extern "C" __global__ void __launch_bounds__(256) lt_multiply_##name(LtProduct product) { \
    multiply<kEach, Sum, Acc>(product);                                                     \
  }
PRODUCT(s, 2, float, float)
PRODUCT(s_large, 4, float, float)
PRODUCT(d, 2, double, double)
PRODUCT(d_large, 4, double, double)
PRODUCT(i, 2, int, int)
PRODUCT(is, 2, int, float)
PRODUCT(c, 2, Complex<float>, Complex<float>)
PRODUCT(z, 2, Complex<double>, Complex<double>)

/// Before a product that raises them.
extern "C" __global__ void lt_clear(unsigned* first, unsigned* second) {
  if (first) *first = 0;
  if (second) *second = 0;
}

extern "C" __global__ void __launch_bounds__(256) lt_sums(LtSums sums) {
  const unsigned batch = sums.first_batch + blockIdx.z;
  const void* const from = matrix_of(sums.matrix, batch);
  FOR_EACH(i, sums.rows) {
    float sum = 0;
    ONCE for (int p = 0; p < sums.terms; ++p) {
      const int row = static_cast<int>(i);
      const bool across = (sums.shape & kTransposed) != 0;
      sum += real_at(from, number_of(sums.matrix, across ? p : row, across ? row : p), sums.matrix.type);
    }
    put_real(sums.to, i + batch * sums.stride, sums.type, sum);
  }
}

template <class Acc>
INLINE void transform(const LtTransform& t) {
  const unsigned batch = t.first_batch + blockIdx.z;
  const Acc alpha = factor_of<Acc>(t.alpha, 0, batch), beta = factor_of<Acc>(t.beta, 0, batch);
  void* const c = const_cast<void*>(matrix_of(t.c, batch));
  FOR_EACH(at, static_cast<long long>(t.m) * t.n) {
    const int i = static_cast<int>(at % t.m), j = static_cast<int>(at / t.m);
    const auto part = [&](const LtMatrix& of, int shape, Acc factor) {
      if (factor == Acc(0)) return Acc(0);
      const bool across = (shape & kTransposed) != 0;
      const Acc v = element_at<Acc>(matrix_of(of, batch), number_in_order(of, across ? j : i, across ? i : j), of.type, of.plane);
      return factor * conjugate(v, (shape & kConjugated) != 0);
    };
    put_element(c, number_in_order(t.c, i, j), t.c.type, t.c.plane, part(t.a, t.shape_a, alpha) + part(t.b, t.shape_b, beta));
  }
}
#define TRANSFORM(name, Acc) \
  extern "C" __global__ void __launch_bounds__(256) lt_transform_##name(LtTransform t) { transform<Acc>(t); }
TRANSFORM(s, float)
TRANSFORM(d, double)
TRANSFORM(c, Complex<float>)
TRANSFORM(z, Complex<double>)
