// An image turned about its centre, through texture and surface objects.

#include <cmath>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct ImageParams {
  std::uint32_t width = 96, height = 64, source_width = 48, source_height = 40;
  double degrees = 30;

  void fields(FieldVisitor& v) {
    v.field("width", width, "pixels", "Width of the result.", Constraint::range(1, 8192));
    v.field("height", height, "pixels", "Height of the result.", Constraint::range(1, 8192));
    v.field("source_width", source_width, "pixels", "Width of the image that is turned.",
            Constraint::range(1, 8192));
    v.field("source_height", source_height, "pixels", "Height of the image that is turned.",
            Constraint::range(1, 8192));
    v.field("degrees", degrees, "degrees", "Angle.", Constraint::range(-360, 360));
  }
};

/// tex2D with linear filtering, border addressing and coordinates from 0 to 1, of texels of four bytes: the
/// guide's formula for one channel. docs/ptx.md has the roundings.
class FilteredImage {
 public:
  FilteredImage(const std::vector<std::uint32_t>& pixels, std::uint32_t width, std::uint32_t height)
      : pixels_(pixels), width_(width), height_(height) {}

  float read(float x, float y, unsigned channel) const {
    const double xb = double{x} * width_ - 0.5, yb = double{y} * height_ - 0.5;
    const double i = std::floor(xb), j = std::floor(yb), a = fraction(xb - i), b = fraction(yb - j);
    const double sum = (1 - a) * (1 - b) * texel(i, j, channel) + a * (1 - b) * texel(i + 1, j, channel) +
                       (1 - a) * b * texel(i, j + 1, channel) + a * b * texel(i + 1, j + 1, channel);
    return static_cast<float>(sum);
  }

 private:
  static double fraction(double f) { return std::floor(f * 256 + 0.5) / 256; }
  double texel(double i, double j, unsigned channel) const {
    if (i < 0 || j < 0 || i >= width_ || j >= height_) return 0;
    const std::uint32_t pixel = pixels_[static_cast<std::size_t>(j) * width_ + static_cast<std::size_t>(i)];
    return static_cast<float>(pixel >> (8 * channel) & 0xff) / 255.0f;
  }
  const std::vector<std::uint32_t>& pixels_;
  std::uint32_t width_, height_;
};

class Image : public App {
 public:
  explicit Image(const ImageParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "image.ptx"), "image_turn");
    const rt::Stream s = device.create_stream();
    const std::uint32_t width = params_.width, height = params_.height;
    const std::vector<std::uint32_t> pixels =
        Inputs(context.seed, 1).words(std::size_t{params_.source_width} * params_.source_height);

    rt::TextureDescription source;
    source.geometry = rt::Geometry::d2;
    source.width = params_.source_width;
    source.height = params_.source_height;
    source.type = rt::TexelType::u8;
    source.channels = 4;
    source.normalised_values = source.normalised_coordinates = true;
    source.filter = rt::TextureFilter::kLinear;
    source.addressing[0] = source.addressing[1] = rt::TextureAddressing::kBorder;
    rt::SurfaceDescription target;
    target.geometry = rt::Geometry::d2;
    target.width = width;
    target.height = height;
    target.type = rt::TexelType::u8;
    target.channels = 4;

    DeviceArray<std::uint32_t> texels(device, pixels, s), out(device, std::size_t{width} * height);
    const rt::ImageHandle texture = device.create_texture(texels.pointer(), source);
    const rt::ImageHandle surface = device.create_surface(out.pointer(), target);
    const double angle = params_.degrees * 0.017453292519943295;
    const auto sine = static_cast<float>(std::sin(angle)), cosine = static_cast<float>(std::cos(angle));
    device.launch(kernel, rt::Dim3((width + 31) / 32, (height + 3) / 4), rt::Dim3(32, 4),
                  rt::Args::of(texture, surface, width, height, sine, cosine), s);

    const FilteredImage image(pixels, params_.source_width, params_.source_height);
    std::vector<std::uint32_t> expected(std::size_t{width} * height, 0);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const float u = (static_cast<float>(x) + 0.5f) / static_cast<float>(width) - 0.5f;
        const float v = (static_cast<float>(y) + 0.5f) / static_cast<float>(height) - 0.5f;
        const float tx = u * cosine - v * sine + 0.5f, ty = v * cosine + u * sine + 0.5f;
        for (unsigned c = 0; c < 4; ++c)
          expected[std::size_t{y} * width + x] |=
              static_cast<std::uint32_t>(image.read(tx, ty, c) * 255.0f + 0.5f) << (8 * c);
      }
    }
    const AppResult result = compare("out", out.read(s), expected);
    device.destroy_image(texture);
    device.destroy_image(surface);
    return result;
  }

 private:
  ImageParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Image, ImageParams, "image",
                                   "An image turned by an angle, through texture and surface objects.");

}  // namespace
}  // namespace warpvp::apps
