// Functions of cuBLAS beside the levels of BLAS: rotations, factors of batches, groups, and types that are
// told.

#include <memory>

#include "tests/cuda/blas_complex.h"

#define EACH_TYPE(S, T)                                                                                     \
  extern "C" {                                                                                              \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t, int, T* const*, int, int*, int*, int);             \
  cublasStatus_t cublas##S##getriBatched(cublasHandle_t, int, const T* const*, int, const int*, T* const*,  \
                                         int, int*, int);                                                   \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t, cublasOperation_t, int, int, const T* const*, int, \
                                         const int*, T* const*, int, int*, int);                            \
  cublasStatus_t cublas##S##matinvBatched(cublasHandle_t, int, const T* const*, int, T* const*, int, int*,  \
                                          int);                                                             \
  cublasStatus_t cublas##S##geqrfBatched(cublasHandle_t, int, int, T* const*, int, T* const*, int*, int);   \
  cublasStatus_t cublas##S##gelsBatched(cublasHandle_t, cublasOperation_t, int, int, int, T* const*, int,   \
                                        T* const*, int, int*, int*, int);                                   \
  }                                                                                                         \
  namespace warpvp::test {                                                                                  \
  template <>                                                                                               \
  struct FactorApi<T> {                                                                                     \
    static constexpr auto getrf = cublas##S##getrfBatched;                                                  \
    static constexpr auto getri = cublas##S##getriBatched;                                                  \
    static constexpr auto getrs = cublas##S##getrsBatched;                                                  \
    static constexpr auto matinv = cublas##S##matinvBatched;                                                \
    static constexpr auto geqrf = cublas##S##geqrfBatched;                                                  \
    static constexpr auto gels = cublas##S##gelsBatched;                                                    \
  };                                                                                                        \
  }
namespace warpvp::test {
template <class T>
struct FactorApi;
}
EACH_TYPE(S, float)
EACH_TYPE(D, double)
EACH_TYPE(C, ComplexFloat)
EACH_TYPE(Z, ComplexDouble)

#define ROTATIONS(S, T)                                                               \
  cublasStatus_t cublas##S##rotg_v2(cublasHandle_t, T*, T*, T*, T*);                  \
  cublasStatus_t cublas##S##rotm_v2(cublasHandle_t, int, T*, int, T*, int, const T*); \
  cublasStatus_t cublas##S##rotmg_v2(cublasHandle_t, T*, T*, T*, const T*, T*);
extern "C" {
ROTATIONS(S, float)
ROTATIONS(D, double)
cublasStatus_t cublasSgemmGroupedBatched(cublasHandle_t, const cublasOperation_t*, const cublasOperation_t*,
                                         const int*, const int*, const int*, const float*,
                                         const float* const*, const int*, const float* const*, const int*,
                                         const float*, float* const*, const int*, int, const int*);
cublasStatus_t cublasZgemm3m_64(cublasHandle_t, cublasOperation_t, cublasOperation_t, std::int64_t,
                                std::int64_t, std::int64_t, const ComplexDouble*, const ComplexDouble*,
                                std::int64_t, const ComplexDouble*, std::int64_t, const ComplexDouble*,
                                ComplexDouble*, std::int64_t);
cublasStatus_t cublasCgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                         const ComplexFloat*, const ComplexFloat*, int, long long,
                                         const ComplexFloat*, int, long long, const ComplexFloat*,
                                         ComplexFloat*, int, long long, int);
cublasStatus_t cublasCherkEx(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int, const float*,
                             const void*, cudaDataType, int, const float*, void*, cudaDataType, int);
cublasStatus_t cublasHSSgemvBatched(cublasHandle_t, cublasOperation_t, int, int, const float*,
                                    const void* const*, int, const void* const*, int, const float*,
                                    float* const*, int, int);
cublasStatus_t cublasAsumEx(cublasHandle_t, int, const void*, cudaDataType, int, void*, cudaDataType,
                            cudaDataType);
cublasStatus_t cublasIamaxEx_64(cublasHandle_t, std::int64_t, const void*, cudaDataType, std::int64_t,
                                std::int64_t*);
