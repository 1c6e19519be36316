// Ways given out to kernels and enforced as by UCP (way_quotas.h). Who decides on quotas, as UCP's monitors
// do (replacement_ucp.cpp), is left to others: any master of the register bus may change them at any time.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/registry.h"
#include "interconnect/cache/policies/way_quotas.h"

namespace warpvp {
namespace {

struct WayPartitionParams {
  std::vector<std::uint32_t> ways;

  void fields(FieldVisitor& v) {
    v.field(
        "ways", ways, "ways",
        "Ways of each set for kernel slots 0, 1, ... in this order; 0, and slots behind the list: none of "
        "their own, they share what is left with copies and the host.",
        Constraint::range(0, 4096));
  }
};

class WayPartition : public ReplacementPolicy {
 public:
  WayPartition(const WayPartitionParams& params, const Context& context) : params_(params) {
    context.registers.add(
        {"WAYS", 0, 4, std::min(context.kernel_slots, WayQuotas::kSlots), 4, RegisterAccess::kReadWrite, 0,
         "Ways of each set that the kernel slot has for itself; 0: it shares what is left. A number with "
         "which all slots would have more than the ways of the cache is not taken.",
         [this](unsigned slot) { return std::uint64_t{quotas_.of(slot)}; },
         [this](unsigned slot, std::uint64_t ways) { quotas_.set(slot, static_cast<std::uint32_t>(ways)); }});
  }

  void configure(const Cache& cache) override {
    quotas_.configure(cache.sets, cache.ways);
    if (params_.ways.size() > WayQuotas::kSlots)
      throw InputError(
          fmt::format("'ways' has {} numbers; allowed: at most {}", params_.ways.size(), WayQuotas::kSlots));
    for (std::uint32_t slot = 0; slot < params_.ways.size(); ++slot)
      if (!quotas_.set(slot, params_.ways[slot]))
        throw InputError(fmt::format("'ways' gives out more than the {} ways of the cache", quotas_.ways()));
  }

  std::uint32_t victim(const Full& full) override { return quotas_.victim(full); }
  Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) override {
    quotas_.allocated(set, way, by);
    return Place::kNewest;
  }
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser&) override { quotas_.touched(set, way); }
  void removed(std::uint32_t set, std::uint32_t way) override { quotas_.removed(set, way); }
  void stats(StatVisitor& v) const override { quotas_.stats(v); }

 private:
  const WayPartitionParams params_;
  WayQuotas quotas_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(ReplacementPolicy, WayPartition, WayPartitionParams, "way_partition",
                                   "Kernels have ways of their own, the least recently used line of whoever "
                                   "holds too many goes.");

}  // namespace
}  // namespace warpvp
