// Cases of the program that tries cuSOLVER: QR, eigenvalues, singular values.

#include "tests/cuda/solver_checks.h"

namespace warpvp::test {
namespace {

template <class T>
void qr_of() {
  OnDevice<int> info(std::vector<int>(1, 7));
  for (const auto& [m, n] : kShapes) {
    const std::string what = "geqrf " + std::to_string(m) + " x " + std::to_string(n);
    const Matrix<T> a = random_matrix<T>(m, n);
    OnDevice<T> on(a.all);
    const int k = std::min(m, n);
    OnDevice<T> tau(std::vector<T>(static_cast<std::size_t>(k)));
    const T* const factors_at = static_cast<T*>(on);
    const T* const tau_at = static_cast<T*>(tau);
    int elements = 0;
    ok(geqrf_bufferSize<T>(handle, m, n, static_cast<T*>(on), a.leading, &elements), what);
    OnDevice<T> work(std::vector<T>(static_cast<std::size_t>(elements)));
    ok(geqrf<T>(handle, m, n, static_cast<T*>(on), a.leading, static_cast<T*>(tau), static_cast<T*>(work),
                elements, static_cast<int*>(info)),
       what);
    expect(info.get()[0] == 0, what + ": info");
    Matrix<T> factors = a, r(k, n, 0);
    factors.all = on.get();
    keeps_gaps(factors, what);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < n; ++j) r(i, j) = i <= j ? factors(i, j) : T(0);
    // Q from its vectors, by products with the matrix that has nothing but a diagonal: all of Q.
    const auto times_q = [&](const Matrix<T>& c, bool right, bool across) {
      OnDevice<T> there(c.all);
      const cublasSideMode_t side = right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
      const cublasOperation_t of_q = across ? CUBLAS_OP_T : CUBLAS_OP_N;
      int room = 0;
      const T* const c_at = static_cast<T*>(there);
      ok(ormqr_bufferSize<T>(handle, side, of_q, c.m, c.n, k, factors_at, a.leading, tau_at, c_at, c.leading,
                             &room),
         what + " ormqr");
      OnDevice<T> its(std::vector<T>(static_cast<std::size_t>(room)));
      ok(ormqr<T>(handle, side, of_q, c.m, c.n, k, factors_at, a.leading, tau_at, static_cast<T*>(there),
                  c.leading, static_cast<T*>(its), room, static_cast<int*>(info)),
         what + " ormqr");
      Matrix<T> result = c;
      result.all = there.get();
      return result;
    };
    const Matrix<T> q = times_q(eye<T>(m), false, false);
    close(product(q, true, q, false), eye<T>(m), 4.0 * m + 20, what + ": Q^T Q");
    Matrix<T> first(m, k, 0);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < k; ++j) first(i, j) = q(i, j);
    close(product(first, false, r, false), a, 10.0 * (m + n), what + ": Q R");
    if (m > 1) expect(r(0, 0) * a(0, 0) < 0, what + ": the first reflection loses digits");
    const Matrix<T> below = random_matrix<T>(m, 9), beside = random_matrix<T>(9, m);
    for (const bool across : {false, true}) {
      close(times_q(below, false, across), product(q, across, below, false), 20.0 * m + 20,
            what + ": op(Q) C");
      close(times_q(beside, true, across), product(beside, false, q, across), 20.0 * m + 20,
            what + ": C op(Q)");
      keeps_gaps(times_q(beside, true, across), what + " ormqr");
    }
    if (m < n) continue;
    // Its first columns, in the place of the vectors.
    ok(orgqr_bufferSize<T>(handle, m, n, k, factors_at, a.leading, tau_at, &elements), what + " orgqr");
    OnDevice<T> room(std::vector<T>(static_cast<std::size_t>(elements)));
    ok(orgqr<T>(handle, m, n, k, static_cast<T*>(on), a.leading, tau_at, static_cast<T*>(room), elements,
                static_cast<int*>(info)),
       what + " orgqr");
    Matrix<T> made = a;
    made.all = on.get();
    keeps_gaps(made, what + " orgqr");
    close(made, first, 10, what + " orgqr");
  }
  // A column that is zero below its diagonal needs no reflection.
  Matrix<T> a = eye<T>(4);
  a(0, 1) = T(2);
  OnDevice<T> on(a.all), tau(std::vector<T>(4, T(7))), work(std::vector<T>(5000));
  ok(geqrf<T>(handle, 4, 4, static_cast<T*>(on), 4, static_cast<T*>(tau), static_cast<T*>(work), 5000,
              static_cast<int*>(info)),
     "geqrf of a triangle");
  expect(on.get() == a.all && tau.get() == std::vector<T>(4, T(0)), "geqrf of a triangle");
}
}  // namespace

void qr() {
  qr_of<float>();
  qr_of<double>();
}

