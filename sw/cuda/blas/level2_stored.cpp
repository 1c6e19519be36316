// Level 2: matrices of which a band or a triangle is stored, with vectors.

#include "sw/cuda/blas/legacy.h"
#include "sw/cuda/blas/level2.h"

using namespace warpvp::cuda::blas;

namespace {

/// y = alpha op(A) x + beta y.
template <class T>
cublasStatus_t mv(Handle* handle, int rows, int columns, const T* alpha, Stored<const T> a, const T* x,
                  int x_step, const T* beta, T* y, int y_step) {
  BLAS_CHECK(handle,
             rows >= 0 && columns >= 0 && x_step != 0 && y_step != 0 && alpha != nullptr && beta != nullptr);
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("mv"), {parts(rows, kLine[0]), 1, 1}, kLine, rows, columns,
                factor(*handle, alpha), a, vector(x, columns, x_step), factor(*handle, beta),
                vector(y, rows, y_step));
}
bool is_band(int n, int k, int lda) { return n >= 0 && k >= 0 && lda >= k + 1; }
bool is_full(int n, int lda) { return n >= 0 && lda >= std::max(1, n); }

template <class T>
cublasStatus_t gbmv(Handle* handle, cublasOperation_t of_a, int m, int n, int below, int above,
                    const T* alpha, const T* a, int lda, const T* x, int x_step, const T* beta, T* y,
                    int y_step) {
  BLAS_CHECK(handle,
             is_operation(of_a) && m >= 0 && below >= 0 && above >= 0 && is_band(n, below + above, lda));
  const bool across = transposes(of_a);
  return mv<T>(handle, across ? n : m, across ? m : n, alpha,
               {a, kBand, lda, shape_of(of_a), below, above, 0}, x, x_step, beta, y, y_step);
}
template <class T, bool hermitian>
cublasStatus_t symv(Handle* handle, cublasFillMode_t fill, int n, const T* alpha, const T* a, int lda,
                    const T* x, int x_step, const T* beta, T* y, int y_step) {
  BLAS_CHECK(handle, is_fill(fill) && is_full(n, lda));
  return mv<T>(handle, n, n, alpha, triangle(a, lda, fill, n, symmetric_shape<T>(fill, hermitian)), x, x_step,
               beta, y, y_step);
}
template <class T, bool hermitian>
cublasStatus_t sbmv(Handle* handle, cublasFillMode_t fill, int n, int k, const T* alpha, const T* a, int lda,
                    const T* x, int x_step, const T* beta, T* y, int y_step) {
  BLAS_CHECK(handle, is_fill(fill) && is_band(n, k, lda));
  return mv<T>(handle, n, n, alpha, band(a, lda, fill, n, k, symmetric_shape<T>(fill, hermitian)), x, x_step,
               beta, y, y_step);
}
template <class T, bool hermitian>
cublasStatus_t spmv(Handle* handle, cublasFillMode_t fill, int n, const T* alpha, const T* a, const T* x,
                    int x_step, const T* beta, T* y, int y_step) {
  BLAS_CHECK(handle, is_fill(fill) && n >= 0);
  return mv<T>(handle, n, n, alpha, packed(a, fill, n, symmetric_shape<T>(fill, hermitian)), x, x_step, beta,
               y, y_step);
}

// Triangles: x = op(A) x, or x of op(A) x = b, in the place of x.
enum class Work { kMultiply, kSolve };
template <class T, Work work>
cublasStatus_t change(Handle* handle, int n, Stored<const T> a, T* x, int step) {
  BLAS_CHECK(handle, step != 0);
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>(work == Work::kSolve ? "trsv" : "trmv"), {1, 1, 1}, kLine, n, a,
                vector(x, n, step));
}
bool is_triangle(cublasFillMode_t fill, cublasOperation_t of_a, cublasDiagType_t diagonal) {
  return is_fill(fill) && is_operation(of_a) && diagonal <= CUBLAS_DIAG_UNIT;
}
template <class T, Work work>
cublasStatus_t of_triangle(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a,
                           cublasDiagType_t diagonal, int n, const T* a, int lda, T* x, int step) {
  BLAS_CHECK(handle, is_triangle(fill, of_a, diagonal) && is_full(n, lda));
  return change<T, work>(handle, n, triangle(a, lda, fill, n, triangular_shape(of_a, diagonal)), x, step);
}
template <class T, Work work>
cublasStatus_t of_band(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a,
                       cublasDiagType_t diagonal, int n, int k, const T* a, int lda, T* x, int step) {
  BLAS_CHECK(handle, is_triangle(fill, of_a, diagonal) && is_band(n, k, lda));
  return change<T, work>(handle, n, band(a, lda, fill, n, k, triangular_shape(of_a, diagonal)), x, step);
}
template <class T, Work work>
cublasStatus_t of_packed(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a,
                         cublasDiagType_t diagonal, int n, const T* a, T* x, int step) {
  BLAS_CHECK(handle, is_triangle(fill, of_a, diagonal) && n >= 0);
  return change<T, work>(handle, n, packed(a, fill, n, triangular_shape(of_a, diagonal)), x, step);
}

