// `l2.type: cache` as the registry knows it.

#include <string>
#include <type_traits>

#include "base/registry.h"
#include "interconnect/policy_reference.h"
#include "interconnect/register_map.h"
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

void CacheBank::stats(StatVisitor& v) const {
  visit_stats(v, totals(), set_aside_, stalls_);
  replacement_.stats(v, ReplacementPolicy::kKind);
  prefetching_.stats(v, Prefetcher::kKind);
  write_policy_.stats(v, kL2WritePolicySentence);
  write_back_.stats(v, kL2WriteBackPolicySentence);
  inclusion_.stats(v, kL2InclusionPolicySentence);
}

namespace {

class CacheL2 : public L2Type {
 public:
  explicit CacheL2(const CacheBankConfig& config) : config_(config) {}
  void check(std::uint32_t line_bytes, const RequireField& require) const override {
    with(line_bytes).check(require);
  }
  std::uint64_t bank_bytes() const override { return std::uint64_t{config_.bank_kib} * 1024; }
  void visit_stats(StatVisitor& v) const override {
    CacheBank::visit_stats(v, {}, 0, {});
    visit<ReplacementPolicy>(v, "replacement", kReplacementSentence);
    visit<Prefetcher>(v, "prefetcher", kPrefetcherSentence);
    visit<L2WritePolicy>(v, "write_policy", kL2WritePolicySentence);
    visit<L2WriteBackPolicy>(v, "write_back", kL2WriteBackPolicySentence);
    visit<L2InclusionPolicy>(v, "inclusion", kL2InclusionPolicySentence);
  }
  void visit_policy_registers(const ShowPolicyRegisters& show) const override {
    registers_of<ReplacementPolicy>(show);
    registers_of<Prefetcher>(show);
    registers_of<L2WritePolicy>(show);
    registers_of<L2WriteBackPolicy>(show);
    registers_of<L2InclusionPolicy>(show);
  }
  std::unique_ptr<L2Bank> build(const char* name, const L2Place& place) const override {
    return std::make_unique<CacheBank>(name, place, with(place.line_bytes));
  }
  unsigned shortest_answer() const override {
    return std::min(config_.latency_cycles, config_.fill_latency_cycles) - 1;
  }
  unsigned recalls_at_once() const override {
    return PolicySlot<L2InclusionPolicy>(config_.inclusion).call([](L2InclusionPolicy& policy) {
      return policy.recalls_at_once();
    });
  }

 private:
  template <class Policy>
  static void visit(StatVisitor& v, const std::string& key, const char* sentence) {
    warpvp::visit_policy_stats<Policy>(
        v, sentence, [&](const std::string& name) { return "with `platform.l2." + key + ": " + name + "`"; });
  }
  template <class Policy>
  static void registers_of(const ShowPolicyRegisters& show) {
    const auto context = [](const std::string&, const PolicyRegisters::Take& take) {
      const regmap::l2::PolicyWindow window = regmap::l2::policy_window(Policy::kKind);
      PolicyContext context;
      context.kernel_slots = regmap::wd::kMaxSlots;
      context.registers = PolicyRegisters::window(Policy::kKind, window.base, window.bytes, take);
      return context;
    };
    warpvp::visit_policy_registers<Policy>(show, regmap::l2::kStride, context,
                                           "L2 bank: " + std::string(Policy::kKind));
  }
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
