#pragma once
// Memory of the device that a library for CUDA programs has for itself.

#include <cstddef>

#include "sw/cuda/library/driver_functions.h"

namespace warpvp::cuda {

class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// As cuMemFree does, this waits for work that may use the memory.
  ~DeviceMemory() { release(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// At least so many bytes; what was there is gone. Returns what the driver API does.
  CUresult get(std::size_t bytes) {
    if (bytes <= bytes_) return 0;
    release();
    const CUresult result = cuMemAlloc_v2(&address_, bytes);
    if (result == 0) bytes_ = bytes;
    return result;
  }
  CUresult put(const void* from, std::size_t bytes) {
    if (const CUresult result = get(bytes)) return result;
    return bytes == 0 ? 0 : cuMemcpyHtoD_v2(address_, from, bytes);
  }
  CUdeviceptr address() const { return address_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address_);
  }

 private:
  void release() {
    if (address_ != 0) cuMemFree_v2(address_);
    address_ = 0;
    bytes_ = 0;
  }
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace warpvp::cuda
