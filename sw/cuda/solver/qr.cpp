// QR factors by Householder's vectors, Q as a matrix, and products with it. Vectors of a panel are applied
// together, as I - V T V^T (Schreiber and Van Loan, A storage-efficient WY representation for products of
// Householder transformations, 1989).

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {
namespace {

/// Reflectors of a panel, and room for products with them.
template <class T>
struct Block {
  T *v, *gram, *t, *w, *tw;
  int width;
  long long length;  // of V's columns
};

/// Makes V and T of the panel that begins at `a`, in `work`.
template <class T>
cusolverStatus_t gather(const Handle& handle, int length, int width, long long others, Dense<const T> a,
                        const T* tau, T* work, Block<T>& block) {
  block.width = width;
  block.length = length;
  block.v = work;
  block.gram = block.v + kPanel * block.length;
  block.t = block.gram + kPanel * kPanel;
  block.w = block.t + kPanel * kPanel;
  block.tw = block.w + kPanel * others;
  SOLVER_TRY(launch_for(handle, KernelName<T>("reflectors"), block.length * width, block.length, width, a.at,
                        a.leading, block.v));
  const Dense<const T> v = {block.v, block.length};
  SOLVER_TRY(multiply<T>(handle, width, width, length, 1, v, true, v, false, 0, {block.gram, kPanel}));
  return launch(handle, KernelName<T>("larft"), kOneCta, {32, 1, 1}, width, static_cast<const T*>(block.gram),
                tau, block.t);
}

/// C = op(H) C, or C op(H) with `right`, of H = I - V T V^T; C begins where V does.
template <class T>
cusolverStatus_t apply(const Handle& handle, const Block<T>& block, bool right, bool transposed, int others,
                       Dense<T> c) {
  const int length = static_cast<int>(block.length), width = block.width;
  const Dense<const T> v = {block.v, block.length}, t = {block.t, kPanel};
  if (right) {
    const Dense<T> w = {block.w, others}, wt = {block.tw, others};
    SOLVER_TRY(multiply<T>(handle, others, width, length, 1, c, false, v, false, 0, w));
    SOLVER_TRY(multiply<T>(handle, others, width, width, 1, w, false, t, transposed, 0, wt));
    return multiply<T>(handle, others, length, width, -1, wt, false, v, true, 1, c);
  }
  const Dense<T> w = {block.w, kPanel}, tw = {block.tw, kPanel};
  SOLVER_TRY(multiply<T>(handle, width, others, length, 1, v, true, c, false, 0, w));
  SOLVER_TRY(multiply<T>(handle, width, others, width, 1, t, transposed, w, false, 0, tw));
  return multiply<T>(handle, length, others, width, -1, v, false, tw, false, 1, c);
}

}  // namespace

template <class T>
cusolverStatus_t ormqr(Handle& handle, bool right, bool transposed, int m, int n, int k, Dense<const T> a,
                       const T* tau, Dense<T> c, T* work) {
  // H1 is next to C in Q^T C and in C Q.
  const bool forward = right != transposed;
  const int blocks = (k + kPanel - 1) / kPanel, order = right ? n : m, others = right ? m : n;
  if (others == 0) return CUSOLVER_STATUS_SUCCESS;
  for (int at = 0; at < blocks; ++at) {
    const int first = (forward ? at : blocks - 1 - at) * kPanel, width = std::min(kPanel, k - first);
    Block<T> block;
    SOLVER_TRY(
        gather<T>(handle, order - first, width, others, a.from(first, first), tau + first, work, block));
    SOLVER_TRY(
        apply<T>(handle, block, right, transposed, others, right ? c.from(0, first) : c.from(first, 0)));
  }
  return CUSOLVER_STATUS_SUCCESS;
}

template cusolverStatus_t ormqr<float>(Handle&, bool, bool, int, int, int, Dense<const float>, const float*,
                                       Dense<float>, float*);
template cusolverStatus_t ormqr<double>(Handle&, bool, bool, int, int, int, Dense<const double>,
                                        const double*, Dense<double>, double*);

namespace {

/// Elements of orgqr's room: the reflectors, whose place Q takes.
long long orgqr_work(long long m, long long n, long long k) { return m * k + panel_work(m, n); }

template <class T>
cusolverStatus_t orgqr(Handle& handle, int m, int n, int k, Dense<T> a, const T* tau, T* work) {
  if (m == 0 || n == 0) return CUSOLVER_STATUS_SUCCESS;
  const Dense<T> vectors = {work, m};
  // Column by column, as they may lie apart; V is read below the diagonal alone.
  for (int j = 0; j < k; ++j)
    SOLVER_TRY(status_of(cuMemcpyDtoDAsync_v2(reinterpret_cast<CUdeviceptr>(vectors.from(0, j).at),
                                              reinterpret_cast<CUdeviceptr>(a.from(0, j).at),
                                              static_cast<std::size_t>(m) * sizeof(T), handle.blas.stream)));
  SOLVER_TRY(launch_for(handle, KernelName<T>("identity"), static_cast<long long>(m) * n,
                        static_cast<long long>(m), static_cast<long long>(n), a.at, a.leading));
  return ormqr<T>(handle, false, false, m, n, k, vectors, tau, a, work + static_cast<long long>(m) * k);
}

}  // namespace

template <class T>
cusolverStatus_t geqrf(Handle& handle, int m, int n, Dense<T> a, T* tau, T* work) {
  for (int k = 0; k < std::min(m, n); k += kPanel) {
    const int width = std::min(kPanel, std::min(m, n) - k), right = n - k - width;
    SOLVER_TRY(launch(handle, KernelName<T>("geqrf_panel"), kOneCta, kThreads, m - k, width, a.from(k, k).at,
                      a.leading, tau + k));
    if (right == 0) break;
    Block<T> block;
    SOLVER_TRY(gather<T>(handle, m - k, width, right, a.from(k, k), tau + k, work, block));
    SOLVER_TRY(apply<T>(handle, block, false, true, right, a.from(k, k + width)));
  }
  return CUSOLVER_STATUS_SUCCESS;
}
template cusolverStatus_t geqrf<float>(Handle&, int, int, Dense<float>, float*, float*);
template cusolverStatus_t geqrf<double>(Handle&, int, int, Dense<double>, double*, double*);

}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;
namespace blas = warpvp::cuda::blas;

