// A program of both APIs: what one has made the other takes.

#include "tests/cuda/cuda_functions.h"
#include "tests/cuda/driver_program.h"

namespace warpvp::test {

namespace {
// A text that only the kernel knows the place of.
constexpr char kTelling[] = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .b8 words[12] = {104, 101, 114, 101, 0};
.visible .entry where(.param .u64 to)
{
  .reg .b64 %d<3>;
  mov.u64 %d1, words; cvta.global.u64 %d1, %d1;
  ld.param.u64 %d2, [to]; st.global.u64 [%d2], %d1;
  ret;
}
)";
}  // namespace

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
  // What the runtime has allocated, and a variable that nobody has asked for.
  CUfunction where{};
  CUdeviceptr at = 0, base = 0;
  std::size_t bytes = 0;
  unsigned type = 0;
  char text[12] = {};
  CHECK_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(a + 7)),
      0);
  CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
  CHECK_EQ(cuMemGetAddressRange_v2(&base, &bytes, reinterpret_cast<CUdeviceptr>(a + 7)), 0);
  CHECK_EQ(base == reinterpret_cast<CUdeviceptr>(a) && bytes == kN * 4, true);
  CHECK_EQ(cuModuleLoadData(&module, kTelling), 0);
  CHECK_EQ(cuModuleGetFunction(&where, module, "where"), 0);
  CHECK_EQ(launch(where, 1, 1, nullptr, a), 0);
  CHECK_EQ(cudaMemcpy(&at, a, sizeof at, 2), 0);
  CHECK_EQ(cuMemGetAddressRange_v2(&base, &bytes, at + 3), 0);
  CHECK_EQ(base == at && bytes == sizeof text, true);
  CHECK_EQ(cudaMemcpy(text, reinterpret_cast<void*>(at), bytes, 2), 0);
  CHECK_EQ(text[1], 'e');
  CHECK_EQ(cudaMemcpy(text, reinterpret_cast<void*>(at), bytes + 1, 2), kInvalidValue);
}

}  // namespace warpvp::test
