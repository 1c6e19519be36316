#pragma once
// Level 1: vectors. What functions of one type and of several are made of.

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sw/cuda/blas/handle.h"

namespace warpvp::cuda::blas {

inline constexpr unsigned kThreads = 256, kMostCtas = 1024;  // kThreads: kCta of the kernels

inline Grid ctas(int n) { return {std::min(parts(n, kThreads), kMostCtas), 1, 1}; }
inline Grid reducing_ctas(int n) {
  return {std::max(1u, std::min(parts(n, kThreads), kReductionCtas)), 1, 1};
}
inline constexpr Grid kBlock = {kThreads, 1, 1}, kOne = {1, 1, 1};

// By: of the factor.
template <class T, class By>
cublasStatus_t axpy(Handle* handle, int n, const By* alpha, const T* x, int x_step, T* y, int y_step) {
  BLAS_CHECK(handle, alpha != nullptr);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("axpy"), ctas(n), kBlock, n, factor(*handle, alpha),
                vector(x, n, x_step), vector(y, n, y_step));
}
template <class T, class By>
cublasStatus_t scal(Handle* handle, int n, const By* alpha, T* x, int step) {
  BLAS_CHECK(handle, alpha != nullptr);
  if (n <= 0 || step <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("scal"), ctas(n), kBlock, n, factor(*handle, alpha),
                vector(x, n, step));
}
template <class T>
cublasStatus_t copy(Handle* handle, int n, const T* x, int x_step, T* y, int y_step) {
  BLAS_CHECK(handle, true);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("copy"), ctas(n), kBlock, n, vector(x, n, x_step),
                vector(y, n, y_step));
}
template <class T>
cublasStatus_t swap(Handle* handle, int n, T* x, int x_step, T* y, int y_step) {
  BLAS_CHECK(handle, true);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("swap"), ctas(n), kBlock, n, vector(x, n, x_step),
                vector(y, n, y_step));
}
/// S: of the sine; kernels are named after both types where they differ.
template <class T, class S>
cublasStatus_t rot(Handle* handle, int n, T* x, int x_step, T* y, int y_step, const Real<T>* c, const S* s) {
  BLAS_CHECK(handle, c != nullptr && s != nullptr);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const char* const mixed = std::is_same_v<S, float> ? "rot_cs" : "rot_zd";
  const KernelName<T> own("rot");
  return launch(*handle, std::is_same_v<T, S> ? own : mixed, ctas(n), kBlock, n, vector(x, n, x_step),
                vector(y, n, y_step), factor(*handle, c), factor(*handle, s));
}

