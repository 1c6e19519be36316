// `bandwidth_controller.type: fixed`: each kernel has a number of CTAs, a quota and a type that YAML says.
// What oracles search through, and what combinations found elsewhere are run with.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/fields.h"
#include "base/sm_part.h"
#include "base/sm_room.h"
#include "modules/bandwidth/mix_controller.h"

namespace warpvp {
namespace {

struct FixedConfig {
  std::vector<std::uint32_t> ctas, quotas, sensitive;
  std::uint32_t spatial = 0;
  void fields(FieldVisitor& v) {
    v.field("ctas", ctas, "CTAs",
            "Most CTAs on each SM of each kernel, in the order in which they first come; kernels without one "
            "have no "
            "limit.",
            Constraint::range(1, 1024));
    v.field("quotas", quotas, "requests",
            "That each SM may send of each kernel in an interval, for miss queues of type ccbp; 0, and "
            "kernels without "
            "one: any number.",
            Constraint::range(0, 65534));
    v.field("sensitive", sensitive, "kernels",
            "That are sensitive to latency, counted from 1: with miss queues of type ccbp their requests go "
            "before those of the others.",
            Constraint::range(1, 64));
    v.field(
        "spatial", spatial, "kernels",
        "That divide the SMs among them: the first kernel that comes has CTAs on the first SMs only, and so "
        "on, and those that come after so many have all SMs; 0: all kernels share all SMs.",
        Constraint::range(0, 64));
  }
};

/// Quotas and marks are in force in miss queues.
bool needs_credits(const FixedConfig& config) { return !config.quotas.empty() || !config.sensitive.empty(); }

class FixedController : public MixController {
 public:
  FixedController(sc_core::sc_module_name name, const FixedConfig& config,
                  const BandwidthControllerPlace& place)
      : MixController(name, place, {needs_credits(config), kNever}), config_(config) {}
  void stats(StatVisitor&) const override {}

 private:
  KernelTerms first_terms(const MixKernel& kernel) const override {
    KernelTerms terms;
    if (kernel.number < config_.ctas.size()) terms.ctas = config_.ctas[kernel.number];
    if (kernel.number < config_.quotas.size() && config_.quotas[kernel.number] != 0)
      terms.quota = config_.quotas[kernel.number];
    terms.latency_sensitive =
        std::count(config_.sensitive.begin(), config_.sensitive.end(), kernel.number + 1) != 0;
    if (kernel.number < config_.spatial)
      terms.keep_to(part_of(place().sms, kernel.number, config_.spatial), place().sms);
    return terms;
  }
  // Nothing changes any more; but a combination that never fits would be kept to by nobody.
  void control() override {
    SmRoom room(place().resources);
    for (const MixKernel* kernel : mix().present()) {
      if (config_.spatial != 0) room = SmRoom(place().resources);
      const std::uint32_t ctas = terms_of(*kernel).ctas;
      if (ctas == regmap::sm::kNoCtaLimit || room.take(kernel->needs, ctas)) continue;
      return fail(fmt::format(
          "{} CTAs of kernel {}{} do not fit on an SM, which has room for {} of it alone; allowed in "
          "bandwidth_controller.ctas: fewer of one of them",
          ctas, kernel->number + 1, config_.spatial == 0 ? ", beside those of the kernels before it," : "",
          kernel->needs.most_ctas));
    }
  }

  const FixedConfig config_;
};

class FixedType : public BandwidthControllerType {
 public:
  explicit FixedType(const FixedConfig& config) : config_(config) {}
  void check(Cycle credit_interval, const RequireField& require) const override {
    require(!needs_credits(config_) || credit_interval != 0, config_.quotas.empty() ? "sensitive" : "quotas",
            kNeedsCredits);
  }
  std::unique_ptr<BandwidthController> build(const char* name,
                                             const BandwidthControllerPlace& place) const override {
    return std::make_unique<FixedController>(name, config_, place);
  }

 private:
  const FixedConfig config_;
};
WARPVP_REGISTER_BLOCK(BandwidthControllerType, FixedType, FixedConfig, "fixed",
                      "CTAs and quotas of each kernel, and who goes first, as they stand here.");

class NoController : public BandwidthControllerType {
 public:
  std::unique_ptr<BandwidthController> build(const char*, const BandwidthControllerPlace&) const override {
    return nullptr;
  }
};
WARPVP_REGISTER_POLICY(BandwidthControllerType, NoController, "none", "Nobody divides anything.");

}  // namespace
}  // namespace warpvp
