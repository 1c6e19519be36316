// The DRAM controller as a type of memory channel.

#include "base/registry.h"
#include "modules/dram/dram_controller.h"

namespace warpvp {

namespace {

class DramControllerType : public MemoryChannelType {
 public:
  explicit DramControllerType(const DramConfig& config) : config_(config) {}
  double clock_mhz() const override { return config_.timing.clock_mhz; }
  double peak_bytes_per_second() const override { return config_.timing.peak_bytes_per_second(); }
  void visit_stats(StatVisitor& v) const override {
    DramCounters().stats(v);
    MemoryCounters().stats(v);
  }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    return std::make_unique<DramController>(name, place, config_);
  }

 private:
  DramConfig config_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryChannelType, DramControllerType, DramConfig, "controller",
                                   "DRAM controller with banks, scheduling, write drain and refresh.");

}  // namespace
}  // namespace warpvp
