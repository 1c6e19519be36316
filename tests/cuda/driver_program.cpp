// A program of the CUDA driver API. `program CASE` does one thing, checks what it got, and ends with status
// 0, or 1 after a line that says what was wrong.

#include "tests/cuda/driver_program.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "tests/cuda/fat_binary_writer.h"

extern "C" {
CUresult cuStreamSynchronize_ptsz(CUstream);
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr, const void*, std::size_t, CUstream);
CUresult cuMemcpyDtoH_v2_ptds(void*, CUdeviceptr, std::size_t);
}

using namespace warpvp::test;

namespace {

CUresult launch_packed(CUfunction function, const void* buffer, std::size_t bytes) {
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(buffer), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
}

void launches() {
  const Begun begun;
  Vectors v;
  CHECK_EQ(cuMemcpyHtoD_v2(v.da, v.a.data(), kN * 4), 0);
  CHECK_EQ(cuMemcpyHtoD_v2(v.db, v.b.data(), kN * 4), 0);
  CHECK_EQ(v.add(begun, nullptr), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(v.c.data(), v.dc, kN * 4), 0);
  v.check_sums();
  for (const CUdeviceptr p : {v.da, v.db, v.dc}) CHECK_EQ(cuMemFree_v2(p), 0);
  CHECK_EQ(cuModuleUnload(begun.module), 0);
  CHECK_EQ(cuCtxDestroy_v2(begun.context), 0);
}

// Arguments in a buffer lie where the kernel's parameters do, alignment that only the kernel knows of
// included.
void packed() {
  const Begun begun;
  struct alignas(16) Block {
    std::uint64_t a, b, c;
  };
  struct {
    std::uint8_t a = 200;
    alignas(16) std::uint64_t b[3] = {1, 2, 1000};
    std::uint64_t to = 0;
  } buffer;
  buffer.to = allocate(8);
  const CUfunction mixed = begun.function("mixed");
  CHECK_EQ(launch_packed(mixed, &buffer, 48), 0);
  std::uint64_t sum = 0;
  CHECK_EQ(cuMemcpyDtoH_v2(&sum, buffer.to, 8), 0);
  CHECK_EQ(sum, 1200);
  CHECK_EQ(launch(mixed, 1, 1, nullptr, std::uint8_t{7}, Block{1, 2, 30}, buffer.to), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(&sum, buffer.to, 8), 0);
  CHECK_EQ(sum, 37);
  std::size_t offset = 0, bytes = 0;
  CHECK_EQ(cuFuncGetParamInfo(mixed, 1, &offset, &bytes), 0);
  CHECK_EQ(offset * 1000 + bytes, 16024);
  CHECK_EQ(cuFuncGetParamInfo(mixed, 3, &offset, &bytes), kInvalidValue);
  CHECK_EQ(launch_packed(mixed, &buffer, 40), kInvalidValue);
  void* arguments[] = {&buffer.a, buffer.b, &buffer.to};
  void* extra[] = {CU_LAUNCH_PARAM_END};
  CHECK_EQ(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, extra), kInvalidValue);
  CHECK_EQ(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra), kInvalidValue);
  CHECK_EQ(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), kInvalidValue);
}

void globals() {
  const Begun begun;
  CUdeviceptr counter = 0, table = 0;
  std::size_t bytes = 0;
  CHECK_EQ(cuModuleGetGlobal_v2(&counter, &bytes, begun.module, "counter"), 0);
  CHECK_EQ(bytes, 4);
  CHECK_EQ(cuModuleGetGlobal_v2(&table, nullptr, begun.module, "table"), 0);
  CHECK_EQ(cuModuleGetGlobal_v2(nullptr, &bytes, begun.module, "table"), 0);
  CHECK_EQ(bytes, 16);
  CHECK_EQ(launch(begun.function("count"), 2, 32, nullptr, 10u), 0);
  unsigned now = 0;
  CHECK_EQ(cuMemcpyDtoH_v2(&now, counter, 4), 0);
  CHECK_EQ(now, 7 + 640);
  const unsigned words[5] = {1, 2, 3, 4, 5};
  CHECK_EQ(cuMemcpyHtoD_v2(table, words, 16), 0);
  CHECK_EQ(cuMemcpyDtoD_v2(counter, table + 8, 4), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(&now, counter, 4), 0);
  CHECK_EQ(now, 3);
  CHECK_EQ(cuMemcpyHtoD_v2(table, words, 17), kInvalidValue);
  CHECK_EQ(cuModuleGetGlobal_v2(&counter, &bytes, begun.module, "missing"), kSymbolNotFound);
}

