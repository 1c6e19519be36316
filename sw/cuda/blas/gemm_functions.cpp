// gemm, of one pair of matrices, of lists and of rows of them, of one type and of several.

#include "sw/cuda/blas/gemm.h"

using namespace warpvp::cuda::blas;

namespace {

cublasStatus_t multiply_types(const Handle* handle, const Product& product) {
  BLAS_CHECK(handle, true);
  return multiply(*handle, product);
}

}  // namespace

// One type: of float and double what they compute in, of half (Hgemm) as cuBLAS's own name says half.
#define GEMM(S, T, type, compute)                                                                       \
  WARPVP_API cublasStatus_t cublas##S(Handle* h, cublasOperation_t of_a, cublasOperation_t of_b, int m, \
                                      int n, int k, const T* alpha, const T* a, int lda, const T* b,    \
                                      int ldb, const T* beta, T* c, int ldc) {                          \
    return multiply_types(h, {{of_a, of_b, m, n, k, 1},                                                 \
                              alpha,                                                                    \
                              {a, nullptr, 0, lda},                                                     \
                              type,                                                                     \
                              {b, nullptr, 0, ldb},                                                     \
                              type,                                                                     \
                              beta,                                                                     \
                              {c, nullptr, 0, ldc},                                                     \
                              type,                                                                     \
                              compute});                                                                \
  }
GEMM(Sgemm_v2, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GEMM(Dgemm_v2, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
GEMM(Hgemm, Half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

#define GEMM_BATCHED(S, T, type, compute)                                                                \
  WARPVP_API cublasStatus_t cublas##S##gemmBatched(                                                      \
      Handle* h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, const T* alpha,    \
      const T* const a[], int lda, const T* const b[], int ldb, const T* beta, T* const c[], int ldc,    \
      int batches) {                                                                                     \
    const auto list = [](const auto* at) { return reinterpret_cast<const void* const*>(at); };           \
    return multiply_types(h, {{of_a, of_b, m, n, k, batches},                                            \
                              alpha,                                                                     \
                              {nullptr, list(a), 0, lda},                                                \
                              type,                                                                      \
                              {nullptr, list(b), 0, ldb},                                                \
                              type,                                                                      \
                              beta,                                                                      \
                              {nullptr, list(c), 0, ldc},                                                \
                              type,                                                                      \
                              compute});                                                                 \
  }                                                                                                      \
  WARPVP_API cublasStatus_t cublas##S##gemmStridedBatched(                                               \
      Handle* h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, const T* alpha,    \
      const T* a, int lda, long long next_a, const T* b, int ldb, long long next_b, const T* beta, T* c, \
      int ldc, long long next_c, int batches) {                                                          \
    return multiply_types(h, {{of_a, of_b, m, n, k, batches},                                            \
                              alpha,                                                                     \
                              {a, nullptr, next_a, lda},                                                 \
                              type,                                                                      \
                              {b, nullptr, next_b, ldb},                                                 \
                              type,                                                                      \
                              beta,                                                                      \
                              {c, nullptr, next_c, ldc},                                                 \
                              type,                                                                      \
                              compute});                                                                 \
  }
GEMM_BATCHED(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GEMM_BATCHED(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
GEMM_BATCHED(H, Half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

WARPVP_API cublasStatus_t cublasGemmEx(Handle* h, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                                       int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                                       int lda, const void* b, cudaDataType b_type, int ldb, const void* beta,
                                       void* c, cudaDataType c_type, int ldc, cublasComputeType_t computed_in,
                                       int) {
  return multiply_types(h, {{of_a, of_b, m, n, k, 1},
                            alpha,
                            {a, nullptr, 0, lda},
                            a_type,
                            {b, nullptr, 0, ldb},
                            b_type,
                            beta,
                            {c, nullptr, 0, ldc},
                            c_type,
                            computed_in});
}
WARPVP_API cublasStatus_t cublasSgemmEx(Handle* h, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                                        int n, int k, const float* alpha, const void* a, cudaDataType a_type,
                                        int lda, const void* b, cudaDataType b_type, int ldb,
                                        const float* beta, void* c, cudaDataType c_type, int ldc) {
  return multiply_types(h, {{of_a, of_b, m, n, k, 1},
                            alpha,
                            {a, nullptr, 0, lda},
                            a_type,
                            {b, nullptr, 0, ldb},
                            b_type,
                            beta,
                            {c, nullptr, 0, ldc},
                            c_type,
                            CUBLAS_COMPUTE_32F});
}
WARPVP_API cublasStatus_t cublasGemmBatchedEx(Handle* h, cublasOperation_t of_a, cublasOperation_t of_b,
                                              int m, int n, int k, const void* alpha, const void* const a[],
                                              cudaDataType a_type, int lda, const void* const b[],
                                              cudaDataType b_type, int ldb, const void* beta, void* const c[],
                                              cudaDataType c_type, int ldc, int batches,
                                              cublasComputeType_t computed_in, int) {
  return multiply_types(h, {{of_a, of_b, m, n, k, batches},
                            alpha,
                            {nullptr, a, 0, lda},
                            a_type,
                            {nullptr, b, 0, ldb},
                            b_type,
                            beta,
                            {nullptr, c, 0, ldc},
                            c_type,
                            computed_in});
}
WARPVP_API cublasStatus_t cublasGemmStridedBatchedEx(
    Handle* h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, const void* alpha,
    const void* a, cudaDataType a_type, int lda, long long next_a, const void* b, cudaDataType b_type,
    int ldb, long long next_b, const void* beta, void* c, cudaDataType c_type, int ldc, long long next_c,
    int batches, cublasComputeType_t computed_in, int) {
  return multiply_types(h, {{of_a, of_b, m, n, k, batches},
                            alpha,
                            {a, nullptr, next_a, lda},
                            a_type,
                            {b, nullptr, next_b, ldb},
                            b_type,
                            beta,
                            {c, nullptr, next_c, ldc},
                            c_type,
                            computed_in});
}
