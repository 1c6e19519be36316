// Noise taken from an image by non-local means.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_darsie.h"

namespace warpvp::apps {
namespace {

struct NonlocalMeansParams {
  std::uint32_t width = 32, height = 16, block_x = 16, block_y = 16;

  void fields(FieldVisitor& v) {
    v.field("width", width, "pixels", "Width of the image.", Constraint::range(1, 8192));
    v.field("height", height, "pixels", "Height of the image.", Constraint::range(1, 8192));
    v.field("block_x", block_x, "threads", "Width of a CTA.", Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Height of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024");
  }
};

class NonlocalMeans : public App {
 public:
  explicit NonlocalMeans(const NonlocalMeansParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t width = params_.width, height = params_.height;
    // Ramps that an edge cuts, and noise: some pixels find many alike, some few.
    std::vector<std::uint32_t> pixels;
    Inputs numbers(context.seed, 1);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const std::uint32_t ramp = 3 * x + 2 * y + ((x + 2 * y) / 12 % 2 == 0 ? 0 : 120);
        std::uint32_t pixel = 0;
        for (unsigned c = 0; c < 3; ++c) pixel |= (ramp + numbers.below(40)) % 256 << (8 * c);
        pixels.push_back(pixel);
      }
    }
    // A filter's width of 1.45 and a fifth of the pixel, which the original begins with.
    const float sharpness = 1.0f / (1.45f * 1.45f), keep = 0.2f;

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "nonlocal_means.ptx"), "nonlocal_means");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint32_t> texels(device, pixels, s), out(device, pixels.size());
    rt::TextureDescription t;
    t.geometry = rt::Geometry::d2;
    t.width = width;
    t.height = height;
    t.type = rt::TexelType::u8;
    t.channels = 4;
    t.normalised_values = true;
    const rt::ImageHandle texture = device.create_texture(texels.pointer(), t);
    const auto ctas = [](std::uint32_t size, std::uint32_t block) { return (size + block - 1) / block; };
    device.launch(kernel, rt::Dim3(ctas(width, params_.block_x), ctas(height, params_.block_y)),
                  rt::Dim3(params_.block_x, params_.block_y),
                  rt::Args::of(out.pointer(), texture, width, height, sharpness, keep), s);
    std::vector<float> got;
    for (const std::uint32_t pixel : out.read(s))
      for (unsigned c = 0; c < 3; ++c) got.push_back(static_cast<float>(pixel >> (8 * c) & 0xff));
    device.destroy_image(texture);
    // The kernel cuts to whole numbers: its result is at most 1 below what it was cut from.
    std::vector<float> expected = reference::nonlocal_means(pixels, width, height, sharpness, keep);
    for (float& e : expected) e -= 0.5f;
    return compare("channel", got, expected, {0.5 + 1e-3, 0});
  }

 private:
  NonlocalMeansParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, NonlocalMeans, NonlocalMeansParams, "nonlocal_means",
                                   "Non-local means of an image, 7 x 7 pixels by 7 x 7, through a texture.");

}  // namespace
}  // namespace warpvp::apps