/// Where a kernel puts a result, and how the host gets it.
template <class T>
class Result {
 public:
  Result(const Handle& handle, T* wanted) : handle_(handle), wanted_(wanted) {}
  T* place() const {
    return handle_.pointers == CUBLAS_POINTER_MODE_DEVICE ? wanted_
                                                          : reinterpret_cast<T*>(handle_.scratch + kResultAt);
  }
  cublasStatus_t take() const {
    if (handle_.pointers == CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_SUCCESS;
    return read_back(handle_, wanted_, handle_.scratch + kResultAt, sizeof(T));
  }

 private:
  const Handle& handle_;
  T* const wanted_;
};

template <class T>
cublasStatus_t search(const Handle& handle, int n, Vector<const T> x, int least, int* place,
                      std::int64_t* wide_place, double* magnitude) {
  const Grid grid = reducing_ctas(n);
  const CUdeviceptr partial = handle.scratch + kPartialAt;
  BLAS_TRY(launch(handle, KernelName<T>("search"), grid, kBlock, n, x, least, partial));
  return launch(handle, KernelName<T>("found"), kOne, kBlock, static_cast<int>(grid[0]), partial, least,
                place, wide_place, magnitude);
}

enum What : int { kProducts = 0, kMagnitudes = 1, kSquares = 2, kConjugates = 3 };
/// BLAS: nothing is summed where n is not positive or, of one vector, its step is not. To: of the result.
template <class T, class To>
cublasStatus_t reduce(Handle* handle, int n, Vector<const T> x, Vector<const T> y, int what, To* result) {
  BLAS_CHECK(handle, result != nullptr);
  n = std::max(n, 0);
  const Grid grid = reducing_ctas(n);
  const CUdeviceptr partial = handle->scratch + kPartialAt;
  const Result<To> to(*handle, result);
  // Sums are made in double. Squares of double may leave its range, unless they are of parts of the greatest.
  double* scale = nullptr;
  if (std::is_same_v<Real<T>, double> && what == kSquares) {
    scale = reinterpret_cast<double*>(handle->scratch + kScaleAt);
    BLAS_TRY(search<T>(*handle, n, x, 0, nullptr, nullptr, scale));
  }
  BLAS_TRY(launch(*handle, KernelName<T>("reduce"), grid, kBlock, n, x, y, what, scale, partial));
  BLAS_TRY(launch(*handle, KernelName<T>("finish"), kOne, kBlock, static_cast<int>(grid[0]), partial, what,
                  scale, to.place()));
  return to.take();
}
template <class T>
cublasStatus_t dot(Handle* handle, int n, const T* x, int x_step, const T* y, int y_step, T* result) {
  return reduce<T>(handle, n, vector(x, n, x_step), vector(y, n, y_step), kProducts, result);
}
/// Of the conjugate of x.
template <class T>
cublasStatus_t dotc(Handle* handle, int n, const T* x, int x_step, const T* y, int y_step, T* result) {
  return reduce<T>(handle, n, vector(x, n, x_step), vector(y, n, y_step), kConjugates, result);
}
template <class T, int what>
cublasStatus_t sum_up(Handle* handle, int n, const T* x, int step, Real<T>* result) {
  if (step <= 0) n = 0;
  return reduce<T>(handle, n, vector(x, n, step), vector(x, n, step), what, result);
}
template <class T, int least, class Place>
cublasStatus_t find(Handle* handle, int n, const T* x, int step, Place* result) {
  BLAS_CHECK(handle, result != nullptr);
  if (step <= 0) n = 0;
  const Result<Place> to(*handle, result);
  int* place = nullptr;
  std::int64_t* wide_place = nullptr;
  if constexpr (std::is_same_v<Place, int>)
    place = to.place();
  else
    wide_place = to.place();
  BLAS_TRY(search<T>(*handle, std::max(n, 0), vector(x, n, step), least, place, wide_place, nullptr));
  return to.take();
}

// ---- rotations are made by kernels, from and to the device or a copy of what the host has

/// Values that a kernel changes.
template <class T>
struct Changed {
  T* at;
  int count;
};
/// Calls `start` with where each of them lies on the device.
template <class F, class... T>
cublasStatus_t change(Handle& handle, F&& start, Changed<T>... values) {
  if (handle.pointers == CUBLAS_POINTER_MODE_DEVICE) return start(values.at...);
  CUdeviceptr end = handle.scratch + kPartialAt;
  const auto room = [&](auto of) {
    const CUdeviceptr at = end;
    end += 64;
    cuMemcpyHtoD_v2(at, of.at, static_cast<std::size_t>(of.count) * sizeof *of.at);
    return std::pair(at, of);
  };
  // The stream may still work with the scratch memory.
  BLAS_TRY(wait(handle));
  const auto there = std::tuple{room(values)...};
  const auto status = std::apply(
      [&](auto... of) { return start(reinterpret_cast<decltype(of.second.at)>(of.first)...); }, there);
  BLAS_TRY(status);
  BLAS_TRY(wait(handle));
  return std::apply(
      [&](auto... of) {
        cublasStatus_t all = CUBLAS_STATUS_SUCCESS;
        const auto back = [&](auto one) {
          if (all == CUBLAS_STATUS_SUCCESS)
            all = read_back(handle, one.second.at, one.first,
                            static_cast<std::size_t>(one.second.count) * sizeof *one.second.at);
        };
        (back(of), ...);
        return all;
      },
      there);
}
template <class T>
cublasStatus_t rotg(Handle* handle, T* a, T* b, Real<T>* c, T* s) {
  BLAS_CHECK(handle, a && b && c && s);
  return change(
      *handle, [&](auto... at) { return launch(*handle, KernelName<T>("rotg"), kOne, kOne, at...); },
      Changed<T>{a, 1}, Changed<T>{b, 1}, Changed<Real<T>>{c, 1}, Changed<T>{s, 1});
}
template <class T>
cublasStatus_t rotmg(Handle* handle, T* d1, T* d2, T* x1, const T* y1, T* h) {
  BLAS_CHECK(handle, d1 && d2 && x1 && y1 && h);
  return change(
      *handle, [&](auto... at) { return launch(*handle, KernelName<T>("rotmg"), kOne, kOne, at...); },
      Changed<T>{d1, 1}, Changed<T>{d2, 1}, Changed<T>{x1, 1}, Changed<T>{const_cast<T*>(y1), 1},
      Changed<T>{h, 5});
}
template <class T>
struct Modified {
  T values[5];
};
template <class T>
cublasStatus_t rotm(Handle* handle, int n, T* x, int x_step, T* y, int y_step, const T* h) {
  BLAS_CHECK(handle, h != nullptr);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  Factor<Modified<T>> by = {reinterpret_cast<const Modified<T>*>(h), {}};
  if (handle->pointers == CUBLAS_POINTER_MODE_HOST) {
    std::copy(h, h + 5, by.value.values);
    by.at = nullptr;
  }
  return launch(*handle, KernelName<T>("rotm"), ctas(n), kBlock, n, vector(x, n, x_step),
                vector(y, n, y_step), by);
}
template <class T>
cublasStatus_t scal_real(Handle* handle, int n, const Real<T>* alpha, T* x, int step) {
  BLAS_CHECK(handle, alpha != nullptr);
  if (n <= 0 || step <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("scal_real"), ctas(n), kBlock, n, factor(*handle, alpha),
                vector(x, n, step));
}

}  // namespace warpvp::cuda::blas
