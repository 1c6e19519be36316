#pragma once
// Memory that the program has from the driver API, and what the CPU and the device share (shared_memory.h),
// for what it asks about pointers.

#include <cstddef>
#include <cstdint>

namespace warpvp::cuda {

enum class RangeKind {
  kDevice,
  kManaged,
  kVariable,    ///< of a module
  kPinned,      ///< of the host
  kRegistered,  ///< the program's own
};
struct Range {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  RangeKind kind = RangeKind::kDevice;
  std::uint64_t device = 0;  ///< its address there; 0: it does not reach it
  unsigned flags = 0;        ///< that memory of the host was asked for with
  bool of_host() const { return kind == RangeKind::kPinned || kind == RangeKind::kRegistered; }
};

/// One that is not shared.
void add_range(std::uint64_t address, std::size_t bytes, RangeKind kind);
/// The one in which an address lies; false: none does.
bool find_range(std::uint64_t address, Range& range);
/// Of the one that begins there.
void remove_range(std::uint64_t address);

}  // namespace warpvp::cuda
