// Cases of driver_program: the device, contexts, wrong use, and functions looked up by name.

#include <cstring>
#include <thread>

#include "tests/cuda/driver_program.h"

extern "C" CUresult cuIpcGetMemHandle();

namespace warpvp::test {

// Before cuInit, and without a context.
void beginnings() {
  int count = 0;
  CUdevice device = 0;
  CUcontext context{}, other{}, current{};
  CUdeviceptr p = 0;
  CHECK_EQ(cuDeviceGetCount(&count), kInitializationError);
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), kInitializationError);
  CHECK_EQ(cuCtxGetCurrent(&current), kInitializationError);
  CHECK_EQ(cuMemAlloc_v2(&p, 4), kInitializationError);
  CHECK_EQ(cuDriverGetVersion(&count), 0);  // needs nothing
  CHECK_EQ(count, 13000);
  CHECK_EQ(cuInit(1), kInvalidValue);
  CHECK_EQ(cuInit(0), 0);
  CHECK_EQ(cuDeviceGetCount(&count), 0);
  CHECK_EQ(count, 1);
  CHECK_EQ(cuDeviceGet(&device, 1), kInvalidDevice);
  CHECK_EQ(cuDeviceGet(&device, 0), 0);
  CHECK_EQ(cuMemAlloc_v2(&p, 4), kInvalidContext);
  CHECK_EQ(cuCtxSynchronize(), kInvalidContext);
  CHECK_EQ(cuCtxGetDevice(&device), kInvalidContext);
  CHECK_EQ(cuCtxGetCurrent(&current), 0);
  CHECK_EQ(current == nullptr, true);

  // Each thread has a stack of them.
  CHECK_EQ(cuCtxCreate_v4(&context, nullptr, 8, device), 0);
  CHECK_EQ(cuCtxCreate_v3(&other, nullptr, 0, 0, device), 0);
  CHECK_EQ(cuCtxGetCurrent(&current), 0);
  CHECK_EQ(current == other, true);
  CHECK_EQ(cuMemAlloc_v2(&p, 4), 0);
  CHECK_EQ(cuCtxPopCurrent_v2(&current), 0);
  CHECK_EQ(current == other, true);
  // What a context has to itself goes away without one, too.
  CUstream stream{};
  CUevent event{};
  void* pinned = nullptr;
  CHECK_EQ(cuMemAlloc_v2(&p, 4), 0);
  CHECK_EQ(cuMemAllocHost_v2(&pinned, 4), 0);
  CHECK_EQ(cuStreamCreate(&stream, 0), 0);
  CHECK_EQ(cuEventCreate(&event, 0), 0);
  CHECK_EQ(cuCtxPopCurrent_v2(&current), 0);
  CHECK_EQ(cuMemFree_v2(p), 0);
  CHECK_EQ(cuMemFreeHost(pinned), 0);
  CHECK_EQ(cuStreamDestroy_v2(stream), 0);
  CHECK_EQ(cuEventDestroy_v2(event), 0);
  CHECK_EQ(cuMemFree_v2(p), kInvalidValue);
  CHECK_EQ(cuCtxPushCurrent_v2(current), 0);
  CHECK_EQ(cuMemAlloc_v2(&p, 4), 0);
  // Users of a context that one counts.
  CHECK_EQ(cuCtxAttach(&current, 0), 0);
  CHECK_EQ(cuCtxDetach(current), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  // Second versions of functions whose first ones have no context: whatever stands there.
  CHECK_EQ(cuCtxGetDevice_v2(&device, reinterpret_cast<CUcontext>(&device)), 0);
  CHECK_EQ(cuCtxSynchronize_v2(reinterpret_cast<CUcontext>(&device)), 0);
  unsigned flags = 0, version = 0;
  CHECK_EQ(cuCtxGetFlags(&flags), 0);
  CHECK_EQ(flags, 8);
  CHECK_EQ(cuCtxGetApiVersion(other, &version), 0);
  CHECK_EQ(version, 3020);
  CHECK_EQ(cuMemFree_v2(p), 0);
  std::thread([&] {
    CHECK_EQ(cuMemAlloc_v2(&p, 4), kInvalidContext);
    CHECK_EQ(cuCtxSetCurrent(context), 0);
    CHECK_EQ(cuMemAlloc_v2(&p, 4), 0);
  }).join();
  CHECK_EQ(cuCtxPushCurrent_v2(other), 0);
  CHECK_EQ(cuCtxDestroy_v2(context), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  CHECK_EQ(cuCtxPushCurrent_v2(context), kContextIsDestroyed);
  CHECK_EQ(cuCtxSetCurrent(reinterpret_cast<CUcontext>(&flags)), kInvalidContext);
  CHECK_EQ(cuCtxSetCurrent(nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), kContextIsDestroyed);  // below it

  int active = 1;
  CHECK_EQ(cuDevicePrimaryCtxGetState(device, &flags, &active), 0);
  CHECK_EQ(active, 0);
  CHECK_EQ(cuDevicePrimaryCtxSetFlags_v2(device, 4), 0);
  CHECK_EQ(cuDevicePrimaryCtxRetain(&context, device), 0);
  CHECK_EQ(cuDevicePrimaryCtxGetState(device, &flags, &active), 0);
  CHECK_EQ(active * 10 + static_cast<int>(flags), 14);
  CHECK_EQ(cuCtxSetCurrent(context), 0);
  CHECK_EQ(cuMemAlloc_v2(&p, 4), 0);
  CHECK_EQ(cuCtxDestroy_v2(context), kInvalidContext);
  CHECK_EQ(cuDevicePrimaryCtxRelease_v2(device), 0);
  CHECK_EQ(cuMemAlloc_v2(&p, 4), kContextIsDestroyed);
  CHECK_EQ(cuDevicePrimaryCtxRelease_v2(device), kInvalidContext);
}

void device() {
  const Begun begun;
  char name[64] = {}, bus[16] = {};
  CHECK_EQ(cuDeviceGetName(name, sizeof name, 0), 0);
  CHECK_EQ(name[0] != '\0', true);
  CHECK_EQ(cuDeviceGetPCIBusId(bus, sizeof bus, 0), 0);
  CUdevice found = -1;
  CHECK_EQ(cuDeviceGetByPCIBusId(&found, bus), 0);
  CHECK_EQ(found, 0);
  int major = 0, minor = 0, value = 0;
  CHECK_EQ(cuDeviceComputeCapability(&major, &minor, 0), 0);
  CHECK_EQ(cuDeviceGetAttribute(&value, 75, 0), 0);
  CHECK_EQ(value, major);
  CHECK_EQ(cuDeviceGetAttribute(&value, -1, 0), kInvalidValue);
  // Of platform `small`: four banks of 96 KiB, two channels of 128 bits at 850 MHz.
  const int known[][2] = {{36, 850000}, {37, 256}, {38, 4 * 96 * 1024}, {23, 65536}};
  for (const auto& [number, expected] : known) {
    CHECK_EQ(cuDeviceGetAttribute(&value, number, 0), 0);
    CHECK_EQ(value, expected);
  }
  CUdevprop properties{};
  CHECK_EQ(cuDeviceGetProperties(&properties, 0), 0);
  CHECK_EQ(properties.SIMDWidth, 32);
  CHECK_EQ(properties.maxThreadsDim[2], 64);
  std::size_t total = 0, all = 0, free = 0, limit = 0;
  CHECK_EQ(cuDeviceTotalMem_v2(&total, 0), 0);
  CHECK_EQ(cuMemGetInfo_v2(&free, &all), 0);
  CHECK_EQ(all == total && free < all, true);
  CHECK_EQ(cuCtxSetLimit(0, 4096), 0);
  CHECK_EQ(cuCtxGetLimit(&limit, 0), 0);
  CHECK_EQ(limit, 4096);
  CHECK_EQ(cuCtxGetLimit(&limit, 77), kUnsupportedLimit);
  const char* text = nullptr;
  CHECK_EQ(cuGetErrorName(201, &text), 0);
  CHECK_EQ(std::strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"), 0);
  CHECK_EQ(cuGetErrorString(2, &text), 0);
  CHECK_EQ(std::strcmp(text, "out of memory"), 0);
  CHECK_EQ(cuGetErrorName(12345, &text), kInvalidValue);
  CHECK_EQ(text == nullptr, true);
}

void errors() {
  const Begun begun;
  Vectors v;
  CUfunction function{};
  CUmodule module{};
  CHECK_EQ(cuModuleGetFunction(&function, begun.module, "missing"), kSymbolNotFound);
  CHECK_EQ(cuModuleGetFunction(&function, begun.module, nullptr), kInvalidValue);
  CHECK_EQ(cuModuleGetFunction(&function, reinterpret_cast<CUmodule>(&v), "add"), kInvalidResourceHandle);
  CHECK_EQ(launch(nullptr, 1, 1, nullptr), kInvalidResourceHandle);
  CHECK_EQ(launch(begun.function("add"), 1, 2048, nullptr, v.da, v.db, v.dc, kN), kInvalidValue);
  CHECK_EQ(launch(begun.function("add"), 0, 32, nullptr, v.da, v.db, v.dc, kN), kInvalidValue);
  CHECK_EQ(v.add(begun, reinterpret_cast<CUstream>(&v)), kInvalidResourceHandle);
  CHECK_EQ(cuModuleLoadData(&module, ".version 7.0 rubbish"), kInvalidPtx);
  CHECK_EQ(cuModuleLoadData(&module,
                            "\x7f"
                            "ELF"),
           kNoKernelImageForDevice);
  CHECK_EQ(cuModuleLoad(&module, "/nowhere/module.ptx"), kFileNotFound);
  CHECK_EQ(cuModuleUnload(nullptr), kInvalidResourceHandle);
  CHECK_EQ(cuMemFree_v2(v.da + 4), kInvalidValue);
  CHECK_EQ(cuMemAlloc_v2(&v.da, 0), kInvalidValue);
  CHECK_EQ(cuMemAlloc_v2(&v.da, std::size_t{1} << 50), kMemoryAllocation);
  CHECK_EQ(cuMemcpyHtoD_v2(0, &v, 4), kInvalidValue);
  CHECK_EQ(cuMemcpyDtoH_v2(&v, 16, 4), kInvalidValue);
  CHECK_EQ(cuMemFreeHost(&v), kInvalidValue);
  CHECK_EQ(cuIpcGetMemHandle(), kNotSupported);
  CHECK_EQ(cuGraphCreate(nullptr, 0), kInvalidValue);
  const void* table = nullptr;
  CHECK_EQ(cuGetExportTable(&table, nullptr), kSymbolNotFound);
  // Nothing of this has harmed it.
  CHECK_EQ(cuMemcpyHtoD_v2(v.da, v.a.data(), kN * 4), 0);
  CHECK_EQ(cuMemcpyHtoD_v2(v.db, v.b.data(), kN * 4), 0);
  CHECK_EQ(v.add(begun, nullptr), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(v.c.data(), v.dc, kN * 4), 0);
  v.check_sums();
  // A kernel goes with its module.
  function = begun.function("add");
  CHECK_EQ(cuModuleUnload(begun.module), 0);
  CHECK_EQ(launch(function, 1, 1, nullptr, v.da, v.db, v.dc, kN), kInvalidResourceHandle);
}

namespace {
template <class F>
F look_up(const char* name, int version, std::uint64_t flags = 0) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  CHECK_EQ(cuGetProcAddress_v2(name, &found, version, flags, &status), 0);
  CHECK_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  return reinterpret_cast<F>(found);
}
}  // namespace

void lookup() {
  using Init = CUresult (*)(unsigned);
  CHECK_EQ(look_up<Init>("cuInit", 12000)(0), 0);
  CUcontext context{};
  // The plain name is another function from version to version.
  CHECK_EQ(look_up<CUresult (*)(CUcontext*, CUctxCreateParams*, unsigned, int)>("cuCtxCreate", 13000)(
               &context, nullptr, 0, 0),
           0);
  CHECK_EQ(look_up<CUresult (*)(CUcontext*, void*, int, unsigned, int)>("cuCtxCreate", 12000)(
               &context, nullptr, 0, 0, 0),
           0);
  CHECK_EQ(look_up<CUresult (*)(CUcontext*, unsigned, int)>("cuCtxCreate", 11030)(&context, 0, 0), 0);
  CUdeviceptr p = 0;
  CHECK_EQ(look_up<CUresult (*)(CUdeviceptr*, std::size_t)>("cuMemAlloc", 11030)(&p, 64), 0);
  CHECK_EQ(p > 0xffffffff, true);
  const auto plain = look_up<void*>("cuStreamSynchronize", 12000);
  CHECK_EQ(look_up<void*>("cuStreamSynchronize", 12000, 2) != plain, true);
  CHECK_EQ(look_up<void*>("cuMemcpyHtoD", 12000, 2) != nullptr, true);
  void* found = &p;
  CUdriverProcAddressQueryResult status{};
  CHECK_EQ(cuGetProcAddress_v2("cuNoSuchThing", &found, 12000, 0, &status), 0);
  CHECK_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  CHECK_EQ(found == nullptr, true);
  CHECK_EQ(cuGetProcAddress("cuNoSuchThing", &found, 11030, 0), kSymbolNotFound);
  CHECK_EQ(cuGetProcAddress("malloc", &found, 11030, 0), kSymbolNotFound);
  CHECK_EQ(cuGetProcAddress("cuInit", &found, 99000, 0), kInvalidValue);
}

}  // namespace warpvp::test
