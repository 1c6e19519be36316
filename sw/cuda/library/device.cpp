// The device and its limits, and errors.

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/device_attributes.h"
#include "sw/cuda/library/error_text.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {

constexpr char kBusId[] = "0000:01:00.0";
constexpr int kVersion = WARPVP_CUDART == 11 ? 11080 : WARPVP_CUDART == 12 ? 12040 : 13000;

Error connected() { return Connection::instance().open(); }
const DeviceFacts& facts() { return Connection::instance().facts(); }

void describe(cudaDeviceProp& p) {
  std::memset(&p, 0, sizeof p);
  const DeviceFacts& f = facts();
  std::memcpy(p.name, f.name, sizeof f.name);
  std::memcpy(p.uuid, "warpvp", 6);
  p.totalGlobalMem = f.memory_bytes;
  p.sharedMemPerBlock = f.shared_per_cta;
  p.sharedMemPerBlockOptin = f.shared_per_cta_opt_in;
  p.sharedMemPerMultiprocessor = f.shared_per_sm;
  p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(f.registers_per_sm);
  p.warpSize = 32;
  p.memPitch = kLongestGridX;
  p.maxThreadsPerBlock = static_cast<int>(f.threads_per_cta);
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = static_cast<int>(f.threads_per_cta);
  p.maxThreadsDim[2] = kLongestBlockZ;
  p.maxGridSize[0] = kLongestGridX;
  p.maxGridSize[1] = p.maxGridSize[2] = kLongestGrid;
  p.totalConstMem = kConstantBytes;
  p.major = static_cast<int>(f.major);
  p.minor = static_cast<int>(f.minor);
  p.textureAlignment = kTextureAlignment;
  p.texturePitchAlignment = kTexturePitch;
  p.surfaceAlignment = kTextureAlignment;
  p.multiProcessorCount = static_cast<int>(f.sms);
  p.maxThreadsPerMultiProcessor = static_cast<int>(f.threads_per_sm);
  p.maxBlocksPerMultiProcessor = static_cast<int>(f.ctas_per_sm);
  // What both interfaces have a number for.
  const auto attributes = [&f](int first, auto& to) {
    for (int& value : to) device_attribute(f, first++, value);
  };
  const auto attribute = [&f](int number) {
    int value = 0;
    device_attribute(f, number, value);
    return value;
  };
  p.maxTexture1D = attribute(21);
  attributes(22, p.maxTexture2D);
  attributes(70, p.maxTexture2DLinear);
  attributes(24, p.maxTexture3D);
  p.maxTextureCubemap = attribute(52);
  attributes(42, p.maxTexture1DLayered);
  attributes(27, p.maxTexture2DLayered);
  attributes(53, p.maxTextureCubemapLayered);
  p.maxSurface1D = attribute(55);
  attributes(56, p.maxSurface2D);
  attributes(58, p.maxSurface3D);
  attributes(61, p.maxSurface1DLayered);
  attributes(63, p.maxSurface2DLayered);
  p.maxSurfaceCubemap = attribute(66);
  attributes(67, p.maxSurfaceCubemapLayered);
  p.memoryBusWidth = attribute(37);
  p.l2CacheSize = attribute(38);
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.managedMemory = p.cooperativeLaunch = 1;
  p.asyncEngineCount = static_cast<int>(f.copy_engines);
  p.pciBusID = 1;
#if WARPVP_CUDART >= 12
  p.memoryPoolsSupported = 1;
#endif
#if WARPVP_CUDART < 13
  p.clockRate = static_cast<int>(f.sm_clock_khz);
  p.memoryClockRate = attribute(36);
  p.maxTexture1DLinear = attribute(69);
  p.deviceOverlap = 1;
#endif
}

}  // namespace

WARPVP_API cudaError_t cudaGetDeviceCount(int* count) {
  const Error error = connected();
  *count = error == kSuccess ? 1 : 0;
  return done(error);
}
WARPVP_API cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return done(connected());
}
WARPVP_API cudaError_t cudaSetDevice(int device) {
  if (const Error error = connected()) return done(error);
  return done(device == 0 ? kSuccess : kInvalidDevice);
}
WARPVP_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
WARPVP_API cudaError_t cudaSetValidDevices(int*, int) { return kSuccess; }
WARPVP_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
WARPVP_API cudaError_t cudaSetDeviceFlags(unsigned) { return kSuccess; }
WARPVP_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = cudaSetDevice(device)) return error;
  describe(*properties);
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceGetAttribute(int* value, int number, int device) {
  if (const cudaError_t error = cudaSetDevice(device)) return error;
  return done(device_attribute(facts(), number, *value));
}
// Work ends first; memory stays until it is freed or the program ends.
extern "C" cudaError_t cudaDeviceSynchronize();
WARPVP_API cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
WARPVP_API cudaError_t cudaThreadExit() { return cudaDeviceSynchronize(); }

// Preferences: how the L1 and shared memory are divided is the SM's own choice.
WARPVP_API cudaError_t cudaDeviceSetCacheConfig(int) { return kSuccess; }
WARPVP_API cudaError_t cudaDeviceGetCacheConfig(int* config) {
  *config = 0;
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceSetSharedMemConfig(int) { return kSuccess; }
WARPVP_API cudaError_t cudaDeviceGetSharedMemConfig(int* config) {
  *config = 1;
  return kSuccess;
}
// Stack, printf buffer, heap: of the platform (platform.runtime).
WARPVP_API cudaError_t cudaDeviceSetLimit(int, std::size_t) { return done(connected()); }
WARPVP_API cudaError_t cudaDeviceGetLimit(std::size_t* value, int limit) {
  if (limit < 0 || limit > 2) return done(kNotSupported);
  *value = kDefaultLimits[limit];
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return done(connected());
}
WARPVP_API cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return done(kPeerAccessUnsupported); }
WARPVP_API cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (const cudaError_t error = cudaSetDevice(device)) return error;
  snprintf(text, static_cast<std::size_t>(std::max(length, 0)), "%s", kBusId);
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (device == nullptr || text == nullptr) return done(kInvalidValue);
  // The domain may be left out.
  const bool own = std::strcmp(text, kBusId) == 0 || std::strcmp(text, kBusId + 5) == 0;
  if (own) *device = 0;
  return done(own ? connected() : kInvalidDevice);
}
WARPVP_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const void* format,
                                                            int device) {
  if (texels == nullptr || format == nullptr) return done(kInvalidValue);
  *texels = kTexture1DLinear;
  return cudaSetDevice(device);
}
WARPVP_API cudaError_t cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}
WARPVP_API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}
WARPVP_API cudaError_t cudaProfilerStart() { return kSuccess; }
WARPVP_API cudaError_t cudaProfilerStop() { return kSuccess; }

WARPVP_API cudaError_t cudaGetLastError() {
  const Error error = last_error();
  if (!ends_context(error)) last_error() = kSuccess;  // a fault of the context stays
  return error;
}
WARPVP_API cudaError_t cudaPeekAtLastError() { return last_error(); }
WARPVP_API const char* cudaGetErrorName(cudaError_t error) { return error_text(error).name; }
WARPVP_API const char* cudaGetErrorString(cudaError_t error) { return error_text(error).sentence; }

#if WARPVP_CUDART == 12
// CUDA 12 calls the function for its larger struct by this name; programs of CUDA 11 have the smaller one,
// which is its beginning, and another library.
WARPVP_API cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
#endif
