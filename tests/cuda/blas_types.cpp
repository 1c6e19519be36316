// Products and vectors of other types, and LU factors, of cuBLAS.

#include "tests/cuda/blas_checks.h"

namespace warpvp::test {
namespace {

// ---- other types

struct Short {
  std::uint16_t bits;
};
/// Small whole numbers, exact in each type.
std::uint16_t half_of(int v) {
  std::uint16_t sign = v < 0 ? 0x8000 : 0;
  unsigned magnitude = static_cast<unsigned>(std::abs(v)), exponent = 25;
  if (magnitude == 0) return 0;
  while (magnitude < 1024) {
    magnitude *= 2;
    --exponent;
  }
  return static_cast<std::uint16_t>(sign | exponent << 10 | (magnitude & 1023));
}
std::uint16_t bf16_of(int v) {
  const float f = static_cast<float>(v);
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return static_cast<std::uint16_t>(bits >> 16);
}

template <class T, class U, class S, class PutT, class PutU>
void one_size(cudaDataType type, cudaDataType result, cublasComputeType_t compute, S alpha, S beta, double by,
              double keep, PutT put, PutU put_result, const std::string& what, int m, int n) {
  constexpr int k = 18;
  std::uniform_int_distribution<int> any(-3, 3);
  const auto count = [](int rows, int columns) { return static_cast<std::size_t>(rows * columns); };
  std::vector<int> a(count(m, k)), b(count(k, n)), c(count(m, n));
  for (auto* values : {&a, &b, &c})
    for (int& v : *values) v = any(numbers);
  const auto as = [](const std::vector<int>& values, auto&& how) {
    std::vector<decltype(how(0))> all;
    for (const int v : values) all.push_back(how(v));
    return all;
  };
  OnDevice<T> da(as(a, put)), db(as(b, put));
  OnDevice<U> dc(as(c, put_result));
  ok(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, type, m, db, type, k, &beta, dc,
                  result, m, compute, -1),
     what);
  std::vector<int> wanted;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      int sum = 0;
      for (int p = 0; p < k; ++p) sum += item(a, i + p * m) * item(b, p + j * k);
      wanted.push_back(static_cast<int>(by * sum + keep * item(c, i + j * m)));
    }
  const auto expected = as(wanted, put_result);
  const auto got = dc.get();
  expect(std::memcmp(got.data(), expected.data(), got.size() * sizeof(U)) == 0, what);
}

/// The larger one by larger tiles, on more SMs than one.
template <class T, class U, class... Rest>
void one_type(const Rest&... rest) {
  one_size<T, U>(rest..., 34, 5);
  one_size<T, U>(rest..., 100, 130);
}

