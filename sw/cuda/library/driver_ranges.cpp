#include "sw/cuda/library/driver_ranges.h"

#include <iterator>
#include <map>
#include <mutex>

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

void add_range(const Range& range) {
  const std::lock_guard<std::mutex> lock(ranges().mutex);
  ranges().all[range.address] = range;
}

bool find_range(std::uint64_t address, Range& range) {
  const std::lock_guard<std::mutex> lock(ranges().mutex);
  const auto above = ranges().all.upper_bound(address);
  if (above == ranges().all.begin()) return false;
  range = std::prev(above)->second;
  return address - range.address < range.bytes;
}

void remove_range(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(ranges().mutex);
  ranges().all.erase(address);
}

}  // namespace warpvp::cuda
