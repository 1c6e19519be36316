// A program that calls cuBLAS and checks what it gets. `program CASE`; status 0: all was right, else a line a
// mistake.

#include <map>

#include "tests/cuda/blas_checks.h"

using namespace warpvp::test;

namespace {

// ---- copies, streams, mistakes

void copies() {
  const auto a = random_values<float>(7 * 5);
  OnDevice<float> there(std::vector<float>(9 * 5, -9.0f));
  std::vector<float> back(8 * 5, -9.0f);
  ok(cublasSetMatrix(6, 5, sizeof(float), a.data(), 7, there, 9), "SetMatrix");
  ok(cublasGetMatrix(6, 5, sizeof(float), there, 9, back.data(), 8), "GetMatrix");
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 8; ++i)
      expect(item(back, i + 8 * j) == (i < 6 ? item(a, i + 7 * j) : -9.0f), "a matrix there and back");
  OnDevice<float> line(std::vector<float>(30, -9.0f));
  std::vector<float> again(10, -9.0f);
  ok(cublasSetVector(10, sizeof(float), a.data(), 2, line, 3), "SetVector");
  ok(cublasGetVector(10, sizeof(float), line, 3, again.data(), 1), "GetVector");
  for (std::size_t i = 0; i < 10; ++i) expect(again[i] == a[2 * i], "a vector there and back");
  CUstream stream = nullptr;
  expect(cuStreamCreate(&stream, 1) == 0, "a stream");
  ok(cublasSetStream_v2(handle, stream), "SetStream");
  const float two = 2;
  ok(cublasSscal_v2(handle, 10, &two, line, 3), "scal in a stream");
  cuStreamSynchronize(stream);
  ok(cublasSetStream_v2(handle, nullptr), "SetStream");
  ok(cublasGetVector(10, sizeof(float), line, 3, again.data(), 1), "GetVector");
  for (std::size_t i = 0; i < 10; ++i) expect(again[i] == 2 * a[2 * i], "a vector worked on in a stream");
}

void mistakes_of_callers() {
  const float one = 1;
  OnDevice<float> a(std::vector<float>(16, 1.0f));
  expect(cublasSgemm_v2(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2) ==
             CUBLAS_STATUS_NOT_INITIALIZED,
         "no handle");
  expect(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 2, 2, &one, a, 2, a, 2, &one, a, 2) ==
             CUBLAS_STATUS_INVALID_VALUE,
         "a size below 0");
  expect(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 2, &one, a, 2, a, 2, &one, a, 4) ==
             CUBLAS_STATUS_INVALID_VALUE,
         "columns that overlap");
  expect(
      cublasSgemv_v2(handle, CUBLAS_OP_N, 2, 2, &one, a, 2, a, 0, &one, a, 1) == CUBLAS_STATUS_INVALID_VALUE,
      "a step of 0");
  expect(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, CUDA_R_32F, 2, a, CUDA_R_16F, 2,
                      &one, a, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, -1) == CUBLAS_STATUS_NOT_SUPPORTED,
         "types that do not go together");
  expect(cublasUint8gemmBias() == CUBLAS_STATUS_NOT_SUPPORTED, "what is not offered");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  ok(cublasCreate_v2(&handle), "Create");
  const std::map<std::string, void (*)()> cases = {{"lt", described_products},
                                                   {"lt_types", described_types},
                                                   {"lt_epilogues", described_epilogues},
                                                   {"lt_orders", described_orders},
                                                   {"lt_algorithms", algorithms},
                                                   {"level1", vectors},
                                                   {"level2", matrices_with_vectors},
                                                   {"gemm", products},
                                                   {"level3", other_products},
                                                   {"types", types},
                                                   {"lu", factors},
                                                   {"batches", batches},
                                                   {"complex", complex_numbers},
                                                   {"stored", stored_matrices},
                                                   {"others", other_functions},
                                                   {"legacy", first_interface},
                                                   {"copies", copies},
                                                   {"mistakes", mistakes_of_callers}};
  const auto found = cases.find(name);
  expect(found != cases.end(), "no case " + name);
  if (found != cases.end()) found->second();
  ok(cublasDestroy_v2(handle), "Destroy");
  return mistakes == 0 ? 0 : 1;
}
