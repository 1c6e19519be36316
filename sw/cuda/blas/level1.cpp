// Level 1: vectors of one type.

#include "sw/cuda/blas/level1.h"

#include "sw/cuda/blas/legacy.h"

using namespace warpvp::cuda::blas;

#define LEVEL1(S, s, T, Int, _)                                                                             \
  WARPVP_API cublasStatus_t cublas##S##axpy_v2##_(Handle* h, Int n, const T* alpha, const T* x, Int x_step, \
                                                  T* y, Int y_step) {                                       \
    return narrowed(axpy<T, T>, h, n, alpha, x, x_step, y, y_step);                                         \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##scal_v2##_(Handle* h, Int n, const T* alpha, T* x, Int step) {       \
    return narrowed(scal<T, T>, h, n, alpha, x, step);                                                      \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##copy_v2##_(Handle* h, Int n, const T* x, Int x_step, T* y,           \
                                                  Int y_step) {                                             \
    return narrowed(copy<T>, h, n, x, x_step, y, y_step);                                                   \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##swap_v2##_(Handle* h, Int n, T* x, Int x_step, T* y, Int y_step) {   \
    return narrowed(swap<T>, h, n, x, x_step, y, y_step);                                                   \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##rot_v2##_(Handle* h, Int n, T* x, Int x_step, T* y, Int y_step,      \
                                                 const Real<T>* c, const T* s_of) {                         \
    return narrowed(rot<T, T>, h, n, x, x_step, y, y_step, c, s_of);                                        \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublasI##s##amax_v2##_(Handle* h, Int n, const T* x, Int step, Int* result) {   \
    return narrowed(find<T, 0, Int>, h, n, x, step, result);                                                \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublasI##s##amin_v2##_(Handle* h, Int n, const T* x, Int step, Int* result) {   \
    return narrowed(find<T, 1, Int>, h, n, x, step, result);                                                \
  }
BLAS_EACH_TYPE(LEVEL1)

// S: letters of the type and of its parts, as in Scnrm2.
#define SUMS(S, T, Int, _)                                                                                   \
  WARPVP_API cublasStatus_t cublas##S##nrm2_v2##_(Handle* h, Int n, const T* x, Int step, Real<T>* result) { \
    return narrowed(sum_up<T, kSquares>, h, n, x, step, result);                                             \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##asum_v2##_(Handle* h, Int n, const T* x, Int step, Real<T>* result) { \
    return narrowed(sum_up<T, kMagnitudes>, h, n, x, step, result);                                          \
  }
BLAS_EACH_SIZE(SUMS, S, float)
BLAS_EACH_SIZE(SUMS, D, double)
BLAS_EACH_SIZE(SUMS, Sc, ComplexFloat)
BLAS_EACH_SIZE(SUMS, Dz, ComplexDouble)

#define DOT(name, f, T, Int, _)                                                                        \
  WARPVP_API cublasStatus_t cublas##name##_v2##_(Handle* h, Int n, const T* x, Int x_step, const T* y, \
                                                 Int y_step, T* result) {                              \
    return narrowed(f<T>, h, n, x, x_step, y, y_step, result);                                         \
  }
BLAS_EACH_SIZE(DOT, Sdot, dot, float)
BLAS_EACH_SIZE(DOT, Ddot, dot, double)
BLAS_EACH_SIZE(DOT, Cdotu, dot, ComplexFloat)
BLAS_EACH_SIZE(DOT, Zdotu, dot, ComplexDouble)
BLAS_EACH_SIZE(DOT, Cdotc, dotc, ComplexFloat)
BLAS_EACH_SIZE(DOT, Zdotc, dotc, ComplexDouble)

#define MODIFIED(S, s, T, Int, _)                                                                       \
  WARPVP_API cublasStatus_t cublas##S##rotm_v2##_(Handle* h, Int n, T* x, Int x_step, T* y, Int y_step, \
                                                  const T* how) {                                       \
    return narrowed(rotm<T>, h, n, x, x_step, y, y_step, how);                                          \
  }
BLAS_EACH_REAL(MODIFIED)
#define REAL_PARTS(S, T, Int, _)                                                                            \
  WARPVP_API cublasStatus_t cublas##S##scal_v2##_(Handle* h, Int n, const Real<T>* alpha, T* x, Int step) { \
    return narrowed(scal_real<T>, h, n, alpha, x, step);                                                    \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##rot_v2##_(Handle* h, Int n, T* x, Int x_step, T* y, Int y_step,      \
                                                 const Real<T>* c, const Real<T>* s) {                      \
    return narrowed(rot<T, Real<T>>, h, n, x, x_step, y, y_step, c, s);                                     \
  }
BLAS_EACH_SIZE(REAL_PARTS, Cs, ComplexFloat)
BLAS_EACH_SIZE(REAL_PARTS, Zd, ComplexDouble)

#define ROTATION(S, T)                                                                    \
  WARPVP_API cublasStatus_t cublas##S##rotg_v2(Handle* h, T* a, T* b, Real<T>* c, T* s) { \
    return rotg(h, a, b, c, s);                                                           \
  }
