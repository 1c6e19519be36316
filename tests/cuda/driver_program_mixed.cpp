// A program of both APIs: what one has made the other takes.

#include "tests/cuda/cuda_functions.h"
#include "tests/cuda/driver_program.h"

namespace warpvp::test {

// The runtime has the primary context current, on which modules are loaded.
void mixed() {
  unsigned *a = nullptr, *c = nullptr;
  std::vector<unsigned> in(kN), out(kN);
  for (unsigned i = 0; i < kN; ++i) in[i] = i;
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&a), kN * 4), 0);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&c), kN * 4), 0);
  CHECK_EQ(cuInit(0), 0);
  CUcontext context = nullptr;
  CHECK_EQ(cuCtxGetCurrent(&context), 0);
  CHECK_EQ(context != nullptr, 1);
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  CHECK_EQ(cuModuleLoadData(&module, kPtx.c_str()), 0);
  CHECK_EQ(cuModuleGetFunction(&add, module, "add"), 0);
  cudaStream_t of_runtime{};
  CUstream of_driver{};
  cudaEvent_t event{};
  CHECK_EQ(cudaStreamCreateWithFlags(&of_runtime, 1), 0);
  CHECK_EQ(cuStreamCreate(&of_driver, 1), 0);
  CHECK_EQ(cudaEventCreate(&event), 0);
  CHECK_EQ(cudaMemcpyAsync(a, in.data(), kN * 4, 1, of_runtime), 0);
  CHECK_EQ(launch(add, (kN + 255) / 256, 256, of_runtime, a, a, c, kN), 0);
  CHECK_EQ(cuEventRecord(event, of_runtime), 0);
  CHECK_EQ(cudaStreamWaitEvent(of_driver, event, 0), 0);
  CHECK_EQ(cuMemcpyDtoHAsync_v2(out.data(), reinterpret_cast<CUdeviceptr>(c), kN * 4, of_driver), 0);
  CHECK_EQ(cudaStreamSynchronize(of_driver), 0);
  for (unsigned i = 0; i < kN; ++i)
    if (out[i] != 2 * i) return CHECK_EQ(out[i], 2 * i);
  CHECK_EQ(cuStreamDestroy_v2(of_runtime), 0);
  CHECK_EQ(cudaStreamSynchronize(of_runtime), kInvalidResourceHandle);
}

}  // namespace warpvp::test
