// Triangles, factors and tridiagonal systems: what is found is put in again.

#include "tests/cuda/sparse_checks.h"

namespace warpvp::test {
namespace {

/// Square, with entries on both sides of a diagonal that outweighs them.
Matrix heavy_diagonal(cudaDataType type, int n, unsigned one_in) {
  Matrix m(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i != j && below(one_in) != 0) continue;
      const Number v = random_numbers(type, 1)[0] / 8.0;
      m.put(i, j, i == j ? v + (is_complex(type) ? Number(4, 1) : Number(4)) : v);
    }
  return m;
}
/// The part that a function is told to take.
Matrix triangle_of(const Matrix& a, bool upper, bool unit) {
  Matrix t(a.rows, a.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) {
      if (i == j) t.put(i, j, unit ? Number(1) : a(i, j));
      if (a.has[a.place(i, j)] && (upper ? j > i : j < i)) t.put(i, j, a(i, j));
    }
  return t;
}
void set_triangle(cusparseSpMatDescr_t descr, bool upper, bool unit) {
  cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER, told;
  cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
  ok(cusparseSpMatSetAttribute(descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "SpMatSetAttribute");
  ok(cusparseSpMatSetAttribute(descr, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
     "SpMatSetAttribute");
  ok(cusparseSpMatGetAttribute(descr, CUSPARSE_SPMAT_FILL_MODE, &told, sizeof told), "SpMatGetAttribute");
  expect(told == fill, "an attribute is what it was set to");
}
Matrix scaled(const Matrix& a, Number by) {
  Matrix m = a;
  for (Number& v : m.at) v *= by;
  return m;
}

void one_side(cudaDataType type, const Form& form, cusparseOperation_t operation, bool upper, bool unit,
              int n) {
  const Matrix a = heavy_diagonal(type, n, 6), t = triangle_of(a, upper, unit).after(operation);
  SparseThere a_there(a, type, form);
  set_triangle(a_there.descr, upper, unit);
  const Numbers b = random_numbers(type, static_cast<std::size_t>(n));
  const VectorThere b_there(type, b), x_there(type, Numbers(b.size(), Number(std::nan(""))));
  const Scalar alpha(type, alpha_of(type));
  cusparseTriangleDescr_t found = nullptr;
  ok(cusparseSpSV_createDescr(&found), "SpSV_createDescr");
  ok(cusparseSpSV_analysis(handle, operation, alpha, a_there.descr, b_there.descr, x_there.descr, type, 0,
                           found, nullptr),
     "SpSV_analysis");
  const auto check = [&](const Matrix& by, const std::string& what) {
    ok(cusparseSpSV_solve(handle, operation, alpha, a_there.descr, b_there.descr, x_there.descr, type, 0,
                          found),
       "SpSV_solve");
    Matrix x(n, 1);
    x.at = x_there.get();
    x.has.assign(x.at.size(), true);
    Numbers wanted = b;
    for (Number& v : wanted) v *= alpha_of(type);
    compare(type, product(by, x).at, wanted, 20.0 * n,
            what + ", " + text_of(form) + ", operation " + std::to_string(operation) +
                (upper ? ", upper" : ", lower") + (unit ? ", unit" : ""));
  };
  check(t, "SpSV");
  // Other values in the same places: of all, and of the diagonal alone.
  Matrix other = a;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (a.has[a.place(i, j)]) other.put(i, j, a(i, j) * (i == j ? 1.5 : -0.5));
  Numbers values, diagonal(b.size(), Number(3));
  for (const auto& place : a_there.places) values.push_back(other(place.first, place.second));
  const Array values_there(type, values), diagonal_there(type, diagonal);
  ok(cusparseSpSV_updateMatrix(handle, found, values_there, CUSPARSE_UPDATE_GENERAL), "SpSV_updateMatrix");
  check(triangle_of(other, upper, unit).after(operation), "SpSV of new values");
  if (!unit) {
    for (int i = 0; i < n; ++i) other.put(i, i, diagonal[static_cast<std::size_t>(i)]);
    ok(cusparseSpSV_updateMatrix(handle, found, diagonal_there, CUSPARSE_UPDATE_DIAGONAL),
       "SpSV_updateMatrix");
    check(triangle_of(other, upper, unit).after(operation), "SpSV of a new diagonal");
  }
  ok(cusparseSpSV_destroyDescr(found), "SpSV_destroyDescr");
}

void more_sides(cudaDataType type, const Form& form, cusparseOperation_t of_a, cusparseOperation_t of_b,
                bool upper, cusparseOrder_t order) {
  constexpr int kSize = 40, kSides = 7;
  const Matrix a = heavy_diagonal(type, kSize, 5), t = triangle_of(a, upper, false).after(of_a);
  SparseThere a_there(a, type, form);
  set_triangle(a_there.descr, upper, false);
  // The answer is known: the right sides are made from it.
  const Matrix x = dense_matrix(type, kSize, kSides);
  const Number alpha = alpha_of(type);
  const Matrix op_b = scaled(product(t, x), 1.0 / alpha), start = dense_matrix(type, kSize, kSides);
  Matrix b_full = op_b;
  b_full.has.assign(b_full.has.size(), true);
  const DenseThere b_there(b_full.after(of_b), type, order), x_there(start, type, CUSPARSE_ORDER_COL);
  cusparseTriangleDescr_t found = nullptr;
  ok(cusparseSpSM_createDescr(&found), "SpSM_createDescr");
  ok(cusparseSpSM_analysis(handle, of_a, of_b, Scalar(type, alpha), a_there.descr, b_there.descr,
                           x_there.descr, type, 0, found, nullptr),
     "SpSM_analysis");
  ok(cusparseSpSM_solve(handle, of_a, of_b, Scalar(type, alpha), a_there.descr, b_there.descr, x_there.descr,
                        type, 0, found),
     "SpSM_solve");
  x_there.check(x, 20 * kSize, "SpSM, " + text_of(form));
  ok(cusparseSpSM_destroyDescr(found), "SpSM_destroyDescr");
}

template <class T>
struct Factors;
#define FACTORS(S, T, TYPE)                                                     \
  template <>                                                                   \
  struct Factors<T> {                                                           \
    static constexpr auto type = TYPE;                                          \
    static constexpr auto lu_analysis = cusparse##S##csrilu02_analysis;         \
    static constexpr auto lu = cusparse##S##csrilu02;                           \
    static constexpr auto boost = cusparse##S##csrilu02_numericBoost;           \
    static constexpr auto cholesky_analysis = cusparse##S##csric02_analysis;    \
    static constexpr auto cholesky = cusparse##S##csric02;                      \
    static constexpr auto gtsv_bytes = cusparse##S##gtsv2_bufferSizeExt;        \
    static constexpr auto gtsv = cusparse##S##gtsv2;                            \
    static constexpr auto gtsv_nopivot = cusparse##S##gtsv2_nopivot;            \
    static constexpr auto gtsv_strided = cusparse##S##gtsv2StridedBatch;        \
    static constexpr auto gtsv_interleaved = cusparse##S##gtsvInterleavedBatch; \
  }
FACTORS(S, float, CUDA_R_32F);
FACTORS(D, double, CUDA_R_64F);
FACTORS(C, std::complex<float>, CUDA_C_32F);
FACTORS(Z, std::complex<double>, CUDA_C_64F);
#undef FACTORS

/// A matrix in CSR as the functions without descriptors take it.
struct Csr {
  Csr(const Matrix& m, cudaDataType type, int base) : base(base) {
    std::vector<long long> first(1, 0), second;
    Numbers all;
    for (int i = 0; i < m.rows; ++i) {
      for (int j = 0; j < m.columns; ++j)
        if (m.has[m.place(i, j)]) {
          second.push_back(j);
          all.push_back(m(i, j));
          where.emplace_back(i, j);
        }
      first.push_back(static_cast<long long>(second.size()));
    }
    starts = std::make_unique<Places>(first, 32, base);
    columns = std::make_unique<Places>(second, 32, base);
    values = std::make_unique<Array>(type, all);
    entries = static_cast<int>(all.size());
    cusparseCreateMatDescr(&descr);
    cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base));
  }
  Csr(const Csr&) = delete;
  ~Csr() { cusparseDestroyMatDescr(descr); }
  int base, entries = 0;
  std::vector<std::pair<int, int>> where;
  std::unique_ptr<Places> starts, columns;
  std::unique_ptr<Array> values;
  cusparseMatDescr_t descr = nullptr;
};

/// What LU without new entries is: at each entry of a, and there alone, the product of the factors is a.
template <class T>
void lu(int base) {
  using F = Factors<T>;
  const cudaDataType type = F::type;
  const Matrix a = heavy_diagonal(type, 45, 5);
  const Csr there(a, type, base);
  cusparseFactorInfo_t info = nullptr;
  ok(cusparseCreateCsrilu02Info(&info), "CreateCsrilu02Info");
  T* const values = static_cast<T*>(static_cast<void*>(*there.values));
  ok(F::lu_analysis(handle, a.rows, there.entries, there.descr, values, there.starts->ints(),
                    there.columns->ints(), info, 0, nullptr),
     "csrilu02_analysis");
  int pivot = 7;
  expect(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_SUCCESS && pivot == -1,
         "no pivot is missing");
  ok(F::lu(handle, a.rows, there.entries, there.descr, values, there.starts->ints(), there.columns->ints(),
           info, 0, nullptr),
     "csrilu02");
  expect(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_SUCCESS && pivot == -1,
         "no pivot is 0");
  const Numbers got = there.values->get();
  Matrix l(a.rows, a.columns), u(a.rows, a.columns);
  for (std::size_t e = 0; e < got.size(); ++e) {
    const auto [i, j] = there.where[e];
    (i > j ? l : u).put(i, j, got[e]);
  }
  for (int i = 0; i < a.rows; ++i) l.put(i, i, 1);
  const Matrix lu = product(l, u);
  Numbers back, wanted;
  for (const auto& place : there.where) {
    back.push_back(lu(place.first, place.second));
    wanted.push_back(a(place.first, place.second));
  }
  compare(type, back, wanted, 90, "csrilu02");
  cusparseDestroyCsrilu02Info(info);
}

template <class T>
void cholesky(int base) {
  using F = Factors<T>;
  const cudaDataType type = F::type;
  // Hermitian, and outweighed by its diagonal, which is real.
  const Matrix half = heavy_diagonal(type, 45, 5);
  Matrix a(half.rows, half.columns);
  for (int i = 0; i < half.rows; ++i)
    for (int j = 0; j <= i; ++j)
      if (half.has[half.place(i, j)]) {
        a.put(i, j, i == j ? Number(half(i, j).real()) : half(i, j));
        a.put(j, i, std::conj(a(i, j)));
      }
  const Csr there(a, type, base);
  cusparseFactorInfo_t info = nullptr;
  ok(cusparseCreateCsric02Info(&info), "CreateCsric02Info");
  T* const values = static_cast<T*>(static_cast<void*>(*there.values));
  ok(F::cholesky_analysis(handle, a.rows, there.entries, there.descr, values, there.starts->ints(),
                          there.columns->ints(), info, 0, nullptr),
     "csric02_analysis");
  ok(F::cholesky(handle, a.rows, there.entries, there.descr, values, there.starts->ints(),
                 there.columns->ints(), info, 0, nullptr),
     "csric02");
  int pivot = 7;
  expect(cusparseXcsric02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_SUCCESS && pivot == -1,
         "no pivot is 0");
  const Numbers got = there.values->get();
  Matrix l(a.rows, a.columns);
  Numbers back, wanted;
  for (std::size_t e = 0; e < got.size(); ++e) {
    const auto [i, j] = there.where[e];
    if (i >= j) l.put(i, j, got[e]);
    if (i < j) expect(got[e] == Number(a(i, j)), "csric02 leaves what is above the diagonal");
  }
  const Matrix both = product(l, l.after(CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE));
  for (const auto& place : there.where) {
    if (place.first < place.second) continue;
    back.push_back(both(place.first, place.second));
    wanted.push_back(a(place.first, place.second));
  }
  compare(type, back, wanted, 90, "csric02");
  cusparseDestroyCsric02Info(info);
}

/// Pivots that are missing, that are 0, and that are replaced.
void pivots() {
  Matrix a(4, 4);
  a.put(0, 0, 2);
  a.put(1, 0, 4);
  a.put(1, 1, 3);
  a.put(1, 2, 1);
  a.put(2, 2, 0);
  a.put(3, 3, 5);
  const Csr there(a, CUDA_R_64F, 1);
  double* const values = static_cast<double*>(static_cast<void*>(*there.values));
  cusparseFactorInfo_t info = nullptr;
  ok(cusparseCreateCsrilu02Info(&info), "CreateCsrilu02Info");
  const auto analysed = [&](const Csr& m) {
    ok(cusparseDcsrilu02_analysis(handle, 4, m.entries, m.descr,
                                  static_cast<double*>(static_cast<void*>(*m.values)), m.starts->ints(),
                                  m.columns->ints(), info, 0, nullptr),
       "csrilu02_analysis");
  };
  analysed(there);
  int pivot = 7;
  expect(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_SUCCESS && pivot == -1,
         "all are there");
  ok(cusparseDcsrilu02(handle, 4, there.entries, there.descr, values, there.starts->ints(),
                       there.columns->ints(), info, 0, nullptr),
     "csrilu02");
  expect(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_ZERO_PIVOT && pivot == 3,
         "the third is 0");
  const Places position({-7}, 32, 0);
  ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), "SetPointerMode");
  expect(cusparseXcsrilu02_zeroPivot(handle, info, position.ints()) == CUSPARSE_STATUS_ZERO_PIVOT &&
             position.get()[0] == 3,
         "the third is 0, said on the device");
  ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "SetPointerMode");
  double tolerance = 1e-9, instead = 0.5;
  ok(cusparseDcsrilu02_numericBoost(handle, info, 1, &tolerance, &instead), "csrilu02_numericBoost");
  ok(cusparseDcsrilu02(handle, 4, there.entries, there.descr, values, there.starts->ints(),
                       there.columns->ints(), info, 0, nullptr),
     "csrilu02");
  expect(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_SUCCESS && pivot == -1,
         "none is 0 now");
  expect(there.values->get()[4] == Number(0.5), "the pivot is the number that stands for small ones");
  Matrix without = a;
  without.has[without.place(1, 1)] = false;
  const Csr less(without, CUDA_R_64F, 0);
  analysed(less);
  expect(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_ZERO_PIVOT && pivot == 1,
         "the second is missing");
  const Places mixed({0, 1, 0, 2, 2, 3}, 32, 1), rows({0, 1, 4, 5, 6}, 32, 1);
  expect(cusparseDcsrilu02_analysis(handle, 4, 6, there.descr, values, rows.ints(), mixed.ints(), info, 0,
                                    nullptr) == CUSPARSE_STATUS_INVALID_VALUE,
         "columns out of order");
  cusparseDestroyCsrilu02Info(info);
}

