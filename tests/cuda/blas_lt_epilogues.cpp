// What cuBLASLt makes of a product before it is written, and what of it is kept.

#include "tests/cuda/blas_lt.h"

namespace warpvp::test {
namespace {

double gelu(double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
double gelu_gradient(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

/// The larger ones by larger tiles, on more SMs than one.
void check_epilogues(int m, int n) {
  const int k = 11, leading = 128, given_leading = rounded_up(m, 8);
  Matrix a(CUDA_R_16F, m, k), b(CUDA_R_16F, k, n), c(CUDA_R_32F, m, n);
  a.fill(1);
  b.fill(1);
  c.fill(1);
  const auto bias = random_values<float>(m);
  OnDevice<float> on_bias(bias);
  const float alpha = 1, beta = 0.5f;
  const auto before = [&](int i, int j) {
    return sum_of(a, false, b, false, 0, i, j, k) + 0.5 * c.at(0, i, j);
  };
  const auto each = [&](Matrix& d, const std::string& name, const std::function<double(int, int)>& wanted) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        expect(is_near(d.format(), d.at(0, i, j), wanted(i, j), 1e-4), name + words({i, j}));
  };
  // ReLU keeps a bit an element, which its gradient reads.
  OnDevice<unsigned> mask(std::vector<unsigned>(leading / 32 * n, 0xdeadbeef));
  const auto with_aux = [&](Operation& o, std::uint32_t epilogue, void* aux, std::int64_t stride) {
    o.set(kEpilogue, epilogue);
    o.set(kBias, static_cast<const void*>(static_cast<float*>(on_bias)));
    o.set(kAux, aux);
    o.set(kAuxLeading, stride);
  };
  Operation relu(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  with_aux(relu, kRelu | kKept | kWithBias, static_cast<unsigned*>(mask), leading);
  Matrix d(CUDA_R_32F, m, n);
  ok(multiply(relu, &alpha, a, b, &beta, c, d), "ReLU that keeps");
  each(d, "ReLU that keeps", [&](int i, int j) { return std::max(0.0, before(i, j) + item(bias, i)); });
  const auto bits = mask.get();
  const auto kept = [&](int i, int j) { return (item(bits, j * leading / 32 + i / 32) >> i % 32 & 1) != 0; };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) expect(kept(i, j) == (d.at(0, i, j) > 0), "a bit of ReLU" + words({i, j}));
  OnDevice<float> sums(std::vector<float>(static_cast<std::size_t>(std::max(m, n)), -9.0f));
  Operation gradient(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  with_aux(gradient, kReluGradient | kOfBias, static_cast<unsigned*>(mask), leading);
  gradient.set(kBias, static_cast<const void*>(static_cast<float*>(sums)));
  ok(multiply(gradient, &alpha, a, b, &beta, c, d), "the gradient of ReLU");
  each(d, "the gradient of ReLU", [&](int i, int j) { return kept(i, j) ? before(i, j) : 0.0; });
  const auto check_rows = [&](const Matrix& of, bool across, int count, int terms, const std::string& name) {
    const auto got = sums.get();
    for (int i = 0; i < count; ++i) {
      double wanted = 0;
      for (int j = 0; j < terms; ++j) wanted += across ? of.at(0, j, i) : of.at(0, i, j);
      expect(std::fabs(item(got, i) - wanted) < 1e-4, name + words({i}));
    }
  };
  check_rows(d, false, m, n, "the gradient of the bias");
  // GELU keeps what it has been given.
  OnDevice<float> given(std::vector<float>(static_cast<std::size_t>(given_leading * n), -9.0f));
  Operation gelu_kept(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  with_aux(gelu_kept, kGelu | kKept | kWithBias, static_cast<float*>(given), given_leading);
  ok(multiply(gelu_kept, &alpha, a, b, &beta, c, d), "GELU that keeps");
  each(d, "GELU that keeps", [&](int i, int j) { return gelu(before(i, j) + item(bias, i)); });
  const auto all_given = given.get();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      expect(std::fabs(item(all_given, i + j * given_leading) - before(i, j) - item(bias, i)) < 1e-4,
             "what GELU was given" + words({i, j}));
  Operation of_gelu(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  with_aux(of_gelu, kGeluGradient, static_cast<float*>(given), given_leading);
  ok(multiply(of_gelu, &alpha, a, b, &beta, c, d), "the gradient of GELU");
  each(d, "the gradient of GELU",
       [&](int i, int j) { return before(i, j) * gelu_gradient(item(all_given, i + j * given_leading)); });
  // Sums of operands.
  for (const bool of_b : {false, true}) {
    Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    with_aux(o, of_b ? kOfB : kOfA, nullptr, 0);
    o.set(26, std::int32_t{CUDA_R_32F});
    o.set(kBias, static_cast<const void*>(static_cast<float*>(sums)));
    ok(multiply(o, &alpha, a, b, &beta, c, d), "sums of an operand");
    check_rows(of_b ? b : a, of_b, of_b ? n : m, k, of_b ? "sums of B" : "sums of A");
  }
  // A factor a row.
  const auto alphas = random_values<float>(m), betas = random_values<float>(m);
  OnDevice<float> on_alphas(alphas), on_betas(betas);
  for (const std::int32_t mode : {2, 3, 4}) {
    Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    o.set(kPointers, mode);
    const void* const of_c = mode == 2   ? static_cast<const void*>(static_cast<float*>(on_betas))
                             : mode == 3 ? nullptr
                                         : &beta;
    ok(multiply(o, static_cast<float*>(on_alphas), a, b, of_c, c, d), "a factor a row");
    each(d, "a factor a row" + words({mode}), [&](int i, int j) {
      const double keep = mode == 2 ? item(betas, i) : mode == 3 ? 0 : 0.5;
      return item(alphas, i) * sum_of(a, false, b, false, 0, i, j, k) + keep * c.at(0, i, j);
    });
  }
  // What callers get wrong.
  Operation none(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  with_aux(none, kGelu | kKept, nullptr, given_leading);
  expect(multiply(none, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_INVALID_VALUE, "nowhere to keep");
  with_aux(none, kRelu | kKept, static_cast<unsigned*>(mask), 32);
  expect(multiply(none, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_INVALID_VALUE,
         "bits for fewer rows than there are");
  with_aux(none, kReluGradient & ~kKept, static_cast<unsigned*>(mask), leading);
  expect(multiply(none, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_INVALID_VALUE,
         "a gradient that reads nothing");
  with_aux(none, kWithBias, nullptr, 0);
  none.set(26, std::int32_t{CUDA_R_64F});
  expect(multiply(none, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_NOT_SUPPORTED, "a bias of another type");
  none.set(26, std::int32_t{-1});
  with_aux(none, kRelu | kGelu, nullptr, 0);
  expect(multiply(none, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_INVALID_VALUE, "two activations");
  none.set(kEpilogue, std::uint32_t{kWithBias});
  none.set(kBias, static_cast<const void*>(nullptr));
  expect(multiply(none, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_INVALID_VALUE, "no bias");
}

}  // namespace

void described_epilogues() {
  ok(cublasLtCreate(&lt), "LtCreate");
  check_epilogues(45, 37);
  check_epilogues(101, 131);
  ok(cublasLtDestroy(lt), "LtDestroy");
}

}  // namespace warpvp::test