/// A triangle, from one way of storing it to another.
template <class T>
cublasStatus_t restore(Handle* handle, cublasFillMode_t fill, int n, int lda, Stored<const T> from,
                       Stored<T> to) {
  BLAS_CHECK(handle, is_fill(fill) && is_full(n, lda));
  return launch(*handle, KernelName<T>("restore"), {parts(n, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare,
                n, from, to);
}

}  // namespace

// `sy`, `sb`, `sp`: as names have them, with `he`, `hb` and `hp` for Hermitian ones.
#define SYMMETRIC(S, name, hermitian, T, Int, _)                                                       \
  WARPVP_API cublasStatus_t cublas##S##name##mv_v2##_(Handle* h, cublasFillMode_t fill, Int n,         \
                                                      const T* alpha, const T* a, Int lda, const T* x, \
                                                      Int x_step, const T* beta, T* y, Int y_step) {   \
    return narrowed(symv<T, hermitian>, h, fill, n, alpha, a, lda, x, x_step, beta, y, y_step);        \
  }
BLAS_EACH_SIZE(SYMMETRIC, S, sy, false, float)
BLAS_EACH_SIZE(SYMMETRIC, D, sy, false, double)
BLAS_EACH_SIZE(SYMMETRIC, C, sy, false, ComplexFloat)
BLAS_EACH_SIZE(SYMMETRIC, Z, sy, false, ComplexDouble)
BLAS_EACH_SIZE(SYMMETRIC, C, he, true, ComplexFloat)
BLAS_EACH_SIZE(SYMMETRIC, Z, he, true, ComplexDouble)

#define SYMMETRIC_PARTS(S, sb, sp, hermitian, T, Int, _)                                                     \
  WARPVP_API cublasStatus_t cublas##S##sb##mv_v2##_(Handle* h, cublasFillMode_t fill, Int n, Int k,          \
                                                    const T* alpha, const T* a, Int lda, const T* x,         \
                                                    Int x_step, const T* beta, T* y, Int y_step) {           \
    return narrowed(sbmv<T, hermitian>, h, fill, n, k, alpha, a, lda, x, x_step, beta, y, y_step);           \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##sp##mv_v2##_(Handle* h, cublasFillMode_t fill, Int n, const T* alpha, \
                                                    const T* a, const T* x, Int x_step, const T* beta, T* y, \
                                                    Int y_step) {                                            \
    return narrowed(spmv<T, hermitian>, h, fill, n, alpha, a, x, x_step, beta, y, y_step);                   \
  }
BLAS_EACH_SIZE(SYMMETRIC_PARTS, S, sb, sp, false, float)
BLAS_EACH_SIZE(SYMMETRIC_PARTS, D, sb, sp, false, double)
BLAS_EACH_SIZE(SYMMETRIC_PARTS, C, hb, hp, true, ComplexFloat)
BLAS_EACH_SIZE(SYMMETRIC_PARTS, Z, hb, hp, true, ComplexDouble)

#define TRIANGULAR(S, v, work, T, Int, _)                                                                 \
  WARPVP_API cublasStatus_t cublas##S##tr##v##_v2##_(Handle* h, cublasFillMode_t fill,                    \
                                                     cublasOperation_t of_a, cublasDiagType_t diagonal,   \
                                                     Int n, const T* a, Int lda, T* x, Int step) {        \
    return narrowed(of_triangle<T, work>, h, fill, of_a, diagonal, n, a, lda, x, step);                   \
  }                                                                                                       \
  WARPVP_API cublasStatus_t cublas##S##tb##v##_v2##_(Handle* h, cublasFillMode_t fill,                    \
                                                     cublasOperation_t of_a, cublasDiagType_t diagonal,   \
                                                     Int n, Int k, const T* a, Int lda, T* x, Int step) { \
    return narrowed(of_band<T, work>, h, fill, of_a, diagonal, n, k, a, lda, x, step);                    \
  }                                                                                                       \
  WARPVP_API cublasStatus_t cublas##S##tp##v##_v2##_(Handle* h, cublasFillMode_t fill,                    \
                                                     cublasOperation_t of_a, cublasDiagType_t diagonal,   \
                                                     Int n, const T* a, T* x, Int step) {                 \
    return narrowed(of_packed<T, work>, h, fill, of_a, diagonal, n, a, x, step);                          \
  }
