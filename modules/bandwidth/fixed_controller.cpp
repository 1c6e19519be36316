// `bandwidth_controller.type: fixed`: each kernel has a number of CTAs and a quota that YAML says. What
// oracles search through, and what combinations found elsewhere are run with.

#include <fmt/format.h>

#include <vector>

#include "base/fields.h"
#include "modules/bandwidth/mix_controller.h"

namespace warpvp {
namespace {

struct FixedConfig {
  std::vector<std::uint32_t> ctas, quotas;
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
  }
};

class FixedController : public MixController {
 public:
  FixedController(sc_core::sc_module_name name, const FixedConfig& config,
                  const BandwidthControllerPlace& place)
      : MixController(name, place, {!config.quotas.empty(), kNever}), config_(config) {}
  void stats(StatVisitor&) const override {}

 private:
  void control() override {
    std::uint64_t ctas = 0, warps = 0, registers = 0, shared = 0;
    for (MixKernel* kernel : mix().present()) {
      KernelTerms terms;
      if (kernel->number < config_.ctas.size()) {
        terms.ctas = config_.ctas[kernel->number];
        ctas += terms.ctas;
        warps += std::uint64_t{terms.ctas} * kernel->needs.warps;
        registers += std::uint64_t{terms.ctas} * kernel->needs.registers;
        shared += std::uint64_t{terms.ctas} * kernel->needs.shared_bytes;
      }
      if (kernel->number < config_.quotas.size() && config_.quotas[kernel->number] != 0)
        terms.quota = config_.quotas[kernel->number];
      give(*kernel, terms);
    }
    const SmResources& sm = place().resources;
    if (ctas > sm.ctas || warps > sm.warps || registers > sm.registers || shared > sm.shared_bytes)
      fail(fmt::format(
          "the combination of CTAs does not fit on an SM ({} CTAs, {} warps, {} registers, {} bytes of "
          "shared "
          "memory; an SM has {}, {}, {}, {}); allowed in bandwidth_controller.ctas: fewer of some kernel",
          ctas, warps, registers, shared, sm.ctas, sm.warps, sm.registers, sm.shared_bytes));
  }

  const FixedConfig config_;
};

class FixedType : public BandwidthControllerType {
 public:
  explicit FixedType(const FixedConfig& config) : config_(config) {}
  std::unique_ptr<BandwidthController> build(const char* name,
                                             const BandwidthControllerPlace& place) const override {
    return std::make_unique<FixedController>(name, config_, place);
  }

 private:
  const FixedConfig config_;
};
WARPVP_REGISTER_BLOCK(BandwidthControllerType, FixedType, FixedConfig, "fixed",
                      "CTAs and quotas of each kernel as they stand here.");

class NoController : public BandwidthControllerType {
 public:
  std::unique_ptr<BandwidthController> build(const char*, const BandwidthControllerPlace&) const override {
    return nullptr;
  }
};
WARPVP_REGISTER_POLICY(BandwidthControllerType, NoController, "none", "Nobody divides anything.");

}  // namespace
}  // namespace warpvp
