// Products of cuBLASLt.

#include "tests/cuda/blas_lt.h"

namespace warpvp::test {
namespace {

constexpr int kOrder = 1, kBatches = 5, kStride = 6;  // attributes of layouts

struct Case {
  int m, n, k, batches;
  bool ta, tb, rows_a, rows_b, rows_c;
  std::uint32_t epilogue;
};
std::string name(const Case& c) {
  return "Lt" + words({c.m, c.n, c.k, c.batches, c.ta, c.tb, c.rows_a, c.rows_b, c.rows_c,
                       static_cast<int>(c.epilogue)});
}
/// A layout, of so many words a matrix.
struct Described {
  LtWords* layout = nullptr;
  int leading = 0, words = 0;
  bool rows = false;
  Described(cudaDataType type, int rows_of_it, int columns, bool by_rows, int batches) : rows(by_rows) {
    leading = (by_rows ? columns : rows_of_it) + 3;
    words = leading * (by_rows ? rows_of_it : columns) + 5;
    ok(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows_of_it),
                                  static_cast<std::uint64_t>(columns), leading),
       "LayoutCreate");
    const std::int32_t order = by_rows;
    const std::int64_t stride = words;
    ok(cublasLtMatrixLayoutSetAttribute(layout, kOrder, &order, sizeof order), "order");
    ok(cublasLtMatrixLayoutSetAttribute(layout, kBatches, &batches, sizeof batches), "batches");
    ok(cublasLtMatrixLayoutSetAttribute(layout, kStride, &stride, sizeof stride), "stride");
  }
  Described(const Described&) = delete;
  ~Described() { cublasLtMatrixLayoutDestroy(layout); }
  int at(int batch, int i, int j) const { return batch * words + (rows ? i * leading + j : i + j * leading); }
};

template <class T>
void run(const Case& c, cudaDataType type, cublasComputeType_t compute) {
  const Described da(type, c.ta ? c.k : c.m, c.ta ? c.m : c.k, c.rows_a, c.batches);
  const Described db(type, c.tb ? c.n : c.k, c.tb ? c.k : c.n, c.rows_b, c.batches);
  const Described dc(type, c.m, c.n, c.rows_c, c.batches), dd(type, c.m, c.n, c.rows_c, c.batches);
  const auto a = random_values<T>(da.words * c.batches), b = random_values<T>(db.words * c.batches);
  const auto old = random_values<T>(dc.words * c.batches), before = random_values<T>(dd.words * c.batches);
  const auto bias = random_values<T>(c.m);
  OnDevice<T> on_a(a), on_b(b), on_c(old), on_d(before), on_bias(bias);
  LtWords* operation = nullptr;
  ok(cublasLtMatmulDescCreate(&operation, compute, type), "DescCreate");
  const std::int32_t ta = c.ta, tb = c.tb;
  const std::uint32_t epilogue = c.epilogue;
  const T* const bias_at = on_bias;
  ok(cublasLtMatmulDescSetAttribute(operation, kTransA, &ta, sizeof ta), "A transposed");
  ok(cublasLtMatmulDescSetAttribute(operation, kTransB, &tb, sizeof tb), "B transposed");
  ok(cublasLtMatmulDescSetAttribute(operation, kEpilogue, &epilogue, sizeof epilogue), "epilogue");
  ok(cublasLtMatmulDescSetAttribute(operation, kBias, &bias_at, sizeof bias_at), "bias");
  LtWords* preference = nullptr;
  ok(cublasLtMatmulPreferenceCreate(&preference), "PreferenceCreate");
  const std::size_t most = 1 << 20;
  ok(cublasLtMatmulPreferenceSetAttribute(preference, 1, &most, sizeof most), "workspace");
  LtWords result{};
  int found = 0;
  ok(cublasLtMatmulAlgoGetHeuristic(lt, operation, da.layout, db.layout, dc.layout, dd.layout, preference, 1,
                                    &result, &found),
     "AlgoGetHeuristic");
  expect(found == 1, "an algorithm");
  const T alpha = T(1.5), beta = T(-0.5);
  ok(cublasLtMatmul(lt, operation, &alpha, on_a, da.layout, on_b, db.layout, &beta, on_c, dc.layout, on_d,
                    dd.layout, &result, nullptr, 0, nullptr),
     "Matmul");
  std::vector<double> wanted(before.size(), kNothing);
  for (int batch = 0; batch < c.batches; ++batch) {
    for (int i = 0; i < c.m; ++i) {
      for (int j = 0; j < c.n; ++j) {
        double v = double(beta) * item(old, dc.at(batch, i, j));
        for (int p = 0; p < c.k; ++p)
          v += double(alpha) * item(a, c.ta ? da.at(batch, p, i) : da.at(batch, i, p)) *
               item(b, c.tb ? db.at(batch, j, p) : db.at(batch, p, j));
        if (c.epilogue & kWithBias) v += item(bias, i);
        if (c.epilogue & kRelu) v = std::max(v, 0.0);
        if (c.epilogue & kGelu) v = v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
        item(wanted, dd.at(batch, i, j)) = v;
      }
    }
  }
  compare<T>(on_d.get(), wanted, before, c.k + (c.epilogue & kGelu ? 20 : 0), name(c));
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(operation);
}

}  // namespace

