// Complex numbers in functions of cuBLAS that real ones have too.

#include "tests/cuda/blas_complex.h"

#define COMPLEX(S, Sr, R_, s, T, By, Int, _)                                                                 \
  extern "C" {                                                                                               \
  cublasStatus_t cublas##S##axpy_v2##_(cublasHandle_t, Int, const T*, const T*, Int, T*, Int);               \
  cublasStatus_t cublas##S##scal_v2##_(cublasHandle_t, Int, const T*, T*, Int);                              \
  cublasStatus_t cublas##S##R_##scal_v2##_(cublasHandle_t, Int, const By*, T*, Int);                         \
  cublasStatus_t cublas##S##copy_v2##_(cublasHandle_t, Int, const T*, Int, T*, Int);                         \
  cublasStatus_t cublas##S##swap_v2##_(cublasHandle_t, Int, T*, Int, T*, Int);                               \
  cublasStatus_t cublas##S##rot_v2##_(cublasHandle_t, Int, T*, Int, T*, Int, const By*, const T*);           \
  cublasStatus_t cublas##S##R_##rot_v2##_(cublasHandle_t, Int, T*, Int, T*, Int, const By*, const By*);      \
  cublasStatus_t cublas##S##rotg_v2(cublasHandle_t, T*, T*, By*, T*);                                        \
  cublasStatus_t cublas##S##dotu_v2##_(cublasHandle_t, Int, const T*, Int, const T*, Int, T*);               \
  cublasStatus_t cublas##S##dotc_v2##_(cublasHandle_t, Int, const T*, Int, const T*, Int, T*);               \
  cublasStatus_t cublas##Sr##nrm2_v2##_(cublasHandle_t, Int, const T*, Int, By*);                            \
  cublasStatus_t cublas##Sr##asum_v2##_(cublasHandle_t, Int, const T*, Int, By*);                            \
  cublasStatus_t cublasI##s##amax_v2##_(cublasHandle_t, Int, const T*, Int, Int*);                           \
  cublasStatus_t cublasI##s##amin_v2##_(cublasHandle_t, Int, const T*, Int, Int*);                           \
  cublasStatus_t cublas##S##gemv_v2##_(cublasHandle_t, cublasOperation_t, Int, Int, const T*, const T*, Int, \
                                       const T*, Int, const T*, T*, Int);                                    \
  cublasStatus_t cublas##S##gemvBatched##_(cublasHandle_t, cublasOperation_t, Int, Int, const T*,            \
                                           const T* const*, Int, const T* const*, Int, const T*, T* const*,  \
                                           Int, Int);                                                        \
  cublasStatus_t cublas##S##geru_v2##_(cublasHandle_t, Int, Int, const T*, const T*, Int, const T*, Int, T*, \
                                       Int);                                                                 \
  cublasStatus_t cublas##S##gerc_v2##_(cublasHandle_t, Int, Int, const T*, const T*, Int, const T*, Int, T*, \
                                       Int);                                                                 \
  cublasStatus_t cublas##S##gemm_v2##_(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int,  \
                                       const T*, const T*, Int, const T*, Int, const T*, T*, Int);           \
  cublasStatus_t cublas##S##symm_v2##_(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, Int, Int,         \
                                       const T*, const T*, Int, const T*, Int, const T*, T*, Int);           \
  cublasStatus_t cublas##S##hemm_v2##_(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, Int, Int,         \
                                       const T*, const T*, Int, const T*, Int, const T*, T*, Int);           \
  cublasStatus_t cublas##S##syrk_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, Int, Int,        \
                                       const T*, const T*, Int, const T*, T*, Int);                          \
  cublasStatus_t cublas##S##herk_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, Int, Int,        \
                                       const By*, const T*, Int, const By*, T*, Int);                        \
  cublasStatus_t cublas##S##syrkx##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, Int, Int,          \
                                     const T*, const T*, Int, const T*, Int, const T*, T*, Int);             \
  cublasStatus_t cublas##S##herkx##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, Int, Int,          \
                                     const T*, const T*, Int, const T*, Int, const By*, T*, Int);            \
  cublasStatus_t cublas##S##syr2k_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, Int, Int,       \
                                        const T*, const T*, Int, const T*, Int, const T*, T*, Int);          \
  cublasStatus_t cublas##S##her2k_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, Int, Int,       \
                                        const T*, const T*, Int, const T*, Int, const By*, T*, Int);         \
  cublasStatus_t cublas##S##trmm_v2##_(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,                   \
                                       cublasOperation_t, cublasDiagType_t, Int, Int, const T*, const T*,    \
                                       Int, const T*, Int, T*, Int);                                         \
  cublasStatus_t cublas##S##trsm_v2##_(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,                   \
                                       cublasOperation_t, cublasDiagType_t, Int, Int, const T*, const T*,    \
                                       Int, T*, Int);                                                        \
  cublasStatus_t cublas##S##geam##_(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int,          \
                                    const T*, const T*, Int, const T*, const T*, Int, T*, Int);              \
  cublasStatus_t cublas##S##dgmm##_(cublasHandle_t, cublasSideMode_t, Int, Int, const T*, Int, const T*,     \
                                    Int, T*, Int);                                                           \
  }                                                                                                          \
  namespace warpvp::test {                                                                                   \
  template <>                                                                                                \
  struct ComplexApi<T> {                                                                                     \
    using Size = Int;                                                                                        \
    static constexpr auto axpy = cublas##S##axpy_v2##_;                                                      \
    static constexpr auto scal = cublas##S##scal_v2##_;                                                      \
    static constexpr auto scal_real = cublas##S##R_##scal_v2##_;                                             \
    static constexpr auto copy = cublas##S##copy_v2##_;                                                      \
    static constexpr auto swap = cublas##S##swap_v2##_;                                                      \
    static constexpr auto rot = cublas##S##rot_v2##_;                                                        \
    static constexpr auto rot_real = cublas##S##R_##rot_v2##_;                                               \
    static constexpr auto rotg = cublas##S##rotg_v2;                                                         \
    static constexpr auto dotu = cublas##S##dotu_v2##_;                                                      \
    static constexpr auto dotc = cublas##S##dotc_v2##_;                                                      \
    static constexpr auto nrm2 = cublas##Sr##nrm2_v2##_;                                                     \
    static constexpr auto asum = cublas##Sr##asum_v2##_;                                                     \
    static constexpr auto amax = cublasI##s##amax_v2##_;                                                     \
    static constexpr auto amin = cublasI##s##amin_v2##_;                                                     \
    static constexpr auto gemv = cublas##S##gemv_v2##_;                                                      \
    static constexpr auto gemv_list = cublas##S##gemvBatched##_;                                             \
    static constexpr auto geru = cublas##S##geru_v2##_;                                                      \
    static constexpr auto gerc = cublas##S##gerc_v2##_;                                                      \
    static constexpr auto gemm = cublas##S##gemm_v2##_;                                                      \
    static constexpr auto symm = cublas##S##symm_v2##_;                                                      \
    static constexpr auto hemm = cublas##S##hemm_v2##_;                                                      \
    static constexpr auto syrk = cublas##S##syrk_v2##_;                                                      \
    static constexpr auto herk = cublas##S##herk_v2##_;                                                      \
    static constexpr auto syrkx = cublas##S##syrkx##_;                                                       \
    static constexpr auto herkx = cublas##S##herkx##_;                                                       \
    static constexpr auto syr2k = cublas##S##syr2k_v2##_;                                                    \
    static constexpr auto her2k = cublas##S##her2k_v2##_;                                                    \
    static constexpr auto trmm = cublas##S##trmm_v2##_;                                                      \
    static constexpr auto trsm = cublas##S##trsm_v2##_;                                                      \
    static constexpr auto geam = cublas##S##geam##_;                                                         \
    static constexpr auto dgmm = cublas##S##dgmm##_;                                                         \
  };                                                                                                         \
  }

