// The driver, its only device, and errors.

#include <cstdio>
#include <cstring>

#include "sw/cuda/library/device_attributes.h"
#include "sw/cuda/library/driver_error_text.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

namespace warpvp::cuda {

Error check_device(CUdevice device) { return device == 0 ? kSuccess : kInvalidDevice; }

CUresult driver_error(Error error) {
  switch (error) {
    case kInvalidConfiguration:
    case kInvalidPitchValue:
    case kInvalidMemcpyDirection:
      return kInvalidValue;
    case kInvalidSymbol:
    case kInvalidDeviceFunction:
      return kSymbolNotFound;
    case kInsufficientDriver:
      return kSystemDriverMismatch;
    default:
      return error;
  }
}

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

namespace {

constexpr char kBusId[] = "0000:01:00.0";

const DeviceFacts& facts() { return Connection::instance().facts(); }

Error usable(CUdevice device, const void* result) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  return result != nullptr ? kSuccess : kInvalidValue;
}

int attribute(int number) {
  int value = 0;
  device_attribute(facts(), number, value);
  return value;
}

}  // namespace

WARPVP_API CUresult cuInit(unsigned flags) {
  return flags != 0 ? CUresult{kInvalidValue} : driver_error(set_initialized());
}
WARPVP_API CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = kDriverVersion;
  return kSuccess;
}
WARPVP_API CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return kInvalidValue;
  *name = driver_error_name(error);
  return *name != nullptr ? kSuccess : kInvalidValue;
}
WARPVP_API CUresult cuGetErrorString(CUresult error, const char** sentence) {
  if (sentence == nullptr) return kInvalidValue;
  *sentence = driver_error_sentence(error);
  return *sentence != nullptr ? kSuccess : kInvalidValue;
}
/// Of tables of functions that no document describes there are none.
WARPVP_API CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table != nullptr) *table = nullptr;
  return kSymbolNotFound;
}
/// Since CUDA 12 it does nothing but that.
WARPVP_API CUresult cuProfilerInitialize(const char*, const char*, int) { return kNotSupported; }
WARPVP_API CUresult cuProfilerStart() { return in_context(); }
WARPVP_API CUresult cuProfilerStop() { return in_context(); }

WARPVP_API CUresult cuDeviceGetCount(int* count) {
  if (const Error error = usable(0, count)) return error;
  *count = 1;
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (const Error error = usable(ordinal, device)) return error;
  *device = ordinal;
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (const Error error = usable(device, name)) return error;
  if (length <= 0) return kInvalidValue;
  snprintf(name, static_cast<std::size_t>(length), "%s", facts().name);
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device) {
  if (const Error error = usable(device, id)) return error;
  *id = {};
  std::memcpy(id->bytes, "warpvp", 6);
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device) { return cuDeviceGetUuid(id, device); }
WARPVP_API CUresult cuDeviceGetAttribute(int* value, int number, CUdevice device) {
  if (const Error error = usable(device, value)) return error;
  return device_attribute(facts(), number, *value);
}
WARPVP_API CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (const Error error = usable(device, bytes)) return error;
  *bytes = facts().memory_bytes;
  return kSuccess;
}
WARPVP_API CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (const Error error = usable(device, major)) return error;
  if (minor == nullptr) return kInvalidValue;
  *major = static_cast<int>(facts().major);
  *minor = static_cast<int>(facts().minor);
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  if (const Error error = usable(device, properties)) return error;
  CUdevprop& p = *properties;
  p.maxThreadsPerBlock = attribute(1);
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = attribute(2 + i);
    p.maxGridSize[i] = attribute(5 + i);
  }
  p.sharedMemPerBlock = attribute(8);
  p.totalConstantMemory = attribute(9);
  p.SIMDWidth = attribute(10);
  p.memPitch = attribute(11);
  p.regsPerBlock = attribute(12);
  p.clockRate = attribute(13);
  p.textureAlign = attribute(14);
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  if (const Error error = usable(device, text)) return error;
  if (length <= 0) return kInvalidValue;
  snprintf(text, static_cast<std::size_t>(length), "%s", kBusId);
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  if (const Error error = usable(0, device)) return error;
  if (text == nullptr) return kInvalidValue;
  // The domain may be left out.
  if (std::strcmp(text, kBusId) != 0 && std::strcmp(text, kBusId + 5) != 0) return kInvalidDevice;
  *device = 0;
  return kSuccess;
}
WARPVP_API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  if (const Error error = usable(device, can)) return error;
  if (const Error error = check_device(peer)) return error;
  *can = 0;
  return kSuccess;
}
