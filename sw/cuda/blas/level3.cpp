// Level 3: products of symmetric, Hermitian and triangular matrices, and of matrices with their own
// transposes.

#include "sw/cuda/blas/gemm.h"
#include "sw/cuda/blas/legacy.h"

using namespace warpvp::cuda::blas;

namespace {

int triangle_of(cublasFillMode_t fill, bool hermitian) {
  return (fill == CUBLAS_FILL_MODE_LOWER ? kLowerOne : kUpperOne) | (hermitian ? kHermitian : 0);
}
/// What is transposed at first, then not.
int other_shape(cublasOperation_t operation, bool hermitian) {
  return transposes(operation) ? 0 : kTransposed | (hermitian ? kConjugated : 0);
}

/// C = alpha A B + beta C of a symmetric A; on the right, B A.
template <class T, bool hermitian>
cublasStatus_t symm(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,
                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  BLAS_CHECK(handle, side <= CUBLAS_SIDE_RIGHT && is_fill(fill) && m >= 0 && n >= 0 &&
                         lda >= std::max(1, left ? m : n) && ldb >= std::max(1, m) && ldc >= std::max(1, m) &&
                         alpha != nullptr && beta != nullptr);
  const auto symmetric = matrix(a, lda, symmetric_shape<T>(fill, hermitian)), other = matrix(b, ldb);
  const auto result = matrix(c, ldc);
  return multiply<T, T, T>(*handle, gemm_kernel<T>(), m, n, left ? m : n, factor(*handle, alpha),
                           left ? symmetric : other, left ? other : symmetric, factor(*handle, beta),
                           to_read(result), result, 1);
}

/// Of complex matrices the operation is either the transpose or, for Hermitian results, the conjugate one.
template <class T>
bool takes(cublasOperation_t operation, bool hermitian) {
  if (!kComplex<T>) return is_operation(operation);
  return operation == CUBLAS_OP_N || operation == (hermitian ? CUBLAS_OP_C : CUBLAS_OP_T);
}
/// C = alpha op(A) op(B)^T + beta C, of which a triangle is written; B is A for syrk and herk. T: of A and B.
/// By: of alpha, Keep: of beta.
template <class Acc, class T, class By, class Keep, bool hermitian>
cublasStatus_t syrkx(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                     const By* alpha, const T* a, int lda, const T* b, int ldb, const Keep* beta, Acc* c,
                     int ldc) {
  const int rows = transposes(of_a) ? k : n;
  BLAS_CHECK(handle, is_fill(fill) && takes<Acc>(of_a, hermitian) && n >= 0 && k >= 0 &&
                         lda >= std::max(1, rows) && ldb >= std::max(1, rows) && ldc >= std::max(1, n) &&
                         alpha != nullptr && beta != nullptr);
  Factor<Acc> by{}, keep{};
  BLAS_TRY(prepared_factor(*handle, alpha, false, 0, by));
  BLAS_TRY(prepared_factor(*handle, beta, false, 1, keep));
  const auto result = matrix(c, ldc);
  return multiply<Acc, T, Acc>(*handle, gemm_kernel<T>(), n, n, k, by, matrix(a, lda, shape_of(of_a)),
                               matrix(b, ldb, other_shape(of_a, hermitian)), keep, to_read(result), result, 1,
                               triangle_of(fill, hermitian));
}
template <class T, class By, bool hermitian>
cublasStatus_t syrk(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                    const By* alpha, const T* a, int lda, const By* beta, T* c, int ldc) {
  return syrkx<T, T, By, By, hermitian>(handle, fill, of_a, n, k, alpha, a, lda, a, lda, beta, c, ldc);
}
/// Of a type that is told.
template <class By, bool hermitian>
cublasStatus_t syrk_types(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                          const By* alpha, const void* a, cudaDataType a_type, int lda, const By* beta,
                          void* c, cudaDataType c_type, int ldc) {
  if (c_type != CUDA_C_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto of = [&](auto* elements) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
    return syrkx<ComplexFloat, T, By, By, hermitian>(handle, fill, of_a, n, k, alpha, elements, lda, elements,
                                                     lda, beta, static_cast<ComplexFloat*>(c), ldc);
  };
  if (a_type == CUDA_C_32F) return of(static_cast<const ComplexFloat*>(a));
  if (a_type == CUDA_C_8I) return of(static_cast<const Complex<signed char>*>(a));
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
/// C = alpha op(A) op(B)^T + op(alpha) op(B) op(A)^T + beta C, of which a triangle is written.
template <class T, class Keep, bool hermitian>
cublasStatus_t syr2k(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                     const T* alpha, const T* a, int lda, const T* b, int ldb, const Keep* beta, T* c,
                     int ldc) {
  BLAS_TRY((syrkx<T, T, T, Keep, hermitian>(handle, fill, of_a, n, k, alpha, a, lda, b, ldb, beta, c, ldc)));
  Factor<T> by{};
  BLAS_TRY(prepared_factor(*handle, alpha, hermitian, 2, by));
  const auto result = matrix(c, ldc);
  return multiply<T, T, T>(*handle, gemm_kernel<T>(), n, n, k, by, matrix(b, ldb, shape_of(of_a)),
                           matrix(a, lda, other_shape(of_a, hermitian)), Factor<T>{nullptr, T(1)},
                           to_read(result), result, 1, triangle_of(fill, hermitian));
}

/// C = alpha op(A) B of a triangular A; on the right, B op(A). Where C is B the kernel reads a copy of it.
template <class T>
cublasStatus_t trmm(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,
                    cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, const T* b,
                    int ldb, T* c, int ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  BLAS_CHECK(handle, side <= CUBLAS_SIDE_RIGHT && is_fill(fill) && is_operation(of_a) && m >= 0 && n >= 0 &&
                         lda >= std::max(1, left ? m : n) && ldb >= std::max(1, m) && ldc >= std::max(1, m) &&
                         alpha != nullptr);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUdeviceptr copied = 0;
  const T* from = b;
  if (b == c) {
    const std::size_t bytes = static_cast<std::size_t>(ldb) * static_cast<std::size_t>(n - 1) * sizeof(T) +
                              static_cast<std::size_t>(m) * sizeof(T);
    if (cuMemAlloc_v2(&copied, bytes) != 0) return CUBLAS_STATUS_ALLOC_FAILED;
    cuMemcpyDtoDAsync_v2(copied, reinterpret_cast<CUdeviceptr>(b), bytes, handle->stream);
    from = reinterpret_cast<const T*>(copied);
  }
  const int shape = kTriangular | shape_of(fill) | shape_of(of_a) | shape_of(diagonal);
  const auto triangular = matrix(a, lda, shape), other = matrix(from, ldb);
  const auto result = matrix(c, ldc);
  const auto status = multiply<T, T, T>(*handle, gemm_kernel<T>(), m, n, left ? m : n, factor(*handle, alpha),
                                        left ? triangular : other, left ? other : triangular,
                                        Factor<T>{nullptr, T(0)}, to_read(result), result, 1);
  if (copied != 0) cuMemFree_v2(copied);  // waits for the kernel
  return status;
}

}  // namespace

// Of symmetric matrices and of Hermitian ones, whose factors are real where a matrix meets itself.
#define SYMMETRIC(S, sy, By, hermitian, T, Int, _)                                                           \
  WARPVP_API cublasStatus_t cublas##S##sy##mm_v2##_(Handle* h, cublasSideMode_t side, cublasFillMode_t fill, \
                                                    Int m, Int n, const T* alpha, const T* a, Int lda,       \
                                                    const T* b, Int ldb, const T* beta, T* c, Int ldc) {     \
    return narrowed(symm<T, hermitian>, h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);           \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##sy##rk_v2##_(Handle* h, cublasFillMode_t fill,                        \
                                                    cublasOperation_t of_a, Int n, Int k, const By* alpha,   \
                                                    const T* a, Int lda, const By* beta, T* c, Int ldc) {    \
    return narrowed(syrk<T, By, hermitian>, h, fill, of_a, n, k, alpha, a, lda, beta, c, ldc);               \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##sy##rkx##_(Handle* h, cublasFillMode_t fill, cublasOperation_t of_a,  \
                                                  Int n, Int k, const T* alpha, const T* a, Int lda,         \
                                                  const T* b, Int ldb, const By* beta, T* c, Int ldc) {      \
    return narrowed(syrkx<T, T, T, By, hermitian>, h, fill, of_a, n, k, alpha, a, lda, b, ldb, beta, c,      \
                    ldc);                                                                                    \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##sy##r2k_v2##_(                                                        \
      Handle* h, cublasFillMode_t fill, cublasOperation_t of_a, Int n, Int k, const T* alpha, const T* a,    \
      Int lda, const T* b, Int ldb, const By* beta, T* c, Int ldc) {                                         \
    return narrowed(syr2k<T, By, hermitian>, h, fill, of_a, n, k, alpha, a, lda, b, ldb, beta, c, ldc);      \
  }
