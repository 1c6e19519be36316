// DXT1 texture compression ("dxtc" of QAWS Table I).

#include <algorithm>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kDxtcThreads = 64;  // fixed by the kernel

struct DxtcParams : LaunchForm {
  std::uint32_t tiles_x = 16, tiles_y = 10;

  void fields(FieldVisitor& v) {
    v.field("tiles_x", tiles_x, "tiles", "Width of the image, in tiles of 4x4 pixels.",
            Constraint::range(1, 1u << 12));
    v.field("tiles_y", tiles_y, "tiles", "Height of the image.", Constraint::range(1, 1u << 12));
    LaunchForm::fields(v);
  }
};

class Dxtc : public Workload {
 public:
  explicit Dxtc(const DxtcParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    params_.tiles_y = static_cast<std::uint32_t>(std::clamp(params_.tiles_y * factor, 1.0, 0x1p12));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    // Colour ramps with noise; in every eighth tile, tiles of one colour, which take the kernel's other
    // branch.
    Inputs inputs(context.seed + seed_offset, 1);
    image_.resize(static_cast<std::size_t>(width()) * height());
    for (std::uint32_t y = 0; y < height(); ++y) {
      for (std::uint32_t x = 0; x < width(); ++x) {
        const bool plain = (x / 4 + y / 4) % 8 == 0;
        const std::uint32_t noise = inputs.word();
        const std::uint32_t px = plain ? x / 4 * 4 : x, py = plain ? y / 4 * 4 : y;
        const std::uint32_t r = px * 5 + (plain ? 0 : noise & 31), g = py * 7 + (plain ? 0 : noise >> 8 & 31);
        const std::uint32_t b = (px + py) * 3 + (plain ? 0 : noise >> 16 & 63);
        image_[static_cast<std::size_t>(y) * width() + x] = (r & 255) | (g & 255) << 8 | (b & 255) << 16;
      }
    }
    blocks_.assign(std::size_t{2} * params_.tiles_x * params_.tiles_y, 0);
    forms_ = load_forms(device, device.load_module(context.kernel_folder + "dxtc.ptx"), "dxtc",
                        rt::Dim3(kDxtcThreads));
    device_image_ = upload(device, image_, s);
    device_blocks_ = upload(device, blocks_, s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, forms_, rt::Dim3(params_.tiles_x * params_.tiles_y),
                 rt::Args::of(device_image_, device_blocks_, width()), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, blocks_, device_blocks_, s); }

  AppResult verify() const override {
    return compare("block word", blocks_, reference::dxtc(image_, width(), height()));
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  std::uint32_t width() const { return 4 * params_.tiles_x; }
  std::uint32_t height() const { return 4 * params_.tiles_y; }

  DxtcParams params_;
  std::vector<std::uint32_t> image_, blocks_;
  Forms forms_;
  rt::DevicePtr device_image_ = 0, device_blocks_ = 0;
};

WARPVP_REGISTER_WORKLOAD(
    Dxtc, DxtcParams, "dxtc", "dxtc",
    "DXT1 texture compression, a tile of 4x4 pixels a CTA; compute-bound, divergent at the end.");

}  // namespace
}  // namespace warpvp::apps
