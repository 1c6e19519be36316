// A program that calls cuSOLVER's dense functions and checks what it gets. `program CASE`; status 0: all was
// right, else a line a mistake. Cases of QR, eigenvalues and singular values: solver_bases.cpp.

#include <map>

#include "tests/cuda/solver_checks.h"

using namespace warpvp::test;

namespace {

template <class T>
void exchange_rows(Matrix<T>& a, const std::vector<int>& pivots) {
  for (std::size_t k = 0; k < pivots.size(); ++k)
    for (int j = 0; j < a.n; ++j) std::swap(a(static_cast<int>(k), j), a(pivots[k] - 1, j));
}

template <class T>
void lu_of() {
  OnDevice<int> info(std::vector<int>(1, 7));
  for (const auto& [m, n] : kShapes) {
    const std::string what = "getrf " + std::to_string(m) + " x " + std::to_string(n);
    const Matrix<T> a = random_matrix<T>(m, n);
    OnDevice<T> on(a.all);
    const int steps = std::min(m, n);
    OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(steps)));
    int elements = -1;
    ok(getrf_bufferSize<T>(handle, m, n, static_cast<T*>(on), a.leading, &elements), what);
    expect(elements >= 0, what + ": elements");
    ok(getrf<T>(handle, m, n, static_cast<T*>(on), a.leading, static_cast<T*>(nullptr),
                static_cast<int*>(pivots), static_cast<int*>(info)),
       what);
    expect(info.get()[0] == 0, what + ": info");
    Matrix<T> factors = a;
    factors.all = on.get();
    keeps_gaps(factors, what);
    Matrix<T> l(m, steps, 0), u(steps, n, 0), exchanged = a;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < steps; ++j) {
        l(i, j) = i > j ? factors(i, j) : i == j ? T(1) : T(0);
        expect(i <= j || std::fabs(factors(i, j)) <= 1, what + ": a greater one was left below");
      }
    for (int i = 0; i < steps; ++i)
      for (int j = 0; j < n; ++j) u(i, j) = i <= j ? factors(i, j) : T(0);
    exchange_rows(exchanged, pivots.get());
    close(product(l, false, u, false), exchanged, 4.0 * (m + n), what);
    if (m != n) continue;
    for (const auto of_a : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      const Matrix<T> x = random_matrix<T>(n, 5);
      Matrix<T> b = x;
      const Matrix<T> right = product(a, of_a != CUBLAS_OP_N, x, false);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < 5; ++j) b(i, j) = right(i, j);
      OnDevice<T> found(b.all);
      ok(getrs<T>(handle, of_a, n, 5, static_cast<const T*>(static_cast<T*>(on)), a.leading,
                  static_cast<const int*>(static_cast<int*>(pivots)), static_cast<T*>(found), b.leading,
                  static_cast<int*>(info)),
         what + " getrs");
      Matrix<T> solved = b;
      solved.all = found.get();
      keeps_gaps(solved, what + " getrs");
      // The matrix may be ill conditioned: the residual is what is small.
      close(product(a, of_a != CUBLAS_OP_N, solved, false), right, 60.0 * n * n, what + " getrs");
    }
  }
  // Of rows as great as each other the first comes up.
  Matrix<T> ones(600, 1);
  for (int i = 0; i < 600; ++i) ones(i, 0) = i < 7 ? T(0.5) : i % 3 ? T(1) : T(-1);
  OnDevice<T> same(ones.all);
  OnDevice<int> first(std::vector<int>(1));
  ok(getrf<T>(handle, 600, 1, static_cast<T*>(same), ones.leading, static_cast<T*>(nullptr),
              static_cast<int*>(first), static_cast<int*>(info)),
     "ties");
  expect(first.get()[0] == 8, "ties: " + std::to_string(first.get()[0]));
  // Without exchanges, of a matrix that needs none.
  Matrix<T> a = random_matrix<T>(50, 50);
  for (int i = 0; i < 50; ++i) a(i, i) += T(50);
  OnDevice<T> on(a.all);
  ok(getrf<T>(handle, 50, 50, static_cast<T*>(on), a.leading, static_cast<T*>(nullptr),
              static_cast<int*>(nullptr), static_cast<int*>(info)),
     "getrf without pivots");
  Matrix<T> factors = a, l(50, 50, 0), u(50, 50, 0);
  factors.all = on.get();
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 50; ++j) {
      l(i, j) = i > j ? factors(i, j) : i == j ? T(1) : T(0);
      u(i, j) = i <= j ? factors(i, j) : T(0);
    }
  close(product(l, false, u, false), a, 2000, "getrf without pivots");
  // A column of zeros is found, the first of several.
  for (int i = 0; i < 50; ++i) a(i, 40) = a(i, 45) = T(0);
  on.put(a.all);
  OnDevice<int> pivots(std::vector<int>(50));
  ok(getrf<T>(handle, 50, 50, static_cast<T*>(on), a.leading, static_cast<T*>(nullptr),
              static_cast<int*>(pivots), static_cast<int*>(info)),
     "singular");
  expect(info.get()[0] == 41, "singular: info " + std::to_string(info.get()[0]));
}
void lu() {
  lu_of<float>();
  lu_of<double>();
}

