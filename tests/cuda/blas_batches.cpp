// Several of the same in one call, of cuBLAS: each gives what a call of its own does, which other cases
// check.

#include "tests/cuda/blas_checks.h"

namespace warpvp::test {
namespace {

constexpr int kCount = 3;

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& wanted, const std::string& what) {
  expect(got.size() == wanted.size() && std::memcmp(got.data(), wanted.data(), got.size() * sizeof(T)) == 0,
         std::string(Api<T>::kName) + " " + what);
}
/// Where the matrices of a batch begin.
template <class T>
std::vector<T*> places(const OnDevice<T>& all, int size) {
  std::vector<T*> list;
  for (int i = 0; i < kCount; ++i) list.push_back(all + i * size);
  return list;
}

template <class T>
void rows_of_gemv() {
  using A = Api<T>;
  constexpr int kM = 37, kN = 21, kLeading = 40, kNextA = kLeading * kN + 3;
  const T alpha = T(0.5), beta = T(-2);
  for (const cublasOperation_t operation : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (const int step : {1, 2, -1}) {
      const bool plain = operation == CUBLAS_OP_N;
      const Steps<T> x{plain ? kN : kM, step}, y{plain ? kM : kN, step};
      const int next_x = static_cast<int>(x.total()), next_y = static_cast<int>(y.total());
      const OnDevice<T> a(random_values<T>(kNextA * kCount)), from(random_values<T>(next_x * kCount));
      const auto before = random_values<T>(next_y * kCount);
      const OnDevice<T> together(before), apart(before);
      ok(A::gemv_row(handle, operation, kM, kN, &alpha, a, kLeading, kNextA, from, step, next_x, &beta,
                     together, step, next_y, kCount),
         "gemvStridedBatched");
      for (int i = 0; i < kCount; ++i)
        ok(A::gemv(handle, operation, kM, kN, &alpha, a + i * kNextA, kLeading, from + i * next_x, step,
                   &beta, apart + i * next_y, step),
           "gemv");
      expect_same(together.get(), apart.get(), "gemvStridedBatched");
      expect(together.get() != before, "gemvStridedBatched does something");
    }
}

template <class T>
void lists_of_trsm() {
  using A = Api<T>;
  constexpr int kM = 19, kN = 23, kLeading = 24;
  const T alpha = T(0.5);
  for (const cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
    for (const cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      for (const cublasOperation_t operation : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        auto triangles = random_values<T>(kLeading * kN * kCount);
        for (int batch = 0; batch < kCount; ++batch)
          for (int i = 0; i < kN; ++i) item(triangles, batch * kLeading * kN + i * kLeading + i) += T(30);
        const auto before = random_values<T>(kLeading * kN * kCount);
        const OnDevice<T> a(triangles), together(before), apart(before);
        const OnDevice<T*> list_a(places(a, kLeading * kN)), list_b(places(together, kLeading * kN));
        ok(A::trsm_list(handle, side, fill, operation, CUBLAS_DIAG_NON_UNIT, kM, kN, &alpha, list_a, kLeading,
                        list_b, kLeading, kCount),
           "trsmBatched");
        for (int i = 0; i < kCount; ++i)
          ok(A::trsm(handle, side, fill, operation, CUBLAS_DIAG_NON_UNIT, kM, kN, &alpha,
                     a + i * kLeading * kN, kLeading, apart + i * kLeading * kN, kLeading),
             "trsm");
        expect_same(together.get(), apart.get(), "trsmBatched");
        expect(together.get() != before, "trsmBatched does something");
      }
}

/// In f16, computed in f32.
void products_of_types() {
  struct Half {
    std::uint16_t bits;
  };
  constexpr int kM = 18, kN = 9, kK = 13, kOne = 0x3c00;
  const auto halves = [](int count) {
    std::vector<Half> all(static_cast<std::size_t>(count));
    for (Half& h : all)
      h.bits = static_cast<std::uint16_t>(kOne | (numbers() & 0x83ff));  // from 1 to 2, of any sign
    return all;
  };
  const OnDevice<Half> a(halves(kM * kK * kCount)), b(halves(kK * kN * kCount));
  const auto before = random_values<float>(kM * kN * kCount);
  const OnDevice<float> list(before), row(before), apart(before);
  const OnDevice<Half*> list_a(places(a, kM * kK)), list_b(places(b, kK * kN));
  const OnDevice<float*> list_c(places(list, kM * kN));
  const float alpha = 0.5f, beta = -2;
  const auto constant = [](auto* at) { return reinterpret_cast<const void* const*>(at); };
  ok(cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha,
                         constant(static_cast<Half**>(list_a)), CUDA_R_16F, kM,
                         constant(static_cast<Half**>(list_b)), CUDA_R_16F, kK, &beta,
                         reinterpret_cast<void* const*>(static_cast<float**>(list_c)), CUDA_R_32F, kM, kCount,
                         CUBLAS_COMPUTE_32F, -1),
     "GemmBatchedEx");
  ok(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, static_cast<Half*>(a),
                                CUDA_R_16F, kM, kM * kK, static_cast<Half*>(b), CUDA_R_16F, kK, kK * kN,
                                &beta, static_cast<float*>(row), CUDA_R_32F, kM, kM * kN, kCount,
                                CUBLAS_COMPUTE_32F, -1),
     "GemmStridedBatchedEx");
  for (int i = 0; i < kCount; ++i)
    ok(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, a + i * kM * kK, CUDA_R_16F, kM,
                    b + i * kK * kN, CUDA_R_16F, kK, &beta, apart + i * kM * kN, CUDA_R_32F, kM,
                    CUBLAS_COMPUTE_32F, -1),
       "GemmEx");
  expect_same(list.get(), apart.get(), "GemmBatchedEx");
  expect_same(row.get(), apart.get(), "GemmStridedBatchedEx");
  expect(apart.get() != before, "GemmEx does something");
}

}  // namespace

void batches() {
  rows_of_gemv<float>();
  rows_of_gemv<double>();
  lists_of_trsm<float>();
  lists_of_trsm<double>();
  products_of_types();
}

}  // namespace warpvp::test
