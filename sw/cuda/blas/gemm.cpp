// Products of any of the types that there are.

#include "sw/cuda/blas/gemm.h"

#include <cstring>

using namespace warpvp::cuda::blas;

namespace {

template <class T>
Matrices<T> matrices(const Place& place, cublasOperation_t operation = CUBLAS_OP_N) {
  return {static_cast<T*>(const_cast<void*>(place.first)),
          const_cast<T* const*>(reinterpret_cast<const T* const*>(place.list)), place.stride, place.leading,
          shape_of(operation)};
}

template <class Acc, class T, class U>
cublasStatus_t multiply(const Handle& handle, const char* kernel, const Product& p, Factor<Acc> alpha,
                        Factor<Acc> beta) {
  const Sizes& s = p.sizes;
  return multiply<Acc, T, U>(handle, kernel, s.m, s.n, s.k, alpha, matrices<const T>(p.a, s.of_a),
                             matrices<const T>(p.b, s.of_b), beta, matrices<const U>(p.c), matrices<U>(p.c),
                             s.batches);
}

/// Of half, what kernels compute in float.
cublasStatus_t read_half(const Handle& handle, const void* at, Factor<float>& to) {
  Half value{};
  if (handle.pointers == CUBLAS_POINTER_MODE_HOST) {
    std::memcpy(&value, at, sizeof value);
  } else if (const auto status = read_back(handle, &value, reinterpret_cast<CUdeviceptr>(at), sizeof value)) {
    return status;
  }
  to = {nullptr, to_float(value)};
  return CUBLAS_STATUS_SUCCESS;
}

/// By the types of operands and result.
cublasStatus_t multiply_in_float(const Handle& handle, const Product& p, Factor<float> alpha,
                                 Factor<float> beta) {
  const auto is = [&](cudaDataType operands, cudaDataType of_c) {
    return p.a_type == operands && p.c_type == of_c;
  };
  if (is(CUDA_R_32F, CUDA_R_32F)) return multiply<float, float, float>(handle, "gemm_s", p, alpha, beta);
  if (is(CUDA_R_16F, CUDA_R_16F)) return multiply<float, Half, Half>(handle, "gemm_h", p, alpha, beta);
  if (is(CUDA_R_16F, CUDA_R_32F)) return multiply<float, Half, float>(handle, "gemm_hs", p, alpha, beta);
  if (is(CUDA_R_16BF, CUDA_R_16BF)) return multiply<float, Bf16, Bf16>(handle, "gemm_b", p, alpha, beta);
  if (is(CUDA_R_16BF, CUDA_R_32F)) return multiply<float, Bf16, float>(handle, "gemm_bs", p, alpha, beta);
  if (is(CUDA_R_8I, CUDA_R_32F))
    return multiply<float, signed char, float>(handle, "gemm_is", p, alpha, beta);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t multiply_in_complex_float(const Handle& handle, const Product& p, Factor<ComplexFloat> alpha,
                                         Factor<ComplexFloat> beta) {
  using T = ComplexFloat;
  if (p.c_type != CUDA_C_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.a_type == CUDA_C_32F) return multiply<T, T, T>(handle, "gemm_c", p, alpha, beta);
  return multiply<T, Complex<signed char>, T>(handle, "gemm_ci", p, alpha, beta);
}
template <class T>
Factor<T> factor_of(const Handle& handle, const void* value) {
  return factor(handle, static_cast<const T*>(value));
}

}  // namespace

namespace warpvp::cuda::blas {

cublasStatus_t multiply(const Handle& handle, const Product& p) {
  const Sizes& s = p.sizes;
  if (!s.valid(p.a.leading, p.b.leading, p.c.leading) || p.alpha == nullptr || p.beta == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (s.m == 0 || s.n == 0 || s.batches == 0) return CUBLAS_STATUS_SUCCESS;
  if (p.a_type != p.b_type) return CUBLAS_STATUS_NOT_SUPPORTED;
  switch (p.computed_in) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
      if (p.a_type == CUDA_C_64F && p.c_type == CUDA_C_64F)
        return ::multiply<ComplexDouble, ComplexDouble, ComplexDouble>(
            handle, "gemm_z", p, factor_of<ComplexDouble>(handle, p.alpha),
            factor_of<ComplexDouble>(handle, p.beta));
      if (p.a_type != CUDA_R_64F || p.c_type != CUDA_R_64F) return CUBLAS_STATUS_NOT_SUPPORTED;
      return ::multiply<double, double, double>(handle, "gemm_d", p, factor_of<double>(handle, p.alpha),
                                                factor_of<double>(handle, p.beta));
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      if (p.a_type != CUDA_R_8I || p.c_type != CUDA_R_32I) return CUBLAS_STATUS_NOT_SUPPORTED;
      return ::multiply<int, signed char, int>(handle, "gemm_i", p, factor_of<int>(handle, p.alpha),
                                               factor_of<int>(handle, p.beta));
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: {
      if (p.a_type != CUDA_R_16F || p.c_type != CUDA_R_16F) return CUBLAS_STATUS_NOT_SUPPORTED;
      Factor<float> alpha{}, beta{};
      if (const auto status = read_half(handle, p.alpha, alpha)) return status;
      if (const auto status = read_half(handle, p.beta, beta)) return status;
      return multiply_in_float(handle, p, alpha, beta);
    }
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
      if (p.a_type == CUDA_C_32F || p.a_type == CUDA_C_8I)
        return multiply_in_complex_float(handle, p, factor_of<ComplexFloat>(handle, p.alpha),
                                         factor_of<ComplexFloat>(handle, p.beta));
      return multiply_in_float(handle, p, factor_of<float>(handle, p.alpha),
                               factor_of<float>(handle, p.beta));
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace warpvp::cuda::blas
