// European options by the formula of Black and Scholes (SWaS paper, table I).

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct BlackScholesParams {
  std::uint32_t options = 27648, ctas = 1, block = 1024;
  double rate = 0.02, volatility = 0.3;

  void fields(FieldVisitor& v) {
    v.field("options", options, "options", "Options valued, a call and a put each; threads stride over them.",
            Constraint::range(1, 1u << 24));
    v.field("ctas", ctas, "CTAs", "Grid.", Constraint::range(1, 1u << 20));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("rate", rate, "1/year", "Riskless rate of interest.", Constraint::range(0, 1));
    v.field("volatility", volatility, "1/sqrt(year)", "Volatility of the share.", Constraint::range(0.05, 2));
  }
};

class BlackScholes : public App {
 public:
  explicit BlackScholes(const BlackScholesParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const auto rate = static_cast<float>(params_.rate), volatility = static_cast<float>(params_.volatility);
    Inputs inputs(context.seed, 1);
    std::vector<reference::Option> options(params_.options);
    for (reference::Option& o : options) {
      o.spot = inputs.real(5.0f, 30.0f);
      o.strike = inputs.real(1.0f, 100.0f);
      o.years = inputs.real(0.25f, 10.0f);
      o.unused = 0.0f;
    }
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "blackscholes.ptx"), "blackscholes");
    const rt::Stream s = device.create_stream();
    DeviceArray<reference::Option> device_options(device, options, s);
    DeviceArray<float> values(device, 2 * options.size());
    device.launch(kernel, rt::Dim3(params_.ctas), rt::Dim3(params_.block),
                  rt::Args::of(device_options.pointer(), values.pointer(), params_.options, rate, volatility),
                  s);
    // Values of up to a hundred from a handful of fp32 operations, and the polynomial for the normal
    // distribution is good to 7.5e-8 of the prices.
    return compare("value", values.read(s), reference::black_scholes(options, rate, volatility),
                   {1e-4, 1e-5});
  }

 private:
  BlackScholesParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, BlackScholes, BlackScholesParams, "blackscholes",
    "European calls and puts by the Black-Scholes formula: divisions, a square root, "
    "exponentials.");

}  // namespace
}  // namespace warpvp::apps
