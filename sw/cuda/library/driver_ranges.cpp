#include "sw/cuda/library/driver_ranges.h"

#include <iterator>
#include <map>
#include <mutex>

#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/shared_memory.h"

namespace warpvp::cuda {

namespace {
struct Ranges {
  std::mutex mutex;
  std::map<std::uint64_t, Range> all;  // by address
};
Ranges& ranges() {
  static auto* const one = new Ranges;
  return *one;
}
}  // namespace

void add_range(std::uint64_t address, std::size_t bytes, RangeKind kind) {
  const std::lock_guard<std::mutex> lock(ranges().mutex);
  ranges().all[address] = {address, bytes, kind, address, 0};
}

bool find_range(std::uint64_t address, Range& range) {
  SharedRange shared;
  if (find_shared(reinterpret_cast<void*>(address), shared)) {
    const RangeKind kind = shared.kind == SharedKind::kPinned       ? RangeKind::kPinned
                           : shared.kind == SharedKind::kRegistered ? RangeKind::kRegistered
                                                                    : RangeKind::kManaged;
    range = {shared.address, shared.bytes, kind, shared.device, shared.flags};
    return true;
  }
  {
    const std::lock_guard<std::mutex> lock(ranges().mutex);
    const auto above = ranges().all.upper_bound(address);
    if (above != ranges().all.begin()) {
      range = std::prev(above)->second;
      if (address - range.address < range.bytes) return true;
    }
  }
  // The runtime's, or a variable that nobody has asked for.
  void* const pointer = reinterpret_cast<void*>(address);
  std::size_t left = 0;
  std::uint64_t begin = 0;
  if (!on_device(pointer) || bytes_at(pointer, left, &begin) != kSuccess || left == 0) return false;
  range = {begin, address - begin + left, RangeKind::kDevice, begin, 0};
  return true;
}

void remove_range(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(ranges().mutex);
  ranges().all.erase(address);
}

}  // namespace warpvp::cuda
