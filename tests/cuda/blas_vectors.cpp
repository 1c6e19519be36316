// Vectors, and matrices with vectors, of cuBLAS.

#include "tests/cuda/blas_checks.h"

namespace warpvp::test {
namespace {

// ---- level 1

template <class T>
void level1() {
  using A = Api<T>;
  for (const int n : {0, 1, 33, 700}) {
    for (const auto& pair : {std::pair<int, int>{1, 1}, {2, 3}, {-1, 2}}) {
      const int x_step = pair.first, y_step = pair.second;
      const Steps<T> sx{n, x_step}, sy{n, y_step};
      const auto x = random_values<T>(sx.total()), y = random_values<T>(sy.total());
      OnDevice<T> dx(x), dy(y);
      const std::string what = words({n, x_step, y_step});
      const T alpha = T(0.75), c = T(0.6), s = T(0.8);
      const auto expected = [&](const Steps<T>& of, auto&& f) {
        std::vector<double> all(of.total(), kNothing);
        for (int i = 0; i < n; ++i) all[of.at(i)] = f(i);
        return all;
      };
      ok(A::axpy(handle, n, &alpha, dx, x_step, dy, y_step), "axpy");
      compare<T>(dy.get(), expected(sy, [&](int i) { return double(alpha) * x[sx.at(i)] + y[sy.at(i)]; }), y,
                 1, "axpy" + what);
      dy.put(y);
      ok(A::rot(handle, n, dx, x_step, dy, y_step, &c, &s), "rot");
      compare<T>(dx.get(),
                 expected(sx, [&](int i) { return double(c) * x[sx.at(i)] + double(s) * y[sy.at(i)]; }), x, 2,
                 "rot x" + what);
      compare<T>(dy.get(),
                 expected(sy, [&](int i) { return double(c) * y[sy.at(i)] - double(s) * x[sx.at(i)]; }), y, 2,
                 "rot y" + what);
      dx.put(x);
      dy.put(y);
      ok(A::swap(handle, n, dx, x_step, dy, y_step), "swap");
      compare<T>(dx.get(), expected(sx, [&](int i) { return double(y[sy.at(i)]); }), x, 0, "swap x" + what);
      compare<T>(dy.get(), expected(sy, [&](int i) { return double(x[sx.at(i)]); }), y, 0, "swap y" + what);
      dx.put(x);
      ok(A::copy(handle, n, dx, x_step, dy, y_step), "copy");
      compare<T>(dy.get(), expected(sy, [&](int i) { return double(x[sx.at(i)]); }), y, 0, "copy" + what);
      dy.put(y);
      // Results on the host, and on the device.
      double dot = 0, sum = 0, squares = 0;
      int greatest = 0, least = 0;
      for (int i = 0; i < n; ++i) {
        const double v = x[sx.at(i)], magnitude = std::fabs(v);
        dot += v * y[sy.at(i)];
        sum += magnitude;
        squares += v * v;
        if (greatest == 0 || magnitude > std::fabs(double(x[sx.at(greatest - 1)]))) greatest = i + 1;
        if (least == 0 || magnitude < std::fabs(double(x[sx.at(least - 1)]))) least = i + 1;
      }
      const bool alone = x_step > 0;  // one vector's step is to be positive (BLAS)
      T results[3] = {-9, -9, -9};
      ok(A::dot(handle, n, dx, x_step, dy, y_step, &results[0]), "dot");
      ok(A::asum(handle, n, dx, x_step, &results[1]), "asum");
      ok(A::nrm2(handle, n, dx, x_step, &results[2]), "nrm2");
      const std::vector<double> wanted = {dot, alone ? sum : 0, alone ? std::sqrt(squares) : 0};
      compare<T>({results[0], results[1], results[2]}, wanted, {}, n, "reductions" + what);
      int places[2] = {-9, -9};
      ok(A::amax(handle, n, dx, x_step, &places[0]), "amax");
      ok(A::amin(handle, n, dx, x_step, &places[1]), "amin");
      expect(places[0] == (alone ? greatest : 0), "amax" + what);
      expect(places[1] == (alone ? least : 0), "amin" + what);
      OnDevice<T> there(std::vector<T>(4, T(-9)));
      OnDevice<T> factor(std::vector<T>{alpha});
      cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE);
      ok(A::dot(handle, n, dx, x_step, dy, y_step, there), "dot");
      ok(A::nrm2(handle, n, dx, x_step, there + 1), "nrm2");
      ok(A::scal(handle, n, factor, dx, x_step), "scal");
      cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
      compare<T>(there.get(), {dot, wanted[2], kNothing, kNothing}, std::vector<T>(4, T(-9)), n,
                 "results there" + what);
      if (alone)
        compare<T>(dx.get(), expected(sx, [&](int i) { return double(alpha) * x[sx.at(i)]; }), x, 0,
                   "scal" + what);
    }
  }
  // The first of several.
  std::vector<T> alike(3000, T(2));
  for (const std::size_t i : {700u, 701u, 2500u}) alike[i] = i % 2 ? T(-3) : T(3);
  for (const std::size_t i : {600u, 2000u, 2001u}) alike[i] = T(0);
  OnDevice<T> several(alike);
  int first = 0;
  ok(A::amax(handle, 3000, several, 1, &first), "amax");
  expect(first == 701, "amax of several alike: " + std::to_string(first));
  ok(A::amin(handle, 3000, several, 1, &first), "amin");
  expect(first == 601, "amin of several alike: " + std::to_string(first));
  // Squares leave the type's range, sums of them do not.
  const T great = std::numeric_limits<T>::max() / 4, small = std::numeric_limits<T>::min() * 4;
  T result = 0;
  OnDevice<T> vast(std::vector<T>{great, -great, great, great}),
      tiny(std::vector<T>{small, small, -small, small});
  ok(A::nrm2(handle, 4, vast, 1, &result), "nrm2");
  expect(std::fabs(result / (2 * great) - 1) < 1e-6, "nrm2 of great numbers");
  ok(A::nrm2(handle, 4, tiny, 1, &result), "nrm2");
  expect(std::fabs(result / (2 * small) - 1) < 1e-6, "nrm2 of small numbers");
}

// ---- level 2

template <class T>
void level2() {
  using A = Api<T>;
  constexpr int kLeading = 45;
  for (const auto& pair : {std::pair<int, int>{1, 1}, {40, 17}, {5, 300}}) {
    const int m = pair.first, n = pair.second;
    const auto a = random_values<T>(kLeading * n);
    for (const auto operation : kOperations) {
      const bool across = operation != CUBLAS_OP_N;
      const int from = across ? m : n, to = across ? n : m;
      for (const auto& pair : {std::pair<int, int>{1, 1}, {2, -3}}) {
        const int x_step = pair.first, y_step = pair.second;
        const Steps<T> sx{from, x_step}, sy{to, y_step};
        const auto x = random_values<T>(sx.total()), y = random_values<T>(sy.total());
        for (const T beta : {T(0), T(-0.5)}) {
          const T alpha = T(1.25);
          // A factor of zero reads nothing.
          auto before = y;
          if (beta == 0) before[sy.at(0)] = std::numeric_limits<T>::quiet_NaN();
          OnDevice<T> da(a), dx(x), dy(before);
          ok(A::gemv(handle, operation, m, n, &alpha, da, kLeading, dx, x_step, &beta, dy, y_step), "gemv");
          const View view{doubles(a), kLeading, across};
          std::vector<double> wanted(sy.total(), kNothing);
          for (int i = 0; i < to; ++i) {
            double sum = 0;
            for (int j = 0; j < from; ++j) sum += view(i, j) * x[sx.at(j)];
            wanted[sy.at(i)] = alpha * sum + (beta == 0 ? 0 : double(beta) * y[sy.at(i)]);
          }
          compare<T>(dy.get(), wanted, before, from,
                     "gemv" + words({m, n, int(operation), x_step, int(beta == 0)}));
        }
      }
    }
    const Steps<T> sx{m, 2}, sy{n, -1};
    const auto x = random_values<T>(sx.total()), y = random_values<T>(sy.total());
    OnDevice<T> da(a), dx(x), dy(y);
    const T alpha = T(-0.5);
    ok(A::ger(handle, m, n, &alpha, dx, 2, dy, -1, da, kLeading), "ger");
    const View old{doubles(a), kLeading};
    compare<T>(da.get(),
               filled(a.size(), m, n, kLeading,
                      [&](int i, int j) { return old(i, j) + double(alpha) * x[sx.at(i)] * y[sy.at(j)]; }),
               a, 1, "ger" + words({m, n}));
  }
  for (const int n : {1, 40}) {
    const auto a = random_values<T>(kLeading * n);
    const Steps<T> sx{n, -2}, sy{n, 3};
    const auto x = random_values<T>(sx.total()), y = random_values<T>(sy.total());
    const T alpha = T(1.5), beta = T(0.25);
    for (const auto fill : kFills) {
      const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      OnDevice<T> da(a), dx(x), dy(y);
      ok(A::symv(handle, fill, n, &alpha, da, kLeading, dx, -2, &beta, dy, 3), "symv");
      const View symmetric{doubles(a), kLeading, false, true, false, lower};
      std::vector<double> wanted(sy.total(), kNothing);
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += symmetric(i, j) * x[sx.at(j)];
        wanted[sy.at(i)] = alpha * sum + double(beta) * y[sy.at(i)];
      }
      compare<T>(dy.get(), wanted, y, n, "symv" + words({n, lower}));
      ok(A::syr(handle, fill, n, &alpha, dx, -2, da, kLeading), "syr");
      const View old{doubles(a), kLeading};
      compare<T>(da.get(),
                 filled(a.size(), n, n, kLeading,
                        [&](int i, int j) {
                          return i == j || (i > j) == lower
                                     ? old(i, j) + double(alpha) * x[sx.at(i)] * x[sx.at(j)]
                                     : kNothing;
                        }),
                 a, 1, "syr" + words({n, lower}));
    }
  }
}

}  // namespace

void vectors() {
  level1<float>();
  level1<double>();
}
void matrices_with_vectors() {
  level2<float>();
  level2<double>();
}

}  // namespace warpvp::test
