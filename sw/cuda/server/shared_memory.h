#pragma once
// Device memory that a CUDA process has as its own too, as this process sees it: copies between it and the
// device need no bytes to be sent.

#include <sys/mman.h>

#include <cstdint>

namespace warpvp::cuda {

class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  SharedMemory(const SharedMemory&) = delete;

  /// Once. False: the host has no room for it.
  bool map(int file, std::uint64_t bytes) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (at == MAP_FAILED) return false;
    data_ = static_cast<std::uint8_t*>(at);
    bytes_ = bytes;
    return true;
  }
  std::uint8_t* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpvp::cuda
