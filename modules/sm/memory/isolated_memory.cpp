// A memory side without contention (`sm.memory.model: isolated`): every memory instruction takes a time that
// depends on itself alone, and any number of them can be under way. These are the latencies in isolation that
// the analysis of a schedule takes as given (SWaS paper, section III-A, items i, iii and iv): those of
// `isolated`; shared memory, constants and parameters take theirs as if nothing else were under way and
// constants always hit.
//
// The instruction cache keeps its real tags. A miss takes a fixed time, and warps that miss on a line under
// way wait for the same fill.
#include <algorithm>
#include <cassert>
#include <vector>

#include "base/registry.h"
#include "base/tag_array.h"
#include "modules/sm/memory/coalescer.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/shared_memory.h"

namespace warpvp {
namespace {

class IsolatedMemory : public MemorySide, private InitiatorPort::Client {
 public:
  explicit IsolatedMemory(const MemorySidePlace& place) : IsolatedMemory(place, place.config) {}
  IsolatedMemory(const MemorySidePlace& place, const MemorySideConfig& config)
      : config_(config),
        client_(place.memory),
        fetch_client_(place.fetch),
        port_(place.name, *this),
        coalescer_(config.l1.line_bytes, config.l1.sector_bytes, config.l1.coalesce == "warp"),
        banks_(config.shared.banks, config.shared.bank_bytes, config.shared.packs_pairs),
        instructions_({config.instruction.sets(), config.instruction.associativity,
                       config.instruction.line_bytes, 0, false}),
        stores_(place.warps, 0) {}

  bool can_accept(unsigned) const override { return true; }

  void accept(const MemoryRequest& request, Cycle now) override {
    const ptx::MemoryAccess& access = request.access;
    const bool store = access.store && !access.async;
    const bool changes_memory = store || access.atomic;
    SmMemoryCounters& counters = counters_.of(request.owner.launch);
    ++counters.instructions;
    const Cycle due = now + latency(access, counters);
    if (changes_memory) ++stores_[request.owner.warp];
    due_.push_back({due, next_number_++, request.token, request.owner.warp, changes_memory});
    std::push_heap(due_.begin(), due_.end(), Later{});
    const bool waited_for = !store && (access.returns_value || access.async);
    const bool device = access.space == ptx::Space::kGlobal || access.space == ptx::Space::kLocal;
    if (waited_for && device && access.lanes != 0 && due > now + 1) long_.push_back(request.token);
  }

  bool stores_outstanding(unsigned warp) const override { return stores_[warp] != 0; }

  bool fetch(const InstructionFetch& fetch, Cycle now) override {
    SmMemoryCounters& counters = counters_.of(fetch.owner.launch);
    ++counters.instruction_fetches;
    if (config_.instruction.ideal) return true;
    ++counters.instruction.l1.lookups;
    const TagArray::Lookup found = instructions_.probe(fetch.address, 1);
    if (found.result == TagArray::Result::kHit) {
      instructions_.touch(found.line);
      ++counters.instruction.l1.hits;
      return true;
    }
    ++counters.instruction_misses;
    const std::uint64_t line = instructions_.line_address(fetch.address);
    bool under_way = false;
    for (unsigned i = 0; i < fills_.size() && !under_way; ++i) under_way = fills_[i].line == line;
    if (!under_way) fills_.push_back({now + config_.isolated.instruction_miss_latency, line});
    return false;
  }

  std::string line_whereabouts(unsigned, std::uint64_t) const override { return "is on its way"; }

  void evaluate(Cycle now) override {
    if (state_due_ <= now) state_due_ = kNever;
    // All fills take the same time, so they come in the order of their misses.
    std::size_t filled = 0;
    for (; filled < fills_.size() && fills_[filled].due <= now; ++filled) {
      const std::uint64_t line = fills_[filled].line;
      instructions_.validate(instructions_.reserve(line, 0).line, 1);
      fetch_client_.instruction_line_filled(line, FetchClient::kAllSubCores);
    }
    fills_.erase(fills_.begin(), fills_.begin() + static_cast<std::ptrdiff_t>(filled));
    for (std::uint32_t token : long_) client_.memory_missed(token);
    long_.clear();
    while (!due_.empty() && due_.front().cycle <= now) {
      std::pop_heap(due_.begin(), due_.end(), Later{});
      const Due done = due_.back();
      due_.pop_back();
      const bool drained = done.store && --stores_[done.warp] == 0;
      client_.memory_done(done.token);
      if (drained) client_.stores_drained(done.warp);
    }
  }
  void commit(Cycle) override {}
  Cycle next_work(Cycle now) const override {
    if (!long_.empty()) return now + 1;
    Cycle next = due_.empty() ? state_due_ : std::min(due_.front().cycle, state_due_);
    if (!fills_.empty()) next = std::min(next, fills_.front().due);
    return next;
  }