namespace warpvp::test {
template <class T>
struct ComplexApi;
}
COMPLEX(C, Sc, s, c, ComplexFloat, float, std::int64_t, _64)
COMPLEX(Z, Dz, d, z, ComplexDouble, double, int, )

namespace warpvp::test {
namespace {

template <class T>
void complex_level1() {
  using A = ComplexApi<T>;
  using R = Real<T>;
  const std::string letter = kLetter<T>;
  const T alpha = narrow<T>({0.75, -1.5}), sine = narrow<T>({0.48, 0.64});
  const R cosine = R(0.6), real = R(-1.25);
  for (const int n : {0, 1, 33, 700}) {
    for (const auto& steps : {std::pair<int, int>{1, 1}, {2, 3}, {-1, 2}}) {
      const Line<T> x(n, steps.first), y(n, steps.second);
      const Whole vx = x.column(), vy = y.column();
      OnDevice<T> dx(x.values), dy(y.values);
      const std::string what = words({n, steps.first, steps.second});
      const auto again = [&] {
        dx.put(x.values);
        dy.put(y.values);
      };
      ok(A::axpy(handle, n, &alpha, dx, steps.first, dy, steps.second), "axpy");
      compare_line(dy.get(), y, sum(wide(alpha), vx, 1, vy), 1, letter + "axpy" + what);
      again();
      ok(A::rot(handle, n, dx, steps.first, dy, steps.second, &cosine, &sine), "rot");
      compare_line(dx.get(), x, sum(cosine, vx, wide(sine), vy), 2, letter + "rot x" + what);
      compare_line(dy.get(), y, sum(cosine, vy, -std::conj(wide(sine)), vx), 2, letter + "rot y" + what);
      again();
      ok(A::rot_real(handle, n, dx, steps.first, dy, steps.second, &cosine, &real), "rot by real numbers");
      compare_line(dx.get(), x, sum(cosine, vx, real, vy), 2, letter + "rot by real numbers x" + what);
      compare_line(dy.get(), y, sum(cosine, vy, -real, vx), 2, letter + "rot by real numbers y" + what);
      again();
      ok(A::swap(handle, n, dx, steps.first, dy, steps.second), "swap");
      compare_line(dx.get(), x, vy, 0, letter + "swap x" + what);
      compare_line(dy.get(), y, vx, 0, letter + "swap y" + what);
      again();
      ok(A::copy(handle, n, dx, steps.first, dy, steps.second), "copy");
      compare_line(dy.get(), y, vx, 0, letter + "copy" + what);
      again();
      const bool alone = steps.first > 0;  // one vector's step is to be positive (BLAS)
      Z dotu = 0, dotc = 0;
      double magnitudes = 0, squares = 0;
      std::vector<double> each;
      for (int i = 0; i < n; ++i) {
        dotu += vx(i, 0) * vy(i, 0);
        dotc += std::conj(vx(i, 0)) * vy(i, 0);
        each.push_back(std::fabs(vx(i, 0).real()) + std::fabs(vx(i, 0).imag()));
        magnitudes += each.back();
        squares += std::norm(vx(i, 0));
      }
      const auto near = [&](double got, double wanted, const char* name) {
        const double tolerance = 8 * (n + 4) * static_cast<double>(std::numeric_limits<R>::epsilon());
        expect(std::fabs(got - wanted) <= tolerance * std::max(1.0, std::fabs(wanted)), letter + name + what);
      };
      T products[2];
      R sums[2] = {-9, -9};
      typename A::Size places[2] = {-9, -9};
      ok(A::dotu(handle, n, dx, steps.first, dy, steps.second, &products[0]), "dotu");
      ok(A::dotc(handle, n, dx, steps.first, dy, steps.second, &products[1]), "dotc");
      ok(A::asum(handle, n, dx, steps.first, &sums[0]), "asum");
      ok(A::nrm2(handle, n, dx, steps.first, &sums[1]), "nrm2");
      ok(A::amax(handle, n, dx, steps.first, &places[0]), "amax");
      ok(A::amin(handle, n, dx, steps.first, &places[1]), "amin");
      near(wide(products[0]).real(), dotu.real(), "dotu");
      near(wide(products[0]).imag(), dotu.imag(), "dotu, imaginary");
      near(wide(products[1]).real(), dotc.real(), "dotc");
      near(wide(products[1]).imag(), dotc.imag(), "dotc, imaginary");
      near(sums[0], alone ? magnitudes : 0, "asum");
      near(sums[1], alone ? std::sqrt(squares) : 0, "nrm2");
      const auto place = [&](auto found) { return alone && n > 0 ? found - each.begin() + 1 : 0; };
      if (n < 100 || !alone) {  // of more some are as good as alike
        expect(places[0] == place(std::max_element(each.begin(), each.end())), letter + "amax" + what);
        expect(places[1] == place(std::min_element(each.begin(), each.end())), letter + "amin" + what);
      }
      OnDevice<T> there(std::vector<T>{alpha, alpha});
      OnDevice<typename A::Size> place_there({-9, -9});
      cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE);
      ok(A::dotc(handle, n, dx, steps.first, dy, steps.second, there + 1), "dotc there");
      ok(A::amax(handle, n, dx, steps.first, place_there), "amax there");
      ok(A::scal(handle, n, there, dx, steps.first), "scal");
      cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
      expect(std::memcmp(&there.get()[1], &products[1], sizeof(T)) == 0, letter + "dotc there" + what);
      expect(place_there.get()[0] == places[0] && place_there.get()[1] == -9, letter + "amax there" + what);
      if (alone) compare_line(dx.get(), x, sum(wide(alpha), vx, 0, vx), 1, letter + "scal" + what);
      dx.put(x.values);
      ok(A::scal_real(handle, n, &real, dx, steps.first), "scal by a real number");
      if (alone) compare_line(dx.get(), x, sum(real, vx, 0, vx), 1, letter + "scal by a real number" + what);
    }
  }
  // Squares leave the type's range, sums of them do not.
  const R great = std::numeric_limits<R>::max() / 4;
  OnDevice<T> vast(std::vector<T>{{great, -great}, {great, great}});
  R length = 0;
  ok(A::nrm2(handle, 2, vast, 1, &length), "nrm2");
  expect(std::fabs(length / (2 * great) - 1) < 1e-6, letter + "nrm2 of great numbers");
  // A rotation takes (a, b) to (r, 0).
  for (const Z b : {Z(0.5, -2), Z(0)}) {
    for (const Z a : {Z(3, 4), Z(0)}) {
      for (const bool on_device : {false, true}) {
        T ta = narrow<T>(a), tb = narrow<T>(b), s = narrow<T>(0);
        R c = 9;
        OnDevice<T> da({ta}), db({tb}), ds({s});
        OnDevice<R> dc({c});
        if (on_device) {
          cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE);
          ok(A::rotg(handle, da, db, dc, ds), "rotg");
          cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
          ta = da.get()[0], c = dc.get()[0], s = ds.get()[0];
        } else {
          ok(A::rotg(handle, &ta, &tb, &c, &s), "rotg");
        }
        const Z r = double(c) * a + wide(s) * b, zero = -std::conj(wide(s)) * a + double(c) * b;
        expect(std::abs(r - wide(ta)) < 1e-5 && std::abs(zero) < 1e-5, letter + "rotg");
        expect(std::fabs(double(c) * double(c) + std::norm(wide(s)) - 1) < 1e-5, letter + "rotg turns");
      }
    }
  }
}