void stream_order() {
  const Begun begun;
  Vectors v;
  CUstream s[3]{};
  for (CUstream& stream : s) CHECK_EQ(cuStreamCreate(&stream, 1), 0);
  CUevent copied{}, added{}, untimed{};
  CHECK_EQ(cuEventCreate(&copied, 0), 0);
  CHECK_EQ(cuEventCreate(&added, 0), 0);
  CHECK_EQ(cuEventCreate(&untimed, 2), 0);
  CHECK_EQ(cuMemcpyHtoDAsync_v2(v.da, v.a.data(), kN * 4, s[0]), 0);
  CHECK_EQ(cuMemcpyHtoDAsync_v2(v.db, v.b.data(), kN * 4, s[0]), 0);
  CHECK_EQ(cuEventRecord(copied, s[0]), 0);
  CHECK_EQ(cuStreamWaitEvent(s[1], copied, 0), 0);
  CHECK_EQ(v.add(begun, s[1]), 0);
  CHECK_EQ(cuEventRecord(added, s[1]), 0);
  CHECK_EQ(cuStreamWaitEvent(s[2], added, 0), 0);
  void* pinned = nullptr;
  CHECK_EQ(cuMemAllocHost_v2(&pinned, kN * 4), 0);
  const auto* const late = static_cast<unsigned*>(pinned);
  CHECK_EQ(cuMemcpyDtoHAsync_v2(pinned, v.dc, kN * 4, s[2]), 0);
  CHECK_EQ(late[1], 0);
  CHECK_EQ(cuStreamQuery(s[2]), kNotReady);
  CHECK_EQ(cuEventQuery(added), kNotReady);
  while (cuStreamQuery(s[2]) == kNotReady) {
  }
  CHECK_EQ(late[kN - 1], 4 * (kN - 1));
  // To memory that is not pinned it has ended when the call returns.
  CHECK_EQ(cuMemcpyDtoHAsync_v2(v.c.data(), v.dc, kN * 4, s[2]), 0);
  v.check_sums();
  float ms = 0;
  CHECK_EQ(cuEventElapsedTime(&ms, copied, added), 0);
  CHECK_EQ(ms > 0.0005f && ms < 1, true);
  CHECK_EQ(cuEventElapsedTime(&ms, copied, untimed), kInvalidResourceHandle);
  CHECK_EQ(cuEventSynchronize(added), 0);
  int ran = 0;
  CHECK_EQ(cuLaunchHostFunc(
               s[2], [](void* p) { ++*static_cast<int*>(p); }, &ran),
           0);
  CHECK_EQ(cuStreamAddCallback(
               s[2], [](CUstream, CUresult, void* p) { *static_cast<int*>(p) += 10; }, &ran, 0),
           0);
  CHECK_EQ(ran, 11);
  CUstream urgent{};
  int least = 1, greatest = 1, priority = 1;
  CHECK_EQ(cuCtxGetStreamPriorityRange(&least, &greatest), 0);
  CHECK_EQ(cuStreamCreateWithPriority(&urgent, 0, greatest), 0);
  CHECK_EQ(cuStreamGetPriority(urgent, &priority), 0);
  CHECK_EQ(priority, greatest);
  unsigned flags = 9;
  CHECK_EQ(cuStreamGetFlags(s[0], &flags), 0);
  CHECK_EQ(flags, 1);
  CUcontext of{};
  CHECK_EQ(cuStreamGetCtx(s[0], &of), 0);
  CHECK_EQ(of == begun.context, true);
  for (CUstream stream : s) CHECK_EQ(cuStreamDestroy_v2(stream), 0);
  CHECK_EQ(cuStreamSynchronize(s[0]), kInvalidResourceHandle);
  CHECK_EQ(cuStreamDestroy_v2(nullptr), kInvalidResourceHandle);
  CHECK_EQ(cuEventDestroy_v2(added), 0);
  CHECK_EQ(cuEventRecord(added, nullptr), kInvalidResourceHandle);
}