// Rows 2 to 4 with others, and back.
void exchanges() {
  Matrix<double> a = random_matrix<double>(6, 300);
  OnDevice<double> on(a.all);
  const OnDevice<int> pivots({9, 4, 3, 6});
  ok(cusolverDnDlaswp(handle, 300, on, a.leading, 2, 4, pivots, 1), "laswp");
  Matrix<double> expected = a;
  for (int j = 0; j < 300; ++j) {
    std::swap(expected(1, j), expected(3, j));
    std::swap(expected(3, j), expected(5, j));
  }
  expect(on.get() == expected.all, "laswp");
  ok(cusolverDnDlaswp(handle, 300, on, a.leading, 2, 4, pivots, -1), "laswp backwards");
  expect(on.get() == a.all, "laswp backwards");
}

template <class T>
Matrix<T> positive(int n, int more = 3) {
  const Matrix<T> half = random_matrix<T>(n, n, 0);
  const Matrix<T> square = product(half, false, half, true);
  Matrix<T> a(n, n, more);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = square(i, j) + (i == j ? T(1) : T(0));
  return a;
}
template <class T>
void cholesky_of() {
  OnDevice<int> info(std::vector<int>(1, 7));
  for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
    for (const int n : {1, 31, 32, 33, 97, 150}) {
      const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      const std::string what = std::string("potrf ") + (lower ? "lower " : "upper ") + std::to_string(n);
      const Matrix<T> a = positive<T>(n);
      OnDevice<T> on(a.all);
      int elements = -1;
      ok(potrf_bufferSize<T>(handle, fill, n, static_cast<T*>(on), a.leading, &elements), what);
      expect(elements >= 0, what + ": elements");
      ok(potrf<T>(handle, fill, n, static_cast<T*>(on), a.leading, static_cast<T*>(nullptr), 0,
                  static_cast<int*>(info)),
         what);
      expect(info.get()[0] == 0, what + ": info");
      Matrix<T> factor = a, l(n, n, 0);
      factor.all = on.get();
      keeps_gaps(factor, what);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          l(i, j) = i < j ? T(0) : lower ? factor(i, j) : factor(j, i);
          if (i != j && (i > j) != lower)
            expect(factor(i, j) == a(i, j), what + ": writes the other triangle");
        }
      close(product(l, false, l, true), a, 20.0 * n, what);
      const Matrix<T> x = random_matrix<T>(n, 3);
      Matrix<T> b = x;
      const Matrix<T> right = product(a, false, x, false);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < 3; ++j) b(i, j) = right(i, j);
      OnDevice<T> found(b.all);
      ok(potrs<T>(handle, fill, n, 3, static_cast<const T*>(static_cast<T*>(on)), a.leading,
                  static_cast<T*>(found), b.leading, static_cast<int*>(info)),
         what + " potrs");
      Matrix<T> solved = b;
      solved.all = found.get();
      close(product(a, false, solved, false), right, 60.0 * n * n, what + " potrs");
      if (n < 97) continue;
      // The first minor that is not positive definite is named.
      Matrix<T> bad = a;
      bad(70, 70) = T(-1);
      bad(n - 1, n - 1) = T(-1e6);
      on.put(bad.all);
      ok(potrf<T>(handle, fill, n, static_cast<T*>(on), a.leading, static_cast<T*>(nullptr), 0,
                  static_cast<int*>(info)),
         what + " bad");
      expect(info.get()[0] == 71, what + ": info of a bad one " + std::to_string(info.get()[0]));
    }
}
void cholesky() {
  cholesky_of<float>();
  cholesky_of<double>();
}

