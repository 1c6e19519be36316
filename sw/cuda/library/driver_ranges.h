#pragma once
// Memory that the program has from the driver API, for what it asks about pointers.

#include <cstddef>
#include <cstdint>

namespace warpvp::cuda {

enum class RangeKind {
  kDevice,
  kManaged,
  kVariable,    ///< of a module
  kPinned,      ///< of the host
  kMapped,      ///< of the host, and the device reaches it
  kRegistered,  ///< the program's own
};
struct Range {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  RangeKind kind = RangeKind::kDevice;
};

void add_range(const Range& range);
/// The one in which an address lies; false: none does.
bool find_range(std::uint64_t address, Range& range);
/// Of the one that begins there.
void remove_range(std::uint64_t address);

}  // namespace warpvp::cuda
