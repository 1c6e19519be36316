#pragma once
// What contexts have left in memory that they have freed. The memory manager clears it before another context
// gets it, so that nobody reads what was another's; who gets back what was his finds it as it was, as with
// CUDA. The clearing takes no simulated time: a driver does it before the memory is asked for.

#include <algorithm>
#include <cstdint>
#include <map>

#include "interconnect/clear_memory.h"

namespace warpvp {

class FreedMemory {
 public:
  /// [begin, end) of `context` is free now.
  void freed(std::uint64_t begin, std::uint64_t end, unsigned context) {
    forget(begin, end, [](std::uint64_t, std::uint64_t, unsigned) {});
    left_[begin] = {end, context};
  }
  /// `context` has been given [begin, end).
  void taken(DeviceMemory& memory, std::uint64_t begin, std::uint64_t end, unsigned context) {
    forget(begin, end, [&](std::uint64_t from, std::uint64_t to, unsigned owner) {
      if (owner != context) clear_memory(memory, from, to - from);
    });
  }

 private:
  struct Left {
    std::uint64_t end;
    unsigned context;
  };
  /// Takes [begin, end) out, and gives `use` each part that was known.
  template <class Use>
  void forget(std::uint64_t begin, std::uint64_t end, Use use) {
    auto at = left_.lower_bound(begin);
    if (at != left_.begin() && std::prev(at)->second.end > begin) --at;
    while (at != left_.end() && at->first < end) {
      const std::uint64_t from = at->first;
      const Left left = at->second;
      at = left_.erase(at);
      use(std::max(from, begin), std::min(left.end, end), left.context);
      if (from < begin) left_[from] = {begin, left.context};
      if (left.end > end) left_[end] = left;
    }
  }

  std::map<std::uint64_t, Left> left_;  // by begin, disjoint
};

}  // namespace warpvp
