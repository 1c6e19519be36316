// Device printf. What it prints appears in the run's output; there is nothing else to check.

#include "sw/apps/app.h"

namespace warpvp::apps {
namespace {

struct HelloParams {
  std::uint32_t ctas = 2, block = 64;
  void fields(FieldVisitor& v) {
    v.field("ctas", ctas, "CTAs", "Grid.", Constraint::range(1, 1024));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

class Hello : public App {
 public:
  explicit Hello(const HelloParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "hello.ptx"), "hello");
    const std::int32_t number = -42;
    const double ratio = 0.125;
    device.launch(kernel, rt::Dim3(params_.ctas), rt::Dim3(params_.block), rt::Args::of(number, ratio));
    device.synchronize();
    AppResult result;
    result.verified = true;
    result.checked = false;
    return result;
  }

 private:
  HelloParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Hello, HelloParams, "hello", "Device printf from every warp.");

}  // namespace
}  // namespace warpvp::apps
