// Orders of elements: changes from one to another, and products of bytes in those of tensor units.

#include "tests/cuda/blas_lt.h"

namespace warpvp::test {

void described_orders() {
  ok(cublasLtCreate(&lt), "LtCreate");
  const auto transform = [&](const Matrix& from, bool across, double alpha, const Matrix* other, double beta,
                             Matrix& to) {
    const cudaDataType type =
        to.format().exponent ? (to.format().bits == 64 ? CUDA_R_64F : CUDA_R_32F) : CUDA_R_32F;
    LtWords* change = nullptr;
    ok(cublasLtMatrixTransformDescCreate(&change, type), "TransformDescCreate");
    const std::int32_t operation = across;
    ok(cublasLtMatrixTransformDescSetAttribute(change, 2, &operation, sizeof operation), "A transposed");
    std::uint64_t raw[2] = {encode(format_of(type), alpha), encode(format_of(type), beta)};
    ok(cublasLtMatrixTransform(lt, change, &raw[0], from.place(), from.layout, &raw[1],
                               other ? other->place() : nullptr, other ? other->layout : nullptr, to.place(),
                               to.layout, nullptr),
       "MatrixTransform");
    to.read();
    cublasLtMatrixTransformDescDestroy(change);
  };
  const auto same = [&](const Matrix& from, bool across, double alpha, const Matrix* other, double beta,
                        const Matrix& to, const std::string& name) {
    int wrong = 0;
    for (int i = 0; i < to.rows(); ++i)
      for (int j = 0; j < to.columns(); ++j) {
        const double wanted =
            alpha * (across ? from.at(0, j, i) : from.at(0, i, j)) + (other ? beta * other->at(0, i, j) : 0);
        wrong += !is_near(to.format(), to.at(0, i, j), wanted, 1e-6);
      }
    expect(wrong == 0, name + ": " + std::to_string(wrong) + " elements");
  };
  const Order orders[] = {kColumns, kRows, kGroups, kGroupsOf8, kGroupsOf32};
  for (const cudaDataType type : {CUDA_R_8I, CUDA_R_32I, CUDA_R_32F, CUDA_R_64F, CUDA_R_16F}) {
    for (const Order order : orders) {
      for (const bool across : {false, true}) {
        Matrix from(type, across ? 70 : 41, across ? 41 : 70), to(type, 41, 70, order),
            other(type, 41, 70, kRows);
        from.fill(type == CUDA_R_32I ? 2e9 : type == CUDA_R_8I ? 50 : 2);
        other.fill(type == CUDA_R_32I ? 1e8 : type == CUDA_R_8I ? 20 : 2);
        const std::string name = "an order" + words({static_cast<int>(type), order, across});
        transform(from, across, 1, nullptr, 0, to);
        same(from, across, 1, nullptr, 0, to, name);
        transform(from, across, 1, &other, -0.5, to);
        if (type != CUDA_R_8I && type != CUDA_R_32I)
          same(from, across, 1, &other, -0.5, to, name + " and another");
      }
    }
  }
  // Products of bytes in the orders of tensor units: A and C in groups of 32 columns, B across in one of the
  // two others.
  for (const Order order : {kGroupsOf8, kGroupsOf32}) {
    const int m = 37, n = 50, k = 70;
    Matrix a(CUDA_R_8I, m, k, kGroups), b(CUDA_R_8I, n, k, order), c(CUDA_R_32I, m, n, kGroups),
        d(CUDA_R_32I, m, n, kGroups);
    a.fill(100);
    b.fill(100);
    c.fill(1000);
    Operation o(CUBLAS_COMPUTE_32I, CUDA_R_32I);
    o.set(kTransB, std::int32_t{1});
    const int alpha = 2, beta = -3;
    ok(multiply(o, &alpha, a, b, &beta, c, d), "bytes in groups");
    int wrong = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        wrong += d.at(0, i, j) != 2 * sum_of(a, false, b, true, 0, i, j, k) - 3 * c.at(0, i, j);
    expect(wrong == 0, "bytes in groups: " + std::to_string(wrong) + " elements");
  }
  Matrix a(CUDA_R_16F, 32, 32, kGroups), b(CUDA_R_16F, 32, 32), c(CUDA_R_16F, 32, 32);
  const Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const float one = 1;
  expect(multiply(o, &one, a, b, &one, c, c) == CUBLAS_STATUS_NOT_SUPPORTED, "groups of other types");
  ok(cublasLtDestroy(lt), "LtDestroy");
}

}  // namespace warpvp::test