template <class T>
void batches_of() {
  for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    constexpr int kOrder = 20, kCount = 5;
    const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    std::vector<Matrix<T>> as;
    std::vector<T> together, sides;
    std::vector<Matrix<T>> xs;
    for (int k = 0; k < kCount; ++k) {
      as.push_back(positive<T>(kOrder));
      if (k == 3) as[3](10, 10) = T(-1);
      xs.push_back(random_matrix<T>(kOrder, 1));
      const Matrix<T> right = product(as.back(), false, xs.back(), false);
      together.insert(together.end(), as.back().all.begin(), as.back().all.end());
      sides.insert(sides.end(), right.all.begin(), right.all.end());
    }
    OnDevice<T> on(together), b(sides);
    std::vector<T*> places, side_places;
    for (int k = 0; k < kCount; ++k) {
      places.push_back(on + k * as[0].all.size());
      side_places.push_back(b + k * kOrder);
    }
    OnDevice<T*> list(places), side_list(side_places);
    OnDevice<int> info(std::vector<int>(kCount, 7));
    ok(potrfBatched<T>(handle, fill, kOrder, static_cast<T**>(list), as[0].leading, static_cast<int*>(info),
                       kCount),
       "potrfBatched");
    expect(info.get() == std::vector<int>({0, 0, 0, 11, 0}), "potrfBatched: info");
    ok(potrsBatched<T>(handle, fill, kOrder, 1, static_cast<T**>(list), as[0].leading,
                       static_cast<T**>(side_list), kOrder, static_cast<int*>(info), kCount),
       "potrsBatched");
    expect(info.get()[0] == 0, "potrsBatched: info");
    const std::vector<T> factors = on.get(), solved = b.get();
    for (int k = 0; k < kCount; ++k) {
      if (k == 3) continue;
      Matrix<T> l(kOrder, kOrder, 0), x(kOrder, 1, 0), factor = as[0];
      std::copy_n(factors.begin() + static_cast<std::ptrdiff_t>(k * factor.all.size()), factor.all.size(),
                  factor.all.begin());
      for (int i = 0; i < kOrder; ++i) {
        x(i, 0) = solved[static_cast<std::size_t>(k) * kOrder + static_cast<std::size_t>(i)];
        for (int j = 0; j < kOrder; ++j) l(i, j) = i < j ? T(0) : lower ? factor(i, j) : factor(j, i);
      }
      close(product(l, false, l, true), as[static_cast<std::size_t>(k)], 400, "potrfBatched");
      Matrix<T> right =
          product(as[static_cast<std::size_t>(k)], false, xs[static_cast<std::size_t>(k)], false);
      close(product(as[static_cast<std::size_t>(k)], false, x, false), right, 20000, "potrsBatched");
    }
  }
}
void batches() {
  batches_of<float>();
  batches_of<double>();
}