/// Vectors of another type, and factors and sums of float (of double for double).
template <class T, class By, class Put>
void vectors_of(cudaDataType type, cudaDataType computed_in, Put put, const std::string& what) {
  std::vector<T> x, y, sum, scaled;
  int dot = 0;
  for (int i = 0; i < 300; ++i) {
    const int a = i % 5 - 2, b = i % 7 - 3;
    x.push_back(put(a));
    y.push_back(put(b));
    sum.push_back(put(3 * a + b));
    scaled.push_back(put(3 * a));
    dot += a * b;
  }
  OnDevice<T> dx(x), dy(y), fours(std::vector<T>(100, put(4)));
  T result = put(99);
  const By three = 3;
  ok(cublasDotEx(handle, 300, dx, type, 1, dy, type, 1, &result, type, computed_in), what);
  const auto same = [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  expect(same(result, put(dot)), "DotEx " + what);
  ok(cublasNrm2Ex(handle, 100, fours, type, 1, &result, type, computed_in), what);
  expect(same(result, put(40)), "Nrm2Ex " + what);
  ok(cublasAxpyEx(handle, 300, &three, computed_in, dx, type, 1, dy, type, 1, computed_in), what);
  expect(std::memcmp(dy.get().data(), sum.data(), sum.size() * sizeof(T)) == 0, "AxpyEx " + what);
  ok(cublasScalEx(handle, 300, &three, computed_in, dx, type, 1, computed_in), what);
  expect(std::memcmp(dx.get().data(), scaled.data(), scaled.size() * sizeof(T)) == 0, "ScalEx " + what);
}

// ---- LU

template <class T>
void lu() {
  using A = Api<T>;
  for (const int n : {1, 2, 24}) {
    constexpr int kBatches = 3, kColumns = 4;
    const int lda = n + 1, ldb = n + 2;
    auto a = random_values<T>(kBatches * lda * n);
    if (n > 1) a[0] = 0;  // rows have to be exchanged
    const auto b = random_values<T>(kBatches * ldb * kColumns);
    OnDevice<T> da(a), db(b), inverse(b.size() < a.size() ? a : std::vector<T>(a.size()));
    OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(kBatches * n), -9)),
        info(std::vector<int>(kBatches, -9));
    std::vector<T*> as, bs, cs;
    for (int i = 0; i < kBatches; ++i) {
      as.push_back(da + i * lda * n);
      bs.push_back(db + i * ldb * kColumns);
      cs.push_back(inverse + i * lda * n);
    }
    OnDevice<T*> list_a(as), list_b(bs), list_c(cs);
    ok(A::getrf(handle, n, list_a, lda, pivots, info, kBatches), "getrf");
    expect(info.get() == std::vector<int>(kBatches, 0), "info of getrf");
    ok(A::getri(handle, n, list_a, lda, pivots, list_c, lda, info, kBatches), "getri");
    const auto inverted = inverse.get();
    for (int batch = 0; batch < kBatches; ++batch) {
      const auto part = [&](const std::vector<T>& all, int size, int leading, bool across = false) {
        const auto first = all.begin() + batch * size;
        return View{std::vector<double>(first, first + size), leading, across};
      };
      const View va = part(a, lda * n, lda), vi = part(inverted, lda * n, lda);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          expect(
              std::fabs(product(va, vi, i, j, n) - (i == j)) < 2000 * n * std::numeric_limits<T>::epsilon(),
              "a matrix times its inverse" + words({n, batch, i, j}));
    }
    for (const auto operation : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      db.put(b);
      int told = -9;
      ok(A::getrs(handle, operation, n, kColumns, list_a, lda, pivots, list_b, ldb, &told, kBatches),
         "getrs");
      expect(told == 0, "info of getrs");
      const auto solved = db.get();
      for (int batch = 0; batch < kBatches; ++batch) {
        const auto part = [&](const std::vector<T>& all, int size, int leading, bool across = false) {
          const auto first = all.begin() + batch * size;
          return View{std::vector<double>(first, first + size), leading, across};
        };
        const View va = part(a, lda * n, lda, operation == CUBLAS_OP_T),
                   vx = part(solved, ldb * kColumns, ldb), vb = part(b, ldb * kColumns, ldb);
        for (int j = 0; j < kColumns; ++j)
          for (int i = 0; i < n; ++i)
            expect(
                std::fabs(product(va, vx, i, j, n) - vb(i, j)) < 2000 * n * std::numeric_limits<T>::epsilon(),
                "what was solved" + words({n, int(operation), batch, i, j}));
      }
    }
  }
  // No inverse: the first zero is named.
  OnDevice<T> none(std::vector<T>{1, 2, 2, 4});
  OnDevice<T*> list(std::vector<T*>{none});
  OnDevice<int> pivots(std::vector<int>(2)), info(std::vector<int>(1, -9));
  ok(A::getrf(handle, 2, list, 2, pivots, info, 1), "getrf");
  expect(info.get()[0] == 2, "a matrix without an inverse");
}

}  // namespace

void types() {
  const auto number = [](int v) { return static_cast<float>(v); };
  const auto half = [](int v) { return Short{half_of(v)}; };
  const auto brain = [](int v) { return Short{bf16_of(v)}; };
  const auto byte = [](int v) { return static_cast<signed char>(v); };
  vectors_of<Short, float>(CUDA_R_16F, CUDA_R_32F, half, "of half");
  vectors_of<Short, float>(CUDA_R_16BF, CUDA_R_32F, brain, "of bf16");
  vectors_of<float, float>(CUDA_R_32F, CUDA_R_32F, number, "of float");
  vectors_of<double, double>(
      CUDA_R_64F, CUDA_R_64F, [](int v) { return static_cast<double>(v); }, "of double");
  one_type<Short, Short>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2.0f, -1.0f, 2, -1, half, half,
                         "half, factors of float");
  one_type<Short, Short>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, half(2), half(-1), 2, -1, half, half,
                         "half, factors of half");
  one_type<Short, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2.0f, -1.0f, 2, -1, half, number,
                         "half to float");
  one_type<Short, Short>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F_FAST_16BF, 1.0f, 0.0f, 1, 0, brain,
                         brain, "bf16");
  one_type<Short, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2.0f, -1.0f, 2, -1, brain, number,
                         "bf16 to float");
  one_type<signed char, int>(
      CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 2, -1, 2, -1, byte, [](int v) { return v; }, "bytes to int");
  one_type<signed char, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2.0f, -1.0f, 2, -1, byte, number,
                               "bytes to float");
  one_type<float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 2.0f, -1.0f, 2, -1, number,
                         number, "float");
}
void factors() {
  lu<float>();
  lu<double>();
}

}  // namespace warpvp::test
