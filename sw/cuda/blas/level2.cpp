// Level 2: whole matrices with vectors, and products that change matrices.

#include "sw/cuda/blas/level2.h"

#include "sw/cuda/blas/legacy.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr int kMostBatches = 65535;

/// Vectors of a batch, as sw/kernels/blas/level2.cu has them.
template <class T>
struct Vectors {
  T* first;
  T* const* list;
  long long stride, start, step;
};
template <class T>
Vectors<T> vectors(T* first, T* const* list, long long stride, int n, int step) {
  return {first, list, stride, step < 0 && n > 0 ? -static_cast<long long>(n - 1) * step : 0, step};
}

/// y = alpha op(A) x + beta y, for a batch of them: lists, or the first ones and the ways to the next.
template <class T>
cublasStatus_t gemv_batch(Handle* handle, cublasOperation_t of_a, int m, int n, const T* alpha,
                          Matrices<const T> a, const T* x, const T* const* xs, int x_step, long long next_x,
                          const T* beta, T* y, T* const* ys, int y_step, long long next_y, int batches) {
  BLAS_CHECK(handle, is_operation(of_a) && m >= 0 && n >= 0 && a.leading >= std::max(1, m) && x_step != 0 &&
                         y_step != 0 && batches >= 0 && alpha != nullptr && beta != nullptr);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  if (batches > kMostBatches) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool across = transposes(of_a);
  const auto from = vectors(x, xs, next_x, across ? m : n, x_step);
  const auto to = vectors(y, ys, next_y, across ? n : m, y_step);
  const auto by = factor(*handle, alpha), keep = factor(*handle, beta);
  const auto count = static_cast<unsigned>(batches);
  a.shape = shape_of(of_a);
  if (across)
    return launch(*handle, KernelName<T>("gemv_t"), {static_cast<unsigned>(n), count, 1}, kLine, m, by, a,
                  from, keep, to);
  return launch(*handle, KernelName<T>("gemv_n"), {parts(m, kLine[0]), count, 1}, kLine, m, n, by, a, from,
                keep, to);
}
template <class T>
cublasStatus_t gemv(Handle* handle, cublasOperation_t of_a, int m, int n, const T* alpha, const T* a, int lda,
                    const T* x, int x_step, const T* beta, T* y, int y_step) {
  return gemv_batch<T>(handle, of_a, m, n, alpha, matrix(a, lda), x, nullptr, x_step, 0, beta, y, nullptr,
                       y_step, 0, 1);
}
template <class T>
cublasStatus_t gemv_list(Handle* handle, cublasOperation_t of_a, int m, int n, const T* alpha,
                         const T* const* a, int lda, const T* const* x, int x_step, const T* beta,
                         T* const* y, int y_step, int batches) {
  return gemv_batch<T>(handle, of_a, m, n, alpha, {nullptr, a, 0, lda, 0}, nullptr, x, x_step, 0, beta,
                       nullptr, y, y_step, 0, batches);
}
template <class T>
cublasStatus_t gemv_row(Handle* handle, cublasOperation_t of_a, int m, int n, const T* alpha, const T* a,
                        int lda, long long next_a, const T* x, int x_step, long long next_x, const T* beta,
                        T* y, int y_step, long long next_y, int batches) {
  return gemv_batch<T>(handle, of_a, m, n, alpha, {a, nullptr, next_a, lda, 0}, x, nullptr, x_step, next_x,
                       beta, y, nullptr, y_step, next_y, batches);
}