namespace {

template <class T>
void eigen_of() {
  OnDevice<int> info(std::vector<int>(1, 7));
  syevjInfo* params = nullptr;
  ok(cusolverDnCreateSyevjInfo(&params), "info");
  ok(cusolverDnXsyevjSetTolerance(params, 1e-7), "info");
  for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
    for (const int n : {1, 2, 5, 40}) {
      const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      const std::string what = "syevd " + std::to_string(n);
      Matrix<T> a = random_matrix<T>(n, n), given = a;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) a(lower ? j : i, lower ? i : j) = a(lower ? i : j, lower ? j : i);
      OnDevice<T> on(given.all), values(std::vector<T>(static_cast<std::size_t>(n)));
      int elements = 0;
      ok(syevd_bufferSize<T>(handle, 1, fill, n, static_cast<const T*>(static_cast<T*>(on)), a.leading,
                             static_cast<const T*>(static_cast<T*>(values)), &elements),
         what);
      OnDevice<T> work(std::vector<T>(static_cast<std::size_t>(elements)));
      ok(syevd<T>(handle, 1, fill, n, static_cast<T*>(on), a.leading, static_cast<T*>(values),
                  static_cast<T*>(work), elements, static_cast<int*>(info)),
         what);
      expect(info.get()[0] == 0, what + ": info");
      Matrix<T> v = a;
      v.all = on.get();
      keeps_gaps(v, what);
      const std::vector<T> w = values.get();
      expect(std::is_sorted(w.begin(), w.end()), what + ": order");
      close(product(v, true, v, false), eye<T>(n), 20.0 * n + 20, what + ": V^T V");
      close(product(a, false, v, false), scaled(cut(v, n, n), w), 20.0 * n + 20, what + ": A V");
      OnDevice<T> again(given.all), same(std::vector<T>(static_cast<std::size_t>(n)));
      ok(syevj<T>(handle, 0, fill, n, static_cast<T*>(again), a.leading, static_cast<T*>(same),
                  static_cast<T*>(work), elements, static_cast<int*>(info), params),
         what + " syevj");
      expect(same.get() == w, what + ": values alone");
    }
  // Values that are alike have vectors of their own.
  const Matrix<T> one = eye<T>(6);
  OnDevice<T> on(one.all), values(std::vector<T>(6, T(0))), work(std::vector<T>(100));
  ok(syevd<T>(handle, 1, CUBLAS_FILL_MODE_LOWER, 6, static_cast<T*>(on), 6, static_cast<T*>(values),
              static_cast<T*>(work), 100, static_cast<int*>(info)),
     "syevd of I");
  expect(on.get() == one.all && values.get() == std::vector<T>(6, T(1)), "syevd of I");
  ok(cusolverDnDestroySyevjInfo(params), "info");
}
}  // namespace

void eigen() {
  eigen_of<float>();
  eigen_of<double>();
}

namespace {

template <class T>
void singular_of() {
  OnDevice<int> info(std::vector<int>(1, 7));
  for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {5, 5}, {20, 7}, {33, 33}, {60, 40}})
    for (const char job : {'A', 'S', 'O', 'N', 'V'}) {
      // 'V': V^T takes A's place; the last columns are nothing new.
      const std::string what =
          std::string("gesvd ") + job + " " + std::to_string(m) + " x " + std::to_string(n);
      Matrix<T> a = random_matrix<T>(m, n);
      if (job == 'V' || job == 'A')
        for (int i = 0; n > 4 && i < m; ++i) {
          a(i, n - 1) = a(i, 0) + a(i, 1);
          a(i, n - 2) = T(0);
          a(i, n - 3) = T(0.3) * a(i, 0) - T(0.7) * a(i, 1);
        }
      const int columns = job == 'A' ? m : n;
      OnDevice<T> on(a.all), values(std::vector<T>(static_cast<std::size_t>(n)));
      Matrix<T> u(m, columns), vt(n, n);
      OnDevice<T> to_u(u.all), to_vt(vt.all);
      int elements = 0;
      ok(gesvd_bufferSize<T>(handle, m, n, &elements), what);
      OnDevice<T> work(std::vector<T>(static_cast<std::size_t>(elements)));
      const signed char job_u = job == 'V' ? 'S' : job, job_vt = job == 'V' ? 'O' : job == 'N' ? 'N' : 'A';
      ok(gesvd<T>(handle, job_u, job_vt, m, n, static_cast<T*>(on), a.leading, static_cast<T*>(values),
                  static_cast<T*>(to_u), u.leading, static_cast<T*>(to_vt), vt.leading, static_cast<T*>(work),
                  elements, static_cast<T*>(nullptr), static_cast<int*>(info)),
         what);
      expect(info.get()[0] == 0, what + ": info");
      const std::vector<T> s = values.get();
      expect(std::is_sorted(s.rbegin(), s.rend()) && s.back() >= 0, what + ": order");
      double squares = 0, of_a = 0;
      for (const T v : s) squares += static_cast<double>(v) * v;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) of_a += static_cast<double>(a(i, j)) * a(i, j);
      expect(std::fabs(squares - of_a) <= 100 * of_a * std::numeric_limits<T>::epsilon(),
             what + ": sum of squares");
      if (job == 'N') continue;
      u.all = job == 'O' ? on.get() : to_u.get();
      if (job == 'O') u.leading = a.leading;
      if (job == 'V') {
        Matrix<T> in_a = a;
        in_a.all = on.get();
        vt = cut(in_a, n, n);
      } else {
        vt.all = to_vt.get();
        keeps_gaps(vt, what);
      }
      keeps_gaps(u, what);
      close(product(u, true, u, false), eye<T>(columns), 40.0 * m + 20, what + ": U^T U");
      close(product(vt, false, vt, true), eye<T>(n), 40.0 * n + 20, what + ": V^T V");
      close(product(scaled(cut(u, m, n), s), false, vt, false), a, 40.0 * (m + n), what + ": U S V^T");
    }
}
}  // namespace

void singular() {
  singular_of<float>();
  singular_of<double>();
}

}  // namespace warpvp::test