cublasStatus_t cublasCopyEx(cublasHandle_t, int, const void*, cudaDataType, int, void*, cudaDataType, int);
cublasStatus_t cublasSwapEx(cublasHandle_t, int, void*, cudaDataType, int, void*, cudaDataType, int);
cublasStatus_t cublasDotcEx(cublasHandle_t, int, const void*, cudaDataType, int, const void*, cudaDataType,
                            int, void*, cudaDataType, cudaDataType);
cublasStatus_t cublasRotEx(cublasHandle_t, int, void*, cudaDataType, int, void*, cudaDataType, int,
                           const void*, const void*, cudaDataType, cudaDataType);
cublasStatus_t cublasSetMatrix_64(std::int64_t, std::int64_t, std::int64_t, const void*, std::int64_t, void*,
                                  std::int64_t);
cublasStatus_t cublasSaxpy_v2_64(cublasHandle_t, std::int64_t, const float*, const float*, std::int64_t,
                                 float*, std::int64_t);
}

namespace warpvp::test {
namespace {

template <class T>
struct Rotations;
template <>
struct Rotations<float> {
  static constexpr auto rotg = cublasSrotg_v2;
  static constexpr auto rotm = cublasSrotm_v2;
  static constexpr auto rotmg = cublasSrotmg_v2;
};
template <>
struct Rotations<double> {
  static constexpr auto rotg = cublasDrotg_v2;
  static constexpr auto rotm = cublasDrotm_v2;
  static constexpr auto rotmg = cublasDrotmg_v2;
};

template <class T>
void rotations() {
  using A = Rotations<T>;
  const double tolerance = 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const auto& pair : {std::pair<double, double>{3, 4}, {-4, 3}, {2, -2}, {0, 5}, {5, 0}, {0, 0}}) {
    T a = T(pair.first), b = T(pair.second), c = 9, s = 9;
    ok(A::rotg(handle, &a, &b, &c, &s), "rotg");
    const double r = a;
    expect(std::fabs(double(c) * pair.first + double(s) * pair.second - r) < tolerance &&
               std::fabs(double(c) * pair.second - double(s) * pair.first) < tolerance &&
               std::fabs(double(c) * c + double(s) * s - 1) < tolerance,
           "rotg of " + std::to_string(pair.first) + " " + std::to_string(pair.second));
    // What the reference BLAS says that c and s can be had from.
    const double z = b,
                 of_c = std::fabs(z) < 1 ? std::sqrt(1 - z * z)
                        : z == 1         ? 0
                                         : 1 / z,
                 of_s = std::fabs(z) < 1 ? z
                        : z == 1         ? 1
                                         : std::sqrt(1 - of_c * of_c);
    expect(std::fabs(of_c - c) < tolerance && std::fabs(of_s - s) < tolerance, "rotg's z");
  }
  // (x1, y1) is scaled by the roots of d1 and d2: a modified rotation keeps d1 x1^2 + d2 y1^2 and makes the
  // second 0.
  for (const auto& values : std::vector<std::vector<double>>{{2, 3, 1.5, -0.5},
                                                             {0.5, 3, 0.25, 4},
                                                             {1e-9, 3, 2e5, 0.25},
                                                             {3, 1e9, 1, 2},
                                                             {2, 3, 1, 0},
                                                             {-1, 3, 1, 2}}) {
    for (const bool on_device : {false, true}) {
      T d1 = T(values[0]), d2 = T(values[1]), x1 = T(values[2]), y1 = T(values[3]);
      std::vector<T> how(5, T(7));
      if (on_device) {
        OnDevice<T> all({d1, d2, x1, y1}), there(how);
        cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE);
        ok(A::rotmg(handle, all, all + 1, all + 2, all + 3, there), "rotmg");
        cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
        how = there.get();
        const auto back = all.get();
        d1 = back[0], d2 = back[1], x1 = back[2];
      } else {
        ok(A::rotmg(handle, &d1, &d2, &x1, &y1, how.data()), "rotmg");
      }
      const std::string what = "rotmg of " + std::to_string(values[0]) + " " + std::to_string(values[1]);
      if (values[0] < 0) {
        expect(how[0] == -1 && d1 == 0 && d2 == 0 && x1 == 0 && how[1] == 0 && how[4] == 0, what);
        continue;
      }
      if (values[3] == 0) {
        expect(how[0] == -2 && d1 == T(2) && how[1] == T(7), what);
        continue;
      }
      const double before = values[0] * values[2] * values[2] + values[1] * values[3] * values[3];
      expect(std::fabs(double(d1) * double(x1) * double(x1) / before - 1) < tolerance,
             what + " keeps the length");
      OnDevice<T> dx({T(values[2])}), dy({T(values[3])});
      ok(A::rotm(handle, 1, dx, 1, dy, 1, how.data()), "rotm");
      expect(std::fabs(dx.get()[0] / x1 - 1) < tolerance, what + " and rotm, x");
      expect(std::fabs(double(dy.get()[0])) < tolerance * std::fabs(values[3]) * 4096, what + " and rotm, y");
    }
  }
  const std::vector<std::vector<T>> forms = {
      {-2, 9, 9, 9, 9}, {-1, T(0.5), 2, 3, T(-0.25)}, {0, 9, 2, 3, 9}, {1, T(0.5), 9, 9, T(-0.25)}};
  const T full[4][4] = {{1, 0, 0, 1}, {T(0.5), 2, 3, T(-0.25)}, {1, 2, 3, 1}, {T(0.5), -1, 1, T(-0.25)}};
  for (std::size_t form = 0; form < forms.size(); ++form) {
    const Line<T> x(70, 2), y(70, -3);
    OnDevice<T> dx(x.values), dy(y.values), h(forms[form]);
    cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE);
    ok(A::rotm(handle, 70, dx, 2, dy, -3, h), "rotm");
    cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
    const T* const m = full[form];
    compare_line(dx.get(), x, sum(m[0], x.column(), m[2], y.column()), 2, "rotm x" + words({int(form)}));
    compare_line(dy.get(), y, sum(m[1], x.column(), m[3], y.column()), 2, "rotm y" + words({int(form)}));
  }
}

