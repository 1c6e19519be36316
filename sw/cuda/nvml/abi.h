#pragma once
// Types of NVML as compiled programs lay them out (NVML API reference); only what this library uses is here.

#include <cstdint>

#include "sw/cuda/library/driver_functions.h"

enum nvmlReturn_t : std::uint32_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_UNKNOWN = 999
};

struct nvmlDevice_st;
using nvmlDevice_t = nvmlDevice_st*;

/// Of nvmlDeviceGetPciInfo_v3. Earlier forms end before `busId`.
struct nvmlPciInfo_t {
  char busIdLegacy[16];
  std::uint32_t domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
struct nvmlMemory_t {
  std::uint64_t total, free, used;
};
struct nvmlMemory_v2_t {
  std::uint32_t version;
  std::uint64_t total, reserved, free, used;
};
enum nvmlClockType_t : std::uint32_t { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO };
