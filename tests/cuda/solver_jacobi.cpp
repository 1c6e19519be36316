// Functions of cuSOLVER that are named after Jacobi's rotations, some of the eigenvalues, and generalized
// ones.

#include "tests/cuda/solver_checks.h"

namespace warpvp::test {
namespace {

template <class T>
Matrix<T> of(const OnDevice<T>& there, const Matrix<T>& shape) {
  Matrix<T> back = shape;
  back.all = there.get();
  return back;
}
template <class T>
constexpr cudaDataType kType = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

/// A = U S V^T with columns at right angles.
template <class T>
void expect_svd(const Matrix<T>& a, const std::vector<T>& s, const Matrix<T>& u, const Matrix<T>& v,
                const std::string& what) {
  const int least = std::min(a.m, a.n);
  const double units = 40.0 * (a.m + a.n);
  expect(std::is_sorted(s.rbegin(), s.rend()) && s.back() >= 0, what + ": order");
  close(product(u, true, u, false), eye<T>(u.n), units, what + ": U^T U");
  close(product(v, true, v, false), eye<T>(v.n), units, what + ": V^T V");
  close(product(scaled(cut(u, a.m, least), s), false, cut(v, a.n, least), true), a, units,
        what + ": U S V^T");
}

template <class T>
void gesvdj_of() {
  gesvdjInfo* params = nullptr;
  ok(cusolverDnCreateGesvdjInfo(&params), "info");
  OnDevice<int> info(std::vector<int>(2, 7));
  for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {20, 7}, {7, 20}, {33, 33}})
    for (const int econ : {0, 1}) {
      const std::string what =
          "gesvdj " + std::to_string(m) + " x " + std::to_string(n) + (econ ? " econ" : "");
      const int least = std::min(m, n);
      const Matrix<T> a = random_matrix<T>(m, n);
      Matrix<T> u(m, econ ? least : m), v(n, econ ? least : n);
      OnDevice<T> on(a.all), values(std::vector<T>(static_cast<std::size_t>(least))), to_u(u.all),
          to_v(v.all);
      int elements = 0;
      const T* const none = nullptr;
      ok(gesvdj_bufferSize<T>(handle, 1, econ, m, n, none, a.leading, none, none, u.leading, none, v.leading,
                              &elements, params),
         what);
      OnDevice<T> work(std::vector<T>(static_cast<std::size_t>(elements)));
      const auto call = [&](int mode) {
        ok(gesvdj<T>(handle, mode, econ, m, n, static_cast<T*>(on), a.leading, static_cast<T*>(values),
                     static_cast<T*>(to_u), u.leading, static_cast<T*>(to_v), v.leading,
                     static_cast<T*>(work), elements, static_cast<int*>(info), params),
           what);
      };
      call(1);
      expect(info.get()[0] == 0, what + ": info");
      const auto s = values.get();
      expect_svd(a, s, of(to_u, u), of(to_v, v), what);
      keeps_gaps(of(to_u, u), what);
      keeps_gaps(of(to_v, v), what);
      int sweeps = -1;
      double residual = -1;
      ok(cusolverDnXgesvdjGetSweeps(handle, params, &sweeps), what);
      ok(cusolverDnXgesvdjGetResidual(handle, params, &residual), what);
      expect(sweeps >= 1 && sweeps < 20, what + ": sweeps " + std::to_string(sweeps));
      expect(residual >= 0 && residual <= 100 * std::numeric_limits<T>::epsilon(), what + ": residual");
      on.put(a.all);
      call(0);
      expect(values.get() == s, what + ": values alone");
      // The same by the functions that are told types.
      std::size_t bytes = 0, none_here = 9;
      ok(cusolverDnXgesvdp_bufferSize(handle, nullptr, 1, econ, m, n, kType<T>, nullptr, a.leading, kType<T>,
                                      nullptr, kType<T>, nullptr, u.leading, kType<T>, nullptr, v.leading,
                                      kType<T>, &bytes, &none_here),
         what + " Xgesvdp");
      expect(bytes == std::size_t(elements) * sizeof(T) && none_here == 0, what + " Xgesvdp: room");
      on.put(a.all);
      double error = -1;
      ok(cusolverDnXgesvdp(handle, nullptr, 1, econ, m, n, kType<T>, on, a.leading, kType<T>, values,
                           kType<T>, to_u, u.leading, kType<T>, to_v, v.leading, kType<T>, work, bytes,
                           nullptr, 0, info, &error),
         what + " Xgesvdp");
      expect(values.get() == s && error == 0, what + " Xgesvdp");
    }
  // Two in a batch.
  const Matrix<T> a = random_matrix<T>(6, 4, 0), b = random_matrix<T>(6, 4, 0);
  std::vector<T> both = a.all;
  both.insert(both.end(), b.all.begin(), b.all.end());
  OnDevice<T> on(both), values(std::vector<T>(8)), to_u(std::vector<T>(72)), to_v(std::vector<T>(32)),
      work(std::vector<T>(20000));
  ok(gesvdjBatched<T>(handle, 1, 6, 4, static_cast<T*>(on), 6, static_cast<T*>(values), static_cast<T*>(to_u),
                      6, static_cast<T*>(to_v), 4, static_cast<T*>(work), 20000, static_cast<int*>(info),
                      params, 2),
     "gesvdjBatched");
  for (const int i : {0, 1}) {
    Matrix<T> u(6, 6, 0), v(4, 4, 0);
    const auto us = to_u.get(), vs = to_v.get(), ss = values.get();
    u.all.assign(us.begin() + i * 36, us.begin() + (i + 1) * 36);
    v.all.assign(vs.begin() + i * 16, vs.begin() + (i + 1) * 16);
    expect_svd(i == 0 ? a : b, std::vector<T>(ss.begin() + i * 4, ss.begin() + (i + 1) * 4), u, v,
               "gesvdjBatched " + std::to_string(i));
  }
  expect(info.get() == std::vector<int>{0, 0}, "gesvdjBatched: info");
  // gesvd of a type that is told gives what that of the type does.
  Matrix<T> u(6, 4), vt(4, 4);
  OnDevice<T> again(a.all), s_again(std::vector<T>(4)), u_again(u.all), vt_again(vt.all);
  ok(cusolverDnXgesvd(handle, nullptr, 'S', 'S', 6, 4, kType<T>, again, 6, kType<T>, s_again, kType<T>,
                      u_again, u.leading, kType<T>, vt_again, vt.leading, kType<T>, work, 20000 * sizeof(T),
                      nullptr, 0, info),
     "Xgesvd");
  const auto s = s_again.get();
  close(product(scaled(of(u_again, u), s), false, of(vt_again, vt), false), a, 400, "Xgesvd");
  ok(cusolverDnDestroyGesvdjInfo(params), "info");
}

template <class T>
Matrix<T> symmetric(int n) {
  Matrix<T> a = random_matrix<T>(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) a(j, i) = a(i, j);
  return a;
}
/// One triangle of it; the other is rubbish.
template <class T>
Matrix<T> half(Matrix<T> a, bool lower) {
  for (int i = 0; i < a.m; ++i)
    for (int j = 0; j < a.n; ++j)
      if (i != j && (i > j) != lower) a(i, j) = T(55);
  return a;
}

template <class T>
void syev_variants() {
  constexpr int kN = 20;
  syevjInfo* params = nullptr;
  ok(cusolverDnCreateSyevjInfo(&params), "info");
  OnDevice<int> info(std::vector<int>(2, 7));
  OnDevice<T> work(std::vector<T>(5000));
  const Matrix<T> a = symmetric<T>(kN), b = symmetric<T>(kN);
  // Two in a batch; the second one's report is the last.
  std::vector<T> both = a.all;
  both.insert(both.end(), b.all.begin(), b.all.end());
  OnDevice<T> on(both), values(std::vector<T>(2 * kN));
  ok(syevjBatched<T>(handle, 1, CUBLAS_FILL_MODE_LOWER, kN, static_cast<T*>(on), a.leading,
                     static_cast<T*>(values), static_cast<T*>(work), 5000, static_cast<int*>(info), params,
                     2),
     "syevjBatched");
  const auto vectors = on.get(), all = values.get();
  std::vector<T> of_a(all.begin(), all.begin() + kN), of_b(all.begin() + kN, all.end());
  Matrix<T> v = b;
  v.all.assign(vectors.begin() + std::ptrdiff_t(b.all.size()), vectors.end());
  close(product(b, false, v, false), scaled(cut(v, kN, kN), of_b), 20.0 * kN + 20, "syevjBatched");
  int sweeps = -1;
  double residual = -1;
  ok(cusolverDnXsyevjGetSweeps(handle, params, &sweeps), "sweeps");
  ok(cusolverDnXsyevjGetResidual(handle, params, &residual), "residual");
  expect(sweeps >= 2 && sweeps < 20, "syevj: sweeps " + std::to_string(sweeps));
  expect(residual >= 0 && residual <= kN * std::numeric_limits<T>::epsilon(), "syevj: residual");
  // Some of the values: by places, and between two others.
  const T low = (of_a[4] + of_a[5]) / 2, high = of_a[11];  // the upper bound belongs to it
  for (const int range : {1001, 1002, 1003}) {
    const int first = range == 1001   ? 0
                      : range == 1002 ? 2
                                      : 5,
              count = range == 1001   ? kN
                      : range == 1002 ? 5
                                      : 7;
    const std::string what = "syevdx " + std::to_string(range);
    OnDevice<T> one(half(a, false).all), some(std::vector<T>(kN, T(0)));
    int found = -1;
    ok(syevdx<T>(handle, 1, range, CUBLAS_FILL_MODE_UPPER, kN, static_cast<T*>(one), a.leading, low, high, 3,
                 7, &found, static_cast<T*>(some), static_cast<T*>(work), 5000, static_cast<int*>(info)),
       what);
    expect(found == count, what + ": " + std::to_string(found));
    const auto w = some.get();
    std::vector<T> wanted;
    for (int k = 0; k < count; ++k) {
      expect(std::fabs(w[std::size_t(k)] - of_a[std::size_t(first + k)]) <=
                 200 * std::numeric_limits<T>::epsilon(),
             what + ": value " + std::to_string(k));
      wanted.push_back(w[std::size_t(k)]);
    }
    const Matrix<T> x = cut(of(one, a), kN, count);
    close(product(a, false, x, false), scaled(x, wanted), 20.0 * kN + 20, what + ": vectors");
    std::int64_t told = -1;
    T vl = low, vu = high;
    OnDevice<T> again(a.all);
    ok(cusolverDnXsyevdx(handle, nullptr, 0, range, CUBLAS_FILL_MODE_UPPER, kN, kType<T>, again, a.leading,
                         &vl, &vu, 3, 7, &told, kType<T>, some, kType<T>, work, 5000 * sizeof(T), nullptr, 0,
                         info),
       what + " X");
    expect(told == count, what + " X");
  }
  int found = 0;
  expect(syevdx<T>(handle, 1, 1002, CUBLAS_FILL_MODE_UPPER, kN, static_cast<T*>(on), a.leading, low, high, 3,
                   kN + 1, &found, static_cast<T*>(values), static_cast<T*>(work), 5000,
                   static_cast<int*>(info)) == CUSOLVER_STATUS_INVALID_VALUE,
         "syevdx of a place that there is not");
  ok(cusolverDnDestroySyevjInfo(params), "info");
}

