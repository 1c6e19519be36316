// Matrices of which a part is stored, and products that change matrices, of cuBLAS.

#include "tests/cuda/blas_complex.h"

#define STORED(S, sy, sb, sp, T, By, Int, _)                                                                 \
  extern "C" {                                                                                               \
  cublasStatus_t cublas##S##gbmv_v2##_(cublasHandle_t, cublasOperation_t, Int, Int, Int, Int, const T*,      \
                                       const T*, Int, const T*, Int, const T*, T*, Int);                     \
  cublasStatus_t cublas##S##sy##mv_v2##_(cublasHandle_t, cublasFillMode_t, Int, const T*, const T*, Int,     \
                                         const T*, Int, const T*, T*, Int);                                  \
  cublasStatus_t cublas##S##sb##mv_v2##_(cublasHandle_t, cublasFillMode_t, Int, Int, const T*, const T*,     \
                                         Int, const T*, Int, const T*, T*, Int);                             \
  cublasStatus_t cublas##S##sp##mv_v2##_(cublasHandle_t, cublasFillMode_t, Int, const T*, const T*,          \
                                         const T*, Int, const T*, T*, Int);                                  \
  cublasStatus_t cublas##S##sy##r_v2##_(cublasHandle_t, cublasFillMode_t, Int, const By*, const T*, Int, T*, \
                                        Int);                                                                \
  cublasStatus_t cublas##S##sp##r_v2##_(cublasHandle_t, cublasFillMode_t, Int, const By*, const T*, Int,     \
                                        T*);                                                                 \
  cublasStatus_t cublas##S##sy##r2_v2##_(cublasHandle_t, cublasFillMode_t, Int, const T*, const T*, Int,     \
                                         const T*, Int, T*, Int);                                            \
  cublasStatus_t cublas##S##sp##r2_v2##_(cublasHandle_t, cublasFillMode_t, Int, const T*, const T*, Int,     \
                                         const T*, Int, T*);                                                 \
  TRIANGLES(S, mv, T, Int, _)                                                                                \
  TRIANGLES(S, sv, T, Int, _)                                                                                \
  cublasStatus_t cublas##S##tpttr(cublasHandle_t, cublasFillMode_t, int, const T*, T*, int);                 \
  cublasStatus_t cublas##S##trttp(cublasHandle_t, cublasFillMode_t, int, const T*, int, T*);                 \
  }                                                                                                          \
  namespace warpvp::test {                                                                                   \
  template <>                                                                                                \
  struct StoredApi<T> {                                                                                      \
    static constexpr auto gbmv = cublas##S##gbmv_v2##_;                                                      \
    static constexpr auto symv = cublas##S##sy##mv_v2##_;                                                    \
    static constexpr auto sbmv = cublas##S##sb##mv_v2##_;                                                    \
    static constexpr auto spmv = cublas##S##sp##mv_v2##_;                                                    \
    static constexpr auto syr = cublas##S##sy##r_v2##_;                                                      \
    static constexpr auto spr = cublas##S##sp##r_v2##_;                                                      \
    static constexpr auto syr2 = cublas##S##sy##r2_v2##_;                                                    \
    static constexpr auto spr2 = cublas##S##sp##r2_v2##_;                                                    \
    static constexpr auto trmv = cublas##S##trmv_v2##_;                                                      \
    static constexpr auto tbmv = cublas##S##tbmv_v2##_;                                                      \
    static constexpr auto tpmv = cublas##S##tpmv_v2##_;                                                      \
    static constexpr auto trsv = cublas##S##trsv_v2##_;                                                      \
    static constexpr auto tbsv = cublas##S##tbsv_v2##_;                                                      \
    static constexpr auto tpsv = cublas##S##tpsv_v2##_;                                                      \
    static constexpr auto tpttr = cublas##S##tpttr;                                                          \
    static constexpr auto trttp = cublas##S##trttp;                                                          \
  };                                                                                                         \
  }
#define TRIANGLES(S, v, T, Int, _)                                                             \
  cublasStatus_t cublas##S##tr##v##_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, \
                                          cublasDiagType_t, Int, const T*, Int, T*, Int);      \
  cublasStatus_t cublas##S##tb##v##_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, \
                                          cublasDiagType_t, Int, Int, const T*, Int, T*, Int); \
  cublasStatus_t cublas##S##tp##v##_v2##_(cublasHandle_t, cublasFillMode_t, cublasOperation_t, \
                                          cublasDiagType_t, Int, const T*, T*, Int);

namespace warpvp::test {
template <class T>
struct StoredApi;
}
// Sizes of eight bytes with two of the types: both kinds are made of the same text.
STORED(S, sy, sb, sp, float, float, std::int64_t, _64)
STORED(D, sy, sb, sp, double, double, int, )
STORED(C, he, hb, hp, ComplexFloat, float, int, )
STORED(Z, he, hb, hp, ComplexDouble, double, std::int64_t, _64)