void occupancy() {
  const Begun begun;
  const CUfunction add = begun.function("add");
  int ctas = 0, grid = 0, block = 0, value = 0, sms = 0;
  CHECK_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, add, 256, 0), 0);
  CHECK_EQ(ctas >= 1, true);
  CHECK_EQ(cuDeviceGetAttribute(&sms, 16, 0), 0);
  CHECK_EQ(cuOccupancyMaxPotentialBlockSize(
               &grid, &block, add, [](int threads) { return std::size_t(threads) * 8; }, 0, 200),
           0);
  CHECK_EQ(block > 0 && block <= 200, true);
  CHECK_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, add, block, std::size_t(block) * 8), 0);
  CHECK_EQ(grid, ctas * sms);
  CHECK_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, add), 0);
  CHECK_EQ(value > 0, true);
  // More shared memory than a block has by itself must be asked for.
  Vectors v;
  unsigned none = 0;
  void* arguments[] = {&v.da, &v.db, &v.dc, &none};
  CHECK_EQ(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 50000, nullptr, arguments, nullptr), kInvalidValue);
  CHECK_EQ(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000), 0);
  CHECK_EQ(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 50000, nullptr, arguments, nullptr), 0);
  CHECK_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add), 0);
  CHECK_EQ(value, 50000);
  CHECK_EQ(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30), kInvalidValue);
  CHECK_EQ(cuFuncSetCacheConfig(add, 1), 0);
  const char* name = nullptr;
  CHECK_EQ(cuFuncGetName(&name, add), 0);
  CHECK_EQ(std::strcmp(name, "add"), 0);
  // All of a cooperative launch must fit.
  CHECK_EQ(cuLaunchCooperativeKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments), 0);
  CHECK_EQ(cuLaunchCooperativeKernel(add, 1 << 20, 1, 1, 32, 1, 1, 0, nullptr, arguments),
           kCooperativeLaunchTooLarge);
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {1, 1, 1};
  CUlaunchConfig config{2, 1, 1, 32, 1, 1, 0, nullptr, &cluster, 1};
  CHECK_EQ(cuLaunchKernelEx(&config, add, arguments, nullptr), 0);
  cluster.value.clusterDim.x = 2;
  CHECK_EQ(cuLaunchKernelEx(&config, add, arguments, nullptr), kNotSupported);
  CHECK_EQ(cuCtxSynchronize(), 0);
}

void libraries() {
  CHECK_EQ(cuInit(0), 0);
  char file[] = "/tmp/driver_program.XXXXXX";
  CHECK_EQ(close(mkstemp(file)), 0);
  const auto binary = FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, kPtx, Packing::kZstd).bytes();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
  CUlibrary library{};
  CHECK_EQ(cuLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0), 0);
  CUkernel kernel{}, again{};
  CHECK_EQ(cuLibraryGetKernel(&kernel, library, "count"), 0);
  CHECK_EQ(cuLibraryGetKernel(&again, library, "count"), 0);
  CHECK_EQ(kernel == again, true);
  CUcontext context{};
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), 0);
  CUfunction function{};
  CUmodule module{}, of{};
  CHECK_EQ(cuKernelGetFunction(&function, kernel), 0);
  CHECK_EQ(cuLibraryGetModule(&module, library), 0);
  CHECK_EQ(cuFuncGetModule(&of, function), 0);
  CHECK_EQ(of == module, true);
  CHECK_EQ(launch(reinterpret_cast<CUfunction>(kernel), 1, 1, nullptr, 5u), 0);  // allowed, too
  CHECK_EQ(launch(function, 1, 1, nullptr, 5u), 0);
  CUdeviceptr counter = 0;
  std::size_t bytes = 0;
  unsigned now = 0;
  CHECK_EQ(cuLibraryGetGlobal(&counter, &bytes, library, "counter"), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(&now, counter, bytes), 0);
  CHECK_EQ(now, 17);
  CHECK_EQ(cuLibraryUnload(library), 0);
  // The same, as nvcc points to it; and what a compiler had to say.
  struct {
    std::int32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    void* more = nullptr;
  } wrapper;
  wrapper.data = binary.data();
  char log[8] = "rubbish";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), reinterpret_cast<void*>(1)};
  CHECK_EQ(cuModuleLoadDataEx(&module, &wrapper, 3, options, values), 0);
  CHECK_EQ(log[0], 0);
  CHECK_EQ(values[1] == nullptr, true);
  CHECK_EQ(cuModuleGetFunction(&function, module, "count"), 0);
  CHECK_EQ(cuModuleLoad(&module, file), 0);
  std::remove(file);
}

// A default stream of each thread.
void threads() {
  const Begun begun;
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      CHECK_EQ(cuCtxSetCurrent(begun.context), 0);
      Vectors v;
      CHECK_EQ(cuMemcpyHtoDAsync_v2_ptsz(v.da, v.a.data(), kN * 4, nullptr), 0);
      CHECK_EQ(cuMemcpyHtoDAsync_v2_ptsz(v.db, v.b.data(), kN * 4, nullptr), 0);
      CHECK_EQ(v.add(begun, reinterpret_cast<CUstream>(2)), 0);  // CU_STREAM_PER_THREAD
      CHECK_EQ(cuMemcpyDtoH_v2_ptds(v.c.data(), v.dc, kN * 4), 0);
      v.check_sums();
      CHECK_EQ(cuStreamSynchronize_ptsz(nullptr), 0);
    });
  for (std::thread& thread : all) thread.join();
}

