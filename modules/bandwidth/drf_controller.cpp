// `bandwidth_controller.type: drf`: the CTAs of simultaneous multikernel (SMK, dominant_share.h) for kernels
// that are launched again and again: each has its number of CTAs as long as the mix is the same, also from
// one launch to the next, where work_distributor.policy `drf` would leave its room to the others. Bandwidth
// is not divided.

#include "base/dominant_share.h"
#include "base/fields.h"
#include "modules/bandwidth/mix_controller.h"

namespace warpvp {
namespace {

struct DrfConfig {
  std::uint32_t absent_cycles = 200'000;
  void fields(FieldVisitor& v) {
    v.field("absent_cycles", absent_cycles, "SM cycles",
            "A kernel that has ended and does not come again for so long has left the mix.",
            Constraint::range(0, 1000000000));
  }
};

struct DrfStats {
  Cycle settled_at = 0;
  void stats(StatVisitor& v) const {
    v.value("settled_at", settled_at, "cycles",
            "SM cycle since which no kernel of the last mix has more CTAs than it is given; 0: never.");
  }
};

class DrfController : public MixController {
 public:
  DrfController(sc_core::sc_module_name name, const DrfConfig& config, const BandwidthControllerPlace& place)
      : MixController(name, place, {false, config.absent_cycles}) {}
  void stats(StatVisitor& v) const override { counted_.stats(v); }

 private:
  void control() override {
    const std::vector<MixKernel*> kernels = mix().present();
    std::vector<CtaNeeds> needs;
    for (const MixKernel* kernel : kernels) needs.push_back(kernel->needs);
    const std::vector<std::uint32_t> ctas = fair_cta_combination(place().resources, needs);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      KernelTerms terms;
      // One whose CTA does not fit beside the others' takes what they leave from time to time.
      if (kernels.size() > 1 && ctas[k] != 0) terms.ctas = ctas[k];
      terms.drains = true;
      give(*kernels[k], terms);
    }
    // Bounded, so that a device that is stuck does not look busy for ever.
    constexpr Cycle kLongest = 20'000'000;
    const auto most = [&](std::size_t k) { return std::uint64_t{terms_of(*kernels[k]).ctas} * place().sms; };
    counted_.settled_at = 0;
    if (kernels.size() > 1 && wait_until_drained(kernels, most, kLongest) == Drained::kYes)
      counted_.settled_at = now();
  }

  DrfStats counted_;
};

class DrfType : public BandwidthControllerType {
 public:
  explicit DrfType(const DrfConfig& config) : config_(config) {}
  void visit_stats(StatVisitor& v) const override { DrfStats().stats(v); }
  std::unique_ptr<BandwidthController> build(const char* name,
                                             const BandwidthControllerPlace& place) const override {
    return std::make_unique<DrfController>(name, config_, place);
  }

 private:
  const DrfConfig config_;
};
WARPVP_REGISTER_BLOCK(BandwidthControllerType, DrfType, DrfConfig, "drf",
                      "SMK: CTAs by dominant resource fairness over registers, shared memory and threads.");

}  // namespace
}  // namespace warpvp
