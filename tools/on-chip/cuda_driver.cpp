#include "tools/on-chip/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>

#include "base/error.h"

namespace warpvp::chip {
namespace {

CudaDriver loaded() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr)
    throw InputError(
        fmt::format("no CUDA driver here ({}); this needs a machine with an NVIDIA GPU", dlerror()));
  CudaDriver d{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw InputError(fmt::format("libcuda.so.1 has no {}", name));
  };
  find(d.Init, "cuInit");
  find(d.DriverGetVersion, "cuDriverGetVersion");
  find(d.GetErrorName, "cuGetErrorName");
  find(d.DeviceGet, "cuDeviceGet");
  find(d.DeviceGetName, "cuDeviceGetName");
  find(d.DeviceGetAttribute, "cuDeviceGetAttribute");
  find(d.DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(d.CtxSetCurrent, "cuCtxSetCurrent");
  find(d.CtxSynchronize, "cuCtxSynchronize");
  find(d.ModuleLoadDataEx, "cuModuleLoadDataEx");
  find(d.ModuleUnload, "cuModuleUnload");
  find(d.ModuleGetFunction, "cuModuleGetFunction");
  find(d.ModuleGetGlobal, "cuModuleGetGlobal_v2");
  find(d.MemAlloc, "cuMemAlloc_v2");
  find(d.MemFree, "cuMemFree_v2");
  find(d.MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  find(d.MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  find(d.MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  find(d.MemsetD8Async, "cuMemsetD8Async");
  find(d.StreamCreateWithPriority, "cuStreamCreateWithPriority");
  find(d.StreamSynchronize, "cuStreamSynchronize");
  find(d.StreamQuery, "cuStreamQuery");
  find(d.StreamWaitEvent, "cuStreamWaitEvent");
  find(d.EventCreate, "cuEventCreate");
  find(d.EventRecord, "cuEventRecord");
  find(d.EventSynchronize, "cuEventSynchronize");
  find(d.EventQuery, "cuEventQuery");
  find(d.EventElapsedTime, "cuEventElapsedTime");
  find(d.FuncSetAttribute, "cuFuncSetAttribute");
  find(d.LaunchKernel, "cuLaunchKernel");
  find(d.OccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(d.TexObjectCreate, "cuTexObjectCreate");
  find(d.TexObjectDestroy, "cuTexObjectDestroy");
  d.check(d.Init(0), "cuInit");
  int device = 0;
  CuHandle context = nullptr;
  d.check(d.DeviceGet(&device, 0), "cuDeviceGet");
  d.check(d.DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  d.check(d.CtxSetCurrent(context), "cuCtxSetCurrent");
  return d;
}

/// The number behind "Kernel Module" in the module's own file.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.size() > 4 && word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos)
      return word;
  return "unknown";
}

}  // namespace

const CudaDriver& CudaDriver::get() {
  static const CudaDriver driver = loaded();
  return driver;
}

void CudaDriver::check(int status, const std::string& what) const {
  if (status == 0) return;
  const char* name = nullptr;
  GetErrorName(status, &name);
  throw InputError(fmt::format("{}: {}", what, name == nullptr ? fmt::format("error {}", status) : name));
}

ChipInfo chip_info() {
  const CudaDriver& d = CudaDriver::get();
  // CU_DEVICE_ATTRIBUTE_...
  constexpr int kClockRate = 13, kMultiprocessors = 16, kMajor = 75, kMinor = 76;
  ChipInfo info;
  int device = 0;
  char name[256] = {};
  d.check(d.DeviceGet(&device, 0), "cuDeviceGet");
  d.check(d.DeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName");
  info.name = name;
  const auto attribute = [&](int& value, int which) {
    d.check(d.DeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  };
  attribute(info.major, kMajor);
  attribute(info.minor, kMinor);
  attribute(info.multiprocessors, kMultiprocessors);
  attribute(info.clock_khz, kClockRate);
  d.check(d.DriverGetVersion(&info.cuda), "cuDriverGetVersion");
  info.driver = module_version();
  return info;
}

std::string ChipInfo::line() const {
  return fmt::format("{}, compute capability {}.{}, driver {}", name, major, minor, driver);
}

}  // namespace warpvp::chip
