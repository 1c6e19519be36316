// What cuBLASLt says of algorithms, and what it is told of them.

#include "tests/cuda/blas_lt.h"

namespace warpvp::test {

void algorithms() {
  ok(cublasLtCreate(&lt), "LtCreate");
  const auto f32 = CUBLAS_COMPUTE_32F;
  const auto s = CUDA_R_32F;
  int ids[4] = {-9, -9, -9, -9}, count = 0;
  ok(cublasLtMatmulAlgoGetIds(lt, f32, s, s, s, s, s, 4, ids, &count), "AlgoGetIds");
  expect(count == 1 && ids[0] >= 0 && ids[1] == -9, "one algorithm");
  LtWords algorithm{};
  ok(cublasLtMatmulAlgoInit(lt, f32, s, s, s, s, s, 10, &algorithm), "AlgoInit");
  // Asked for the size, then for what is there.
  std::size_t bytes = 0;
  ok(cublasLtMatmulAlgoCapGetAttribute(&algorithm, 6, nullptr, 0, &bytes), "the tiles' size");
  expect(bytes == sizeof(std::uint32_t), "one tile");
  std::uint32_t tile = 0;
  ok(cublasLtMatmulAlgoCapGetAttribute(&algorithm, 6, &tile, sizeof tile, &bytes), "the tile");
  std::uint64_t flags = 9;
  ok(cublasLtMatmulAlgoCapGetAttribute(&algorithm, 15, &flags, sizeof flags, nullptr), "flags");
  expect(tile == 11 && flags == 0, "a tile of 32 x 32");
  expect(cublasLtMatmulAlgoCapGetAttribute(&algorithm, 15, &flags, 4, nullptr) == CUBLAS_STATUS_INVALID_VALUE,
         "too few bytes");
  expect(cublasLtMatmulAlgoCapGetAttribute(&algorithm, 99, &flags, 8, nullptr) == CUBLAS_STATUS_INVALID_VALUE,
         "a number too high");
  // What is set is there again.
  const std::uint32_t split = 3;
  const std::uint16_t inner = 4;
  ok(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, 2, &split, sizeof split), "splits");
  ok(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, 7, &inner, sizeof inner), "inner");
  std::uint32_t read = 0;
  ok(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, 0, &read, sizeof read, nullptr), "the number");
  expect(read == 10, "the number");
  ok(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, 2, &read, sizeof read, nullptr), "splits");
  expect(read == 3, "splits");
  // It takes a product that fits, and does it.
  LtWords *operation = nullptr, *a = nullptr, *b = nullptr, *c = nullptr;
  ok(cublasLtMatmulDescCreate(&operation, f32, s), "DescCreate");
  ok(cublasLtMatrixLayoutCreate(&a, s, 2, 3, 2), "A");
  ok(cublasLtMatrixLayoutCreate(&b, s, 3, 2, 3), "B");
  ok(cublasLtMatrixLayoutCreate(&c, s, 2, 2, 2), "C");
  LtWords result{};
  ok(cublasLtMatmulAlgoCheck(lt, operation, a, b, c, c, &algorithm, &result), "AlgoCheck");
  expect(result.data[8] == 0, "no memory");
  expect(
      cublasLtMatmulAlgoCheck(lt, operation, a, a, c, c, &algorithm, &result) == CUBLAS_STATUS_INVALID_VALUE,
      "a product that does not fit");
  const OnDevice<float> on_a({1, 2, 3, 4, 5, 6}), on_b({1, 0, 2, 0, 1, 0});
  OnDevice<float> on_c(std::vector<float>(4));
  const float one = 1, zero = 0;
  ok(cublasLtMatmul(lt, operation, &one, on_a, a, on_b, b, &zero, on_c, c, on_c, c, &algorithm, nullptr, 0,
                    nullptr),
     "Matmul");
  expect(on_c.get() == std::vector<float>({11, 14, 3, 4}), "a product by an algorithm that was set up");
  std::uint64_t rows = 0;
  ok(cublasLtMatrixLayoutGetAttribute(b, 2, &rows, sizeof rows, nullptr), "rows");
  expect(rows == 3, "rows");
  for (LtWords* const layout : {a, b, c}) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(operation);
  // The rest.
  LtWords* emulation = nullptr;
  ok(cublasLtEmulationDescCreate(&emulation), "EmulationDescCreate");
  const std::int32_t control = 1;
  ok(cublasLtEmulationDescSetAttribute(emulation, 2, &control, sizeof control),
     "how double precision is made");
  ok(cublasLtEmulationDescDestroy(emulation), "EmulationDescDestroy");
  int major = 0;
  ok(cublasLtGetProperty(0, &major), "GetProperty");
  expect(major == 12, "the version");
  expect(std::string(cublasLtGetStatusName(CUBLAS_STATUS_INVALID_VALUE)) == "CUBLAS_STATUS_INVALID_VALUE",
         "the name of a status");
  std::size_t capacity = 0;
  ok(cublasLtHeuristicsCacheSetCapacity(17), "capacity");
  ok(cublasLtHeuristicsCacheGetCapacity(&capacity), "capacity");
  expect(capacity == 17, "capacity");
  ok(cublasLtDestroy(lt), "LtDestroy");
}

}  // namespace warpvp::test
