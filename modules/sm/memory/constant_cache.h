#pragma once
// The constant caches of an SM: a small one that the load/store unit looks up word by word, and, where the
// configuration has one, a second level behind it. Misses of the last level go to L2.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interconnect/ring.h"
#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/read_only_cache.h"

namespace warpvp {

class ConstantCache {
 public:
  enum class Outcome : std::uint8_t {
    kHit,
    kWaits,  ///< served(id) is called once when the word is here
    kFull,   ///< no MSHR; nothing has changed
  };

  ConstantCache(const ConstantCacheConfig& config, MemoryPort& port);

  /// Looks up a word for the instruction `id`.
  Outcome access(std::uint64_t address, const AccessOwner& owner, Cycle issue_cycle, std::uint32_t id,
                 Cycle now);
  /// What the second level has to give or to ask for by `now`: calls served(id) for each word.
  template <class F>
  void evaluate(Cycle now, F&& served) {
    for (; !requests_.empty() && requests_.front().cycle <= now; requests_.pop())
      request(requests_.front().index);
    for (; !hits_.empty() && hits_.front().cycle <= now; hits_.pop())
      first_.fill(hits_.front().index, served);
  }
  /// The line of an MSHR of the last level came from L2.
  template <class F>
  void fill(unsigned index, F&& served) {
    if (!has_second_) {
      first_.fill(index, served);
      return;
    }
    second_.fill(index, [&](std::uint32_t line) { first_.fill(line, served); });
  }
  /// Next edge with something to do for evaluate(); kNever if there is none.
  Cycle next_work(Cycle now) const {
    const Cycle request = requests_.empty() ? kNever : requests_.front().cycle;
    const Cycle hit = hits_.empty() ? kNever : hits_.front().cycle;
    const Cycle next = std::min(request, hit);
    return next == kNever ? kNever : std::max(next, now + 1);
  }
  void invalidate();
  bool idle() const { return first_.idle() && second_.idle() && hits_.empty() && requests_.empty(); }

 private:
  struct Due {
    Cycle cycle = 0;
    unsigned index = 0;  // MSHR
  };
  struct Miss {
    std::uint64_t line = 0;
    AccessOwner owner;
    Cycle issue_cycle = 0;
  };

  void request(unsigned index);

  MemoryPort& port_;
  ReadOnlyCache first_;
  const bool has_second_;
  ReadOnlyCache second_;          // as many MSHRs as the first, which hold at least one for each of its lines
  const unsigned line_bytes_;     // of the last level
  const Cycle latency_, lookup_;  // of the second level: miss of the first to its line, to the request to L2
  std::vector<Miss> misses_;      // of the last level, by MSHR
  GrowingRing<Due> hits_;         // lines of the second level on their way to the first, by its MSHR
  GrowingRing<Due> requests_;     // misses of the second level on their way out, by its MSHR
};

}  // namespace warpvp
