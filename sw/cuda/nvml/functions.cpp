// NVML, as far as programs want to know which device there is: its names, memory, clocks and place. What a
// card measures of itself (power, temperature, fans) there is not.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/nvml/abi.h"

using namespace warpvp::cuda;

namespace {

// The branch of drivers that CUDA 13.0 came with.
constexpr char kDriver[] = "580.00", kLibrary[] = "13.580.00";

std::atomic<unsigned> users{0};
char the_device;

nvmlDevice_t device_handle() { return reinterpret_cast<nvmlDevice_t>(&the_device); }
const DeviceFacts& facts() { return Connection::instance().facts(); }

/// Of calls that ask for something: `results` are where it goes.
template <class... Results>
nvmlReturn_t asked(const Results*... results) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  return ((results != nullptr) && ...) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
template <class... Results>
nvmlReturn_t asked_of(nvmlDevice_t device, const Results*... results) {
  if (const nvmlReturn_t error = asked(results...)) return error;
  return device == device_handle() ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t write(const std::string& text, char* to, unsigned length) {
  if (text.size() >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

/// "0000:01:00.0".
std::string bus_id() {
  char text[16] = "";
  cuDeviceGetPCIBusId(text, sizeof text, 0);
  return text;
}
std::string uuid() {
  CUuuid id{};
  cuDeviceGetUuid(&id, 0);
  std::string text = "GPU-";
  for (unsigned i = 0; i < 16; ++i) {
    char byte[3];
    snprintf(byte, sizeof byte, "%02x", static_cast<unsigned char>(id.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

nvmlReturn_t start() {
  if (cuInit(0) != kSuccess) return NVML_ERROR_DRIVER_NOT_LOADED;
  ++users;
  return NVML_SUCCESS;
}

nvmlReturn_t place(nvmlDevice_t device, nvmlPciInfo_t* info) {
  if (const nvmlReturn_t error = asked_of(device, info)) return error;
  const std::string id = bus_id();
  unsigned function = 0;
  sscanf(id.c_str(), "%x:%x:%x.%x", &info->domain, &info->bus, &info->device, &function);
  snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "%s", id.c_str());
  // No vendor numbers a simulated device.
  info->pciDeviceId = info->pciSubSystemId = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t memory(nvmlMemory_t& use) {
  Answer answer = Connection::instance().call(Call::kMemoryUse);
  if (answer.error != kSuccess) return NVML_ERROR_UNKNOWN;
  use.free = answer.in.get<std::uint64_t>();
  use.total = answer.in.get<std::uint64_t>();
  use.used = use.total - use.free;
  return NVML_SUCCESS;
}

nvmlReturn_t clock(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
  if (const nvmlReturn_t error = asked_of(device, mhz)) return error;
  if (type > NVML_CLOCK_VIDEO) return NVML_ERROR_INVALID_ARGUMENT;
  if (type == NVML_CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
  const double khz = type == NVML_CLOCK_MEM ? facts().memory_clock_khz : facts().sm_clock_khz;
  *mhz = static_cast<unsigned>(khz / 1000 + 0.5);
  return NVML_SUCCESS;
}

nvmlReturn_t is(nvmlDevice_t device, unsigned* state, unsigned value) {
  if (const nvmlReturn_t error = asked_of(device, state)) return error;
  *state = value;
  return NVML_SUCCESS;
}

nvmlReturn_t only_device(bool meant, nvmlDevice_t* device) {
  if (const nvmlReturn_t error = asked(device)) return error;
  if (!meant) return NVML_ERROR_NOT_FOUND;
  *device = device_handle();
  return NVML_SUCCESS;
}

}  // namespace

WARPVP_API nvmlReturn_t nvmlInit() { return start(); }
WARPVP_API nvmlReturn_t nvmlInit_v2() { return start(); }
WARPVP_API nvmlReturn_t nvmlInitWithFlags(unsigned) { return start(); }
WARPVP_API nvmlReturn_t nvmlShutdown() {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  --users;
  return NVML_SUCCESS;
}
WARPVP_API const char* nvmlErrorString(nvmlReturn_t error) {
  switch (error) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED:
      return "Driver Not Loaded";
    default:
      return "Unknown Error";
  }
}

WARPVP_API nvmlReturn_t nvmlSystemGetDriverVersion(char* text, unsigned length) {
  const nvmlReturn_t error = asked(text);
  return error != NVML_SUCCESS ? error : write(kDriver, text, length);
}
WARPVP_API nvmlReturn_t nvmlSystemGetNVMLVersion(char* text, unsigned length) {
  const nvmlReturn_t error = asked(text);
  return error != NVML_SUCCESS ? error : write(kLibrary, text, length);
}
WARPVP_API nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  if (const nvmlReturn_t error = asked(version)) return error;
  *version = kDriverVersion;
  return NVML_SUCCESS;
}
WARPVP_API nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

WARPVP_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  if (const nvmlReturn_t error = asked(count)) return error;
  *count = 1;
  return NVML_SUCCESS;
}
WARPVP_API nvmlReturn_t nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  if (const nvmlReturn_t error = asked(device)) return error;
  return index != 0 ? NVML_ERROR_INVALID_ARGUMENT : only_device(true, device);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}
/// Domains have four digits or eight.
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_t* device) {
  if (const nvmlReturn_t error = asked(id, device)) return error;
  CUdevice found = -1;
  const std::string text = id;
  const bool longer = text.size() == bus_id().size() + 4 && text.compare(0, 4, "0000") == 0;
  return only_device(cuDeviceGetByPCIBusId(&found, text.c_str() + (longer ? 4 : 0)) == kSuccess, device);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* id, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* id, nvmlDevice_t* device) {
  if (const nvmlReturn_t error = asked(id, device)) return error;
  return only_device(id == uuid(), device);
}

WARPVP_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* text, unsigned length) {
  const nvmlReturn_t error = asked_of(device, text);
  return error != NVML_SUCCESS ? error : write(facts().name, text, length);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* text, unsigned length) {
  const nvmlReturn_t error = asked_of(device, text);
  return error != NVML_SUCCESS ? error : write(uuid(), text, length);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
  return is(device, index, 0);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* number) {
  return is(device, number, 0);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* info) {
  if (const nvmlReturn_t error = place(device, info)) return error;
  snprintf(info->busId, sizeof info->busId, "0000%s", bus_id().c_str());
  return NVML_SUCCESS;
}
WARPVP_API nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* info) {
  return place(device, info);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* info) {
  return place(device, info);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  if (const nvmlReturn_t error = asked_of(device, major, minor)) return error;
  *major = static_cast<int>(facts().major);
  *minor = static_cast<int>(facts().minor);
  return NVML_SUCCESS;
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* use) {
  const nvmlReturn_t error = asked_of(device, use);
  return error != NVML_SUCCESS ? error : memory(*use);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* use) {
  if (const nvmlReturn_t error = asked_of(device, use)) return error;
  nvmlMemory_t found{};
  if (const nvmlReturn_t error = memory(found)) return error;
  use->total = found.total, use->reserved = 0, use->free = found.free, use->used = found.used;
  return NVML_SUCCESS;
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned* bits) {
  return is(device, bits, facts().memory_bus_bits);
}

// Clocks do not change.
WARPVP_API nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
  return clock(device, type, mhz);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
  return clock(device, type, mhz);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                                       unsigned* mhz) {
  return clock(device, type, mhz);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, unsigned /*which*/,
                                           unsigned* mhz) {
  return clock(device, type, mhz);
}

WARPVP_API nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, unsigned* mode) {
  return is(device, mode, 0);  // several contexts may be there
}
WARPVP_API nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, unsigned* mode) {
  return is(device, mode, 1);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t device, unsigned* mode) {
  return is(device, mode, 0);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, unsigned* active) {
  return is(device, active, 0);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned* several) {
  return is(device, several, 0);
}
WARPVP_API nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  return is(device, count, 0);
}
WARPVP_API nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned* of_mig) {
  return is(device, of_mig, 0);
}

/// Of cards without links.
WARPVP_API nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned, unsigned* active) {
  const nvmlReturn_t error = asked_of(device, active);
  return error != NVML_SUCCESS ? error : NVML_ERROR_NOT_SUPPORTED;
}
