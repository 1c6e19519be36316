// 3x3 convolution of an image ("2dc" of QAWS Table I).

#include <algorithm>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct Conv2dParams : LaunchForm {
  std::uint32_t rows = 512, columns = 512;
  std::uint32_t block_x = 32, block_y = 8;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "pixels", "Height of the image.", Constraint::range(3, 1u << 14));
    v.field("columns", columns, "pixels", "Width of the image.", Constraint::range(3, 1u << 14));
    v.field("block_x", block_x, "threads", "Width of a CTA.", Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Height of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024 threads");
    LaunchForm::fields(v);
  }
};

class Conv2d : public Workload {
 public:
  explicit Conv2d(const Conv2dParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    params_.rows = static_cast<std::uint32_t>(std::clamp(params_.rows * factor, 3.0, 0x1p14));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    const std::size_t pixels = static_cast<std::size_t>(params_.rows) * params_.columns;
    in_ = Inputs(context.seed + seed_offset, 1).reals(pixels, 0.0f, 1.0f);
    out_.assign(pixels, 0.0f);
    forms_ = load_forms(device, device.load_module(context.kernel_folder + "conv2d.ptx"), "conv2d",
                        rt::Dim3(params_.block_x, params_.block_y), true);
    device_in_ = upload(device, in_, s);
    device_out_ = upload(device, out_, s);  // the kernel leaves the border alone
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(
        device, forms_,
        rt::Dim3(ctas_for(params_.columns, params_.block_x), ctas_for(params_.rows, params_.block_y)),
        rt::Args::of(device_in_, device_out_, params_.rows, params_.columns), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, out_, device_out_, s); }

  AppResult verify() const override {
    return compare("out", out_, reference::conv2d(in_, params_.rows, params_.columns));
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  Conv2dParams params_;
  std::vector<float> in_, out_;
  Forms forms_;
  rt::DevicePtr device_in_ = 0, device_out_ = 0;
};

WARPVP_REGISTER_WORKLOAD(Conv2d, Conv2dParams, "conv2d", "2dc",
                         "3x3 convolution of an image, one pixel a thread.");

}  // namespace
}  // namespace warpvp::apps
