#pragma once
// A prefetcher in its place at a cache: shows it loads, queues what it proposes, and finds out what that was
// worth. The cache requests a proposed line at an edge at which its tags have nothing else to do, and drops
// it if it is here, lies in another page than the load that led to it, or if it finds no room: nothing ever
// waits for a prefetch but loads that want its line.

#include <cstdint>
#include <string>
#include <vector>

#include "base/stats.h"
#include "interconnect/cache/prefetcher.h"
#include "interconnect/cache/replacement.h"
#include "interconnect/policy_slot.h"
#include "interconnect/ring.h"

namespace warpvp {

/// Lines. issued = useful + late + unused + those that nobody has asked for yet.
struct PrefetchCounters {
  std::uint64_t issued = 0;
  std::uint64_t useful = 0;     ///< asked for when it was here
  std::uint64_t late = 0;       ///< asked for while it was on its way
  std::uint64_t unused = 0;     ///< went without having been asked for
  std::uint64_t redundant = 0;  ///< proposed, and here or on its way already
  std::uint64_t outside = 0;    ///< proposed in another page, or where there is no memory
  std::uint64_t dropped = 0;    ///< proposed, and there was no room

  PrefetchCounters& operator+=(const PrefetchCounters& o);
  void stats(StatVisitor& v) const;
};
inline constexpr const char kPrefetchSentence[] = "What became of lines that the prefetcher proposed.";

class Prefetching {
 public:
  /// What a prefetch is counted to, and travels as.
  struct Cause {
    std::uint32_t launch = 0xffffffffu;
    std::uint16_t sm = 0xffff;
    CacheUser by;
    std::uint64_t issue_cycle = 0;
  };
  struct Proposal {
    std::uint64_t line = 0;
    std::uint64_t from = 0;  ///< address of the line whose load led to it
    Cause cause;
  };

  /// `context`: where the cache stands; its place heads messages. `lines`: entries of the cache's tags;
  /// `queue`: proposals that can wait.
  Prefetching(const PolicyChoice& choice, const PolicyContext& context, const Prefetcher::Cache& cache,
              std::uint32_t lines, unsigned queue);

  /// False: there is no prefetcher, and nothing below need be called.
  bool on() const { return on_; }
  /// A load. Its proposals are queued; what finds no room is dropped.
  void access(const Prefetcher::Access& access, const Cause& cause, PrefetchCounters& counters);
  bool waiting() const { return !proposals_.empty(); }
  const Proposal& front() const { return proposals_.front(); }
  void pop() { proposals_.pop(); }

  /// The line of the tag entry was prefetched, and nobody has asked for it yet.
  void mark(std::uint32_t line) { unused_[line] = 1; }
  bool marked(std::uint32_t line) const { return on_ && unused_[line]; }
  /// Somebody asks for the line, of which everything is here, or not. True if it was prefetched and nobody
  /// had.
  bool used(std::uint32_t line, bool here, PrefetchCounters& counters);
  /// The entry is taken for another line, or has lost its own.
  void gone(std::uint32_t line, PrefetchCounters& counters);
  /// What the prefetcher itself counts, as group `key`, if it counts anything.
  void stats(StatVisitor& v, const char* key) const;
  /// All lines are gone, uncounted; what has been proposed is dropped.
  void forget();

 private:
  PolicySlot<Prefetcher> policy_;
  const std::string title_;
  std::uint32_t line_bytes_;
  bool on_ = false;
  std::vector<std::uint8_t> unused_;  // by tag entry: prefetched, and not asked for yet
  Prefetcher::Proposals fresh_;
  Ring<Proposal> proposals_;
};

}  // namespace warpvp
