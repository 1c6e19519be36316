// The kernels of cuSOLVER's functions: PTX of sw/kernels/solver, and functions of cuBLAS.

#include "sw/cuda/solver/handle.h"

WARPVP_EMBED_PTX(solver, dense);
WARPVP_EMBED_PTX(solver, spectra);

extern "C" {
#define LEVEL3(S, T)                                                                                         \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,   \
                                    cublasDiagType_t, int, int, const T*, const T*, int, T*, int);           \
  cublasStatus_t cublas##S##syrk_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int, const T*, \
                                    const T*, int, const T*, T*, int);                                       \
  cublasStatus_t cublas##S##trmm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,   \
                                    cublasDiagType_t, int, int, const T*, const T*, int, const T*, int, T*,  \
                                    int);                                                                    \
  cublasStatus_t cublas##S##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const T*,   \
                                 const T*, int, const T*, const T*, int, T*, int);
LEVEL3(S, float)
LEVEL3(D, double)
#undef LEVEL3
}

namespace warpvp::cuda::solver {

const char* text_of(const char* kernel) {
  const std::string name(kernel);
  const std::string function = name.substr(0, name.rfind('_'));
  return function == "syev" || function == "svd" || function == "mirror" || function == "put_known"
             ? spectra_ptx
             : dense_ptx;
}

cusolverStatus_t status_of(CUresult result) {
  constexpr CUresult kOutOfMemory = 2;
  if (result == 0) return CUSOLVER_STATUS_SUCCESS;
  if (result == kNoSuchKernel) return CUSOLVER_STATUS_INTERNAL_ERROR;
  return result == kOutOfMemory ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_EXECUTION_FAILED;
}
cusolverStatus_t status_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return CUSOLVER_STATUS_SUCCESS;
    case CUBLAS_STATUS_ALLOC_FAILED:
      return CUSOLVER_STATUS_ALLOC_FAILED;
    case CUBLAS_STATUS_INVALID_VALUE:
      return CUSOLVER_STATUS_INVALID_VALUE;
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return CUSOLVER_STATUS_EXECUTION_FAILED;
    default:
      return CUSOLVER_STATUS_INTERNAL_ERROR;
  }
}

#define LEVEL3(S, T)                                                                                         \
  cusolverStatus_t solve_triangle(Handle& handle, cublasSideMode_t side, cublasFillMode_t fill,              \
                                  cublasOperation_t of_a, cublasDiagType_t diagonal, int m, int n,           \
                                  Dense<const T> a, Dense<T> b) {                                            \
    const T one = 1;                                                                                         \
    if (m == 0 || n == 0) return CUSOLVER_STATUS_SUCCESS;                                                    \
    return status_of(cublas##S##trsm_v2(&handle.blas, side, fill, of_a, diagonal, m, n, &one, a.at,          \
                                        static_cast<int>(a.leading), b.at, static_cast<int>(b.leading)));    \
  }                                                                                                          \
  cusolverStatus_t take_squares(Handle& handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k, \
                                Dense<const T> a, Dense<T> c) {                                              \
    const T less = -1, one = 1;                                                                              \
    if (n == 0) return CUSOLVER_STATUS_SUCCESS;                                                              \
    return status_of(cublas##S##syrk_v2(&handle.blas, fill, of_a, n, k, &less, a.at,                         \
                                        static_cast<int>(a.leading), &one, c.at,                             \
                                        static_cast<int>(c.leading)));                                       \
  }                                                                                                          \
  cusolverStatus_t multiply_triangle(Handle& handle, cublasSideMode_t side, cublasFillMode_t fill,           \
                                     cublasOperation_t of_a, int m, int n, Dense<const T> a, Dense<T> b) {   \
    const T one = 1;                                                                                         \
    return status_of(cublas##S##trmm_v2(&handle.blas, side, fill, of_a, CUBLAS_DIAG_NON_UNIT, m, n, &one,    \
                                        a.at, static_cast<int>(a.leading), b.at,                             \
                                        static_cast<int>(b.leading), b.at, static_cast<int>(b.leading)));    \
  }                                                                                                          \
  cusolverStatus_t transpose(Handle& handle, int m, int n, Dense<const T> a, Dense<T> to) {                  \
    const T one = 1, none = 0;                                                                               \
    const int lda = static_cast<int>(a.leading);                                                             \
    return status_of(cublas##S##geam(&handle.blas, CUBLAS_OP_T, CUBLAS_OP_T, n, m, &one, a.at, lda, &none,   \
                                     a.at, lda, to.at, static_cast<int>(to.leading)));                       \
  }
LEVEL3(S, float)
LEVEL3(D, double)

}  // namespace warpvp::cuda::solver