#define QR(S, T)                                                                                             \
  WARPVP_API cusolverStatus_t cusolverDn##S##geqrf_bufferSize(Handle* h, int m, int n, T*, int lda,          \
                                                              int* elements) {                               \
    SOLVER_CHECK(h, m >= 0 && n >= 0 && lda >= std::max(1, m) && elements != nullptr);                       \
    return tell(elements, panel_work(m, n));                                                                 \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##geqrf(Handle* h, int m, int n, T* a, int lda, T* tau, T* work,  \
                                                   int elements, int* info) {                                \
    SOLVER_CHECK(                                                                                            \
        h, m >= 0 && n >= 0 && lda >= std::max(1, m) && info != nullptr && elements >= panel_work(m, n));    \
    SOLVER_TRY(clear(*h, info));                                                                             \
    return geqrf<T>(*h, m, n, {a, lda}, tau, work);                                                          \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##ormqr_bufferSize(                                               \
      Handle* h, cublasSideMode_t side, cublasOperation_t, int m, int n, int k, const T*, int, const T*,     \
      const T*, int, int* elements) {                                                                        \
    SOLVER_CHECK(h, side <= CUBLAS_SIDE_RIGHT && m >= 0 && n >= 0 && k >= 0 && elements != nullptr);         \
    const bool right = side == CUBLAS_SIDE_RIGHT;                                                            \
    return tell(elements, panel_work(right ? n : m, right ? m : n));                                         \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##ormqr(Handle* h, cublasSideMode_t side, cublasOperation_t of_q, \
                                                   int m, int n, int k, const T* a, int lda, const T* tau,   \
                                                   T* c, int ldc, T* work, int elements, int* info) {        \
    const bool right = side == CUBLAS_SIDE_RIGHT;                                                            \
    const int order = right ? n : m;                                                                         \
    SOLVER_CHECK(h, side <= CUBLAS_SIDE_RIGHT && blas::is_operation(of_q) && m >= 0 && n >= 0 && k >= 0 &&   \
                        k <= order && lda >= std::max(1, order) && ldc >= std::max(1, m) &&                  \
                        info != nullptr && elements >= panel_work(order, right ? m : n));                    \
    SOLVER_TRY(clear(*h, info));                                                                             \
    return ormqr<T>(*h, right, blas::transposes(of_q), m, n, k, {a, lda}, tau, {c, ldc}, work);              \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##orgqr_bufferSize(Handle* h, int m, int n, int k, const T*,      \
                                                              int lda, const T*, int* elements) {            \
    SOLVER_CHECK(h, k >= 0 && n >= k && m >= n && lda >= std::max(1, m) && elements != nullptr);             \
    return tell(elements, orgqr_work(m, n, k));                                                              \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##orgqr(Handle* h, int m, int n, int k, T* a, int lda,            \
                                                   const T* tau, T* work, int elements, int* info) {         \
    SOLVER_CHECK(h, k >= 0 && n >= k && m >= n && lda >= std::max(1, m) && info != nullptr &&                \
                        elements >= orgqr_work(m, n, k));                                                    \
    SOLVER_TRY(clear(*h, info));                                                                             \
    return orgqr<T>(*h, m, n, k, {a, lda}, tau, work);                                                       \
  }
QR(S, float)
QR(D, double)
