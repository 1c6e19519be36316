// The DRAM controller as a type of memory channel.

#include "base/registry.h"
#include "interconnect/policy_reference.h"
#include "modules/dram/dram_controller.h"

namespace warpvp {

namespace {

class DramControllerType : public MemoryChannelType {
 public:
  explicit DramControllerType(const DramConfig& config) : config_(config) {}
  double clock_mhz() const override { return config_.timing.clock_mhz; }
  double peak_bytes_per_second() const override { return config_.timing.peak_bytes_per_second(); }
  unsigned bus_bits() const override { return config_.timing.bus_bits; }
  void visit_stats(StatVisitor& v) const override {
    DramCounters().stats(v);
    MemoryCounters().stats(v);
    visit<DramScheduler>(v, "scheduler", kDramSchedulerSentence);
    visit<DramPagePolicy>(v, "page_policy", kDramPagePolicySentence);
    visit<DramRefreshPolicy>(v, "refresh", kDramRefreshSentence);
    visit<DramWriteDrainPolicy>(v, "write_drain", kDramWriteDrainSentence);
    visit<DramAddressMapping>(v, "address_mapping", kDramAddressMappingSentence);
  }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    return std::make_unique<DramController>(name, place, config_);
  }

 private:
  template <class Policy>
  static void visit(StatVisitor& v, const std::string& key, const char* sentence) {
    visit_policy_stats<Policy>(v, sentence, [&](const std::string& name) {
      return "with `platform.dram." + key + ": " + name + "`";
    });
  }

  DramConfig config_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryChannelType, DramControllerType, DramConfig, "controller",
                                   "DRAM controller with banks, scheduling, write drain and refresh.");

}  // namespace
}  // namespace warpvp