// ---- factors of batches

template <class T>
Whole of_columns(const std::vector<T>& values, int m, int n, int leading, int first = 0) {
  return whole(m, n, [&](int i, int j) { return wide(item(values, first + i + j * leading)); });
}
double greatest(const Whole& a) {
  double most = 0;
  for (const Z& v : a.values) most = std::max(most, std::abs(v));
  return most;
}

template <class T>
void factors_of_batches() {
  using A = FactorApi<T>;
  const std::string letter = kLetter<T>;
  const double tolerance = 2000 * static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  constexpr int kCount = 2, kN = 23, kLeading = 25, kColumns = 3;
  std::vector<T> all;
  std::vector<Whole> as, bs;
  std::vector<T> rights;
  for (int i = 0; i < kCount; ++i) {
    as.push_back(random_whole<T>(kN, kN));
    bs.push_back(random_whole<T>(kN, kColumns));
    const auto columns = in_columns<T>(as.back(), kLeading), right = in_columns<T>(bs.back(), kLeading);
    all.insert(all.end(), columns.begin(), columns.end() - 1);
    rights.insert(rights.end(), right.begin(), right.end() - 1);
  }
  constexpr int kSize = kLeading * kN, kRight = kLeading * kColumns;
  OnDevice<T> da(all), dc(all), db(rights);
  OnDevice<T*> list_a({da, da + kSize}), list_c({dc, dc + kSize}), list_b({db, db + kRight});
  OnDevice<int> pivots(std::vector<int>(kN * kCount)), infos(std::vector<int>(kCount, 9));
  const auto identity = whole(kN, kN, [](int i, int j) { return Z(i == j); });
  const auto expect_inverse = [&](const char* name) {
    for (int i = 0; i < kCount; ++i)
      expect(greatest(sum(1, times(as[std::size_t(i)], of_columns(dc.get(), kN, kN, kLeading, i * kSize)), -1,
                          identity)) < tolerance,
             letter + name + words({i}));
    expect(infos.get() == std::vector<int>(kCount, 0), letter + name + " info");
  };
  ok(A::matinv(handle, kN, list_a, kLeading, list_c, kLeading, infos, kCount), "matinv");
  expect_inverse("matinv");
  expect(std::memcmp(da.get().data(), all.data(), all.size() * sizeof(T)) == 0,
         letter + "matinv leaves A as it was");
  dc.put(all);
  ok(A::getrf(handle, kN, list_a, kLeading, pivots, infos, kCount), "getrf");
  ok(A::getri(handle, kN, list_a, kLeading, pivots, list_c, kLeading, infos, kCount), "getri");
  expect_inverse("getri");
  for (const auto operation : kOperations) {
    db.put(rights);
    int info = 9;
    ok(A::getrs(handle, operation, kN, kColumns, list_a, kLeading, pivots, list_b, kLeading, &info, kCount),
       "getrs");
    for (int i = 0; i < kCount; ++i)
      expect(greatest(sum(1,
                          times(after(operation, as[std::size_t(i)]),
                                of_columns(db.get(), kN, kColumns, kLeading, i * kRight)),
                          -1, bs[std::size_t(i)])) < tolerance,
             letter + "getrs" + words({i, int(operation)}));
    expect(info == 0, letter + "getrs info");
  }
  int info = 9;
  expect(A::matinv(handle, 33, list_a, 33, list_c, 33, infos, kCount) == CUBLAS_STATUS_INVALID_VALUE,
         letter + "matinv of more than 32 rows");

  // QR: A^H A is R^H R, and Q, made of the reflections, times R is A.
  for (const auto& size : {std::pair<int, int>{30, 12}, {9, 17}, {1, 1}}) {
    const int m = size.first, n = size.second, steps = std::min(m, n), lda = m + 2;
    const Whole a = random_whole<T>(m, n);
    const auto columns = in_columns<T>(a, lda);
    OnDevice<T> dq(columns), taus(random_elements<T>(std::size_t(steps + 1)));
    OnDevice<T*> list_q({dq}), list_tau({taus});
    info = 9;
    ok(A::geqrf(handle, m, n, list_q, lda, list_tau, &info, 1), "geqrf");
    const auto got = dq.get();
    const auto tau = taus.get();
    Whole r = whole(m, n, [&](int i, int j) { return i <= j ? wide(item(got, i + j * lda)) : Z(0); });
    for (int k = steps - 1; k >= 0; --k) {  // (1 - tau v v^H) R
      const auto v = [&](int i) { return i < k ? Z(0) : i == k ? Z(1) : wide(item(got, i + k * lda)); };
      for (int j = 0; j < n; ++j) {
        Z product = 0;
        for (int i = 0; i < m; ++i) product += std::conj(v(i)) * r(i, j);
        for (int i = 0; i < m; ++i) r(i, j) -= wide(item(tau, k)) * v(i) * product;
      }
    }
    compare_columns(columns, columns, r, lda, 40 * m, letter + "geqrf" + words({m, n}));
    expect(info == 0, letter + "geqrf info");
  }
  // Least squares: what is left is at right angles to the columns of A.
  {
    constexpr int kM = 40, kUnknowns = 11, kLda = 41, kLdb = 43;
    const Whole a = random_whole<T>(kM, kUnknowns), b = random_whole<T>(kM, kColumns);
    OnDevice<T> dq(in_columns<T>(a, kLda)), dx(in_columns<T>(b, kLdb));
    OnDevice<T*> list_q({dq}), list_x({dx});
    ok(A::gels(handle, CUBLAS_OP_N, kM, kUnknowns, kColumns, list_q, kLda, list_x, kLdb, &info, infos, 1),
       "gels");
    const Whole left = sum(1, times(a, of_columns(dx.get(), kUnknowns, kColumns, kLdb)), -1, b);
    expect(greatest(times(after(CUBLAS_OP_C, a), left)) < tolerance, letter + "gels");
    expect(info == 0 && infos.get()[0] == 0, letter + "gels info");
    expect(A::gels(handle, CUBLAS_OP_N, 3, 4, 1, list_q, 4, list_x, 4, &info, infos, 1) ==
               CUBLAS_STATUS_NOT_SUPPORTED,
           letter + "gels of more unknowns than equations");
    // Columns alike: the second has nothing left of its own.
    OnDevice<T> zeros(std::vector<T>(6, narrow<T>(0)));
    OnDevice<T*> list_zeros({zeros});
    ok(A::gels(handle, CUBLAS_OP_N, 3, 2, 1, list_zeros, 3, list_x, 4, &info, infos, 1), "gels");
    expect(infos.get()[0] == 1, letter + "gels of zeros");
  }
}

