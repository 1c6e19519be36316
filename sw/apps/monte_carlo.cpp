// Points in a quarter circle, counted exactly.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct MonteCarloParams {
  std::uint32_t ctas = 16, block = 128, throws = 32;

  void fields(FieldVisitor& v) {
    v.field("ctas", ctas, "CTAs", "Grid.", Constraint::range(1, 1u << 16));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("throws", throws, "points", "Points a thread.", Constraint::range(1, 1u << 24));
  }
};

class MonteCarlo : public App {
 public:
  explicit MonteCarlo(const MonteCarloParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const auto seed = static_cast<std::uint32_t>(context.seed);
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "monte_carlo.ptx"), "monte_carlo");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint64_t> hits(device, 1);
    hits.fill_zero(s);
    device.launch(kernel, rt::Dim3(params_.ctas), rt::Dim3(params_.block),
                  rt::Args::of(seed, params_.throws, hits.pointer()), s);
    return compare("hits", hits.read(s),
                   {reference::monte_carlo(seed, params_.ctas * params_.block, params_.throws)});
  }

 private:
  MonteCarloParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, MonteCarlo, MonteCarloParams, "monte_carlo",
                                   "Integer random points in a quarter circle, one 64-bit atomic a thread.");

}  // namespace
}  // namespace warpvp::apps