ROTATION(S, float)
ROTATION(D, double)
ROTATION(C, ComplexFloat)
ROTATION(Z, ComplexDouble)
#define MODIFIED_ROTATION(S, T)                                                                        \
  WARPVP_API cublasStatus_t cublas##S##rotmg_v2(Handle* h, T* d1, T* d2, T* x1, const T* y1, T* how) { \
    return rotmg(h, d1, d2, x1, y1, how);                                                              \
  }
MODIFIED_ROTATION(S, float)
MODIFIED_ROTATION(D, double)

// The first interface.
#define LEGACY(S, s, T)                                                                          \
  WARPVP_API void cublas##S##axpy(int n, T alpha, const T* x, int x_step, T* y, int y_step) {    \
    call_legacy(axpy<T, T>, n, alpha, x, x_step, y, y_step);                                     \
  }                                                                                              \
  WARPVP_API void cublas##S##scal(int n, T alpha, T* x, int step) {                              \
    call_legacy(scal<T, T>, n, alpha, x, step);                                                  \
  }                                                                                              \
  WARPVP_API void cublas##S##copy(int n, const T* x, int x_step, T* y, int y_step) {             \
    call_legacy(copy<T>, n, x, x_step, y, y_step);                                               \
  }                                                                                              \
  WARPVP_API void cublas##S##swap(int n, T* x, int x_step, T* y, int y_step) {                   \
    call_legacy(swap<T>, n, x, x_step, y, y_step);                                               \
  }                                                                                              \
  WARPVP_API void cublas##S##rot(int n, T* x, int x_step, T* y, int y_step, Real<T> c, T sine) { \
    call_legacy(rot<T, T>, n, x, x_step, y, y_step, c, sine);                                    \
  }                                                                                              \
  WARPVP_API int cublasI##s##amax(int n, const T* x, int step) {                                 \
    return legacy_result<int>(find<T, 0, int>, n, x, step);                                      \
  }                                                                                              \
  WARPVP_API int cublasI##s##amin(int n, const T* x, int step) {                                 \
    return legacy_result<int>(find<T, 1, int>, n, x, step);                                      \
  }
BLAS_EACH_TYPE_ONCE(LEGACY)
#define LEGACY_SUMS(S, T)                                              \
  WARPVP_API Real<T> cublas##S##nrm2(int n, const T* x, int step) {    \
    return legacy_result<Real<T>>(sum_up<T, kSquares>, n, x, step);    \
  }                                                                    \
  WARPVP_API Real<T> cublas##S##asum(int n, const T* x, int step) {    \
    return legacy_result<Real<T>>(sum_up<T, kMagnitudes>, n, x, step); \
  }
LEGACY_SUMS(S, float)
LEGACY_SUMS(D, double)
LEGACY_SUMS(Sc, ComplexFloat)
LEGACY_SUMS(Dz, ComplexDouble)
#define LEGACY_DOT(name, f, T)                                                       \
  WARPVP_API T cublas##name(int n, const T* x, int x_step, const T* y, int y_step) { \
    return legacy_result<T>(f<T>, n, x, x_step, y, y_step);                          \
  }
LEGACY_DOT(Sdot, dot, float)
LEGACY_DOT(Ddot, dot, double)
LEGACY_DOT(Cdotu, dot, ComplexFloat)
LEGACY_DOT(Zdotu, dot, ComplexDouble)
LEGACY_DOT(Cdotc, dotc, ComplexFloat)
LEGACY_DOT(Zdotc, dotc, ComplexDouble)
#define LEGACY_REAL(S, T)                                                                       \
  WARPVP_API void cublas##S##rotg(T* a, T* b, T* c, T* s) { call_legacy(rotg<T>, a, b, c, s); } \
  WARPVP_API void cublas##S##rotm(int n, T* x, int x_step, T* y, int y_step, const T* how) {    \
    call_legacy(rotm<T>, n, x, x_step, y, y_step, how);                                         \
  }                                                                                             \
  WARPVP_API void cublas##S##rotmg(T* d1, T* d2, T* x1, const T* y1, T* how) {                  \
    call_legacy(rotmg<T>, d1, d2, x1, y1, how);                                                 \
  }
LEGACY_REAL(S, float)
LEGACY_REAL(D, double)
#define LEGACY_COMPLEX(S, Sr, T)                                                                     \
  WARPVP_API void cublas##S##rotg(T* a, T b, Real<T>* c, T* s) { call_legacy(rotg<T>, a, b, c, s); } \
  WARPVP_API void cublas##Sr##scal(int n, Real<T> alpha, T* x, int step) {                           \
    call_legacy(scal_real<T>, n, alpha, x, step);                                                    \
  }                                                                                                  \
  WARPVP_API void cublas##Sr##rot(int n, T* x, int x_step, T* y, int y_step, Real<T> c, Real<T> s) { \
    call_legacy(rot<T, Real<T>>, n, x, x_step, y, y_step, c, s);                                     \
  }
LEGACY_COMPLEX(C, Cs, ComplexFloat)
LEGACY_COMPLEX(Z, Zd, ComplexDouble)
