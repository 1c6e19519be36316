// A program of NVML. It checks what it got, and ends with status 0, or 1 after a line that says what was
// wrong.

#include <cstdio>
#include <cstring>
#include <string>

#include "sw/cuda/nvml/abi.h"

WARPVP_API nvmlReturn_t nvmlInit_v2();
WARPVP_API nvmlReturn_t nvmlShutdown();
WARPVP_API const char* nvmlErrorString(nvmlReturn_t error);
WARPVP_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count);
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device);
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_t* device);
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* id, nvmlDevice_t* device);
WARPVP_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* text, unsigned length);
WARPVP_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* text, unsigned length);
WARPVP_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* info);
WARPVP_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* use);
WARPVP_API nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* use);
WARPVP_API nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned* bits);
WARPVP_API nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz);
WARPVP_API nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts);

namespace {
int wrong = 0;
void check(int line, const char* what, long long got, long long expected) {
  if (got == expected) return;
  std::printf("line %d: %s is %lld, not %lld\n", line, what, got, expected);
  wrong = 1;
}
#define CHECK_EQ(got, expected) \
  check(__LINE__, #got, static_cast<long long>(got), static_cast<long long>(expected))
}  // namespace

int main() {
  unsigned number = 0;
  nvmlDevice_t device{}, same{};
  char name[96] = "", id[96] = "", of_cuda[96] = "";
  CHECK_EQ(nvmlDeviceGetCount_v2(&number), NVML_ERROR_UNINITIALIZED);
  CHECK_EQ(nvmlInit_v2(), 0);
  CHECK_EQ(nvmlDeviceGetCount_v2(&number), 0);
  CHECK_EQ(number, 1);
  CHECK_EQ(nvmlDeviceGetHandleByIndex_v2(1, &device), NVML_ERROR_INVALID_ARGUMENT);
  CHECK_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), 0);
  CHECK_EQ(nvmlDeviceGetName(device, name, 3), NVML_ERROR_INSUFFICIENT_SIZE);
  CHECK_EQ(nvmlDeviceGetName(device, name, sizeof name), 0);
  CHECK_EQ(cuDeviceGetName(of_cuda, sizeof of_cuda, 0), 0);
  CHECK_EQ(std::strcmp(name, of_cuda), 0);
  CHECK_EQ(nvmlDeviceGetUUID(device, id, sizeof id), 0);
  CHECK_EQ(std::strcmp(id, "GPU-77617270-7670-0000-0000-000000000000"), 0);
  CHECK_EQ(nvmlDeviceGetHandleByUUID(id, &same), 0);
  CHECK_EQ(same == device, true);
  CHECK_EQ(nvmlDeviceGetHandleByUUID("GPU-0", &same), NVML_ERROR_NOT_FOUND);

  nvmlPciInfo_t place{};
  CHECK_EQ(nvmlDeviceGetPciInfo_v3(device, &place), 0);
  CHECK_EQ(place.bus, 1);
  CHECK_EQ(std::strcmp(place.busId, "00000000:01:00.0"), 0);
  for (const char* const there : {"00000000:01:00.0", "0000:01:00.0"})
    CHECK_EQ(nvmlDeviceGetHandleByPciBusId_v2(there, &same), 0);
  CHECK_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:02:00.0", &same), NVML_ERROR_NOT_FOUND);

  // 1 MiB more is in use after it has been allocated. Of platform `small`: two channels of 128 bits at 850
  // MHz.
  nvmlMemory_t before{};
  nvmlMemory_v2_t after{};
  CHECK_EQ(nvmlDeviceGetMemoryInfo(device, &before), 0);
  CUcontext context{};
  CUdeviceptr p = 0;
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), 0);
  CHECK_EQ(cuMemAlloc_v2(&p, 1 << 20), 0);
  CHECK_EQ(nvmlDeviceGetMemoryInfo_v2(device, &after), 0);
  CHECK_EQ(after.used - before.used, 1 << 20);
  CHECK_EQ(after.total, before.used + before.free);
  CHECK_EQ(nvmlDeviceGetMemoryBusWidth(device, &number), 0);
  CHECK_EQ(number, 256);
  CHECK_EQ(nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &number), 0);
  CHECK_EQ(number, 850);

  CHECK_EQ(nvmlDeviceGetPowerUsage(device, &number), NVML_ERROR_NOT_SUPPORTED);
  CHECK_EQ(std::strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported"), 0);
  CHECK_EQ(nvmlShutdown(), 0);
  CHECK_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  return wrong;
}
