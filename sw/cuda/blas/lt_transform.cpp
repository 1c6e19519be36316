// cuBLASLt: sums of matrices into other types and orders.

#include <algorithm>

#include "sw/cuda/blas/lt.h"

using namespace warpvp::cuda::blas;

namespace {

/// By the type of the elements: integers of four bytes need double precision.
const char* kernel_for(std::uint32_t type) {
  switch (type) {
    case CUDA_R_32F:
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return "lt_transform_s";
    case CUDA_R_64F:
    case CUDA_R_32I:
      return "lt_transform_d";
    case CUDA_C_32F:
    case CUDA_C_16F:
    case CUDA_C_16BF:
      return "lt_transform_c";
    case CUDA_C_64F:
      return "lt_transform_z";
  }
  return nullptr;
}
/// Rows and columns are those of C once the operation is applied.
bool fits(const LtLayout& layout, std::uint32_t operation, const LtLayout& c) {
  const bool across = operation != CUBLAS_OP_N;
  return is_sound(layout) && layout.batches == c.batches && layout.type == c.type &&
         (across ? layout.columns : layout.rows) == c.rows &&
         (across ? layout.rows : layout.columns) == c.columns;
}

}  // namespace

WARPVP_API cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle, const LtChange* change,
                                                  const void* alpha, const void* a, const LtLayout* of_a,
                                                  const void* beta, const void* b, const LtLayout* of_b,
                                                  void* c, const LtLayout* of_c, CUstream stream) {
  BLAS_CHECK(handle, change && of_c && c && (a ? of_a && alpha : true) && (b ? of_b && beta : true));
  const bool valid = is_sound(*of_c) && change->pointers <= kOnDevice && change->of_a <= CUBLAS_OP_C &&
                     change->of_b <= CUBLAS_OP_C && (!a || fits(*of_a, change->of_a, *of_c)) &&
                     (!b || fits(*of_b, change->of_b, *of_c));
  BLAS_CHECK(handle, valid);
  const char* const kernel = kernel_for(of_c->type);
  if (kernel == nullptr) return not_offered("cublasLtMatrixTransform of this type");
  LtTransform t = {};
  t.m = static_cast<int>(of_c->rows);
  t.n = static_cast<int>(of_c->columns);
  if (t.m == 0 || t.n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool on_device = change->pointers == kOnDevice;
  if (a) {
    t.a = matrix_in(*of_a, a);
    t.shape_a = shape_of(static_cast<cublasOperation_t>(change->of_a));
    t.alpha = factor_in(change->scale_type, alpha, on_device);
  }
  if (b) {
    t.b = matrix_in(*of_b, b);
    t.shape_b = shape_of(static_cast<cublasOperation_t>(change->of_b));
    t.beta = factor_in(change->scale_type, beta, on_device);
  }
  t.c = matrix_in(*of_c, c);
  Handle with;
  with.stream = stream;
  constexpr unsigned kThreads = 256, kMostCtas = 65536;
  const auto elements = static_cast<std::int64_t>(t.m) * t.n;
  const auto ctas =
      static_cast<unsigned>(std::min<std::int64_t>((elements + kThreads - 1) / kThreads, kMostCtas));
  return in_parts(of_c->batches, [&](unsigned first, unsigned count) {
    t.first_batch = first;
    return launch(with, kernel, {ctas, 1, count}, {kThreads, 1, 1}, t);
  });
}