template <class T>
void generalized_of() {
  constexpr int kN = 17;
  OnDevice<int> info(std::vector<int>(1, 7));
  OnDevice<T> work(std::vector<T>(4000));
  const Matrix<T> a = symmetric<T>(kN);
  const Matrix<T> root = random_matrix<T>(kN, kN);
  Matrix<T> b = product(root, false, root, true);  // positive definite
  for (int i = 0; i < kN; ++i) b(i, i) += T(4);
  for (const int type : {1, 2, 3})
    for (const bool lower : {false, true}) {
      const std::string what = "sygvd " + std::to_string(type) + (lower ? " lower" : " upper");
      const auto fill = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
      OnDevice<T> on(half(a, lower).all), by(half(b, lower).all), values(std::vector<T>(kN, T(0)));
      ok(sygvd<T>(handle, type, 1, fill, kN, static_cast<T*>(on), a.leading, static_cast<T*>(by), b.leading,
                  static_cast<T*>(values), static_cast<T*>(work), 4000, static_cast<int*>(info)),
         what);
      expect(info.get()[0] == 0, what + ": info");
      const auto w = values.get();
      expect(std::is_sorted(w.begin(), w.end()), what + ": order");
      const Matrix<T> x = cut(of(on, a), kN, kN);
      keeps_gaps(of(on, a), what);
      const Matrix<T> left = type == 1   ? product(a, false, x, false)
                             : type == 2 ? product(a, false, product(b, false, x, false), false)
                                         : product(b, false, product(a, false, x, false), false);
      const Matrix<T> right = scaled(type == 1 ? product(b, false, x, false) : x, w);
      close(left, right, 4000, what);
      // By the other name, with a report.
      syevjInfo* params = nullptr;
      ok(cusolverDnCreateSyevjInfo(&params), what);
      int sweeps = -1;
      expect(cusolverDnXsyevjGetSweeps(handle, params, &sweeps) == CUSOLVER_STATUS_INVALID_VALUE,
             what + ": a report of nothing");
      on.put(half(a, lower).all);
      by.put(half(b, lower).all);
      ok(sygvj<T>(handle, type, 1, fill, kN, static_cast<T*>(on), a.leading, static_cast<T*>(by), b.leading,
                  static_cast<T*>(values), static_cast<T*>(work), 4000, static_cast<int*>(info), params),
         what + " sygvj");
      ok(cusolverDnXsyevjGetSweeps(handle, params, &sweeps), what);
      expect(values.get() == w && sweeps >= 2 && sweeps < 20, what + " sygvj");
      ok(cusolverDnDestroySyevjInfo(params), what);
      // Values alone, and some of them.
      OnDevice<T> again(half(a, lower).all), factor(half(b, lower).all), some(std::vector<T>(kN, T(0)));
      int found = 0;
      ok(sygvdx<T>(handle, type, 0, 1002, fill, kN, static_cast<T*>(again), a.leading,
                   static_cast<T*>(factor), b.leading, T(0), T(0), 4, 6, &found, static_cast<T*>(some),
                   static_cast<T*>(work), 4000, static_cast<int*>(info)),
         what + " some");
      const auto three = some.get();
      expect(found == 3 && std::equal(three.begin(), three.begin() + 3, w.begin() + 3), what + " some");
    }
  // A B that is not positive definite.
  Matrix<T> bad = b;
  bad(4, 4) = T(-1);
  OnDevice<T> on(a.all), by(bad.all), values(std::vector<T>(kN, T(0)));
  ok(sygvd<T>(handle, 1, 1, CUBLAS_FILL_MODE_LOWER, kN, static_cast<T*>(on), a.leading, static_cast<T*>(by),
              b.leading, static_cast<T*>(values), static_cast<T*>(work), 4000, static_cast<int*>(info)),
     "sygvd");
  expect(info.get()[0] == kN + 5,
         "sygvd of a B that is not positive definite: " + std::to_string(info.get()[0]));
}

}  // namespace

void jacobi() {
  gesvdj_of<float>();
  gesvdj_of<double>();
  syev_variants<float>();
  syev_variants<double>();
}
void generalized() {
  generalized_of<float>();
  generalized_of<double>();
}

}  // namespace warpvp::test