/// The same of types of two bytes, computed in float: as rows, y^T = alpha x^T op(A)^T + beta y^T, in which
/// steps are from column to column. They may not be below 0.
cublasStatus_t gemv_types(Handle* handle, cudaDataType type, cudaDataType y_type, cublasOperation_t of_a,
                          int m, int n, const float* alpha, const void* a, const void* const* as, int lda,
                          long long next_a, const void* x, const void* const* xs, int x_step,
                          long long next_x, const float* beta, void* y, void* const* ys, int y_step,
                          long long next_y, int batches) {
  BLAS_CHECK(handle, is_operation(of_a) && m >= 0 && n >= 0 && lda >= std::max(1, m) && x_step != 0 &&
                         y_step != 0 && batches >= 0);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  if (x_step < 0 || y_step < 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool across = transposes(of_a);
  return multiply(
      *handle, {{CUBLAS_OP_N, across ? CUBLAS_OP_N : CUBLAS_OP_T, 1, across ? n : m, across ? m : n, batches},
                alpha,
                {x, xs, next_x, x_step},
                type,
                {a, as, next_a, lda},
                type,
                beta,
                {y, ys, next_y, y_step},
                y_type,
                CUBLAS_COMPUTE_32F});
}

/// A += alpha x op(y); `conjugated`: op.
template <class T, bool conjugated>
cublasStatus_t ger(Handle* handle, int m, int n, const T* alpha, const T* x, int x_step, const T* y,
                   int y_step, T* a, int lda) {
  BLAS_CHECK(handle,
             m >= 0 && n >= 0 && x_step != 0 && y_step != 0 && lda >= std::max(1, m) && alpha != nullptr);
  return launch(*handle, KernelName<T>("rank"), {parts(m, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare, m,
                n, factor(*handle, alpha), vector(x, m, x_step), vector(y, n, y_step),
                Stored<T>{a, kFull, lda, conjugated ? kConjugated : 0, m, n, 0}, 0);
}

int rank_shape(bool hermitian) { return kTriangular | (hermitian ? kConjugated | kHermitian : 0); }
/// A += alpha x op(x) or, of two vectors, alpha x op(y) + op(alpha) y op(x), of which a triangle is written.
template <class T, class By>
cublasStatus_t rank(Handle* handle, int n, const By* alpha, const T* x, int x_step, const T* y, int y_step,
                    Stored<T> a) {
  BLAS_CHECK(handle, n >= 0 && x_step != 0 && y_step != 0 && alpha != nullptr &&
                         (a.storage == kPacked || a.leading >= std::max(1, n)));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  Factor<T> by{};
  BLAS_TRY(prepared_factor(*handle, alpha, false, 0, by));
  const auto first = vector(x, n, x_step), second = y ? vector(y, n, y_step) : first;
  return launch(*handle, KernelName<T>("rank"), {parts(n, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare, n,
                n, by, first, second, a, static_cast<int>(y != nullptr));
}
template <class T, class By, bool hermitian>
cublasStatus_t rank_1(Handle* handle, cublasFillMode_t fill, int n, const By* alpha, const T* x, int step,
                      T* a, int lda) {
  if (!is_fill(fill)) return CUBLAS_STATUS_INVALID_VALUE;
  return rank<T>(handle, n, alpha, x, step, nullptr, 1, triangle(a, lda, fill, n, rank_shape(hermitian)));
}
template <class T, class By, bool hermitian>
cublasStatus_t rank_1_packed(Handle* handle, cublasFillMode_t fill, int n, const By* alpha, const T* x,
                             int step, T* a) {
  if (!is_fill(fill)) return CUBLAS_STATUS_INVALID_VALUE;
  return rank<T>(handle, n, alpha, x, step, nullptr, 1, packed(a, fill, n, rank_shape(hermitian)));
}
template <class T, bool hermitian>
cublasStatus_t rank_2(Handle* handle, cublasFillMode_t fill, int n, const T* alpha, const T* x, int x_step,
                      const T* y, int y_step, T* a, int lda) {
  if (!is_fill(fill) || y == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return rank<T>(handle, n, alpha, x, x_step, y, y_step, triangle(a, lda, fill, n, rank_shape(hermitian)));
}
template <class T, bool hermitian>
cublasStatus_t rank_2_packed(Handle* handle, cublasFillMode_t fill, int n, const T* alpha, const T* x,
                             int x_step, const T* y, int y_step, T* a) {
  if (!is_fill(fill) || y == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return rank<T>(handle, n, alpha, x, x_step, y, y_step, packed(a, fill, n, rank_shape(hermitian)));
}

}  // namespace

#define LEVEL2(S, s, T, Int, _)                                                                            \
  WARPVP_API cublasStatus_t cublas##S##gemv_v2##_(Handle* h, cublasOperation_t of_a, Int m, Int n,         \
                                                  const T* alpha, const T* a, Int lda, const T* x,         \
                                                  Int x_step, const T* beta, T* y, Int y_step) {           \
    return narrowed(gemv<T>, h, of_a, m, n, alpha, a, lda, x, x_step, beta, y, y_step);                    \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##gemvBatched##_(                                                     \
      Handle* h, cublasOperation_t of_a, Int m, Int n, const T* alpha, const T* const a[], Int lda,        \
      const T* const x[], Int x_step, const T* beta, T* const y[], Int y_step, Int batches) {              \
    return narrowed(gemv_list<T>, h, of_a, m, n, alpha, a, lda, x, x_step, beta, y, y_step, batches);      \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##gemvStridedBatched##_(                                              \
      Handle* h, cublasOperation_t of_a, Int m, Int n, const T* alpha, const T* a, Int lda,                \
      long long next_a, const T* x, Int x_step, long long next_x, const T* beta, T* y, Int y_step,         \
      long long next_y, Int batches) {                                                                     \
    return narrowed(gemv_row<T>, h, of_a, m, n, alpha, a, lda, next_a, x, x_step, next_x, beta, y, y_step, \
                    next_y, batches);                                                                      \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##syr_v2##_(Handle* h, cublasFillMode_t fill, Int n, const T* alpha,  \
                                                 const T* x, Int step, T* a, Int lda) {                    \
    return narrowed(rank_1<T, T, false>, h, fill, n, alpha, x, step, a, lda);                              \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##syr2_v2##_(Handle* h, cublasFillMode_t fill, Int n, const T* alpha, \
                                                  const T* x, Int x_step, const T* y, Int y_step, T* a,    \
                                                  Int lda) {                                               \
    return narrowed(rank_2<T, false>, h, fill, n, alpha, x, x_step, y, y_step, a, lda);                    \
  }
BLAS_EACH_TYPE(LEVEL2)

#define OUTER(name, conjugated, T, Int, _)                                                            \
  WARPVP_API cublasStatus_t cublas##name##_v2##_(Handle* h, Int m, Int n, const T* alpha, const T* x, \
                                                 Int x_step, const T* y, Int y_step, T* a, Int lda) { \
    return narrowed(ger<T, conjugated>, h, m, n, alpha, x, x_step, y, y_step, a, lda);                \
  }
BLAS_EACH_SIZE(OUTER, Sger, false, float)
BLAS_EACH_SIZE(OUTER, Dger, false, double)
BLAS_EACH_SIZE(OUTER, Cgeru, false, ComplexFloat)
BLAS_EACH_SIZE(OUTER, Zgeru, false, ComplexDouble)
BLAS_EACH_SIZE(OUTER, Cgerc, true, ComplexFloat)
BLAS_EACH_SIZE(OUTER, Zgerc, true, ComplexDouble)

// Packed ones, of real symmetric and of complex Hermitian matrices.
#define RANK_PACKED(S, sp, hermitian, T, Int, _)                                                             \
  WARPVP_API cublasStatus_t cublas##S##sp##r_v2##_(Handle* h, cublasFillMode_t fill, Int n,                  \
                                                   const Real<T>* alpha, const T* x, Int step, T* a) {       \
    return narrowed(rank_1_packed<T, Real<T>, hermitian>, h, fill, n, alpha, x, step, a);                    \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##sp##r2_v2##_(Handle* h, cublasFillMode_t fill, Int n, const T* alpha, \
                                                    const T* x, Int x_step, const T* y, Int y_step, T* a) {  \
    return narrowed(rank_2_packed<T, hermitian>, h, fill, n, alpha, x, x_step, y, y_step, a);                \
  }
BLAS_EACH_SIZE(RANK_PACKED, S, sp, false, float)
BLAS_EACH_SIZE(RANK_PACKED, D, sp, false, double)
BLAS_EACH_SIZE(RANK_PACKED, C, hp, true, ComplexFloat)
BLAS_EACH_SIZE(RANK_PACKED, Z, hp, true, ComplexDouble)

#define HERMITIAN(S, s, T, Int, _)                                                                          \
  WARPVP_API cublasStatus_t cublas##S##her_v2##_(                                                           \
      Handle* h, cublasFillMode_t fill, Int n, const Real<T>* alpha, const T* x, Int step, T* a, Int lda) { \
    return narrowed(rank_1<T, Real<T>, true>, h, fill, n, alpha, x, step, a, lda);                          \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##her2_v2##_(Handle* h, cublasFillMode_t fill, Int n, const T* alpha,  \
                                                  const T* x, Int x_step, const T* y, Int y_step, T* a,     \
                                                  Int lda) {                                                \
    return narrowed(rank_2<T, true>, h, fill, n, alpha, x, x_step, y, y_step, a, lda);                      \
  }
BLAS_EACH_COMPLEX(HERMITIAN)

// Of half and bfloat16, with results of the same or of float.
#define GEMV_TYPES(name, type, y_type, Int, _)                                                               \
  WARPVP_API cublasStatus_t cublas##name##gemvBatched##_(                                                    \
      Handle* h, cublasOperation_t of_a, Int m, Int n, const float* alpha, const void* const a[], Int lda,   \
      const void* const x[], Int x_step, const float* beta, void* const y[], Int y_step, Int batches) {      \
    const void* const none = nullptr;                                                                        \
    void* const nothing = nullptr;                                                                           \
    return narrowed(gemv_types, h, type, y_type, of_a, m, n, alpha, none, a, lda, 0LL, none, x, x_step, 0LL, \
                    beta, nothing, y, y_step, 0LL, batches);                                                 \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##name##gemvStridedBatched##_(                                             \
      Handle* h, cublasOperation_t of_a, Int m, Int n, const float* alpha, const void* a, Int lda,           \
      long long next_a, const void* x, Int x_step, long long next_x, const float* beta, void* y, Int y_step, \
      long long next_y, Int batches) {                                                                       \
    const void* const* const none = nullptr;                                                                 \
    void* const* const nothing = nullptr;                                                                    \
    return narrowed(gemv_types, h, type, y_type, of_a, m, n, alpha, a, none, lda, next_a, x, none, x_step,   \
                    next_x, beta, y, nothing, y_step, next_y, batches);                                      \
  }
BLAS_EACH_SIZE(GEMV_TYPES, HSH, CUDA_R_16F, CUDA_R_16F)
BLAS_EACH_SIZE(GEMV_TYPES, HSS, CUDA_R_16F, CUDA_R_32F)
BLAS_EACH_SIZE(GEMV_TYPES, TST, CUDA_R_16BF, CUDA_R_16BF)
BLAS_EACH_SIZE(GEMV_TYPES, TSS, CUDA_R_16BF, CUDA_R_32F)

// The first interface.
#define LEGACY(S, s, T)                                                                              \
  WARPVP_API void cublas##S##gemv(char of_a, int m, int n, T alpha, const T* a, int lda, const T* x, \
                                  int x_step, T beta, T* y, int y_step) {                            \
    call_legacy(gemv<T>, of_a, m, n, alpha, a, lda, x, x_step, beta, y, y_step);                     \
  }