BLAS_EACH_SIZE(SYMMETRIC, S, sy, float, false, float)
BLAS_EACH_SIZE(SYMMETRIC, D, sy, double, false, double)
BLAS_EACH_SIZE(SYMMETRIC, C, sy, ComplexFloat, false, ComplexFloat)
BLAS_EACH_SIZE(SYMMETRIC, Z, sy, ComplexDouble, false, ComplexDouble)
BLAS_EACH_SIZE(SYMMETRIC, C, he, float, true, ComplexFloat)
BLAS_EACH_SIZE(SYMMETRIC, Z, he, double, true, ComplexDouble)

#define TRIANGULAR(S, s, T, Int, _)                                                                         \
  WARPVP_API cublasStatus_t cublas##S##trmm_v2##_(Handle* h, cublasSideMode_t side, cublasFillMode_t fill,  \
                                                  cublasOperation_t of_a, cublasDiagType_t diagonal, Int m, \
                                                  Int n, const T* alpha, const T* a, Int lda, const T* b,   \
                                                  Int ldb, T* c, Int ldc) {                                 \
    return narrowed(trmm<T>, h, side, fill, of_a, diagonal, m, n, alpha, a, lda, b, ldb, c, ldc);           \
  }
BLAS_EACH_TYPE(TRIANGULAR)

