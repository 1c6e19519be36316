// gemm, of one pair of matrices, of lists, of rows and of groups of them, of one type and of several.

#include "sw/cuda/blas/gemm.h"
#include "sw/cuda/blas/legacy.h"

using namespace warpvp::cuda::blas;

namespace {

using Operation = cublasOperation_t;
using Compute = cublasComputeType_t;

cublasStatus_t multiply_types(const Handle* handle, const Product& product) {
  BLAS_CHECK(handle, true);
  return multiply(*handle, product);
}

cublasStatus_t gemm(Handle* h, Operation of_a, Operation of_b, int m, int n, int k, const void* alpha,
                    const void* a, cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
                    const void* beta, void* c, cudaDataType c_type, int ldc, Compute computed_in) {
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
cublasStatus_t gemm_list(Handle* h, Operation of_a, Operation of_b, int m, int n, int k, const void* alpha,
                         const void* const* a, cudaDataType a_type, int lda, const void* const* b,
                         cudaDataType b_type, int ldb, const void* beta, void* const* c, cudaDataType c_type,
                         int ldc, int batches, Compute computed_in) {
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
cublasStatus_t gemm_row(Handle* h, Operation of_a, Operation of_b, int m, int n, int k, const void* alpha,
                        const void* a, cudaDataType a_type, int lda, long long next_a, const void* b,
                        cudaDataType b_type, int ldb, long long next_b, const void* beta, void* c,
                        cudaDataType c_type, int ldc, long long next_c, int batches, Compute computed_in) {
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

/// Groups of lists of matrices, one list after the other; sizes and factors are one a group. Int: of sizes.
template <class Int>
cublasStatus_t gemm_groups(Handle* h, const Operation of_a[], const Operation of_b[], const Int m[],
                           const Int n[], const Int k[], const void* alphas, std::size_t bytes_of_alpha,
                           const void* const a[], cudaDataType a_type, const Int lda[], const void* const b[],
                           cudaDataType b_type, const Int ldb[], const void* betas, void* const c[],
                           cudaDataType c_type, const Int ldc[], Int groups, const Int sizes[],
                           Compute computed_in) {
  BLAS_CHECK(h, groups >= 0);
  const auto of = [&](const void* factors, Int group) {
    return static_cast<const char*>(factors) + static_cast<std::size_t>(group) * bytes_of_alpha;
  };
  for (Int g = 0; g < groups; ++g) {
    BLAS_TRY(narrowed(gemm_list, h, of_a[g], of_b[g], m[g], n[g], k[g], of(alphas, g), a, a_type, lda[g], b,
                      b_type, ldb[g], of(betas, g), c, c_type, ldc[g], sizes[g], computed_in));
    a += sizes[g];
    b += sizes[g];
    c += sizes[g];
  }
  return CUBLAS_STATUS_SUCCESS;
}
/// Of alpha and beta.
std::size_t factor_bytes(Compute computed_in) {
  if (computed_in == CUBLAS_COMPUTE_64F || computed_in == CUBLAS_COMPUTE_64F_PEDANTIC ||
      computed_in == CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT)
    return 8;
  return computed_in == CUBLAS_COMPUTE_16F || computed_in == CUBLAS_COMPUTE_16F_PEDANTIC ? 2 : 4;
}

const void* const* list(const void* at) { return static_cast<const void* const*>(at); }

}  // namespace

// One type: of float and double what they compute in, of half (Hgemm) as cuBLAS's own name says half.
#define GEMM(name, T, type, compute, Int, _)                                                                \
  WARPVP_API cublasStatus_t cublas##name##_(Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, \
                                            const T* alpha, const T* a, Int lda, const T* b, Int ldb,       \
                                            const T* beta, T* c, Int ldc) {                                 \
    return narrowed(gemm, h, of_a, of_b, m, n, k, alpha, a, type, lda, b, type, ldb, beta, c, type, ldc,    \
                    compute);                                                                               \
  }
BLAS_EACH_SIZE(GEMM, Sgemm_v2, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
BLAS_EACH_SIZE(GEMM, Dgemm_v2, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
BLAS_EACH_SIZE(GEMM, Hgemm, Half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
BLAS_EACH_SIZE(GEMM, Cgemm_v2, ComplexFloat, CUDA_C_32F, CUBLAS_COMPUTE_32F)
BLAS_EACH_SIZE(GEMM, Zgemm_v2, ComplexDouble, CUDA_C_64F, CUBLAS_COMPUTE_64F)
// Those with 3m in their names differ by how cuBLAS computes them.
BLAS_EACH_SIZE(GEMM, Cgemm3m, ComplexFloat, CUDA_C_32F, CUBLAS_COMPUTE_32F)
BLAS_EACH_SIZE(GEMM, Zgemm3m, ComplexDouble, CUDA_C_64F, CUBLAS_COMPUTE_64F)

#define GEMM_BATCHED(name, T, type, compute, Int, _)                                                        \
  WARPVP_API cublasStatus_t cublas##name##Batched##_(                                                       \
      Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, const T* alpha, const T* const a[],   \
      Int lda, const T* const b[], Int ldb, const T* beta, T* const c[], Int ldc, Int batches) {            \
    return narrowed(gemm_list, h, of_a, of_b, m, n, k, alpha, list(a), type, lda, list(b), type, ldb, beta, \
                    reinterpret_cast<void* const*>(c), type, ldc, batches, compute);                        \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##name##StridedBatched##_(                                                \
      Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, const T* alpha, const T* a, Int lda,  \
      long long next_a, const T* b, Int ldb, long long next_b, const T* beta, T* c, Int ldc,                \
      long long next_c, Int batches) {                                                                      \
    return narrowed(gemm_row, h, of_a, of_b, m, n, k, alpha, a, type, lda, next_a, b, type, ldb, next_b,    \
                    beta, c, type, ldc, next_c, batches, compute);                                          \
  }
BLAS_EACH_SIZE(GEMM_BATCHED, Sgemm, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
BLAS_EACH_SIZE(GEMM_BATCHED, Dgemm, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
BLAS_EACH_SIZE(GEMM_BATCHED, Hgemm, Half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
BLAS_EACH_SIZE(GEMM_BATCHED, Cgemm, ComplexFloat, CUDA_C_32F, CUBLAS_COMPUTE_32F)
BLAS_EACH_SIZE(GEMM_BATCHED, Zgemm, ComplexDouble, CUDA_C_64F, CUBLAS_COMPUTE_64F)
BLAS_EACH_SIZE(GEMM_BATCHED, Cgemm3m, ComplexFloat, CUDA_C_32F, CUBLAS_COMPUTE_32F)

#define GEMM_GROUPS(S, T, type, compute, Int, _)                                                          \
  WARPVP_API cublasStatus_t cublas##S##gemmGroupedBatched##_(                                             \
      Handle* h, const Operation of_a[], const Operation of_b[], const Int m[], const Int n[],            \
      const Int k[], const T alphas[], const T* const a[], const Int lda[], const T* const b[],           \
      const Int ldb[], const T betas[], T* const c[], const Int ldc[], Int groups, const Int sizes[]) {   \
    return gemm_groups<Int>(h, of_a, of_b, m, n, k, alphas, sizeof(T), list(a), type, lda, list(b), type, \
                            ldb, betas, reinterpret_cast<void* const*>(c), type, ldc, groups, sizes,      \
                            compute);                                                                     \
  }
BLAS_EACH_SIZE(GEMM_GROUPS, S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
BLAS_EACH_SIZE(GEMM_GROUPS, D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)

// Factors of one type, operands and results of those that are told.
#define GEMM_OF_FACTOR(name, T, Int, _)                                                                     \
  WARPVP_API cublasStatus_t cublas##name##_(Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, \
                                            const T* alpha, const void* a, cudaDataType a_type, Int lda,    \
                                            const void* b, cudaDataType b_type, Int ldb, const T* beta,     \
                                            void* c, cudaDataType c_type, Int ldc) {                        \
    return narrowed(gemm, h, of_a, of_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type,   \
                    ldc, CUBLAS_COMPUTE_32F);                                                               \
  }
BLAS_EACH_SIZE(GEMM_OF_FACTOR, SgemmEx, float)
BLAS_EACH_SIZE(GEMM_OF_FACTOR, CgemmEx, ComplexFloat)
BLAS_EACH_SIZE(GEMM_OF_FACTOR, Cgemm3mEx, ComplexFloat)

#define GEMM_TYPES(Int, _)                                                                                   \
  WARPVP_API cublasStatus_t cublasGemmEx##_(                                                                 \
      Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, const void* alpha, const void* a,      \
      cudaDataType a_type, Int lda, const void* b, cudaDataType b_type, Int ldb, const void* beta, void* c,  \
      cudaDataType c_type, Int ldc, Compute computed_in, int) {                                              \
    return narrowed(gemm, h, of_a, of_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type,    \
                    ldc, computed_in);                                                                       \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGemmBatchedEx##_(                                                          \
      Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, const void* alpha,                     \
      const void* const a[], cudaDataType a_type, Int lda, const void* const b[], cudaDataType b_type,       \
      Int ldb, const void* beta, void* const c[], cudaDataType c_type, Int ldc, Int batches,                 \
      Compute computed_in, int) {                                                                            \
    return narrowed(gemm_list, h, of_a, of_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,       \
                    c_type, ldc, batches, computed_in);                                                      \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGemmStridedBatchedEx##_(                                                   \
      Handle* h, Operation of_a, Operation of_b, Int m, Int n, Int k, const void* alpha, const void* a,      \
      cudaDataType a_type, Int lda, long long next_a, const void* b, cudaDataType b_type, Int ldb,           \
      long long next_b, const void* beta, void* c, cudaDataType c_type, Int ldc, long long next_c,           \
      Int batches, Compute computed_in, int) {                                                               \
    return narrowed(gemm_row, h, of_a, of_b, m, n, k, alpha, a, a_type, lda, next_a, b, b_type, ldb, next_b, \
                    beta, c, c_type, ldc, next_c, batches, computed_in);                                     \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGemmGroupedBatchedEx##_(                                                   \
      Handle* h, const Operation of_a[], const Operation of_b[], const Int m[], const Int n[],               \
      const Int k[], const void* alphas, const void* const a[], cudaDataType a_type, const Int lda[],        \
      const void* const b[], cudaDataType b_type, const Int ldb[], const void* betas, void* const c[],       \
      cudaDataType c_type, const Int ldc[], Int groups, const Int sizes[], Compute computed_in) {            \
    return gemm_groups<Int>(h, of_a, of_b, m, n, k, alphas, factor_bytes(computed_in), a, a_type, lda, b,    \
                            b_type, ldb, betas, c, c_type, ldc, groups, sizes, computed_in);                 \
  }
GEMM_TYPES(int, )
GEMM_TYPES(std::int64_t, _64)

// The first interface.
#define LEGACY(S, T, type, compute)                                                                         \
  WARPVP_API void cublas##S##gemm(char of_a, char of_b, int m, int n, int k, T alpha, const T* a, int lda,  \
                                  const T* b, int ldb, T beta, T* c, int ldc) {                             \
    const void *first = a, *second = b;                                                                     \
    void* to = c;                                                                                           \
    call_legacy(gemm, of_a, of_b, m, n, k, alpha, first, type, lda, second, type, ldb, beta, to, type, ldc, \
                compute);                                                                                   \
  }
LEGACY(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
LEGACY(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
LEGACY(C, ComplexFloat, CUDA_C_32F, CUBLAS_COMPUTE_32F)
LEGACY(Z, ComplexDouble, CUDA_C_64F, CUBLAS_COMPUTE_64F)
