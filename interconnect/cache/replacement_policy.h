#pragma once
// The interface of replacement policies (registry kind "replacement"), for the L1 data caches and the banks
// of the L2: which line of a full set gives way to a new one.
//
// A line whose fill is under way never goes. A way without a line is taken before any line goes, whatever the
// policy. Each cache has a policy of its own, which sees that cache alone.

#include <cstdint>

#include "base/stats.h"
#include "base/tag_replacement.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class ReplacementPolicy {
 public:
  static constexpr const char* kKind = "replacement";
  using Context = PolicyContext;

  /// The cache that the policy works for.
  struct Cache {
    std::uint32_t sets = 1, ways = 1;  ///< ways: the most that it ever has
    std::uint32_t number = 0;          ///< of the SM or the bank, so that not all need do the same
    std::uint64_t seed = 0;            ///< of this cache's own random numbers; follows from the run's seed
  };
  using Full = TagReplacement::Full;
  /// Where a new line comes into the order of use.
  enum class Place : std::uint8_t { kNewest, kOldest };

  virtual ~ReplacementPolicy() = default;
  /// True: the least recently used line goes, always. The tag array then sees to it by itself and calls
  /// nothing else.
  virtual bool least_recently_used() const { return false; }
  /// Called once, before all else but the above.
  virtual void configure(const Cache& cache) = 0;
  /// The way whose line goes, of `full.takeable`. The new line follows by allocated().
  virtual std::uint32_t victim(const Full& full) = 0;
  /// The line at `address` is in the way from now on; allocated() follows. For those who tell lines apart.
  virtual void placed(std::uint32_t /*set*/, std::uint32_t /*way*/, std::uint64_t /*address*/) {}
  /// A new line is in the way: into a way that was free, or in the place of another line. The answer matters
  /// to `Full::oldest` alone.
  virtual Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) = 0;
  /// The line in the way was used: a hit, or a miss of a part of it.
  virtual void touched(std::uint32_t set, std::uint32_t way, const CacheUser& by) = 0;
  /// The way has lost its line without getting another one.
  virtual void removed(std::uint32_t set, std::uint32_t way) {}
  /// From now on the first `ways` of each set are in use (an L1 that shares its array with shared memory).
  virtual void opened(std::uint32_t ways) {}
  /// Visits what the policy counts. Nothing by default.
  virtual void stats(StatVisitor&) const {}
};
inline constexpr const char kReplacementSentence[] = "What the replacement policy counts.";

}  // namespace warpvp