void described_products() {
  ok(cublasLtCreate(&lt), "LtCreate");
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const int rows : {0, 1, 2, 4, 7}) {
        const Case c = {21, 13, 18, 1, ta, tb, (rows & 1) != 0, (rows & 2) != 0, (rows & 4) != 0, 1};
        run<float>(c, CUDA_R_32F, CUBLAS_COMPUTE_32F);
        run<double>(c, CUDA_R_64F, CUBLAS_COMPUTE_64F);
      }
  for (const std::uint32_t epilogue : {kRelu, kWithBias, kRelu | kWithBias, kGelu, kGelu | kWithBias})
    for (const bool rows_c : {false, true})
      run<float>({35, 40, 9, 3, false, true, false, false, rows_c, epilogue}, CUDA_R_32F,
                 CUBLAS_COMPUTE_32F_FAST_TF32);
  // In the caller's memory; what is read back; what does not fit.
  LtWords mine;
  ok(cublasLtMatmulDescInit_internal(&mine, sizeof mine, CUBLAS_COMPUTE_32F, CUDA_R_32F), "DescInit");
  const std::int32_t across = 1;
  ok(cublasLtMatmulDescSetAttribute(&mine, kTransB, &across, sizeof across), "B transposed");
  std::int32_t read = -9;
  std::size_t written = 0;
  ok(cublasLtMatmulDescGetAttribute(&mine, kTransB, &read, sizeof read, &written), "what was set");
  expect(read == 1 && written == sizeof read, "what was set");
  const Described a(CUDA_R_32F, 8, 4, false, 1), b(CUDA_R_32F, 6, 5, false, 1), c(CUDA_R_32F, 8, 6, false, 1);
  LtWords result{};
  int found = -9;
  expect(cublasLtMatmulAlgoGetHeuristic(lt, &mine, a.layout, b.layout, c.layout, c.layout, nullptr, 1,
                                        &result, &found) == CUBLAS_STATUS_INVALID_VALUE &&
             found == 0,
         "matrices that do not fit");
  const std::int32_t newer = 4096;
  ok(cublasLtMatmulDescSetAttribute(&mine, kEpilogue, &newer, sizeof newer), "epilogue");
  const Described square(CUDA_R_32F, 8, 8, false, 1);
  expect(cublasLtMatmulAlgoGetHeuristic(lt, &mine, a.layout, a.layout, square.layout, square.layout, nullptr,
                                        1, &result, &found) == CUBLAS_STATUS_NOT_SUPPORTED,
         "an epilogue that is not offered");
  ok(cublasLtDestroy(lt), "LtDestroy");
}

}  // namespace warpvp::test