BLAS_EACH_TYPE_ONCE(LEGACY)
#define LEGACY_OUTER(name, conjugated, T)                                                                   \
  WARPVP_API void cublas##name(int m, int n, T alpha, const T* x, int x_step, const T* y, int y_step, T* a, \
                               int lda) {                                                                   \
    call_legacy(ger<T, conjugated>, m, n, alpha, x, x_step, y, y_step, a, lda);                             \
  }
LEGACY_OUTER(Sger, false, float)
LEGACY_OUTER(Dger, false, double)
LEGACY_OUTER(Cgeru, false, ComplexFloat)
LEGACY_OUTER(Zgeru, false, ComplexDouble)
LEGACY_OUTER(Cgerc, true, ComplexFloat)
LEGACY_OUTER(Zgerc, true, ComplexDouble)
#define LEGACY_RANK(S, sy, sp, hermitian, T)                                                               \
  WARPVP_API void cublas##S##sy##r(char fill, int n, Real<T> alpha, const T* x, int step, T* a, int lda) { \
    call_legacy(rank_1<T, Real<T>, hermitian>, fill, n, alpha, x, step, a, lda);                           \
  }                                                                                                        \
  WARPVP_API void cublas##S##sp##r(char fill, int n, Real<T> alpha, const T* x, int step, T* a) {          \
    call_legacy(rank_1_packed<T, Real<T>, hermitian>, fill, n, alpha, x, step, a);                         \
  }                                                                                                        \
  WARPVP_API void cublas##S##sy##r2(char fill, int n, T alpha, const T* x, int x_step, const T* y,         \
                                    int y_step, T* a, int lda) {                                           \
    call_legacy(rank_2<T, hermitian>, fill, n, alpha, x, x_step, y, y_step, a, lda);                       \
  }                                                                                                        \
  WARPVP_API void cublas##S##sp##r2(char fill, int n, T alpha, const T* x, int x_step, const T* y,         \
                                    int y_step, T* a) {                                                    \
    call_legacy(rank_2_packed<T, hermitian>, fill, n, alpha, x, x_step, y, y_step, a);                     \
  }
LEGACY_RANK(S, sy, sp, false, float)
LEGACY_RANK(D, sy, sp, false, double)
LEGACY_RANK(C, he, hp, true, ComplexFloat)
LEGACY_RANK(Z, he, hp, true, ComplexDouble)
