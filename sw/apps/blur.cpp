// A kernel written in OpenCL C: its __local argument becomes dynamic shared memory.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct BlurParams {
  std::uint32_t rows = 64, columns = 200, block = 64;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "pixels", "Height of the image.", Constraint::range(1, 1u << 14));
    v.field("columns", columns, "pixels", "Width of the image.", Constraint::range(1, 1u << 14));
    v.field("block", block, "threads", "Work-items a work-group, along a row.", Constraint::range(2, 1024));
  }
};

class Blur : public App {
 public:
  explicit Blur(const BlurParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t rows = params_.rows, columns = params_.columns;
    const std::vector<float> in =
        Inputs(context.seed, 1).reals(static_cast<std::size_t>(rows) * columns, 0.0f, 1.0f);
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "blur.ptx"), "blur_rows");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_in(device, in, s), out(device, in.size());
    // A __local pointer is an offset into the CTA's shared memory; the kernel has no other, so this one is at
    // 0.
    const std::uint64_t stretch = 0;
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = (params_.block + 4) * sizeof(float);
    device.launch(kernel, rt::Dim3((columns + params_.block - 1) / params_.block, rows),
                  rt::Dim3(params_.block),
                  rt::Args::of(device_in.pointer(), out.pointer(), rows, columns, stretch), s, options);
    return compare("out", out.read(s), reference::blur_rows(in, rows, columns));
  }

 private:
  BlurParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Blur, BlurParams, "blur",
                                   "Horizontal box blur, written in OpenCL C.");

}  // namespace
}  // namespace warpvp::apps