// The same with sizes of 64 bits, on a stream.
void generic() {
  CUstream stream{};
  cuStreamCreate(&stream, 0);
  ok(cusolverDnSetStream(handle, stream), "stream");
  CUstream got{};
  ok(cusolverDnGetStream(handle, &got), "stream");
  expect(got == stream, "stream");
  cusolverDnParams_t params{};
  ok(cusolverDnCreateParams(&params), "params");
  ok(cusolverDnSetAdvOptions(params, 0, 0), "params");
  constexpr int n = 75;
  const Matrix<double> a = positive<double>(n), x = random_matrix<double>(n, 2, 0);
  const Matrix<double> right = product(a, false, x, false);
  OnDevice<int> info(std::vector<int>(1, 7));
  OnDevice<std::int64_t> pivots(std::vector<std::int64_t>(n, -1));
  const auto solved = [&](const OnDevice<double>& b, const std::string& what) {
    cuStreamSynchronize(stream);
    Matrix<double> found = x;
    found.all = b.get();
    expect(info.get()[0] == 0, what + ": info");
    close(product(a, false, found, false), right, 60.0 * n * n, what);
  };
  {
    OnDevice<double> on(a.all), b(right.all);
    std::size_t on_device = 1, on_host = 1;
    ok(cusolverDnXgetrf_bufferSize(handle, params, n, n, CUDA_R_64F, static_cast<double*>(on), a.leading,
                                   CUDA_R_64F, &on_device, &on_host),
       "Xgetrf");
    ok(cusolverDnXgetrf(handle, params, n, n, CUDA_R_64F, static_cast<double*>(on), a.leading, pivots,
                        CUDA_R_64F, nullptr, on_device, nullptr, on_host, info),
       "Xgetrf");
    ok(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, n, 2, CUDA_R_64F, static_cast<double*>(on), a.leading,
                        pivots, CUDA_R_64F, static_cast<double*>(b), n, info),
       "Xgetrs");
    solved(b, "Xgetrs");
    const std::vector<std::int64_t> rows = pivots.get();
    for (int k = 0; k < n; ++k)
      expect(rows[static_cast<std::size_t>(k)] > k && rows[static_cast<std::size_t>(k)] <= n,
             "Xgetrf: pivots");
  }
  {
    OnDevice<double> on(a.all), b(right.all);
    ok(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_UPPER, n, CUDA_R_64F, static_cast<double*>(on),
                        a.leading, CUDA_R_64F, nullptr, 0, nullptr, 0, info),
       "Xpotrf");
    ok(cusolverDnXpotrs(handle, params, CUBLAS_FILL_MODE_UPPER, n, 2, CUDA_R_64F, static_cast<double*>(on),
                        a.leading, CUDA_R_64F, static_cast<double*>(b), n, info),
       "Xpotrs");
    solved(b, "Xpotrs");
  }
  {
    OnDevice<double> on(a.all), same(a.all), tau(right.all), same_tau(right.all);
    std::size_t on_device = 0, on_host = 1;
    ok(cusolverDnXgeqrf_bufferSize(handle, params, n, n, CUDA_R_64F, static_cast<double*>(on), a.leading,
                                   CUDA_R_64F, static_cast<double*>(tau), CUDA_R_64F, &on_device, &on_host),
       "Xgeqrf");
    OnDevice<double> work(std::vector<double>(on_device / sizeof(double)));
    ok(cusolverDnXgeqrf(handle, params, n, n, CUDA_R_64F, static_cast<double*>(on), a.leading, CUDA_R_64F,
                        static_cast<double*>(tau), CUDA_R_64F, static_cast<double*>(work), on_device, nullptr,
                        0, info),
       "Xgeqrf");
    ok(cusolverDnDgeqrf(handle, n, n, same, a.leading, same_tau, work,
                        static_cast<int>(on_device / sizeof(double)), info),
       "geqrf");
    cuStreamSynchronize(stream);
    expect(on.get() == same.get() && tau.get() == same_tau.get(), "Xgeqrf");
    expect(cusolverDnXgeqrf(handle, params, n, n, CUDA_R_64F, static_cast<double*>(on), a.leading, CUDA_R_64F,
                            static_cast<double*>(tau), CUDA_R_64F, static_cast<double*>(work), 8, nullptr, 0,
                            info) == CUSOLVER_STATUS_INVALID_VALUE,
           "Xgeqrf without room");
  }
  {
    constexpr int kOrder = 12;
    const Matrix<double> small = positive<double>(kOrder);
    OnDevice<double> on(small.all), same(small.all), w(std::vector<double>(kOrder, 0.0)),
        same_w(std::vector<double>(kOrder, 1.0));
    std::size_t on_device = 0, on_host = 1;
    ok(cusolverDnXsyevd_bufferSize(handle, params, 1, CUBLAS_FILL_MODE_LOWER, kOrder, CUDA_R_64F,
                                   static_cast<double*>(on), small.leading, CUDA_R_64F,
                                   static_cast<double*>(w), CUDA_R_64F, &on_device, &on_host),
       "Xsyevd");
    OnDevice<double> work(std::vector<double>(on_device / sizeof(double)));
    ok(cusolverDnXsyevd(handle, params, 1, CUBLAS_FILL_MODE_LOWER, kOrder, CUDA_R_64F,
                        static_cast<double*>(on), small.leading, CUDA_R_64F, static_cast<double*>(w),
                        CUDA_R_64F, static_cast<double*>(work), on_device, nullptr, 0, info),
       "Xsyevd");
    ok(cusolverDnDsyevd(handle, 1, CUBLAS_FILL_MODE_LOWER, kOrder, same, small.leading, same_w, work,
                        static_cast<int>(on_device / sizeof(double)), info),
       "syevd");
    cuStreamSynchronize(stream);
    expect(on.get() == same.get() && w.get() == same_w.get(), "Xsyevd");
  }
  ok(cusolverDnDestroyParams(params), "params");
  ok(cusolverDnSetStream(handle, nullptr), "stream");
}