template <class T>
void complex_level2() {
  using A = ComplexApi<T>;
  const std::string letter = kLetter<T>;
  const T alpha = narrow<T>({1.25, 0.5}), beta = narrow<T>({-0.5, 1});
  for (const auto& size : {std::pair<int, int>{1, 1}, {40, 17}, {5, 300}}) {
    const int m = size.first, n = size.second, lda = m + 2;
    const Whole a = random_whole<T>(m, n), other = random_whole<T>(m, n);
    const auto columns = in_columns<T>(a, lda);
    OnDevice<T> da(columns), db(in_columns<T>(other, lda));
    for (const auto operation : kOperations) {
      const Whole op = after(operation, a);
      const Line<T> x(op.columns, 2), y(op.rows, -3), z(op.rows, -3);
      OnDevice<T> dx(x.values), dy(y.values), dz(z.values);
      const std::string what = words({m, n, int(operation)});
      ok(A::gemv(handle, operation, m, n, &alpha, da, lda, dx, 2, &beta, dy, -3), "gemv");
      compare_line(dy.get(), y, sum(wide(alpha), times(op, x.column()), wide(beta), y.column()), op.columns,
                   letter + "gemv" + what);
      dy.put(y.values);
      OnDevice<T*> as({db, da}), xs({dx, dx}), ys({dy, dz});
      ok(A::gemv_list(handle, operation, m, n, &alpha, as, lda, xs, 2, &beta, ys, -3, 2), "gemv of a list");
      compare_line(dy.get(), y,
                   sum(wide(alpha), times(after(operation, other), x.column()), wide(beta), y.column()),
                   op.columns, letter + "gemv of a list, first" + what);
      compare_line(dz.get(), z, sum(wide(alpha), times(op, x.column()), wide(beta), z.column()), op.columns,
                   letter + "gemv of a list, second" + what);
    }
    const Line<T> x(m, -1), y(n, 2);
    OnDevice<T> dx(x.values), dy(y.values);
    ok(A::geru(handle, m, n, &alpha, dx, -1, dy, 2, da, lda), "geru");
    compare_columns(da.get(), columns,
                    sum(wide(alpha), times(x.column(), after(CUBLAS_OP_T, y.column())), 1, a), lda, 2,
                    letter + "geru" + words({m, n}));
    da.put(columns);
    ok(A::gerc(handle, m, n, &alpha, dx, -1, dy, 2, da, lda), "gerc");
    compare_columns(da.get(), columns,
                    sum(wide(alpha), times(x.column(), after(CUBLAS_OP_C, y.column())), 1, a), lda, 2,
                    letter + "gerc" + words({m, n}));
  }
}

