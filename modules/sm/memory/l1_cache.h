#pragma once
// The L1 data cache: sectored tags, MSHRs with merging, three write policies. It decides what a transaction
// needs and queues the requests; who waits is an instruction id of the load/store unit.

#include <cstdint>
#include <vector>

#include "base/tag_array.h"
#include "interconnect/cache/prefetching.h"
#include "interconnect/cache/replacement.h"
#include "interconnect/ring.h"
#include "modules/sm/memory/coalescer.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/mshr_file.h"
#include "modules/sm/sm_context.h"
#include "modules/sm/sm_events.h"

namespace warpvp {

/// What the cache has to know of the instruction behind a transaction.
struct WarpAccess {
  AccessOwner owner;
  Cycle issue_cycle = 0;
  std::uint32_t id = 0;  ///< handed back when a part of it is served
  AccessKind kind = AccessKind::kLoad;
  bool texture = false;
  SmMemoryCounters* counters = nullptr;
  std::uint32_t pc = 0;
  bool first = true;  ///< the first transaction of its instruction
};

/// Kinds of the L1's policies among windows of registers and groups of statistics; those of the L2 have the
/// registry's.
inline constexpr const char kL1ReplacementKind[] = "l1_replacement";
inline constexpr const char kL1PrefetcherKind[] = "l1_prefetcher";

class L1Cache {
 public:
  /// A transaction was taken, and `parts` responses have to come before it is served; or it was refused, must
  /// be tried again later, and nothing has changed.
  struct Result {
    bool taken = false;
    Reservation failure = Reservation::kWay;
    unsigned parts = 0;

    static Result done(unsigned parts) { return {true, Reservation::kWay, parts}; }
    static Result refused(Reservation why) { return {false, why, 0}; }
  };

  /// What it does is told to the place's events.
  L1Cache(const L1Config& config, const MemorySidePlace& place, MemoryPort& port, LaunchCounters& counters);

  bool enabled() const { return enabled_; }
  /// A load that looks the cache up.
  Result load(const LineAccess& access, const WarpAccess& info, Cycle now);
  /// A load that goes to L2 and leaves the cache alone.
  Result load_around(const LineAccess& access, const WarpAccess& info, Cycle now);
  Result store(const LineAccess& access, const WarpAccess& info, Cycle now);
  /// An atomic or reduction: performed in L2, the line leaves this cache.
  Result atomic(const LineAccess& access, const WarpAccess& info, bool returns_value, Cycle now);

  /// A fill can be taken at present: a dirty line that must leave for it can be queued.
  bool can_fill(unsigned mshr) const {
    return allocate_on_miss_ || policy_ != WritePolicy::kWriteBack ||
           port_.can_push(mshrs_[mshr].owner.kernel_slot, 1);
  }
  /// `sectors` of the line of an MSHR came back: calls served(id) for each instruction part they complete.
  template <class F>
  void fill(unsigned mshr, std::uint32_t sectors, Cycle now, F&& served) {
    const TagArray::Line line = place(mshr, sectors, now);
    const bool write_back = policy_ == WritePolicy::kWriteBack;
    const Cycle since = mshrs_[mshr].since;
    SmMemoryCounters& counters = counters_.of(mshrs_[mshr].owner.launch);
    const bool complete = mshrs_.fill(mshr, sectors, [&](std::uint32_t id, std::uint32_t wanted, bool store) {
      if (store && write_back) tags_.mark_dirty(line, wanted);
      served(id);
    });
    if (line != TagArray::kNoLine && tags_.closed(line)) drop_closed(line);
    if (!complete) return;
    if (prefetching_.on() && prefetch_came(mshr, line, counters)) return;
    ++counters.l1_fills;
    counters.miss_latency_cycles += now - since;
  }

  /// The L2 has dropped its line at `address`: so does this cache. What is dirty is queued for writing.
  void recall(std::uint64_t address, std::uint32_t launch);
  /// Proposals of the prefetcher wait.
  bool wants_to_prefetch() const { return prefetching_.waiting(); }
  /// Nobody but the prefetcher has asked for what the MSHR fetches.
  bool only_prefetched(unsigned mshr) const { return prefetching_.on() && prefetched_[mshr]; }
  /// What came of the line at `address` is no good: its page is not mapped any more.
  void drop_prefetched(std::uint64_t address);
  /// Requests one of them, if nothing else has used the tags at this edge. What finds no room is dropped.
  void prefetch_line(Cycle now);
  /// What its policies count.
  void stats(StatVisitor& v) const;