#define STORED(S, s, T, Int, _)                                                                              \
  WARPVP_API cublasStatus_t cublas##S##gbmv_v2##_(Handle* h, cublasOperation_t of_a, Int m, Int n,           \
                                                  Int below, Int above, const T* alpha, const T* a, Int lda, \
                                                  const T* x, Int x_step, const T* beta, T* y, Int y_step) { \
    return narrowed(gbmv<T>, h, of_a, m, n, below, above, alpha, a, lda, x, x_step, beta, y, y_step);        \
  }                                                                                                          \
  TRIANGULAR(S, mv, Work::kMultiply, T, Int, _)                                                              \
  TRIANGULAR(S, sv, Work::kSolve, T, Int, _)
BLAS_EACH_TYPE(STORED)

#define RESTORE(S, T)                                                                                      \
  WARPVP_API cublasStatus_t cublas##S##tpttr(Handle* h, cublasFillMode_t fill, int n, const T* from, T* a, \
                                             int lda) {                                                    \
    return restore<T>(h, fill, n, lda, packed(from, fill, n, 0), triangle(a, lda, fill, n, 0));            \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##trttp(Handle* h, cublasFillMode_t fill, int n, const T* a, int lda, \
                                             T* to) {                                                      \
    return restore<T>(h, fill, n, lda, triangle(a, lda, fill, n, 0), packed(to, fill, n, 0));              \
  }
RESTORE(S, float)
RESTORE(D, double)
RESTORE(C, ComplexFloat)
RESTORE(Z, ComplexDouble)

// The first interface.
#define LEGACY_SYMMETRIC(S, sy, sb, sp, hermitian, T)                                                       \
  WARPVP_API void cublas##S##sy##mv(char fill, int n, T alpha, const T* a, int lda, const T* x, int x_step, \
                                    T beta, T* y, int y_step) {                                             \
    call_legacy(symv<T, hermitian>, fill, n, alpha, a, lda, x, x_step, beta, y, y_step);                    \
  }                                                                                                         \
  WARPVP_API void cublas##S##sb##mv(char fill, int n, int k, T alpha, const T* a, int lda, const T* x,      \
                                    int x_step, T beta, T* y, int y_step) {                                 \
    call_legacy(sbmv<T, hermitian>, fill, n, k, alpha, a, lda, x, x_step, beta, y, y_step);                 \
  }                                                                                                         \
  WARPVP_API void cublas##S##sp##mv(char fill, int n, T alpha, const T* a, const T* x, int x_step, T beta,  \
                                    T* y, int y_step) {                                                     \
    call_legacy(spmv<T, hermitian>, fill, n, alpha, a, x, x_step, beta, y, y_step);                         \
  }
LEGACY_SYMMETRIC(S, sy, sb, sp, false, float)
LEGACY_SYMMETRIC(D, sy, sb, sp, false, double)
LEGACY_SYMMETRIC(C, he, hb, hp, true, ComplexFloat)
LEGACY_SYMMETRIC(Z, he, hb, hp, true, ComplexDouble)
#define LEGACY_TRIANGULAR(S, v, work, T)                                                                     \
  WARPVP_API void cublas##S##tr##v(char fill, char of_a, char diagonal, int n, const T* a, int lda, T* x,    \
                                   int step) {                                                               \
    call_legacy(of_triangle<T, work>, fill, of_a, diagonal, n, a, lda, x, step);                             \
  }                                                                                                          \
  WARPVP_API void cublas##S##tb##v(char fill, char of_a, char diagonal, int n, int k, const T* a, int lda,   \
                                   T* x, int step) {                                                         \
    call_legacy(of_band<T, work>, fill, of_a, diagonal, n, k, a, lda, x, step);                              \
  }                                                                                                          \
  WARPVP_API void cublas##S##tp##v(char fill, char of_a, char diagonal, int n, const T* a, T* x, int step) { \
    call_legacy(of_packed<T, work>, fill, of_a, diagonal, n, a, x, step);                                    \
  }
#define LEGACY_STORED(S, s, T)                                                                        \
  WARPVP_API void cublas##S##gbmv(char of_a, int m, int n, int below, int above, T alpha, const T* a, \
                                  int lda, const T* x, int x_step, T beta, T* y, int y_step) {        \
    call_legacy(gbmv<T>, of_a, m, n, below, above, alpha, a, lda, x, x_step, beta, y, y_step);        \
  }                                                                                                   \
  LEGACY_TRIANGULAR(S, mv, Work::kMultiply, T)                                                        \
  LEGACY_TRIANGULAR(S, sv, Work::kSolve, T)
BLAS_EACH_TYPE_ONCE(LEGACY_STORED)