template <class T>
void complex_products() {
  using A = ComplexApi<T>;
  const std::string letter = kLetter<T>;
  const T alpha = narrow<T>({1.25, 0.5}), beta = narrow<T>({-0.5, 1}), none = narrow<T>(0);
  for (const auto& size : std::vector<std::vector<int>>{{1, 1, 1}, {33, 40, 17}, {7, 70, 0}, {100, 130, 21}}) {
    const int m = size[0], n = size[1], k = size[2];
    for (const auto of_a : kOperations) {
      for (const auto of_b : kOperations) {
        const bool ta = of_a != CUBLAS_OP_N, tb = of_b != CUBLAS_OP_N;
        const Whole a = ta ? random_whole<T>(k, m) : random_whole<T>(m, k);
        const Whole b = tb ? random_whole<T>(n, k) : random_whole<T>(k, n), c = random_whole<T>(m, n);
        const int lda = a.rows + 3, ldb = b.rows + 2, ldc = m + 1;
        const auto before = in_columns<T>(c, ldc);
        OnDevice<T> da(in_columns<T>(a, lda)), db(in_columns<T>(b, ldb)), dc(before);
        ok(A::gemm(handle, of_a, of_b, m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc), "gemm");
        compare_columns(dc.get(), before,
                        sum(wide(alpha), times(after(of_a, a), after(of_b, b)), wide(beta), c), ldc, k,
                        letter + "gemm" + words({m, n, k, int(of_a), int(of_b)}));
      }
    }
  }
  for (const auto& size : {std::pair<int, int>{1, 1}, {35, 20}, {12, 50}}) {
    const int m = size.first, n = size.second, ldb = m + 2, ldc = m + 1;
    const Whole b = random_whole<T>(m, n), c = random_whole<T>(m, n);
    const auto before = in_columns<T>(c, ldc);
    OnDevice<T> db(in_columns<T>(b, ldb)), dc(before);
    for (const auto side : kSides) {
      const bool left = side == CUBLAS_SIDE_LEFT;
      const int order = left ? m : n, lda = order + 3;
      const auto with = [&](const Whole& a, const Whole& x) { return left ? times(a, x) : times(x, a); };
      for (const auto fill : kFills) {
        const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
        for (const bool hermitian : {false, true}) {
          const Whole a = random_symmetric<T>(order, hermitian);
          OnDevice<T> da(in_columns<T>(spoilt(a, hermitian), lda, triangle_of(lower)));
          dc.put(before);
          ok((hermitian ? A::hemm : A::symm)(handle, side, fill, m, n, &alpha, da, lda, db, ldb, &beta, dc,
                                             ldc),
             "symm");
          compare_columns(dc.get(), before, sum(wide(alpha), with(a, b), wide(beta), c), ldc, order,
                          letter + (hermitian ? "hemm" : "symm") + words({m, n, left, lower}));
        }
        for (const auto operation : kOperations) {
          for (const auto diagonal : kDiagonals) {
            const bool unit = diagonal == CUBLAS_DIAG_UNIT;
            const Whole a = random_triangle<T>(order, order, lower, unit), op = after(operation, a);
            OnDevice<T> da(in_columns<T>(a, lda, triangle_of(lower, !unit)));
            const std::string what = words({m, n, left, lower, int(operation), unit});
            dc.put(before);
            ok(A::trmm(handle, side, fill, operation, diagonal, m, n, &alpha, da, lda, db, ldb, dc, ldc),
               "trmm");
            compare_columns(dc.get(), before, sum(wide(alpha), with(op, b), 0, c), ldc, order,
                            letter + "trmm" + what);
            dc.put(before);
            ok(A::trsm(handle, side, fill, operation, diagonal, m, n, &alpha, da, lda, dc, ldc), "trsm");
            const auto found = dc.get();
            const Whole x = whole(m, n, [&](int i, int j) { return wide(item(found, i + j * ldc)); });
            const auto again = in_columns<T>(with(op, x), ldc);
            compare_columns(again, again, sum(wide(alpha), c, 0, c), ldc, order, letter + "trsm" + what);
          }
        }
      }
      // Sums, and products with a diagonal matrix.
      const Line<T> x(order, -2);
      OnDevice<T> dx(x.values);
      ok(A::dgmm(handle, side, m, n, db, ldb, dx, -2, dc, ldc), "dgmm");
      compare_columns(dc.get(), before,
                      whole(m, n, [&](int i, int j) { return b(i, j) * x.column()(left ? i : j, 0); }), ldc,
                      1, letter + "dgmm" + words({m, n, left}));
    }
    for (const auto of_a : kOperations) {
      for (const auto of_b : kOperations) {
        const Whole p = of_a == CUBLAS_OP_N ? random_whole<T>(m, n) : random_whole<T>(n, m);
        const Whole q = of_b == CUBLAS_OP_N ? random_whole<T>(m, n) : random_whole<T>(n, m);
        OnDevice<T> dp(in_columns<T>(p, p.rows)), dq(in_columns<T>(q, q.rows));
        dc.put(before);
        ok(A::geam(handle, of_a, of_b, m, n, &alpha, dp, p.rows, &beta, dq, q.rows, dc, ldc), "geam");
        compare_columns(dc.get(), before, sum(wide(alpha), after(of_a, p), wide(beta), after(of_b, q)), ldc,
                        2, letter + "geam" + words({m, n, int(of_a), int(of_b)}));
      }
    }
    ok(A::geam(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, &alpha, db, ldb, &none, nullptr, ldb, dc, ldc),
       "geam");
    compare_columns(dc.get(), before, sum(wide(alpha), b, 0, b), ldc, 1,
                    letter + "geam of one" + words({m, n}));
  }
}

