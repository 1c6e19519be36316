// Branch divergence: arms taken one after the other, and loops whose length differs from lane to lane.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct DivergenceParams {
  std::uint32_t ctas = 8, block = 128, ways = 4, rounds = 16, limit = 200;
  std::string kernel = "divergence";

  void fields(FieldVisitor& v) {
    v.field("kernel", kernel, "divergence: `ways` arms a warp; collatz: loops of different length.",
            Constraint::words({"divergence", "collatz"}));
    v.field("ctas", ctas, "CTAs", "Grid.", Constraint::range(1, 1u << 16));
    v.field("block", block, "threads", "Threads a CTA, whole warps.", Constraint::range(32, 1024));
    v.require(block % 32 == 0, "block", "must be a multiple of 32");
    v.field("ways", ways, "arms", "Groups a warp splits into.", Constraint::pow2(1, 32));
    v.field("rounds", rounds, "", "Length of an arm's loop.", Constraint::range(0, 1u << 20));
    v.field("limit", limit, "steps", "Where collatz stops counting.", Constraint::range(0, 1u << 20));
  }
};

class Divergence : public App {
 public:
  explicit Divergence(const DivergenceParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t threads = params_.ctas * params_.block;
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "divergence.ptx"), params_.kernel);
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint32_t> out(device, threads);
    const bool arms = params_.kernel == "divergence";
    device.launch(kernel, rt::Dim3(params_.ctas), rt::Dim3(params_.block),
                  arms ? rt::Args::of(out.pointer(), params_.ways, params_.rounds)
                       : rt::Args::of(out.pointer(), threads, params_.limit),
                  s);
    return compare("out", out.read(s),
                   arms ? reference::divergence(threads, params_.block, params_.ways, params_.rounds)
                        : reference::collatz(threads, params_.limit));
  }

 private:
  DivergenceParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Divergence, DivergenceParams, "divergence",
                                   "Warps that split into arms or loops of different length.");

}  // namespace
}  // namespace warpvp::apps
