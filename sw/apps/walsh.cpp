// Fast Walsh transforms of many vectors in shared memory.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct WalshParams {
  std::uint32_t vectors = 5, log_size = 8;

  void fields(FieldVisitor& v) {
    v.field("vectors", vectors, "vectors", "Vectors, one a CTA.", Constraint::range(1, 1u << 20));
    v.field("log_size", log_size, "", "Binary logarithm of a vector's length; a thread has four elements.",
            Constraint::range(2, 12));
  }
};

class Walsh : public App {
 public:
  explicit Walsh(const WalshParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t size = 1u << params_.log_size;
    std::vector<float> data = Inputs(context.seed, 1).reals(std::size_t{params_.vectors} * size, -1.0f, 1.0f);
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "walsh.ptx"), "walsh");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_data(device, data, s);
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = size * sizeof(float);
    device.launch(kernel, rt::Dim3(params_.vectors), rt::Dim3(size / 4),
                  rt::Args::of(device_data.pointer(), params_.log_size), s, options);
    const std::vector<float> got = device_data.read(s);
    reference::walsh(data, params_.log_size);
    return compare("data", got, data);
  }

 private:
  WalshParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Walsh, WalshParams, "walsh",
                                   "Fast Walsh transforms of many vectors in shared memory, radix 4.");

}  // namespace
}  // namespace warpvp::apps
