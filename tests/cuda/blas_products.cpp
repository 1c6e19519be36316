// Products and sums of matrices, and systems of equations with triangular ones, of cuBLAS.

#include "tests/cuda/blas_checks.h"

namespace warpvp::test {
namespace {

// ---- level 3

template <class T>
void gemm() {
  using A = Api<T>;
  for (const auto& size :
       std::vector<std::vector<int>>{{1, 1, 1}, {33, 40, 17}, {64, 5, 32}, {7, 70, 0}, {32, 32, 16}, {100, 130, 21}}) {
    const int m = size[0], n = size[1], k = size[2];
    for (const auto of_a : kOperations) {
      for (const auto of_b : kOperations) {
        const bool ta = of_a != CUBLAS_OP_N, tb = of_b != CUBLAS_OP_N;
        const int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 2, ldc = m + 1;
        const auto a = random_values<T>(lda * (ta ? m : k) + 1);
        const auto b = random_values<T>(ldb * (tb ? k : n) + 1);
        for (const T beta : {T(0), T(0.5)}) {
          auto c = random_values<T>(ldc * n);
          const auto old = doubles(c);
          if (beta == 0) c[0] = std::numeric_limits<T>::quiet_NaN();
          const T alpha = T(-1.5);
          OnDevice<T> da(a), db(b), dc(c);
          ok(A::gemm(handle, of_a, of_b, m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc), "gemm");
          const View va{doubles(a), lda, ta}, vb{doubles(b), ldb, tb}, vc{old, ldc};
          compare<T>(dc.get(),
                     filled(c.size(), m, n, ldc,
                            [&](int i, int j) {
                              return alpha * product(va, vb, i, j, k) + (beta == 0 ? 0 : beta * vc(i, j));
                            }),
                     c, k, "gemm" + words({m, n, k, int(of_a), int(of_b), int(beta == 0)}));
        }
      }
    }
  }
  // Lists of matrices, and rows of them.
  constexpr int kBatches = 3, kM = 20, kN = 9, kK = 12;
  const auto a = random_values<T>(kBatches * kM * kK), b = random_values<T>(kBatches * kK * kN),
             c = random_values<T>(kBatches * kM * kN);
  OnDevice<T> da(a), db(b), dc(c), dd(c);
  std::vector<T*> as, bs, cs;
  for (int i = 0; i < kBatches; ++i) {
    as.push_back(da + (kBatches - 1 - i) * kM * kK);  // not in order
    bs.push_back(db + i * kK * kN);
    cs.push_back(dc + i * kM * kN);
  }
  OnDevice<T*> list_a(as), list_b(bs), list_c(cs);
  const T alpha = T(2), beta = T(1);
  ok(A::gemm_list(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, list_a, kM, list_b, kK, &beta, list_c,
                  kM, kBatches),
     "list");
  ok(A::gemm_row(handle, CUBLAS_OP_N, CUBLAS_OP_T, kM, kN, kK, &alpha, da, kM, kM * kK, db, kN, 0, &beta, dd,
                 kM, kM * kN, kBatches),
     "row");
  const View va{doubles(a), kM}, vb{doubles(b), kK}, vt{doubles(b), kN, true};
  std::vector<double> of_list, of_row;
  for (int batch = 0; batch < kBatches; ++batch)
    for (int j = 0; j < kN; ++j)
      for (int i = 0; i < kM; ++i) {
        const double old = item(c, batch * kM * kN + j * kM + i);
        const auto slice = [&](int which) {
          return [&, which](int row, int column) { return va(row, column + which * kK); };
        };
        of_list.push_back(old + 2 * product(
                                        slice(kBatches - 1 - batch),
                                        [&](int p, int q) { return vb(p, q + batch * kN); }, i, j, kK));
        of_row.push_back(old + 2 * product(slice(batch), vt, i, j, kK));
      }
  compare<T>(dc.get(), of_list, c, kK, "gemm of a list");
  compare<T>(dd.get(), of_row, c, kK, "gemm of a row");
}

template <class T>
void level3() {
  using A = Api<T>;
  const T alpha = T(0.75), beta = T(-1.25);
  for (const auto& pair : {std::pair<int, int>{1, 1}, {35, 20}, {12, 50}, {140, 70}}) {
    const int m = pair.first, n = pair.second;
    const int ldb = m + 2, ldc = m + 1;
    const auto b = random_values<T>(ldb * n), c = random_values<T>(ldc * n);
    const View vb{doubles(b), ldb}, vc{doubles(c), ldc};
    for (const auto side : kSides) {
      const bool left = side == CUBLAS_SIDE_LEFT;
      const int order = left ? m : n, lda = order + 3;
      auto a = random_values<T>(lda * order);
      for (int i = 0; i < order; ++i) item(a, i * lda + i) += T(order);  // well to be solved
      OnDevice<T> da(a);
      for (const auto fill : kFills) {
        const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
        {
          OnDevice<T> db(b), dc(c);
          ok(A::symm(handle, side, fill, m, n, &alpha, da, lda, db, ldb, &beta, dc, ldc), "symm");
          const View va{doubles(a), lda, false, true, false, lower};
          compare<T>(dc.get(),
                     filled(c.size(), m, n, ldc,
                            [&](int i, int j) {
                              return alpha * (left ? product(va, vb, i, j, m) : product(vb, va, i, j, n)) +
                                     beta * vc(i, j);
                            }),
                     c, order * order, "symm" + words({m, n, left, lower}));
        }
        for (const auto operation : kOperations) {
          for (const auto diagonal : kDiagonals) {
            const bool across = operation != CUBLAS_OP_N, unit = diagonal == CUBLAS_DIAG_UNIT;
            auto tame = a;
            if (unit)
              for (T& v : tame) v /= T(order);  // so that the solution does not grow
            OnDevice<T> dt(tame), db(b), dc(c);
            const View va{doubles(tame), lda, across, false, true, lower, unit};
            const std::string what = words({m, n, left, lower, int(operation), unit});
            ok(A::trmm(handle, side, fill, operation, diagonal, m, n, &alpha, dt, lda, db, ldb, dc, ldc),
               "trmm");
            const auto times = [&](const auto& x, int i, int j) {
              return left ? product(va, x, i, j, m) : product(x, va, i, j, n);
            };
            compare<T>(dc.get(),
                       filled(c.size(), m, n, ldc, [&](int i, int j) { return alpha * times(vb, i, j); }), c,
                       order * order, "trmm" + what);
            // In its place, and back: the solution of what it was multiplied by.
            const T one = T(1);
            ok(A::trmm(handle, side, fill, operation, diagonal, m, n, &one, dt, lda, db, ldb, db, ldb),
               "trmm");
            ok(A::trsm(handle, side, fill, operation, diagonal, m, n, &alpha, dt, lda, db, ldb), "trsm");
            compare<T>(db.get(), filled(b.size(), m, n, ldb, [&](int i, int j) { return alpha * vb(i, j); }),
                       b, order * order, "trsm" + what);
            if (n != 1 && left) {
              const Steps<T> sx{m, 2};
              const auto x = random_values<T>(sx.total());
              OnDevice<T> dx(x);
              ok(A::trsv(handle, fill, operation, diagonal, m, dt, lda, dx, 2), "trsv");
              const auto solved = dx.get();
              std::vector<double> again(sx.total(), kNothing);
              for (int i = 0; i < m; ++i) {
                again[sx.at(i)] = 0;
                for (int p = 0; p < m; ++p) again[sx.at(i)] += va(i, p) * solved[sx.at(p)];
              }
              compare<T>(x, again, solved.size() == x.size() ? x : solved, order * order, "trsv" + what);
            }
          }
        }
      }
      const auto x = random_values<T>(2 * order);
      OnDevice<T> db(b), dc(c), dx(x);
      ok(A::dgmm(handle, side, m, n, db, ldb, dx, 2, dc, ldc), "dgmm");
      compare<T>(
          dc.get(),
          filled(c.size(), m, n, ldc, [&](int i, int j) { return vb(i, j) * item(x, 2 * (left ? i : j)); }),
          c, 1, "dgmm" + words({m, n, left}));
    }
    for (const auto operation : kOperations) {
      const bool across = operation != CUBLAS_OP_N;
      const int k = 19, lda = (across ? k : n) + 1, ldn = n + 2;
      const auto a = random_values<T>(lda * (across ? n : k)), d = random_values<T>(ldn * n);
      const View va{doubles(a), lda, across}, vt{doubles(a), lda, !across}, vd{doubles(d), ldn};
      for (const auto fill : kFills) {
        const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
        OnDevice<T> da(a), dd(d);
        ok(A::syrk(handle, fill, operation, n, k, &alpha, da, lda, &beta, dd, ldn), "syrk");
        compare<T>(dd.get(),
                   filled(d.size(), n, n, ldn,
                          [&](int i, int j) {
                            return i == j || (i > j) == lower
                                       ? alpha * product(va, vt, i, j, k) + beta * vd(i, j)
                                       : kNothing;
                          }),
                   d, k, "syrk" + words({n, across, lower}));
      }
      const int lde = (across ? n : m) + 1;
      const auto e = random_values<T>(lde * (across ? m : n));
      OnDevice<T> de(e), db(b), dc(c);
      ok(A::geam(handle, operation, CUBLAS_OP_N, m, n, &alpha, de, lde, &beta, db, ldb, dc, ldc), "geam");
      const View ve{doubles(e), lde, across};
      compare<T>(
          dc.get(),
          filled(c.size(), m, n, ldc, [&](int i, int j) { return alpha * ve(i, j) + beta * vb(i, j); }), c, 1,
          "geam" + words({m, n, across}));
    }
  }
}

}  // namespace

void products() {
  gemm<float>();
  gemm<double>();
}
void other_products() {
  level3<float>();
  level3<double>();
}

}  // namespace warpvp::test
