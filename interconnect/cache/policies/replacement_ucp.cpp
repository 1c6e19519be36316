// Utility-based cache partitioning (Qureshi and Patt, MICRO 2006) between the kernels that share a cache:
// each has a monitor of what ways are worth to it (utility_monitor.h), from which ways are given out anew
// every `period` cycles; lines are then replaced by these quotas (way_quotas.h).
//
// The paper's users are cores, and its cache is one. Here they are kernel slots, and each L1 and each bank of
// the L2 has monitors of its own. Ours are: only kernels that accessed the cache in the last period get ways,
// the others' counters start anew; while more kernels than ways do, nobody has any; copies and the host have
// no monitor and no ways; when an L1 gives ways to shared memory or back, those that it has are divided by
// what is counted. Until the first division the cache is LRU.

#include <algorithm>
#include <optional>
#include <vector>

#include "base/registry.h"
#include "interconnect/cache/policies/utility_monitor.h"
#include "interconnect/cache/policies/way_quotas.h"

namespace warpvp {
namespace {

struct UcpParams {
  std::uint64_t period = 50000;
  std::uint32_t sampled_sets = 32;

  void fields(FieldVisitor& v) {
    v.field(
        "period", period, "cycles",
        "Ways are given out anew this often, in cycles of the cache's clock. The paper's runs are longer, "
        "and so is its period, 5 million cycles.",
        Constraint::at_least(1));
    v.field("sampled_sets", sampled_sets, "sets",
            "Sets that the monitors watch, evenly apart; of a cache with less than twice as many, all.",
            Constraint::range(1, 1 << 20));
  }
};

class UtilityPartition : public ReplacementPolicy {
 public:
  UtilityPartition(const UcpParams& params, const Context& context) : params_(params), context_(context) {
    context.registers.add({"WAYS", 0, 4, std::min(context.kernel_slots, WayQuotas::kSlots), 4,
                           RegisterAccess::kReadOnly, 0,
                           "Ways of each set that the kernel slot has been given; 0: none of its own.",
                           [this](unsigned slot) { return std::uint64_t{quotas_.of(slot)}; }});
  }

  void configure(const Cache& cache) override {
    sets_ = cache.sets;
    ways_ = cache.ways;
    quotas_.configure(sets_, ways_);
    lines_.assign(std::size_t{sets_} * ways_, 0);
    sampled_one_in_ = std::max(1u, sets_ / params_.sampled_sets);
    monitors_.resize(WayQuotas::kSlots);
    period_end_ = context_.now() + params_.period;
  }
  std::uint32_t victim(const Full& full) override {
    if (context_.now() >= period_end_) end_period();
    return quotas_.victim(full);
  }
  void placed(std::uint32_t set, std::uint32_t way, std::uint64_t address) override {
    lines_[std::size_t{set} * ways_ + way] = address;
  }
  Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) override {
    quotas_.allocated(set, way, by);
    watch(set, way, by);
    return Place::kNewest;
  }
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser& by) override {
    quotas_.touched(set, way);
    watch(set, way, by);
  }
  void removed(std::uint32_t set, std::uint32_t way) override { quotas_.removed(set, way); }
  void opened(std::uint32_t ways) override {
    quotas_.restart(ways);
    divide();
  }
  void stats(StatVisitor& v) const override {
    quotas_.stats(v);
    v.value("divisions", divisions_, "times", "Times that ways were given out by what is counted.");
    v.value("sampled_accesses", sampled_, "accesses", "Accesses that monitors saw.");
  }

 private:
  void watch(std::uint32_t set, std::uint32_t way, const CacheUser& by) {
    if (by.kernel_slot >= WayQuotas::kSlots || set % sampled_one_in_ != 0) return;
    std::optional<UtilityMonitor>& monitor = monitors_[by.kernel_slot];
    if (!monitor) monitor.emplace((sets_ + sampled_one_in_ - 1) / sampled_one_in_, ways_);
    monitor->access(set / sampled_one_in_, lines_[std::size_t{set} * ways_ + way]);
    ++sampled_;
  }
  void end_period() {
    period_end_ = context_.now() + params_.period;
    for (std::optional<UtilityMonitor>& monitor : monitors_)
      if (monitor && monitor->accesses() == 0) monitor.reset();
    quotas_.restart(quotas_.ways());
    divide();
    for (std::optional<UtilityMonitor>& monitor : monitors_)
      if (monitor) monitor->begin_period();
  }
  // Nobody has a quota.
  void divide() {
    std::vector<std::uint32_t> slots;
    std::vector<std::vector<std::uint64_t>> curves;
    for (std::uint32_t slot = 0; slot < monitors_.size(); ++slot) {
      if (!monitors_[slot]) continue;
      slots.push_back(slot);
      curves.push_back(monitors_[slot]->curve());
    }
    if (slots.empty() || slots.size() > quotas_.ways()) return;
    const std::vector<std::uint32_t> given = lookahead(curves, quotas_.ways());
    for (std::size_t user = 0; user < slots.size(); ++user) quotas_.set(slots[user], given[user]);
    ++divisions_;
  }

  const UcpParams params_;
  const Context context_;
  std::uint32_t sets_ = 1, ways_ = 1, sampled_one_in_ = 1;
  WayQuotas quotas_;
  std::vector<std::uint64_t> lines_;                     // [set][way], addresses
  std::vector<std::optional<UtilityMonitor>> monitors_;  // by slot; none: it did not access the cache
  Cycle period_end_ = 0;
  std::uint64_t divisions_ = 0, sampled_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(ReplacementPolicy, UtilityPartition, UcpParams, "ucp",
                                   "Kernels get ways by what these are worth to them (UCP); the least "
                                   "recently used line of whoever holds too many goes.");

}  // namespace
}  // namespace warpvp