  /// Drops all lines; dirty ones are queued for writing as there is room.
  void invalidate();
  /// Gives the cache `bytes`, a whole number of ways of all sets, at most unified_kib. Drops all lines if
  /// that changes anything.
  void resize(std::uint32_t bytes);
  std::uint32_t bytes() const { return enabled_ ? tags_.open_ways() * way_bytes_ : 0; }
  /// Queues what invalidate() left, as far as there is room.
  void evaluate(Cycle now);
  /// evaluate() has something it can do.
  bool has_work() const { return !leaving_.empty() && port_.can_push(MemExtension::kNone, 1); }
  bool idle() const { return mshrs_.in_use() == 0 && leaving_.empty(); }

 private:
  using WritePolicy = L1WritePolicy;
  struct Leaving {
    std::uint64_t line = 0;
    std::uint32_t sectors = 0;
  };

  static void count_load(const WarpAccess& info, std::uint32_t hits, std::uint32_t misses) {
    if (info.texture || info.kind == AccessKind::kLocal) return;
    info.counters->l1_read_hit_sectors += static_cast<unsigned>(__builtin_popcount(hits));
    info.counters->l1_read_miss_sectors += static_cast<unsigned>(__builtin_popcount(misses));
  }
  static void count_store(const WarpAccess& info, std::uint32_t sectors, bool hit) {
    if (info.kind == AccessKind::kLocal) return;
    (hit ? info.counters->l1_write_hit_sectors : info.counters->l1_write_miss_sectors) +=
        static_cast<unsigned>(__builtin_popcount(sectors));
  }
  static CacheUser user_of(const AccessOwner& owner) {
    return {owner.kernel_slot, owner.context, owner.warp};
  }
  /// The line is dropped.
  void drop(TagArray::Line line, const AccessOwner& owner);
  /// Shows the prefetcher a load that was taken; `line`: where it lies, kNoLine if it does not.
  void note_load(const LineAccess& access, const WarpAccess& info, TagArray::Line line, bool hit);
  /// Somebody asks for what MSHR `mshr` fetches.
  void note_merge(unsigned mshr, const WarpAccess& info);
  /// All of a line has come. True if nobody but the prefetcher has asked for it.
  bool prefetch_came(unsigned mshr, TagArray::Line line, SmMemoryCounters& counters);
  static unsigned runs_of(std::uint32_t sectors) {
    return static_cast<unsigned>(__builtin_popcount(sectors & ~(sectors << 1)));
  }
  Result fetch(const LineAccess& access, std::uint32_t valid, std::uint32_t waits_for, const WarpAccess& info,
               bool store, Cycle now);
  void allocate_store(const LineAccess& access, const TagArray::Lookup& found, const AccessOwner& owner,
                      Cycle now);
  Result store_back(const LineAccess& access, const WarpAccess& info, Cycle now);
  void read(std::uint64_t line, std::uint32_t sectors, const WarpAccess& info, ReplyKind reply,
            unsigned index, Cycle now);
  void write_back(std::uint64_t line, std::uint32_t dirty, const AccessOwner& owner, Cycle now);
  TagArray::Reservation reserve(std::uint64_t line, std::uint32_t pending, TagArray::Line present,
                                const AccessOwner& owner, Cycle now);
  TagArray::Reservation reserve(std::uint64_t line, std::uint32_t pending, const AccessOwner& owner,
                                Cycle now);
  void tell_access(const LineAccess& access, const WarpAccess& info, L1Access::Result result, bool store,
                   Cycle now) const;
  TagArray::Line place(unsigned mshr, std::uint32_t sectors, Cycle now);
  void drop_closed(TagArray::Line line);
  /// Puts all dirty lines among those that leave.
  void write_out();

  bool enabled_;
  WritePolicy policy_;
  bool allocate_on_miss_;
  unsigned sector_bytes_;
  std::uint32_t way_bytes_;  // of one way in all sets
  TagArray tags_;
  Replacement replacement_;
  Prefetching prefetching_;
  const DeviceMemory* const memory_;  // its bounds, or nullptr
  const std::uint64_t page_bytes_;    // of SmBacking
  const std::uint32_t l2_line_bytes_;
  MshrFile mshrs_;
  const unsigned most_mshrs_;
  std::vector<std::uint8_t> prefetched_;  // [mshr]: fetched for the prefetcher, and nobody has joined
  Cycle busy_at_ = kNever;                // the last edge at which the tags were looked up
  MemoryPort& port_;
  LaunchCounters& counters_;
  GrowingRing<Leaving> leaving_;
  const SmEvents& events_;
  std::vector<AccessOwner> fillers_;  // of the lines, by TagArray::Line; kept while evictions are asked for
};

}  // namespace warpvp