  tlm::tlm_initiator_socket<>& socket() override { return port_.socket; }
  void stats(StatVisitor& v) const override { counters_.total().stats(v); }
  const SmMemoryCounters* launch_counters(std::uint32_t launch) const override {
    return counters_.find(launch);
  }
  // Data and constants have no tags here.
  void invalidate() override {}
  // Its sets keep what a program of schedules can foresee: lines stay from kernel to kernel.
  void invalidate_instructions() override {}
  void set_page_table(std::uint16_t, std::uint64_t, Cycle) override {}  // no request leaves
  void resize_l1(std::uint32_t) override {}
  std::uint32_t l1_bytes() const override { return 0; }
  // As long as one access of so many lines.
  void move_state(const StateMove& move, Cycle now) override {
    const std::uint64_t lines = (move.bytes + config_.l1.line_bytes - 1) / config_.l1.line_bytes;
    if (lines != 0)
      state_due_ = now + config_.isolated.load_latency + (lines - 1) * config_.isolated.per_transaction;
  }
  bool state_moved() const override { return state_due_ == kNever; }
  bool idle() const override { return due_.empty() && fills_.empty() && state_moved(); }

 private:
  struct Due {
    Cycle cycle;
    std::uint64_t number;  // order of acceptance, which breaks ties
    std::uint32_t token;
    std::uint16_t warp;
    bool store;
  };
  struct Later {
    bool operator()(const Due& a, const Due& b) const {
      return a.cycle != b.cycle ? a.cycle > b.cycle : a.number > b.number;
    }
  };
  struct Fill {
    Cycle due;
    std::uint64_t line;
  };

  // Only the direct access of execution passes the socket; no request ever does.
  void link_free(InitiatorPort&) override { assert(false); }
  bool response(InitiatorPort&, tlm::tlm_generic_payload&) override {
    assert(false);
    return true;
  }

  static std::uint64_t& transactions_of(const ptx::MemoryAccess& access, SmMemoryCounters& counters) {
    return access.atomic                   ? counters.atomic_transactions
           : access.store && !access.async ? counters.store_transactions
                                           : counters.load_transactions;
  }

  /// From the issue to the data, as the load/store unit would take for it alone.
  Cycle latency(const ptx::MemoryAccess& access, SmMemoryCounters& counters) {
    Cycle total = 0;
    const ptx::LaneMask shared = access.space == ptx::Space::kShared ? access.lanes : access.shared_lanes;
    if (shared) {
      const unsigned cycles = banks_.cycles_of(access, shared);
      ++counters.shared_accesses;
      counters.shared_cycles += cycles;
      total += cycles + config_.shared.latency;
    }
    if (access.space == ptx::Space::kShared || access.lanes == 0) return total;
    if (access.space == ptx::Space::kConst || access.space == ptx::Space::kParam) {
      std::uint64_t words[ptx::kWarpSize];
      const unsigned count = Coalescer::distinct(access.address, access.lanes, words);
      counters.constant_accesses += count;
      const ConstantCacheConfig& constant = config_.constant;
      if (access.space == ptx::Space::kParam)
        return total + count +
               (constant.parameter_latency != 0 ? constant.parameter_latency : constant.latency);
      counters.constant_requests += count;
      return total + Cycle{count} * constant.cycles_per_word + constant.latency;
    }
    if (access.is_bulk()) {
      std::uint64_t lines = 0;
      for (ptx::LaneMask m = access.lanes; m != 0; m &= m - 1)
        lines += coalescer_.lines_of(access.bulk->address[ptx::first_lane(m)],
                                     access.bulk->bytes[ptx::first_lane(m)]);
      transactions_of(access, counters) += lines;
      return total + config_.isolated.load_latency + (lines - 1) * config_.isolated.per_transaction;
    }
    // Local memory is laid out from zero: where the warp's slot is must not show.
    const unsigned count =
        access.space == ptx::Space::kLocal
            ? coalescer_.local(access.address, access.lanes, access.bytes, 0, accesses_)
        : static_cast<ptx::CacheOp>(access.cache_op) == ptx::CacheOp::tex
            ? coalescer_.texels(*access.texels, access.bytes, accesses_)
            : coalescer_.global(access.address, access.lanes, access.bytes, accesses_, access.atomic);
    transactions_of(access, counters) += count;
    return total + config_.isolated.load_latency + Cycle{count - 1} * config_.isolated.per_transaction;
  }

  MemorySideConfig config_;
  MemoryClient& client_;
  FetchClient& fetch_client_;
  InitiatorPort port_;
  LaunchCounters counters_;
  Coalescer coalescer_;
  SharedMemoryBanks banks_;
  TagArray instructions_;
  std::vector<std::uint32_t> stores_;  // by warp: stores, reductions and atomics under way
  std::vector<Due> due_;               // a heap, the next on top
  std::vector<std::uint32_t> long_;    // accepted at the last edge, and not served by the SM itself
  std::vector<Fill> fills_;            // instruction lines under way, oldest first
  std::uint64_t next_number_ = 0;
  Cycle state_due_ = kNever;  // the end of the move under way
  LineAccess accesses_[Coalescer::kMaxTransactions];
};

class Isolated : public MemorySideType {
 public:
  std::unique_ptr<MemorySide> build(const MemorySidePlace& place) const override {
    return std::make_unique<IsolatedMemory>(place);
  }
  bool reaches_l2() const override { return false; }
};
WARPVP_REGISTER_POLICY(MemorySideType, Isolated, "isolated",
                       "Every access takes a time that depends on itself alone (`isolated`).");

}  // namespace
}  // namespace warpvp