/// Matrices with their own transposes; factors on the host and on the device.
template <class T>
void squares() {
  using A = ComplexApi<T>;
  using R = Real<T>;
  const std::string letter = kLetter<T>;
  const T alpha = narrow<T>({1.25, 0.5}), beta = narrow<T>({-0.5, 1});
  const R real_alpha = R(0.75), real_beta = R(-1.5);
  OnDevice<T> factors(std::vector<T>{alpha, beta});
  OnDevice<R> real_factors(std::vector<R>{real_alpha, real_beta});
  for (const auto& size : {std::pair<int, int>{1, 1}, {37, 20}, {20, 45}}) {
    const int n = size.first, k = size.second, ldc = n + 2;
    for (const bool hermitian : {false, true}) {
      const auto across = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
      for (const auto operation : {CUBLAS_OP_N, across}) {
        const bool by_rows = operation == CUBLAS_OP_N;
        const Whole a = by_rows ? random_whole<T>(n, k) : random_whole<T>(k, n);
        const Whole b = by_rows ? random_whole<T>(n, k) : random_whole<T>(k, n);
        const Whole op_a = after(operation, a), op_b = after(operation, b),
                    c = random_symmetric<T>(n, hermitian);
        const Whole aa = times(op_a, after(across, op_a)), ab = times(op_a, after(across, op_b)),
                    ba = times(op_b, after(across, op_a));
        const int lda = a.rows + 1, ldb = b.rows + 2;
        OnDevice<T> da(in_columns<T>(a, lda)), db(in_columns<T>(b, ldb));
        for (const auto fill : kFills) {
          const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
          const auto before = in_columns<T>(spoilt(c, hermitian), ldc, triangle_of(lower));
          OnDevice<T> dc(before);
          for (const bool on_device : {false, true}) {
            const std::string what = words({n, k, lower, hermitian, int(operation), on_device});
            const T *by = on_device ? static_cast<T*>(factors) : &alpha,
                    *keep = on_device ? factors + 1 : &beta;
            const R *real_by = on_device ? static_cast<R*>(real_factors) : &real_alpha,
                    *real_keep = on_device ? real_factors + 1 : &real_beta;
            const auto tried = [&](const char* name, const Whole& wanted, auto&& call) {
              dc.put(before);
              cublasSetPointerMode_v2(handle,
                                      on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
              ok(call(), name);
              cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
              compare_columns(dc.get(), before, wanted, ldc, 2 * k, letter + name + what, triangle_of(lower));
            };
            const Whole twice = sum(wide(alpha), ab, conjugate_if(hermitian, wide(alpha)), ba);
            if (hermitian) {
              tried("herk", sum(real_alpha, aa, real_beta, c), [&] {
                return A::herk(handle, fill, operation, n, k, real_by, da, lda, real_keep, dc, ldc);
              });
              tried("her2k", sum(1, twice, real_beta, c), [&] {
                return A::her2k(handle, fill, operation, n, k, by, da, lda, db, ldb, real_keep, dc, ldc);
              });
              // A real factor, and B as A is: the result is Hermitian.
              const T plain = narrow<T>(2);
              dc.put(before);
              ok(A::herkx(handle, fill, operation, n, k, &plain, da, lda, da, lda, &real_beta, dc, ldc),
                 "herkx");
              compare_columns(dc.get(), before, sum(2, aa, real_beta, c), ldc, k, letter + "herkx" + what,
                              triangle_of(lower));
            } else {
              tried("syrk", sum(wide(alpha), aa, wide(beta), c),
                    [&] { return A::syrk(handle, fill, operation, n, k, by, da, lda, keep, dc, ldc); });
              tried("syrkx", sum(wide(alpha), ab, wide(beta), c), [&] {
                return A::syrkx(handle, fill, operation, n, k, by, da, lda, db, ldb, keep, dc, ldc);
              });
              tried("syr2k", sum(1, twice, wide(beta), c), [&] {
                return A::syr2k(handle, fill, operation, n, k, by, da, lda, db, ldb, keep, dc, ldc);
              });
            }
          }
        }
      }
    }
  }
  // The transpose is not what Hermitian results are of, nor the conjugate one what symmetric ones are of.
  OnDevice<T> c(std::vector<T>(4, alpha));
  expect(A::herk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, 2, 2, &real_alpha, c, 2, &real_beta, c, 2) ==
             CUBLAS_STATUS_INVALID_VALUE,
         letter + "herk of a transpose");
  expect(A::syrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 2, 2, &alpha, c, 2, &beta, c, 2) ==
             CUBLAS_STATUS_INVALID_VALUE,
         letter + "syrk of a conjugate");
}

template <class T>
void all_complex() {
  complex_level1<T>();
  complex_level2<T>();
  complex_products<T>();
  squares<T>();
}

}  // namespace

void complex_numbers() {
  all_complex<Complex<float>>();
  all_complex<Complex<double>>();
}

}  // namespace warpvp::test