// The ones with 3m in their names differ by how cuBLAS computes them.
#define TYPES(name, By, hermitian, Int, _)                                                                  \
  WARPVP_API cublasStatus_t cublas##name##_(                                                                \
      Handle* h, cublasFillMode_t fill, cublasOperation_t of_a, Int n, Int k, const By* alpha,              \
      const void* a, cudaDataType a_type, Int lda, const By* beta, void* c, cudaDataType c_type, Int ldc) { \
    return narrowed(syrk_types<By, hermitian>, h, fill, of_a, n, k, alpha, a, a_type, lda, beta, c, c_type, \
                    ldc);                                                                                   \
  }
BLAS_EACH_SIZE(TYPES, CsyrkEx, ComplexFloat, false)
BLAS_EACH_SIZE(TYPES, Csyrk3mEx, ComplexFloat, false)
BLAS_EACH_SIZE(TYPES, CherkEx, float, true)
BLAS_EACH_SIZE(TYPES, Cherk3mEx, float, true)

// The first interface.
#define LEGACY_SYMMETRIC(S, sy, By, hermitian, T)                                                      \
  WARPVP_API void cublas##S##sy##mm(char side, char fill, int m, int n, T alpha, const T* a, int lda,  \
                                    const T* b, int ldb, T beta, T* c, int ldc) {                      \
    call_legacy(symm<T, hermitian>, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);            \
  }                                                                                                    \
  WARPVP_API void cublas##S##sy##rk(char fill, char of_a, int n, int k, By alpha, const T* a, int lda, \
                                    By beta, T* c, int ldc) {                                          \
    call_legacy(syrk<T, By, hermitian>, fill, of_a, n, k, alpha, a, lda, beta, c, ldc);                \
  }                                                                                                    \
  WARPVP_API void cublas##S##sy##r2k(char fill, char of_a, int n, int k, T alpha, const T* a, int lda, \
                                     const T* b, int ldb, By beta, T* c, int ldc) {                    \
    call_legacy(syr2k<T, By, hermitian>, fill, of_a, n, k, alpha, a, lda, b, ldb, beta, c, ldc);       \
  }
LEGACY_SYMMETRIC(S, sy, float, false, float)
LEGACY_SYMMETRIC(D, sy, double, false, double)
LEGACY_SYMMETRIC(C, sy, ComplexFloat, false, ComplexFloat)
LEGACY_SYMMETRIC(Z, sy, ComplexDouble, false, ComplexDouble)
LEGACY_SYMMETRIC(C, he, float, true, ComplexFloat)
LEGACY_SYMMETRIC(Z, he, double, true, ComplexDouble)
// In the place of B.
#define LEGACY_TRIANGULAR(S, s, T)                                                                       \
  WARPVP_API void cublas##S##trmm(char side, char fill, char of_a, char diagonal, int m, int n, T alpha, \
                                  const T* a, int lda, T* b, int ldb) {                                  \
    const T* const from = b;                                                                             \
    call_legacy(trmm<T>, side, fill, of_a, diagonal, m, n, alpha, a, lda, from, ldb, b, ldb);            \
  }
BLAS_EACH_TYPE_ONCE(LEGACY_TRIANGULAR)