namespace warpvp::test {
namespace {

const int kSteps[][2] = {{1, 1}, {-2, 3}};

template <class T>
void bands() {
  using A = StoredApi<T>;
  const std::string letter = kLetter<T>;
  const T alpha = narrow<T>({1.25, -0.5}), beta = narrow<T>({-0.75, 0.25});
  for (const auto& size :
       std::vector<std::vector<int>>{{1, 1, 0, 0}, {40, 33, 3, 7}, {20, 300, 5, 0}, {9, 9, 20, 20}}) {
    const int m = size[0], n = size[1], below = size[2], above = size[3], lda = below + above + 2;
    const Whole a = whole(
        m, n, [&](int i, int j) { return i - j <= below && j - i <= above ? random_number<T>() : Z(0); });
    OnDevice<T> da(in_band<T>(a, below, above, lda));
    for (const auto operation : kOperations) {
      const Whole op = after(operation, a);
      for (const auto& steps : kSteps) {
        const Line<T> x(op.columns, steps[0]), y(op.rows, steps[1]);
        OnDevice<T> dx(x.values), dy(y.values);
        ok(A::gbmv(handle, operation, m, n, below, above, &alpha, da, lda, dx, steps[0], &beta, dy, steps[1]),
           "gbmv");
        compare_line(dy.get(), y, sum(wide(alpha), times(op, x.column()), wide(beta), y.column()),
                     below + above, letter + "gbmv" + words({m, n, int(operation), steps[0]}));
      }
    }
  }
}

/// Symmetric ones of real numbers, Hermitian ones of complex numbers.
template <class T>
void symmetric() {
  using A = StoredApi<T>;
  const std::string letter = kLetter<T>;
  constexpr bool kHermitian = kComplex<T>;
  const T alpha = narrow<T>({1.25, -0.5}), beta = narrow<T>({-0.75, 0.25}), none = narrow<T>(0);
  const Real<T> real_alpha = Real<T>(0.625);
  for (const int n : {1, 37, 270}) {
    const int lda = n + 3, k = n / 4, ldb = k + 2;
    const Whole a = random_symmetric<T>(n, kHermitian);
    const Whole narrow_a = whole(n, n, [&](int i, int j) { return std::abs(i - j) <= k ? a(i, j) : Z(0); });
    for (const auto fill : kFills) {
      const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      const Whole stored = spoilt(a, kHermitian), stored_band = spoilt(narrow_a, kHermitian);
      const auto columns = in_columns<T>(stored, lda, triangle_of(lower));
      const auto line = in_line<T>(stored, lower);
      OnDevice<T> da(columns), dp(line), db(in_band<T>(stored_band, lower ? k : 0, lower ? 0 : k, ldb));
      for (const auto& steps : kSteps) {
        const Line<T> x(n, steps[0]), y(n, steps[1]);
        const std::string what = words({n, lower, steps[0]});
        const Whole wanted = sum(wide(alpha), times(a, x.column()), wide(beta), y.column());
        OnDevice<T> dx(x.values), dy(y.values);
        ok(A::symv(handle, fill, n, &alpha, da, lda, dx, steps[0], &beta, dy, steps[1]), "symv");
        compare_line(dy.get(), y, wanted, n, letter + "symv" + what);
        dy.put(y.values);
        ok(A::spmv(handle, fill, n, &alpha, dp, dx, steps[0], &beta, dy, steps[1]), "spmv");
        compare_line(dy.get(), y, wanted, n, letter + "spmv" + what);
        dy.put(y.values);
        ok(A::sbmv(handle, fill, n, k, &alpha, db, ldb, dx, steps[0], &none, dy, steps[1]), "sbmv");
        compare_line(dy.get(), y, sum(wide(alpha), times(narrow_a, x.column()), 0, y.column()), n,
                     letter + "sbmv" + what);

        // Products that change the matrix; factors on the host and on the device.
        const auto conjugated = kHermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
        const Whole xx = times(x.column(), after(conjugated, x.column()));
        const Whole xy = times(x.column(), after(conjugated, y.column()));
        const Whole yx = times(y.column(), after(conjugated, x.column()));
        const Whole one = sum(real_alpha, xx, 1, a);
        const Whole two = sum(1, sum(wide(alpha), xy, conjugate_if(kHermitian, wide(alpha)), yx), 1, a);
        const auto place = [&](int i, int j) {
          if (i != j && (i > j) != lower) return std::ptrdiff_t{-1};
          return std::ptrdiff_t{lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2};
        };
        OnDevice<T> dc(columns), dq(line);
        dy.put(y.values);
        OnDevice<Real<T>> real_there(std::vector<Real<T>>{real_alpha});
        OnDevice<T> there(std::vector<T>{alpha});
        for (const bool on_device : {false, true}) {
          cublasSetPointerMode_v2(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
          const Real<T>* by_real = on_device ? static_cast<Real<T>*>(real_there) : &real_alpha;
          const T* by = on_device ? static_cast<T*>(there) : &alpha;
          const std::string text = what + (on_device ? " factor there" : "");
          dc.put(columns);
          ok(A::syr(handle, fill, n, by_real, dx, steps[0], dc, lda), "syr");
          compare_columns(dc.get(), columns, one, lda, 2, letter + "syr" + text, triangle_of(lower));
          dq.put(line);
          ok(A::spr(handle, fill, n, by_real, dx, steps[0], dq), "spr");
          compare_places(dq.get(), line, one, place, 2, letter + "spr" + text);
          dc.put(columns);
          ok(A::syr2(handle, fill, n, by, dx, steps[0], dy, steps[1], dc, lda), "syr2");
          compare_columns(dc.get(), columns, two, lda, 4, letter + "syr2" + text, triangle_of(lower));
          dq.put(line);
          ok(A::spr2(handle, fill, n, by, dx, steps[0], dy, steps[1], dq), "spr2");
          compare_places(dq.get(), line, two, place, 4, letter + "spr2" + text);
        }
        cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
      }
      // From one way of storing it to the other.
      OnDevice<T> dc(columns), dq(line);
      ok(A::trttp(handle, fill, n, da, lda, dq), "trttp");
      expect(std::memcmp(dq.get().data(), line.data(), line.size() * sizeof(T)) == 0,
             letter + "trttp" + words({n, lower}));
      dc.put(std::vector<T>(columns.size(), narrow<T>(Z(kGarbage, kGarbage))));
      ok(A::tpttr(handle, fill, n, dp, dc, lda), "tpttr");
      expect(std::memcmp(dc.get().data(), columns.data(), columns.size() * sizeof(T)) == 0,
             letter + "tpttr" + words({n, lower}));
    }
  }
}

template <class T>
void triangular() {
  using A = StoredApi<T>;
  const std::string letter = kLetter<T>;
  for (const int n : {1, 45, 300}) {
    for (const int k : {2, n}) {
      for (const auto fill : kFills) {
        for (const auto diagonal : kDiagonals) {
          const bool lower = fill == CUBLAS_FILL_MODE_LOWER, unit = diagonal == CUBLAS_DIAG_UNIT;
          const Whole a = random_triangle<T>(n, k, lower, unit);
          Whole stored = a;  // what a unit diagonal has instead is not read
          for (int i = 0; unit && i < n; ++i) stored(i, i) = kGarbage;
          const int lda = n + 1, ldb = k + 3;
          OnDevice<T> da(in_columns<T>(stored, lda, triangle_of(lower))), dp(in_line<T>(stored, lower)),
              db(in_band<T>(stored, lower ? k : 0, lower ? 0 : k, ldb));
          for (const auto operation : kOperations) {
            const Whole op = after(operation, a);
            const int step = operation == CUBLAS_OP_N ? -2 : 1;
            const Line<T> x(n, step);
            const std::string what = words({n, k, lower, unit, int(operation)});
            OnDevice<T> dx(x.values);
            const auto tried = [&](const char* name, const Whole& wanted, auto&& call) {
              dx.put(x.values);
              ok(call(), name);
              compare_line(dx.get(), x, wanted, n, letter + name + what);
            };
            // Solved: op(A) times the solution is what was there.
            const auto solved = [&](const char* name, auto&& call) {
              dx.put(x.values);
              ok(call(), name);
              Line<T> found = x;
              found.values = dx.get();
              const Whole again = times(op, found.column());
              for (int i = 0; i < n; ++i) found.values[x.steps.at(i)] = narrow<T>(again(i, 0));
              compare_line(found.values, x, x.column(), n, letter + name + what);
            };
            const Whole product = times(op, x.column());
            if (k == n) {
              tried("trmv", product,
                    [&] { return A::trmv(handle, fill, operation, diagonal, n, da, lda, dx, step); });
              tried("tpmv", product,
                    [&] { return A::tpmv(handle, fill, operation, diagonal, n, dp, dx, step); });
              solved("trsv",
                     [&] { return A::trsv(handle, fill, operation, diagonal, n, da, lda, dx, step); });
              solved("tpsv", [&] { return A::tpsv(handle, fill, operation, diagonal, n, dp, dx, step); });
            }
            tried("tbmv", product,
                  [&] { return A::tbmv(handle, fill, operation, diagonal, n, k, db, ldb, dx, step); });
            solved("tbsv",
                   [&] { return A::tbsv(handle, fill, operation, diagonal, n, k, db, ldb, dx, step); });
          }
        }
      }
    }
  }
}

template <class T>
void all_stored() {
  bands<T>();
  symmetric<T>();
  triangular<T>();
}

}  // namespace

void stored_matrices() {
  all_stored<float>();
  all_stored<double>();
  all_stored<Complex<float>>();
  all_stored<Complex<double>>();
}

}  // namespace warpvp::test