/// The product of a tridiagonal matrix with a vector.
Numbers times(const Numbers& lower, const Numbers& middle, const Numbers& upper, const Numbers& x) {
  Numbers b(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    b[i] = middle[i] * x[i];
    if (i > 0) b[i] += lower[i] * x[i - 1];
    if (i + 1 < x.size()) b[i] += upper[i] * x[i + 1];
  }
  return b;
}

template <class T>
void tridiagonal() {
  using F = Factors<T>;
  const cudaDataType type = F::type;
  constexpr int kSize = 33, kSystems = 5;
  const auto at = [](const Array& a) { return static_cast<T*>(static_cast<void*>(a)); };
  const auto diagonals = [&](bool outweighs, Numbers* lower, Numbers* middle, Numbers* upper) {
    *lower = random_numbers(type, kSize);
    *middle = random_numbers(type, kSize);
    *upper = random_numbers(type, kSize);
    (*lower)[0] = (*upper)[kSize - 1] = 0;
    for (int i = 0; i < kSize; ++i) {
      Number& d = (*middle)[static_cast<std::size_t>(i)];
      if (outweighs) d += d.real() < 0 ? -3.0 : 3.0;
      // Rows of which only an exchange makes something: a diagonal of nearly nothing under neighbours near 1.
      if (!outweighs && i % 3 == 0) d = 0;
      if (!outweighs && i > 0)
        (*lower)[static_cast<std::size_t>(i)] +=
            (*lower)[static_cast<std::size_t>(i)].real() < 0 ? -2.0 : 2.0;
    }
  };
  for (const bool outweighs : {true, false}) {
    Numbers lower, middle, upper, b;
    diagonals(outweighs, &lower, &middle, &upper);
    const Numbers x = random_numbers(type, kSize * kSystems);
    constexpr int kLeading = kSize + 2;
    Numbers laid(kLeading * kSystems, Number(5)), wanted = laid;
    for (std::size_t s = 0; s < kSystems; ++s) {
      const Numbers mine(x.begin() + static_cast<std::ptrdiff_t>(s * kSize),
                         x.begin() + static_cast<std::ptrdiff_t>((s + 1) * kSize));
      b = times(lower, middle, upper, mine);
      std::copy(b.begin(), b.end(), laid.begin() + static_cast<std::ptrdiff_t>(s * kLeading));
      std::copy(mine.begin(), mine.end(), wanted.begin() + static_cast<std::ptrdiff_t>(s * kLeading));
    }
    const Array l(type, lower), m(type, middle), u(type, upper);
    for (const bool exchanges : {true, false}) {
      if (!outweighs && !exchanges) continue;  // such systems need exchanges
      const Array sides(type, laid);
      std::size_t bytes = 0;
      ok(F::gtsv_bytes(handle, kSize, kSystems, at(l), at(m), at(u), at(sides), kLeading, &bytes),
         "gtsv2_bufferSizeExt");
      const OnDevice<std::uint8_t> buffer((Bytes(bytes)));
      ok((exchanges ? F::gtsv : F::gtsv_nopivot)(handle, kSize, kSystems, at(l), at(m), at(u), at(sides),
                                                 kLeading, static_cast<std::uint8_t*>(buffer)),
         "gtsv2");
      const std::string name = exchanges ? "gtsv2" : "gtsv2_nopivot";
      const Numbers got = sides.get();
      // Such systems may hang on their last digits: what counts is that they are solved.
      for (std::size_t s = 0; s < kSystems; ++s) {
        const auto from = got.begin() + static_cast<std::ptrdiff_t>(s * kLeading);
        const Numbers mine(from, from + kSize),
            right(laid.begin() + (from - got.begin()), laid.begin() + (from - got.begin()) + kSize);
        compare(type, times(lower, middle, upper, mine), right, 500, name);
      }
      if (outweighs) compare(type, got, wanted, 100, name);
    }
  }
  // A matrix for each: one behind the other, and interleaved.
  for (const bool interleaved : {false, true}) {
    constexpr int kStride = kSize + 1;
    const std::size_t size = interleaved ? kSize * kSystems : kStride * kSystems;
    Numbers all[3] = {Numbers(size, Number(5)), Numbers(size, Number(5)), Numbers(size, Number(5))},
            sides(size, Number(5)), wanted = sides;
    for (std::size_t s = 0; s < kSystems; ++s) {
      Numbers d[3];
      diagonals(true, &d[0], &d[1], &d[2]);
      const Numbers x = random_numbers(type, kSize), b = times(d[0], d[1], d[2], x);
      for (std::size_t i = 0; i < kSize; ++i) {
        const std::size_t to = interleaved ? i * kSystems + s : s * kStride + i;
        for (std::size_t k = 0; k < 3; ++k) all[k][to] = d[k][i];
        sides[to] = b[i];
        wanted[to] = x[i];
      }
    }
    const Array l(type, all[0]), m(type, all[1]), u(type, all[2]), there(type, sides);
    const OnDevice<std::uint8_t> buffer(Bytes(3 * kSize * kSystems * sizeof(T)));
    void* const scratch = static_cast<std::uint8_t*>(buffer);
    if (interleaved) {
      for (int algorithm = 0; algorithm <= 2; ++algorithm) {
        const Array again(type, sides);
        ok(F::gtsv_interleaved(handle, algorithm, kSize, at(l), at(m), at(u), at(again), kSystems, scratch),
           "gtsvInterleavedBatch");
        compare(type, again.get(), wanted, 100, "gtsvInterleavedBatch");
      }
    } else {
      ok(F::gtsv_strided(handle, kSize, at(l), at(m), at(u), at(there), kSystems, kStride, scratch),
         "gtsv2StridedBatch");
      compare(type, there.get(), wanted, 100, "gtsv2StridedBatch");
    }
  }
}

}  // namespace

