#pragma once
// Kernels that launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). In a kernel a launch,
// or a copy (device_copies.h), takes a record of a queue in device memory; when the grid has ended the
// session carries out what it finds there. No grid can wait for one that it has launched, so it makes no
// difference to results that these begin after its end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interconnect/host_interface.h"
#include "sw/cuda/server/device_copies.h"

namespace warpvp::cuda {

/// Whether kernels of the module launch kernels, or copy.
bool has_device_launches(const std::string& ptx);
/// Its kernels wait for those that they have launched (cudaDeviceSynchronize in device code, which CUDA 12 has
/// no more). That is not offered.
bool waits_for_launches(const std::string& ptx);
/// It is CUDA's own device runtime (libcudadevrt), which nvcc links with relocatable code: nothing that this
/// one, with_runtime(), could use.
bool is_device_runtime(const std::string& ptx);
/// Names of its kernels, in order.
std::vector<std::string> kernel_names(const std::string& ptx);

class DeviceLaunches {
 public:
  /// How many may wait at a time (cudaLimitDevRuntimePendingLaunchCount), and bytes of the queue.
  static constexpr std::uint32_t kMost = 2048;
  static constexpr std::uint64_t kParameterBytes = 4096, kRecordBytes = 64 + kParameterBytes;
  static constexpr std::uint64_t kBytes = 64 + kMost * kRecordBytes;

  /// The queue lies there, and is empty: zeros.
  explicit DeviceLaunches(std::uint64_t address) : address_(address) {}

  /// The module with the functions of the device runtime behind its text. Instead of a kernel's address its
  /// code has `module` and the kernel's number, that of kernel_names(), from 1 on.
  std::string with_runtime(const std::string& ptx, std::uint32_t module) const;

  struct Record {
    std::uint32_t module = 0, kernel = 0;
    std::uint32_t grid[3] = {}, block[3] = {};
    std::uint32_t shared_bytes = 0;
    bool at_the_end = false;         ///< behind all others that the grid has launched, and what these launch
    std::optional<DeviceCopy> copy;  ///< it is one, and no launch
    std::vector<std::uint8_t> parameters;
  };
  /// Takes all that is in it, in the order in which it came. `lost`: how many there was no room for.
  std::vector<Record> take(HostInterface& host, std::uint32_t& lost) const;

 private:
  std::uint64_t address_;
};

}  // namespace warpvp::cuda
