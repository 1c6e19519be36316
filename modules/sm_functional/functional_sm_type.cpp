// `sm.type: functional`.
#include <fmt/format.h>

#include "modules/sm/config.h"
#include "modules/sm/sm_context.h"
#include "modules/sm_functional/functional_sm.h"

namespace warpvp {

void FunctionalSmConfig::fields(FieldVisitor& v) {
  v.policy("instructions", InstructionSourceType::kKind, instructions,
           "Where CTAs have their instructions from.");
  v.field("instructions_per_cycle", instructions_per_cycle, "warp instructions/cycle",
          "How fast an SM is. Free: nothing is modelled that it could follow from.",
          Constraint::range(0.01, 64));
  v.field("slice_cycles", slice_cycles, "cycles",
          "What an SM executes at once, before others see what it has stored and a CTA can come or go.",
          Constraint::range(1, 1000000));
  v.field("longest_slice_cycles", longest_slice_cycles, "cycles",
          "Turns of warps and slices double up to this while no warp looks for others. With CTAs of several "
          "kernels they begin anew when one comes or ends.",
          Constraint::range(1, 1000000));
  v.field("exchange", exchange, "",
          "When other SMs see what CTAs have stored: `at_once`, one SM executing after the other, or at the "
          "end of each `slice`, which SMs may compute on several threads of the host (evaluation.threads). "
          "`auto`: at the end of each slice, but at once where kernels may wait for what other CTAs store, "
          "and where slices hinder them.",
          Constraint::words({"at_once", "slice", "auto"}));
  v.field("cta_launch_latency", cta_launch_latency, "cycles", "From a launch's arrival to the CTA's start.",
          Constraint::range(1, 100000));
  v.field(
      "most_followers", most_followers, "CTAs",
      "Most CTAs that are handed over behind one, to begin in its place one after another: of a grid that "
      "is alone on the device, and fewer toward its end. 0: none.",
      Constraint::range(0, 1023));
  v.field("independent_threads", independent_threads,
          "Every path of a divergent warp makes progress, as from compute capability 7.0 on.");
}

namespace {

class FunctionalSmType : public SmType {
 public:
  explicit FunctionalSmType(const FunctionalSmConfig& config) : config_(config) {}

  std::uint32_t most_followers() const override { return config_.most_followers; }
  bool evaluates_long(unsigned) const override { return config_.exchange != "at_once"; }
  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    SmConfig config;
    config.resources = place.resources;
    config.divergence.independent_threads = config_.independent_threads;
    SmContext context;
    context.index = place.id;
    context.place = fmt::format("SM {}", place.id);
    return std::make_unique<FunctionalSm>(name, place, config_,
                                          Registry<InstructionSourceType>::instance()
                                              .make(config_.instructions)
                                              ->build(config, place.services, context));
  }

 private:
  const FunctionalSmConfig config_;
};

WARPVP_REGISTER_BLOCK(
    SmType, FunctionalSmType, FunctionalSmConfig, "functional",
    "Computes what kernels compute, and takes time by their numbers of instructions alone: for what is "
    "not to be measured.");

}  // namespace
}  // namespace warpvp