void fault() {
  const Begun begun;
  CHECK_EQ(launch(begun.function("stray"), 1, 1, nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), kIllegalAddress);
  CUdeviceptr p = 0;
  CHECK_EQ(cuMemAlloc_v2(&p, 4), kIllegalAddress);  // for good
}

// 12,000 bytes where there are four, and nothing but the page behind them.
void beyond() {
  const Begun begun;
  const Vectors v;
  CHECK_EQ(launch(begun.function("add"), (kN + 255) / 256, 256, CUstream{}, v.da, v.db, allocate(4), kN), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
}

// The functions that keep what a launch is made of from call to call.
void old_launches() {
  const Begun begun;
  Vectors v;
  CHECK_EQ(cuMemcpyHtoD_v2(v.da, v.a.data(), kN * 4), 0);
  CHECK_EQ(cuMemcpyHtoD_v2(v.db, v.b.data(), kN * 4), 0);
  const CUfunction add = begun.function("add"), count = begun.function("count");
  CHECK_EQ(cuFuncSetBlockShape(add, 0, 1, 1), kInvalidValue);
  CHECK_EQ(cuFuncSetBlockShape(add, 64, 2, 1), 0);
  CHECK_EQ(cuFuncSetSharedSize(add, 64), 0);
  int offset = 0;
  for (CUdeviceptr array : {v.da, v.db, v.dc}) {
    CHECK_EQ(cuParamSetv(add, offset, &array, sizeof array), 0);
    offset += sizeof array;
  }
  CHECK_EQ(cuLaunchGrid(add, 12, 1), kInvalidValue);  // an argument is missing
  CHECK_EQ(cuParamSeti(add, offset, kN), 0);
  CHECK_EQ(cuParamSetSize(add, static_cast<unsigned>(offset) + 4), 0);
  CHECK_EQ(cuFuncSetBlockShape(add, 256, 1, 1), 0);
  CHECK_EQ(cuLaunchGrid(add, (kN + 255) / 256, 1), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(v.c.data(), v.dc, kN * 4), 0);
  v.check_sums();
  CUdeviceptr counter = 0;
  CHECK_EQ(cuModuleGetGlobal_v2(&counter, nullptr, begun.module, "counter"), 0);
  unsigned before = 0, after = 0;
  CHECK_EQ(cuMemcpyDtoH_v2(&before, counter, 4), 0);
  CHECK_EQ(cuFuncSetBlockShape(count, 32, 1, 1), 0);
  CHECK_EQ(cuParamSeti(count, 0, 5), 0);
  CHECK_EQ(cuLaunch(count), 0);
  CHECK_EQ(cuLaunchGridAsync(count, 2, 3, nullptr), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(&after, counter, 4), 0);
  CHECK_EQ(after - before, 5 * 32 * 7);
  CHECK_EQ(cuParamSetv(count, -1, &after, 4), kInvalidValue);
  CHECK_EQ(cuParamSetv(count, 4094, &after, 4), kInvalidValue);
  CHECK_EQ(cuLaunchGrid(count, 0, 1), kInvalidValue);
  CHECK_EQ(cuLaunch(nullptr), kInvalidResourceHandle);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {{"launches", launches},
                                                              {"packed", packed},
                                                              {"globals", globals},
                                                              {"streams", stream_order},
                                                              {"device", device},
                                                              {"beginnings", beginnings},
                                                              {"errors", errors},
                                                              {"fills", fills},
                                                              {"rows", rows},
                                                              {"occupancy", occupancy},
                                                              {"lookup", lookup},
                                                              {"libraries", libraries},
                                                              {"pointers", pointers},
                                                              {"threads", threads},
                                                              {"mixed", mixed},
                                                              {"fault", fault},
                                                              {"images", images},
                                                              {"arrays", arrays},
                                                              {"graphs", graphs},
                                                              {"captures", captures},
                                                              {"addresses", addresses},
                                                              {"links", links},
                                                              {"pools", pools},
                                                              {"beyond", beyond},
                                                              {"old_launches", old_launches},
                                                              {"reservations", reservations}};
  cases.at(argc > 1 ? argv[1] : "launches")();
  return wrong;
}