// ---- groups, and types that are told

void groups() {
  const cublasOperation_t of_a[] = {CUBLAS_OP_N, CUBLAS_OP_T}, of_b[] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const int m[] = {5, 34}, n[] = {4, 3}, k[] = {6, 20}, lda[] = {5, 20}, ldb[] = {6, 20}, ldc[] = {7, 34},
            sizes[] = {2, 1};
  const float alphas[] = {2, -0.5f}, betas[] = {0.25f, 1};
  std::vector<Whole> as, bs, cs;
  std::vector<std::vector<float>> befores;
  std::vector<std::unique_ptr<OnDevice<float>>> memory;
  std::vector<float*> list_a, list_b, list_c;
  const auto keep = [&](const std::vector<float>& values) {
    memory.push_back(std::make_unique<OnDevice<float>>(values));
    return static_cast<float*>(*memory.back());
  };
  for (const int g : {0, 0, 1}) {
    as.push_back(of_a[g] == CUBLAS_OP_N ? random_whole<float>(m[g], k[g]) : random_whole<float>(k[g], m[g]));
    bs.push_back(random_whole<float>(k[g], n[g]));
    cs.push_back(random_whole<float>(m[g], n[g]));
    befores.push_back(in_columns<float>(cs.back(), ldc[g]));
    list_a.push_back(keep(in_columns<float>(as.back(), lda[g])));
    list_b.push_back(keep(in_columns<float>(bs.back(), ldb[g])));
    list_c.push_back(keep(befores.back()));
  }
  OnDevice<float*> da(list_a), db(list_b), dc(list_c);
  ok(cublasSgemmGroupedBatched(handle, of_a, of_b, m, n, k, alphas, da, lda, db, ldb, betas, dc, ldc, 2,
                               sizes),
     "gemmGroupedBatched");
  for (std::size_t i = 0; i < 3; ++i) {
    const int g = i == 2;
    compare_columns(memory[3 * i + 2]->get(), befores[i],
                    sum(alphas[g], times(after(of_a[g], as[i]), bs[i]), betas[g], cs[i]), ldc[g], k[g],
                    "gemmGroupedBatched" + words({int(i)}));
  }
}

