// cuBLASLt: from descriptors to the product that a kernel makes (sw/kernels/blas/lt.cu).

#include <algorithm>
#include <initializer_list>

#include "sw/cuda/blas/lt.h"
#include "sw/cuda/library/refuse.h"

namespace warpvp::cuda::blas {
namespace {

bool one_of(std::uint32_t type, std::initializer_list<cudaDataType> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}
bool is_f8(std::uint32_t type) { return one_of(type, {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2}); }
bool is_complex(std::uint32_t type) {
  return one_of(type, {CUDA_C_32F, CUDA_C_64F, CUDA_C_16F, CUDA_C_16BF});
}
bool is_float(std::uint32_t type) { return one_of(type, {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF}); }
/// What a kernel in single precision reads and writes.
bool is_real(std::uint32_t type) {
  return is_float(type) || is_f8(type) || one_of(type, {CUDA_R_8I, CUDA_R_32I});
}
bool is_complex_float(std::uint32_t type) { return one_of(type, {CUDA_C_32F, CUDA_C_16F, CUDA_C_16BF}); }

constexpr LtKernel kInFloat = {"lt_multiply_s", "lt_multiply_s_large", true, false},
                   kInDouble = {"lt_multiply_d", "lt_multiply_d_large", false, false},
                   kInIntegers = {"lt_multiply_i", nullptr, false, true},
                   kFromIntegers = {"lt_multiply_is", nullptr, true, true},
                   kInComplex = {"lt_multiply_c", nullptr, false, false},
                   kInComplexDouble = {"lt_multiply_z", nullptr, false, false};
/// The kernel for these types, or null. Factors are of the scale type.
const LtKernel* kernel_for(const LtOperation& o, const LtOperands& of) {
  const std::uint32_t a = of.a.type, b = of.b.type, c = of.c.type, d = of.d.type, scale = o.scale_type;
  const auto all_are = [&](std::uint32_t type) {
    return a == type && b == type && c == type && d == type && scale == type;
  };
  bool in_half = false;
  switch (o.computed_in) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
      return all_are(CUDA_R_64F) ? &kInDouble : all_are(CUDA_C_64F) ? &kInComplexDouble : nullptr;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: {
      if (a != CUDA_R_8I || b != CUDA_R_8I) return nullptr;
      if (scale == CUDA_R_32I) return c == CUDA_R_32I && d == CUDA_R_32I ? &kInIntegers : nullptr;
      const auto is_result = [](std::uint32_t type) { return is_real(type) && !is_f8(type); };
      return scale == CUDA_R_32F && is_result(c) && is_result(d) ? &kFromIntegers : nullptr;
    }
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      in_half = true;
      break;
  }
  if (is_complex(a)) {
    const bool fits = is_complex_float(a) && a == b && is_complex_float(c) && is_complex_float(d);
    return fits && scale == (in_half ? CUDA_C_16F : CUDA_C_32F) ? &kInComplex : nullptr;
  }
  const bool same = a == b && (is_float(a) || one_of(a, {CUDA_R_8I, CUDA_R_4F_E2M1}));
  const bool results = (is_float(c) || is_f8(c)) && (is_float(d) || is_f8(d));
  const bool fits = (same || (is_f8(a) && is_f8(b))) && results;
  return fits && scale == (in_half ? CUDA_R_16F : CUDA_R_32F) ? &kInFloat : nullptr;
}

/// Factors of blocks, or of the whole or its rows, as the mode has it.
cublasStatus_t add_factors(std::uint8_t mode, const void* at, LtMatrix& matrix, const float*& whole,
                           int& each) {
  if (mode > kSquares128) return not_offered("a kind of factors that a newer version of cublasLt has");
  if (mode == kWhole || mode == kOuterVector) {
    whole = static_cast<const float*>(at);
    each = mode == kOuterVector;
  } else {
    matrix.scales = at;
    matrix.scale_mode = mode;
  }
  return mode == kWhole || at != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/// What follows the sums, of D's rows.
cublasStatus_t add_epilogue(const LtOperation& o, const LtOperands& of, bool in_float, LtProduct& p) {
  const std::uint32_t bits = o.epilogue & ~std::uint32_t{kDefault};
  constexpr std::uint32_t kActivations = kReluOf | kGeluOf | kReluGradientOf | kGeluGradientOf;
  constexpr std::uint32_t kGradients = kGradientOfBias | kGradientOfBiasA | kGradientOfBiasB;
  if ((bits & ~(kActivations | kGradients | kBias | kAux)) != 0)
    return not_offered("an epilogue that a newer version of cublasLt has");
  if (!in_float && (bits & ~std::uint32_t{kBias}) != 0)
    return not_offered("cublasLtMatmul with an activation in other than single precision");
  switch (bits & kActivations) {
    case 0:
      break;
    case kReluOf:
      p.activation = kRelu;
      break;
    case kGeluOf:
      p.activation = kGelu;
      break;
    case kReluGradientOf:
      p.activation = kReluGradient;
      break;
    case kGeluGradientOf:
      p.activation = kGeluGradient;
      break;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  const std::uint32_t d = of.d.type, c = of.c.type;
  const bool narrow = is_f8(of.a.type);
  const std::uint32_t bias = narrow ? (c == CUDA_R_16F || d == CUDA_R_16F ? CUDA_R_16F : CUDA_R_16BF)
                             : d == CUDA_R_8I ? std::uint32_t{CUDA_R_32F}
                                              : d;
  p.bias_type = static_cast<int>(o.bias_type != ~0u ? o.bias_type : bias);
  const bool has_bias = (bits & (kBias | kGradients)) != 0;
  if (has_bias && !(in_float ? is_real(static_cast<std::uint32_t>(p.bias_type))
                             : static_cast<std::uint32_t>(p.bias_type) == d))
    return not_offered("cublasLtMatmul with a bias of this type");
  p.bias = bits & kBias ? o.bias : nullptr;
  p.bias_stride = o.bias_stride;
  const bool is_gradient = p.activation == kReluGradient || p.activation == kGeluGradient;
  if ((bits & kAux) ? p.activation == kNoActivation : is_gradient) return CUBLAS_STATUS_INVALID_VALUE;
  if (bits & kAux) {
    const bool mask = p.activation == kRelu || p.activation == kReluGradient;
    if (o.aux_leading < static_cast<std::int64_t>(of.d.rows) || (mask && (o.aux_leading | o.aux_stride) % 32))
      return CUBLAS_STATUS_INVALID_VALUE;
    p.aux = o.aux;
    p.aux_leading = o.aux_leading;
    p.aux_stride = o.aux_stride;
    p.aux_type = static_cast<int>(o.aux_type != ~0u ? o.aux_type : d);
    if (!mask && !is_real(static_cast<std::uint32_t>(p.aux_type)))
      return not_offered("cublasLtMatmul that keeps what GELU is given in this type");
    p.scale_aux = static_cast<const float*>(o.scale_aux);
    p.greatest_aux = p.activation == kGelu ? static_cast<unsigned*>(o.greatest_aux) : nullptr;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t not_offered(const char* what) {
  tell_refused(what);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

LtMatrix matrix_in(const LtLayout& layout, const void* first) {
  LtMatrix made = {};
  if (layout.batch_mode == 0)
    made.first = first;
  else
    made.list = static_cast<const void* const*>(first);
  made.stride = layout.stride;
  made.row = layout.order == kRows ? layout.leading : 1;
  made.column = layout.order == kRows ? 1 : layout.leading;
  made.plane = layout.plane;
  made.type = static_cast<int>(layout.type);
  made.order = static_cast<int>(layout.order);
  return made;
}

bool is_sound(const LtLayout& layout) {
  constexpr std::uint64_t kMost = 0x7fffffff;
  if (layout.rows > kMost || layout.columns > kMost || layout.batches < 1 || layout.batch_mode > 1)
    return false;
  const auto rows = static_cast<std::int64_t>(layout.rows),
             columns = static_cast<std::int64_t>(layout.columns);
  switch (layout.order) {
    case kColumns:
      return layout.leading >= rows;
    case kRows:
      return layout.leading >= columns;
    case kGroups:
      return layout.leading >= 32 * rows;
    case kGroupsOf8:
      return layout.leading >= 32 * ((rows + 7) / 8 * 8);
    case kGroupsOf32:
      return layout.leading >= 32 * ((rows + 31) / 32 * 32);
  }
  return false;
}

LtFactor factor_in(std::uint32_t type, const void* value, bool on_device) {
  LtFactor made = {};
  made.type = static_cast<int>(type);
  if (on_device || value == nullptr) {
    made.at = value;
    return made;
  }
  const auto parts = [&](auto first) {
    const auto* const at = static_cast<const decltype(first)*>(value);
    made.re = at[0];
    if (is_complex(type)) made.im = at[1];
  };
  switch (type) {
    case CUDA_R_64F:
    case CUDA_C_64F:
      parts(double());
      break;
    case CUDA_R_32I:
      parts(int());
      break;
    case CUDA_R_16F:
    case CUDA_C_16F: {
      const auto* const at = static_cast<const Half*>(value);
      made.re = to_float(at[0]);
      if (type == CUDA_C_16F) made.im = to_float(at[1]);
      break;
    }
    default:
      parts(float());
  }
  return made;
}

cublasStatus_t describe(const LtOperation& o, const LtOperands& of, LtProduct& p, const LtKernel*& kernel) {
  p = {};
  kernel = kernel_for(o, of);
  if (kernel == nullptr) return not_offered("cublasLtMatmul of these types");
  if (o.of_c != 0 || o.fill != CUBLAS_FILL_MODE_FULL)
    return not_offered("cublasLtMatmul with C transposed or a triangle of D");
  if (o.mode_c != kWhole || o.mode_d != kWhole || o.mode_aux != kWhole || o.scale_d_out != nullptr)
    return not_offered("cublasLtMatmul with factors of blocks of its result");
  if (o.pointers > kAlphaVectorBetaOnHost || o.of_a > CUBLAS_OP_C || o.of_b > CUBLAS_OP_C)
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const LtLayout* const layout : {&of.a, &of.b, &of.c, &of.d}) {
    if (!is_sound(*layout) || layout->batches != of.d.batches) return CUBLAS_STATUS_INVALID_VALUE;
    if (layout->order > kRows && !kernel->any_order)
      return not_offered("cublasLtMatmul of tiles of columns of other types than int8");
  }
  const bool ta = o.of_a != CUBLAS_OP_N, tb = o.of_b != CUBLAS_OP_N;
  const std::uint64_t m = ta ? of.a.columns : of.a.rows, k = ta ? of.a.rows : of.a.columns;
  const std::uint64_t n = tb ? of.b.rows : of.b.columns;
  if ((tb ? of.b.columns : of.b.rows) != k || of.d.rows != m || of.d.columns != n || of.c.rows != m ||
      of.c.columns != n)
    return CUBLAS_STATUS_INVALID_VALUE;
  p.m = static_cast<int>(m);
  p.n = static_cast<int>(n);
  p.k = static_cast<int>(k);
  p.shape_a = shape_of(static_cast<cublasOperation_t>(o.of_a));
  p.shape_b = shape_of(static_cast<cublasOperation_t>(o.of_b));
  p.a = matrix_in(of.a, nullptr);
  p.b = matrix_in(of.b, nullptr);
  p.c = matrix_in(of.c, nullptr);
  p.d = matrix_in(of.d, nullptr);
  const bool scaled = o.scale_a || o.scale_b || o.scale_c || o.scale_d || o.scale_aux || o.greatest_d ||
                      o.greatest_aux || o.mode_a || o.mode_b;
  if (scaled && !kernel->in_float) return CUBLAS_STATUS_INVALID_VALUE;
  BLAS_TRY(add_factors(o.mode_a, o.scale_a, p.a, p.scale_a, p.rows_a));
  BLAS_TRY(add_factors(o.mode_b, o.scale_b, p.b, p.scale_b, p.columns_b));
  p.scale_c = static_cast<const float*>(o.scale_c);
  p.scale_d = static_cast<const float*>(o.scale_d);
  p.greatest_d = static_cast<unsigned*>(o.greatest_d);
  return add_epilogue(o, of, kernel->in_float, p);
}

}  // namespace warpvp::cuda::blas

using namespace warpvp::cuda::blas;

namespace {

/// Sums of rows of op(matrix) in the place of the bias.
cublasStatus_t add_rows(const Handle& with, const LtOperation& o, const LtMatrix& matrix, int rows, int terms,
                        int shape, int batches) {
  LtSums sums = {};
  sums.matrix = matrix;
  sums.rows = rows;
  sums.terms = terms;
  sums.shape = shape;
  sums.to = const_cast<void*>(o.bias);
  sums.type = static_cast<int>(o.bias_type != ~0u ? o.bias_type : static_cast<std::uint32_t>(matrix.type));
  sums.stride = o.bias_stride;
  constexpr unsigned kThreads = 256;
  return in_parts(batches, [&](unsigned first, unsigned count) {
    sums.first_batch = first;
    return launch(with, "lt_sums", {parts(rows, kThreads), 1, count}, {kThreads, 1, 1}, sums);
  });
}

}  // namespace

WARPVP_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, const LtOperation* operation,
                                         const void* alpha, const void* a, const LtLayout* of_a,
                                         const void* b, const LtLayout* of_b, const void* beta, const void* c,
                                         const LtLayout* of_c, void* d, const LtLayout* of_d, const void*,
                                         void*, std::size_t, CUstream stream) {
  BLAS_CHECK(handle, operation && of_a && of_b && of_c && of_d && alpha && a && b && d);
  const LtOperation& o = *operation;
  LtProduct product;
  const LtKernel* kernel = nullptr;
  BLAS_TRY(describe(o, {*of_a, *of_b, *of_c, *of_d}, product, kernel));
  const bool vector = o.pointers >= kVectors;
  BLAS_CHECK(handle, beta || o.pointers == kAlphaVectorBetaZero);
  product.alpha = factor_in(o.scale_type, alpha, o.pointers != kOnHost);
  product.alpha.per_row = vector;
  product.alpha.per_batch = vector ? o.alpha_stride : 0;
  if (o.pointers != kAlphaVectorBetaZero)
    product.beta = factor_in(o.scale_type, beta, o.pointers == kOnDevice || o.pointers == kVectors);
  product.beta.per_row = o.pointers == kVectors;
  const std::uint32_t gradients = o.epilogue & (kGradientOfBias | kGradientOfBiasA | kGradientOfBiasB);
  BLAS_CHECK(handle, o.bias || !(o.epilogue & kBias || gradients));
  BLAS_CHECK(handle, product.aux || !(o.epilogue & kAux));
  const auto place = [](LtMatrix& matrix, const LtLayout& layout, const void* at) {
    (layout.batch_mode ? reinterpret_cast<const void*&>(matrix.list) : matrix.first) = at;
  };
  place(product.a, *of_a, a);
  place(product.b, *of_b, b);
  place(product.c, *of_c, c ? c : d);  // without a C beta is zero
  place(product.d, *of_d, d);

  Handle with;
  with.stream = stream;
  const int batches = of_d->batches;
  if (product.m == 0 || product.n == 0) return CUBLAS_STATUS_SUCCESS;
  if (product.greatest_d || product.greatest_aux)
    BLAS_TRY(launch(with, "lt_clear", {1, 1, 1}, {1, 1, 1}, product.greatest_d, product.greatest_aux));
  constexpr unsigned kThreads = 16;
  const unsigned tile = kernel->large ? tile_of(product.m, product.n, batches) : kSmallTile;
  const char* const name = tile == kLargeTile ? kernel->large : kernel->name;
  BLAS_TRY(in_parts(batches, [&](unsigned first, unsigned count) {
    product.first_batch = first;
    const Grid grid = {parts(product.m, tile), parts(product.n, tile), count};
    return launch(with, name, grid, {kThreads, kThreads, 1}, product);
  }));
  if (gradients & kGradientOfBias) return add_rows(with, o, product.d, product.m, product.n, 0, batches);
  if (gradients & kGradientOfBiasA)
    return add_rows(with, o, product.a, product.m, product.k, product.shape_a, batches);
  if (gradients & kGradientOfBiasB)  // of columns
    return add_rows(with, o, product.b, product.n, product.k, product.shape_b ^ kTransposed, batches);
  return CUBLAS_STATUS_SUCCESS;
}