void mistakes_of_callers() {
  OnDevice<double> a(std::vector<double>(16, 1.0));
  OnDevice<int> info(std::vector<int>(1));
  const auto invalid = [](cusolverStatus_t status, const std::string& what) {
    expect(status == CUSOLVER_STATUS_INVALID_VALUE, what + ": " + std::to_string(status));
  };
  int elements = 0, version = 0;
  ok(cusolverGetVersion(&version), "version");
  expect(version >= 11000, "version");
  expect(cusolverDnDgetrf_bufferSize(nullptr, 4, 4, a, 4, &elements) == CUSOLVER_STATUS_NOT_INITIALIZED,
         "no handle");
  invalid(cusolverDnDgetrf_bufferSize(handle, -1, 4, a, 4, &elements), "rows");
  invalid(cusolverDnDgetrf(handle, 4, 4, a, 3, nullptr, nullptr, info), "leading");
  invalid(cusolverDnDgetrf(handle, 4, 4, a, 4, nullptr, nullptr, nullptr), "info");
  invalid(cusolverDnDpotrf(handle, static_cast<cublasFillMode_t>(2), 4, a, 4, nullptr, 0, info), "fill");
  invalid(cusolverDnDgeqrf(handle, 4, 4, a, 4, a, a, 16, info), "room");
  invalid(cusolverDnDorgqr(handle, 4, 3, 4, a, 4, a, a, 1 << 20, info), "reflectors");
  expect(cusolverDnXpotrf(handle, nullptr, CUBLAS_FILL_MODE_LOWER, 4, CUDA_C_64F, static_cast<double*>(a), 4,
                          CUDA_C_64F, nullptr, 0, nullptr, 0, info) == CUSOLVER_STATUS_NOT_SUPPORTED,
         "complex");
  elements = 7;
  invalid(cusolverDnDgesvd_bufferSize(handle, 40000, 40000, &elements), "room beyond 32 bits");
  expect(elements == 7, "room beyond 32 bits");
  ok(cusolverDnDgetrf(handle, 0, 4, a, 4, nullptr, nullptr, info), "no rows");
  expect(cusolverSpCreate() == CUSOLVER_STATUS_NOT_SUPPORTED, "not offered");
}

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, void (*)()> cases = {{"lu", lu},
                                                   {"exchanges", exchanges},
                                                   {"cholesky", cholesky},
                                                   {"batches", batches},
                                                   {"qr", qr},
                                                   {"eigen", eigen},
                                                   {"singular", singular},
                                                   {"generic", generic},
                                                   {"jacobi", jacobi},
                                                   {"generalized", generalized},
                                                   {"mistakes", mistakes_of_callers}};
  const auto found = cases.find(count == 2 ? arguments[1] : "");
  if (found == cases.end()) return 2;
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  ok(cusolverDnCreate(&handle), "create");
  found->second();
  ok(cusolverDnDestroy(handle), "destroy");
  return mistakes == 0 ? 0 : 1;
}
