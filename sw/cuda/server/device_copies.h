#pragma once
// Copies and fills that kernels ask for (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism",
// cudaMemcpyAsync, cudaMemsetAsync and those of two and three dimensions on the device): records in the queue
// of device_launches.h, carried out in its order.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpvp::cuda {

/// `depth` slices of `height` rows of `width` bytes. A slice begins `rows` rows behind the one before, a row
/// `pitch` bytes.
struct DeviceCopy {
  struct Side {
    std::uint64_t address = 0, pitch = 0, rows = 0;
  };
  Side to, from;
  std::uint64_t width = 0, height = 1, depth = 1;
  std::uint64_t value = 0;  ///< of a fill
  bool fill = false;        ///< no source

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  /// Bytes from the side's first to its last; the largest number where that is more than an address can be,
  /// and where rows or slices overlap, which is allowed nowhere.
  std::uint64_t reach(const Side& side) const;
};

/// What such a record has as its kernel.
constexpr std::uint64_t kCopyRecord = 1, kFillRecord = 2;

/// Reads a record's parameters.
DeviceCopy device_copy(std::uint64_t kind, const std::vector<std::uint8_t>& parameters);

/// Functions of the device runtime, in PTX, by the name behind their prefix; {0} is the name, {1} the queue,
/// {2} how many records it has, {3} the bytes of one.
const std::map<std::string, std::string>& copy_functions();

}  // namespace warpvp::cuda
