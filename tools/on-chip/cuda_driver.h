#pragma once
// The CUDA driver of a machine with a GPU, loaded when it is asked for: programs that use this build
// anywhere, without a toolkit. Declarations after the CUDA Driver API's reference manual; only what the tool
// calls.

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpvp::chip {

using CuDevicePtr = std::uint64_t;
using CuHandle = void*;  ///< CUcontext, CUmodule, CUfunction, CUstream, CUevent
using CuTexture = std::uint64_t;

/// CUDA_RESOURCE_DESC of type CU_RESOURCE_TYPE_PITCH2D.
struct CuPitch2D {
  std::uint32_t resource_type = 3;
  CuDevicePtr memory = 0;
  std::uint32_t format = 0, channels = 0;
  std::size_t width = 0, height = 0, pitch_bytes = 0;
  std::uint8_t reserved[128 - 40] = {};  ///< the union has 128 bytes
  std::uint32_t flags = 0;
};
static_assert(offsetof(CuPitch2D, memory) == 8 && offsetof(CuPitch2D, flags) == 136, "as in cuda.h");
/// CUDA_TEXTURE_DESC.
struct CuTextureView {
  std::uint32_t addressing[3] = {1, 1, 1};  ///< wrap 0, clamp 1, mirror 2, border 3
  std::uint32_t filter = 0;                 ///< point 0, linear 1
  std::uint32_t flags = 0;                  ///< read as integer 1, normalised coordinates 2
  std::uint32_t anisotropy = 0, mipmap_filter = 0;
  float mipmap_bias = 0, mipmap_least = 0, mipmap_most = 0, border[4] = {};
  std::int32_t reserved[12] = {};
};
static_assert(sizeof(CuTextureView) == 104, "as in cuda.h");

/// Entry points, named as in the manual without "cu". Each returns 0 for success; check() makes the rest an
/// error.
struct CudaDriver {
  int (*Init)(unsigned);
  int (*DriverGetVersion)(int*);
  int (*GetErrorName)(int, const char**);
  int (*DeviceGet)(int*, int);
  int (*DeviceGetName)(char*, int, int);
  int (*DeviceGetAttribute)(int*, int, int);
  int (*DevicePrimaryCtxRetain)(CuHandle*, int);
  int (*CtxSetCurrent)(CuHandle);
  int (*CtxSynchronize)();
  int (*ModuleLoadDataEx)(CuHandle*, const void*, unsigned, int*, void**);
  int (*ModuleUnload)(CuHandle);
  int (*ModuleGetFunction)(CuHandle*, CuHandle, const char*);
  int (*ModuleGetGlobal)(CuDevicePtr*, std::size_t*, CuHandle, const char*);
  int (*MemAlloc)(CuDevicePtr*, std::size_t);
  int (*MemFree)(CuDevicePtr);
  int (*MemcpyHtoDAsync)(CuDevicePtr, const void*, std::size_t, CuHandle);
  int (*MemcpyDtoHAsync)(void*, CuDevicePtr, std::size_t, CuHandle);
  int (*MemcpyDtoDAsync)(CuDevicePtr, CuDevicePtr, std::size_t, CuHandle);
  int (*MemsetD8Async)(CuDevicePtr, unsigned char, std::size_t, CuHandle);
  int (*StreamCreateWithPriority)(CuHandle*, unsigned, int);
  int (*StreamSynchronize)(CuHandle);
  int (*StreamQuery)(CuHandle);
  int (*StreamWaitEvent)(CuHandle, CuHandle, unsigned);
  int (*EventCreate)(CuHandle*, unsigned);
  int (*EventRecord)(CuHandle, CuHandle);
  int (*EventSynchronize)(CuHandle);
  int (*EventQuery)(CuHandle);
  int (*EventElapsedTime)(float*, CuHandle, CuHandle);
  int (*FuncSetAttribute)(CuHandle, int, int);
  int (*LaunchKernel)(CuHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      CuHandle, void**, void**);
  int (*OccupancyMaxActiveBlocksPerMultiprocessor)(int*, CuHandle, int, std::size_t);
  int (*TexObjectCreate)(CuTexture*, const CuPitch2D*, const CuTextureView*, const void*);
  int (*TexObjectDestroy)(CuTexture);

  static constexpr int kNotReady = 600;  ///< StreamQuery: still at work

  /// Loaded, initialised, with the first GPU current, once a process. InputError where there is none.
  static const CudaDriver& get();
  /// InputError "WHAT: CUDA_ERROR_..." unless `status` is 0.
  void check(int status, const std::string& what) const;
};

/// The GPU that get() made current.
struct ChipInfo {
  std::string name;          ///< as the driver has it
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int clock_khz = 0;   ///< the highest of the SMs
  std::string driver;  ///< of the kernel module, "580.159.04", or "unknown"
  int cuda = 0;        ///< newest CUDA that the driver knows, 13000 for 13.0
  /// "NVIDIA H100 80GB HBM3, compute capability 9.0, driver 580.159.04".
  std::string line() const;
};
ChipInfo chip_info();

}  // namespace warpvp::chip