void types_told() {
  using C = Complex<float>;
  using D = Complex<double>;
  // Complex numbers in bytes: exact.
  constexpr int kN = 20, kK = 7;
  std::uniform_int_distribution<int> any(-5, 5);
  std::vector<Complex<signed char>> bytes(kN * kK);
  for (auto& v : bytes) {
    v.re = static_cast<signed char>(any(numbers));
    v.im = static_cast<signed char>(any(numbers));
  }
  const Whole a = whole(kN, kK, [&](int i, int j) {
    const auto v = item(bytes, i + j * kN);
    return Z(v.re, v.im);
  });
  const auto before = random_elements<C>(kN * kN);
  OnDevice<Complex<signed char>> da(bytes);
  OnDevice<C> dc(before);
  const float two = 2, zero = 0;
  ok(cublasCherkEx(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, kN, kK, &two, da, CUDA_C_8I, kN, &zero, dc,
                   CUDA_C_32F, kN),
     "CherkEx");
  compare_columns(dc.get(), before, sum(2, times(a, after(CUBLAS_OP_C, a)), 0, Whole(kN, kN)), kN, 0,
                  "CherkEx", triangle_of(false));
  // Rows of complex products, and one with sizes of eight bytes.
  const Whole p = random_whole<C>(6, 8), q = random_whole<C>(4, 6);  // two of 6 x 4, one of 4 x 6
  const auto old = random_elements<C>(2 * 36);
  OnDevice<C> dp(in_columns<C>(p, 6)), dq(in_columns<C>(q, 4)), rows(old);
  const C one = 1, none = 0;
  ok(cublasCgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 6, 6, 4, &one, dp, 6, 24, dq, 4, 0, &none,
                               rows, 6, 36, 2),
     "CgemmStridedBatched");
  for (const int batch : {0, 1}) {
    const Whole half = whole(6, 4, [&](int i, int j) { return p(i, j + 4 * batch); });
    const Whole got = of_columns(rows.get(), 6, 6, 6, 36 * batch);
    expect(greatest(sum(1, times(half, q), -1, got)) < 1e-5, "CgemmStridedBatched" + words({batch}));
  }
  const Whole wide_p = random_whole<D>(6, 4), wide_q = random_whole<D>(6, 5);
  OnDevice<D> dwp(in_columns<D>(wide_p, 6)), dwq(in_columns<D>(wide_q, 6)), dwr(std::vector<D>(20, D(7)));
  const D i_times = {0, 1}, nothing = 0;
  ok(cublasZgemm3m_64(handle, CUBLAS_OP_C, CUBLAS_OP_N, 4, 5, 6, &i_times, dwp, 6, dwq, 6, &nothing, dwr, 4),
     "Zgemm3m_64");
  expect(greatest(sum(Z(0, 1), times(after(CUBLAS_OP_C, wide_p), wide_q), -1,
                      of_columns(dwr.get(), 4, 5, 4))) < 1e-13,
         "Zgemm3m_64");
  expect(cublasSaxpy_v2_64(handle, std::int64_t{1} << 40, &two, nullptr, 1, nullptr, 1) ==
             CUBLAS_STATUS_NOT_SUPPORTED,
         "a size that four bytes do not hold");
  // Halves in a list, summed in float: 3 x 2 times (1, 2).
  const auto half_of = [](int v) {
    return std::uint16_t(v == 0 ? 0 : v == 1 ? 0x3c00 : v == 2 ? 0x4000 : 0x4200);
  };
  OnDevice<std::uint16_t> halves({half_of(1), half_of(0), half_of(3), half_of(2), half_of(1), half_of(1)}),
      x({half_of(1), half_of(2)});
  OnDevice<float> y(std::vector<float>(6, 1.0f));
  OnDevice<void*> list_a({static_cast<std::uint16_t*>(halves)}), list_x({static_cast<std::uint16_t*>(x)});
  OnDevice<float*> list_y({y});
  ok(cublasHSSgemvBatched(handle, CUBLAS_OP_N, 3, 2, &two, static_cast<void**>(list_a), 3,
                          static_cast<void**>(list_x), 1, &two, list_y, 2, 1),
     "HSSgemvBatched");
  expect(y.get() == std::vector<float>{12, 1, 6, 1, 12, 1}, "HSSgemvBatched");
  // Level 1.
  const std::vector<D> values = {{3, 4}, {-6, 1}, {0, 2}};
  OnDevice<D> dv(values), dw(std::vector<D>{{1, 1}, {2, 0}, {0, -1}});
  double sum_of_parts = 0;
  ok(cublasAsumEx(handle, 3, dv, CUDA_C_64F, 1, &sum_of_parts, CUDA_R_64F, CUDA_R_64F), "AsumEx");
  expect(sum_of_parts == 16, "AsumEx");
  std::int64_t place = 0;
  ok(cublasIamaxEx_64(handle, 3, dv, CUDA_C_64F, 1, &place), "IamaxEx");
  expect(place == 1, "IamaxEx: the first of two alike");
  D product;
  ok(cublasDotcEx(handle, 3, dv, CUDA_C_64F, 1, dw, CUDA_C_64F, 1, &product, CUDA_C_64F, CUDA_C_64F),
     "DotcEx");
  // (3 - 4i)(1 + i) + (-6 - i) 2 + (-2i)(-i) = 7 - i - 12 - 2i - 2
  expect(product.re == -7 && product.im == -3, "DotcEx");
  ok(cublasSwapEx(handle, 3, dv, CUDA_C_64F, 1, dw, CUDA_C_64F, 1), "SwapEx");
  expect(dw.get()[1].re == -6 && dv.get()[1].re == 2, "SwapEx");
  ok(cublasCopyEx(handle, 3, dw, CUDA_C_64F, 1, dv, CUDA_C_64F, 1), "CopyEx");
  expect(dv.get()[0].im == 4, "CopyEx");
  const double c = 0.6, s = 0.8;
  ok(cublasRotEx(handle, 1, dv, CUDA_C_64F, 1, dw, CUDA_C_64F, 1, &c, &s, CUDA_R_64F, CUDA_C_64F), "RotEx");
  expect(std::fabs(dv.get()[0].re - 4.2) < 1e-12 && std::fabs(dw.get()[0].im + 0.8) < 1e-12, "RotEx");
  expect(cublasCopyEx(handle, 3, dw, CUDA_C_64F, 1, dv, CUDA_C_32F, 1) == CUBLAS_STATUS_NOT_SUPPORTED,
         "a copy to another type");
}

}  // namespace

void other_functions() {
  rotations<float>();
  rotations<double>();
  factors_of_batches<float>();
  factors_of_batches<double>();
  factors_of_batches<Complex<float>>();
  factors_of_batches<Complex<double>>();
  groups();
  types_told();
}

}  // namespace warpvp::test
