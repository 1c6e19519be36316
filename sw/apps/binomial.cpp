// European calls by binomial trees ("bin" of QAWS Table I).

#include <algorithm>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct BinomialParams : LaunchForm {
  std::uint32_t options = 320;
  std::uint32_t steps = 64;
  std::uint32_t block = 64;
  double rate = 0.06, volatility = 0.3;

  void fields(FieldVisitor& v) {
    v.field("options", options, "options", "Options valued, one a CTA.", Constraint::range(1, 1u << 20));
    v.field("steps", steps, "steps", "Time steps of the tree.", Constraint::range(1, 1024));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("rate", rate, "1/year", "Riskless rate of interest.", Constraint::range(0, 1));
    v.field("volatility", volatility, "1/sqrt(year)", "Volatility of the share.", Constraint::range(0.05, 2));
    LaunchForm::fields(v);
  }
};

class Binomial : public Workload {
 public:
  explicit Binomial(const BinomialParams& params)
      : Workload(params),
        params_(params),
        rate_(static_cast<float>(params.rate)),
        volatility_(static_cast<float>(params.volatility)) {}

  void scale(double factor) override {
    params_.options = static_cast<std::uint32_t>(std::clamp(params_.options * factor, 1.0, 0x1p20));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    Inputs inputs(context.seed + seed_offset, 1);
    options_.resize(params_.options);
    for (reference::Option& o : options_) {
      o.spot = inputs.real(5.0f, 30.0f);
      o.strike = inputs.real(1.0f, 40.0f);
      o.years = inputs.real(0.25f, 5.0f);
      o.unused = 0.0f;
    }
    values_.assign(params_.options, 0.0f);
    forms_ = load_forms(device, device.load_module(context.kernel_folder + "binomial.ptx"), "binomial",
                        rt::Dim3(params_.block));
    device_options_ = upload(device, options_, s);
    device_values_ = upload(device, values_, s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, forms_, rt::Dim3(params_.options),
                 rt::Args::of(device_options_, device_values_, params_.steps, rate_, volatility_), s,
                 options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, values_, device_values_, s); }

  AppResult verify() const override {
    // The kernel folds back in fp32: each of `steps` levels adds about one rounding to values of at most 40
    // or so, and the probabilities carry a relative error of about 1e-7 / (up - down).
    return compare("value", values_, reference::binomial(options_, params_.steps, rate_, volatility_),
                   {2e-3, 2e-3});
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  BinomialParams params_;
  float rate_, volatility_;
  std::vector<reference::Option> options_;
  std::vector<float> values_;
  Forms forms_;
  rt::DevicePtr device_options_ = 0, device_values_ = 0;
};

WARPVP_REGISTER_WORKLOAD(Binomial, BinomialParams, "binomial", "bin",
                         "European call options by a binomial tree in shared memory, an option a CTA.");

}  // namespace
}  // namespace warpvp::apps