void triangles() {
  for (const cudaDataType type : kTypes)
    for (const bool upper : {false, true}) one_side(type, kForms[0], kPlain, upper, false, 50);
  for (const Form& form : kForms)
    for (const cusparseOperation_t operation : kOperations)
      one_side(CUDA_C_64F, form, operation, form.base != 0, operation == CUSPARSE_OPERATION_TRANSPOSE, 30);
  // Levels wider than a CTA.
  one_side(CUDA_R_32F, kForms[0], kPlain, false, false, 2);
  // And levels of several warps, of which each needs what another has found.
  for (const int width : {100, 350}) {
    constexpr int kSize = 700;
    Matrix a(kSize, kSize);
    for (int i = 0; i < kSize; ++i) {
      a.put(i, i, 2);
      if (i >= width) a.put(i, i - i % width - 1 - i % width, 1);
    }
    Matrix b(kSize, 1);
    b.at = random_numbers(CUDA_R_64F, kSize);
    b.has.assign(kSize, true);
    const SparseThere there(a, CUDA_R_64F, kForms[0]);
    const VectorThere b_there(CUDA_R_64F, b.at), x_there(CUDA_R_64F, Numbers(kSize));
    cusparseTriangleDescr_t found = nullptr;
    ok(cusparseSpSV_createDescr(&found), "SpSV_createDescr");
    const Scalar one(CUDA_R_64F, 1);
    ok(cusparseSpSV_analysis(handle, kPlain, one, there.descr, b_there.descr, x_there.descr, CUDA_R_64F, 0,
                             found, nullptr),
       "SpSV_analysis");
    ok(cusparseSpSV_solve(handle, kPlain, one, there.descr, b_there.descr, x_there.descr, CUDA_R_64F, 0,
                          found),
       "SpSV_solve");
    Matrix x(kSize, 1);
    x.at = x_there.get();
    x.has.assign(kSize, true);
    compare(CUDA_R_64F, product(a, x).at, b.at, 8, "SpSV of wide levels");
    cusparseSpSV_destroyDescr(found);
  }
  for (const cudaDataType type : kTypes)
    more_sides(type, kForms[0], kPlain, kPlain, false, CUSPARSE_ORDER_COL);
  for (const cusparseOperation_t of_a : kOperations)
    for (const cusparseOperation_t of_b : kOperations)
      more_sides(CUDA_C_64F, kForms[4], of_a, of_b, true, CUSPARSE_ORDER_ROW);
}
void incomplete_factors() {
  lu<float>(0);
  lu<double>(1);
  lu<std::complex<float>>(1);
  lu<std::complex<double>>(0);
  cholesky<float>(1);
  cholesky<double>(0);
  cholesky<std::complex<float>>(0);
  cholesky<std::complex<double>>(1);
  pivots();
}
void tridiagonal_systems() {
  tridiagonal<float>();
  tridiagonal<double>();
  tridiagonal<std::complex<float>>();
  tridiagonal<std::complex<double>>();
}

}  // namespace warpvp::test
