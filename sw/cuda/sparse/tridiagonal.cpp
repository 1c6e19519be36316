// Tridiagonal systems (gtsv2): each is solved by one thread.

#include "sw/cuda/sparse/kernels.h"

using namespace warpvp::cuda::sparse;

namespace {

/// Three numbers a row of each system.
template <class T>
cusparseStatus_t buffer_size(cusparseHandle_t handle, int size, int systems, std::size_t* bytes) {
  SPARSE_CHECK(handle, bytes && size >= 0 && systems >= 0);
  *bytes = 3 * sizeof(T) * static_cast<std::size_t>(size) * static_cast<std::size_t>(systems);
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t solve(cusparseHandle_t handle, const Tridiagonal& systems, bool pivots, void* buffer) {
  SPARSE_CHECK(handle, systems.size >= 1 && systems.systems >= 0 && systems.lower && systems.middle &&
                           systems.upper && systems.right && buffer);
  return launch_for(handle, KernelName<T>("tridiagonal"), systems.systems, systems, static_cast<int>(pivots),
                    buffer);
}

}  // namespace

// gtsv2: one matrix, right sides in columns. StridedBatch: a matrix each, one behind the other.
// InterleavedBatch: the first numbers of all, then the second ones. Without pivots, or with 0 as the batch's
// algorithm, rows are not exchanged.
#define GTSV(letter, T)                                                                                      \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsv2_bufferSizeExt(cusparseHandle_t handle, int m, int n,   \
                                                                    const T*, const T*, const T*, const T*,  \
                                                                    int, std::size_t* bytes) {               \
    return buffer_size<T>(handle, m, n, bytes);                                                              \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsv2(cusparseHandle_t handle, int m, int n, const T* lower, \
                                                      const T* middle, const T* upper, T* b, int leading,    \
                                                      void* buffer) {                                        \
    SPARSE_CHECK(handle, leading >= m);                                                                      \
    return solve<T>(handle, {lower, middle, upper, b, 1, 0, 1, leading, m, n}, true, buffer);                \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsv2_nopivot_bufferSizeExt(                                 \
      cusparseHandle_t handle, int m, int n, const T*, const T*, const T*, const T*, int,                    \
      std::size_t* bytes) {                                                                                  \
    return buffer_size<T>(handle, m, n, bytes);                                                              \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsv2_nopivot(                                               \
      cusparseHandle_t handle, int m, int n, const T* lower, const T* middle, const T* upper, T* b,          \
      int leading, void* buffer) {                                                                           \
    SPARSE_CHECK(handle, leading >= m);                                                                      \
    return solve<T>(handle, {lower, middle, upper, b, 1, 0, 1, leading, m, n}, false, buffer);               \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                             \
      cusparseHandle_t handle, int m, const T*, const T*, const T*, const T*, int count, int,                \
      std::size_t* bytes) {                                                                                  \
    return buffer_size<T>(handle, m, count, bytes);                                                          \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsv2StridedBatch(                                           \
      cusparseHandle_t handle, int m, const T* lower, const T* middle, const T* upper, T* x, int count,      \
      int stride, void* buffer) {                                                                            \
    SPARSE_CHECK(handle, stride >= m);                                                                       \
    return solve<T>(handle, {lower, middle, upper, x, 1, stride, 1, stride, m, count}, false, buffer);       \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                          \
      cusparseHandle_t handle, int, int m, const T*, const T*, const T*, const T*, int count,                \
      std::size_t* bytes) {                                                                                  \
    return buffer_size<T>(handle, m, count, bytes);                                                          \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##letter##gtsvInterleavedBatch(cusparseHandle_t handle, int algorithm, \
                                                                     int m, T* lower, T* middle, T* upper,   \
                                                                     T* x, int count, void* buffer) {        \
    SPARSE_CHECK(handle, algorithm >= 0 && algorithm <= 2);                                                  \
    return solve<T>(handle, {lower, middle, upper, x, count, 1, count, 1, m, count}, algorithm != 0,         \
                    buffer);                                                                                 \
  }
GTSV(S, float)
GTSV(D, double)
GTSV(C, std::complex<float>)
GTSV(Z, std::complex<double>)
#undef GTSV
