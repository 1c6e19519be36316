// European calls by trees of 2048 steps in registers.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct BinomialOptionsParams {
  std::uint32_t options = 2;

  void fields(FieldVisitor& v) {
    v.field("options", options, "options", "Options valued, one a CTA.", Constraint::range(1, 1024));
  }
};

class BinomialOptions : public App {
 public:
  explicit BinomialOptions(const BinomialOptionsParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::vector<reference::TreeOption> options;
    Inputs numbers(context.seed, 1);
    for (std::uint32_t i = 0; i < params_.options; ++i)
      options.push_back(reference::tree_option(numbers.real64(5, 30), numbers.real64(1, 100),
                                               numbers.real64(0.25, 10), 0.06, 0.1));
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "binomial_options.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> values(device, options.size());
    device.copy_to_device_async(device.symbol(module, "tree_options"), options.data(),
                                options.size() * sizeof options[0], s);
    device.launch(device.kernel(module, "binomial_options"), rt::Dim3(params_.options), rt::Dim3(128),
                  rt::Args::of(values.pointer()), s);
    // 2048 steps, each rounded.
    return compare("values", values.read(s), reference::binomial_options(options), {2e-3, 2e-3});
  }

 private:
  BinomialOptionsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, BinomialOptions, BinomialOptionsParams, "binomial_options",
    "European calls by trees of 2048 steps in registers, as the CUDA samples' binomialOptions.");

}  // namespace
}  // namespace warpvp::apps
