// y = alpha x + y: the smallest host program, written out call by call.

#include <cmath>

#include "sw/apps/compare.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct SaxpyParams {
  std::uint32_t count = 16384, ctas = 16, block = 256;
  double alpha = 2.5;

  void fields(FieldVisitor& v) {
    v.field("count", count, "elements", "Length of the vectors.", Constraint::range(1, 1u << 28));
    v.field("ctas", ctas, "CTAs", "Grid; the kernel strides over the vectors with it.",
            Constraint::range(1, 1u << 20));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("alpha", alpha, "", "The factor, rounded to fp32.");
  }
};

class Saxpy : public App {
 public:
  explicit Saxpy(const SaxpyParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const auto alpha = static_cast<float>(params_.alpha);
    const std::vector<float> x = Inputs(context.seed, 1).reals(params_.count, -1.0f, 1.0f);
    const std::vector<float> y = Inputs(context.seed, 2).reals(params_.count, -1.0f, 1.0f);
    const std::size_t bytes = params_.count * sizeof(float);

    const rt::Stream s = device.create_stream();
    const rt::DevicePtr device_x = device.malloc(bytes), device_y = device.malloc(bytes);
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "saxpy.ptx"), "saxpy");
    device.copy_to_device_async(device_x, x.data(), bytes, s);
    device.copy_to_device_async(device_y, y.data(), bytes, s);
    device.launch(kernel, rt::Dim3(params_.ctas), rt::Dim3(params_.block),
                  rt::Args::of(alpha, device_x, device_y, params_.count), s);
    std::vector<float> got(params_.count);
    device.copy_to_host_async(got.data(), device_y, bytes, s);
    device.synchronize(s);
    device.free(device_x);
    device.free(device_y);

    std::vector<float> expected(params_.count);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::fma(alpha, x[i], y[i]);
    return compare("y", got, expected);
  }

 private:
  SaxpyParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Saxpy, SaxpyParams, "saxpy",
                                   "y = alpha x + y with a grid-stride loop.");

}  // namespace
}  // namespace warpvp::apps
