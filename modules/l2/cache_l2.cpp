// `l2.type: cache` as the registry knows it.

#include "base/registry.h"
#include "modules/l2/cache_bank.h"

namespace warpvp {

void CacheBank::visit_stats(StatVisitor& v, const L2Counters& counters, std::uint64_t set_aside,
                            const L2Stalls& stalls) {
  counters.stats(v);
  v.value("set_aside", set_aside, "requests",
          "Requests that stepped aside for want of a place among those that wait for a sector, or of a way.");
  v.group("stall_cycles", stalls,
          "Cycles in which the oldest request of a bank could not enter, by what was lacking.");
}

void CacheBank::stats(StatVisitor& v) const { visit_stats(v, totals(), set_aside_, stalls_); }

namespace {

class CacheL2 : public L2Type {
 public:
  explicit CacheL2(const CacheBankConfig& config) : config_(config) {}
  void check(std::uint32_t line_bytes, const RequireField& require) const override {
    with(line_bytes).check(require);
  }
  void visit_stats(StatVisitor& v) const override { CacheBank::visit_stats(v, {}, 0, {}); }
  std::unique_ptr<L2Bank> build(const char* name, const L2Place& place) const override {
    return std::make_unique<CacheBank>(name, place, with(place.line_bytes));
  }
  unsigned recalls_at_once() const override {
    return PolicySlot<L2InclusionPolicy>(config_.inclusion).call([](L2InclusionPolicy& policy) {
      return policy.recalls_at_once();
    });
  }

 private:
  CacheBankConfig with(std::uint32_t line_bytes) const {
    CacheBankConfig config = config_;
    config.line_bytes = line_bytes;
    return config;
  }

  CacheBankConfig config_;
};

WARPVP_REGISTER_BLOCK(L2Type, CacheL2, CacheBankConfig, "cache",
                      "Sectors and MSHRs; write-back and write-allocate unless policies say otherwise.");

}  // namespace
}  // namespace warpvp
