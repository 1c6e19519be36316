#pragma once
// What the programs of this folder have in common: a context, kernels, memory, over CUDA's driver API. A call
// that fails ends the program with status 2 and one line, but where the program says what it does about it.
// Compiled against CUDA's own cuda.h they are programs for a chip.

#if __has_include(<cuda.h>)
#include <cuda.h>
#else
#include "sw/cuda/library/driver_functions.h"
#endif

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// The text of sw/kernels/NAME.ptx, as `NAME_ptx`, in the program.
#define EMBED_PTX(name)                                                                                 \
  asm(".pushsection .rodata\n.global " #name "_ptx\n" #name "_ptx: .incbin \"" WARPVP_KERNELS "/" #name \
      ".ptx\"\n.byte 0\n.popsection\n");                                                                \
  extern "C" const char name##_ptx[]

namespace programs {

inline void check(unsigned error, const char* what) {
  if (error == 0) return;
  std::fprintf(stderr, "%s: error %u\n", what, error);
  std::exit(2);
}

/// Word `i` of the command line as a number of at least 1, or `otherwise` if there are fewer; anything else
/// ends the program with status 2.
inline unsigned argument(int argc, char** argv, int i, unsigned otherwise) {
  if (i >= argc) return otherwise;
  char* end = nullptr;
  const unsigned long value = std::strtoul(argv[i], &end, 10);
  if (*argv[i] >= '0' && *argv[i] <= '9' && *end == 0 && value >= 1 && value <= 1u << 30)
    return static_cast<unsigned>(value);
  std::fprintf(stderr, "%s: argument %d is '%s'; allowed: a number from 1 to 2^30\n", argv[0], i, argv[i]);
  std::exit(2);
}

/// The device's context, and a stream in it.
class Device {
 public:
  Device() {
    CUdevice device{};
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    check(cuStreamCreate(&stream_, 1), "cuStreamCreate");  // CU_STREAM_NON_BLOCKING
  }
  CUfunction kernel(const char* ptx, const char* name) {
    CUmodule module{};
    CUfunction function{};
    check(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, name), name);
    return function;
  }
  template <class... T>
  void launch(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
              T... arguments) {
    void* pointers[] = {&arguments...};
    check(cuLaunchKernel(kernel, grid_x, grid_y, 1, block_x, block_y, 1, 0, stream_, pointers, nullptr),
          "cuLaunchKernel");
  }
  /// Waits for what was put into the stream; the error of that.
  unsigned wait() { return cuStreamSynchronize(stream_); }
  CUstream stream() const { return stream_; }

 private:
  CUcontext context_{};
  CUstream stream_{};
};

/// Device memory of `count` elements.
template <class T>
class Array {
 public:
  Array(Device& device, std::size_t count) : stream_(device.stream()), bytes_(count * sizeof(T)) {
    check(cuMemAlloc_v2(&address_, bytes_), "cuMemAlloc");
  }
  Array(Device& device, const std::vector<T>& values) : Array(device, values.size()) { write(values); }
  ~Array() { cuMemFree_v2(address_); }
  Array(const Array&) = delete;

  /// Both in the stream's order; `values` may change at once. Memory that is not pinned has what was read
  /// when the call returns.
  void write(const std::vector<T>& values) {
    check(cuMemcpyHtoDAsync_v2(address_, values.data(), bytes_, stream_), "cuMemcpyHtoDAsync");
  }
  void read(std::vector<T>& values) const { check(try_read(values), "cuMemcpyDtoHAsync"); }
  /// As read(); returns the error, which may be that of what is before it in the stream.
  CUresult try_read(std::vector<T>& values) const {
    return cuMemcpyDtoHAsync_v2(values.data(), address_, bytes_, stream_);
  }
  void clear() { check(cuMemsetD8Async(address_, 0, bytes_, stream_), "cuMemsetD8Async"); }
  CUdeviceptr address() const { return address_; }

 private:
  CUstream stream_;
  std::size_t bytes_;
  CUdeviceptr address_ = 0;
};

/// Ends the program: says so, with status 1, where a result is wrong.
inline int verdict(const char* program, std::size_t wrong, std::size_t of) {
  if (wrong == 0) return 0;
  std::printf("%s: %zu of %zu values are wrong\n", program, wrong, of);
  return 1;
}

}  // namespace programs
