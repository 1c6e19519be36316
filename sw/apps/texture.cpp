// Reads through textures: a gather from a line of floats, a 3x3 filter over an image of bytes, and reads by
// normalised coordinates from an image that repeats.

#include <algorithm>
#include <cmath>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct TextureParams {
  std::string kernel = "gather";
  std::uint32_t width = 128, height = 64, count = 4096, block = 128;

  void fields(FieldVisitor& v) {
    v.field("kernel", kernel,
            "gather: tex.1d by integers; image: tex.2d, 3x3 sums; tiles: tex.2d, repeating.",
            Constraint::words({"gather", "image", "tiles"}));
    v.field("width", width, "texels", "Width of the texture.", Constraint::range(1, 65536));
    v.field("height", height, "texels", "Height of the texture of `image` and `tiles`.",
            Constraint::range(1, 65535));
    v.field("count", count, "reads", "How many reads `gather` and `tiles` make.",
            Constraint::range(1, 1u << 24));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

class Texture : public App {
 public:
  explicit Texture(const TextureParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "texture.ptx");
    const rt::Kernel kernel = device.kernel(module, "texture_" + params_.kernel);
    if (params_.kernel == "gather") return gather(device, module, kernel, context.seed);
    if (params_.kernel == "image") return image(device, module, kernel, context.seed);
    return tiles(device, module, kernel, context.seed);
  }

 private:
  unsigned ctas(std::uint32_t threads) const { return (threads + params_.block - 1) / params_.block; }

  AppResult gather(rt::Runtime& device, rt::ModuleHandle module, rt::Kernel kernel, std::uint64_t seed) {
    const rt::Stream s = device.create_stream();
    const std::uint32_t n = params_.count;
    const std::vector<float> line = Inputs(seed, 1).reals(params_.width, -1.0f, 1.0f);
    std::vector<std::int32_t> index(n);
    Inputs numbers(seed, 2);
    // Some lie before the line and some behind it.
    for (std::int32_t& i : index) i = static_cast<std::int32_t>(numbers.below(params_.width + 8)) - 4;
    DeviceArray<float> texels(device, line, s), out(device, n);
    DeviceArray<std::int32_t> device_index(device, index, s);
    rt::TextureDescription t;
    t.width = params_.width;
    device.bind_texture(module, "line", texels.pointer(), t);
    device.launch(kernel, rt::Dim3(ctas(n)), rt::Dim3(params_.block),
                  rt::Args::of(out.pointer(), device_index.pointer(), n), s);
    std::vector<float> expected(n, 0.0f);
    for (std::size_t i = 0; i < n; ++i) {
      if (index[i] >= 0 && index[i] < static_cast<std::int32_t>(params_.width))
        expected[i] = line[static_cast<std::size_t>(index[i])];
    }
    return compare("out", out.read(s), expected);
  }

  /// Rows of `bytes` bytes a texel, padded to a multiple of 32 bytes.
  std::uint64_t pitch(unsigned bytes) const { return (std::uint64_t{params_.width} * bytes + 31) / 32 * 32; }

  AppResult image(rt::Runtime& device, rt::ModuleHandle module, rt::Kernel kernel, std::uint64_t seed) {
    const rt::Stream s = device.create_stream();
    const std::uint32_t width = params_.width, height = params_.height;
    const std::vector<std::uint32_t> pixels = Inputs(seed, 1).words(pitch(4) / 4 * height);
    DeviceArray<std::uint32_t> texels(device, pixels, s), out(device, std::size_t{width} * height);
    rt::TextureDescription t;
    t.geometry = rt::Geometry::d2;
    t.width = width;
    t.height = height;
    t.pitch_bytes = pitch(4);
    t.type = rt::TexelType::u8;
    t.channels = 4;
    device.bind_texture(module, "image", texels.pointer(), t);
    device.launch(kernel, rt::Dim3(ctas(width), height), rt::Dim3(params_.block),
                  rt::Args::of(out.pointer(), width, height), s);
    std::vector<std::uint32_t> expected(std::size_t{width} * height, 0);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        for (int k = 0; k < 9; ++k) {
          const auto inside = [](std::uint32_t at, int step, std::uint32_t size) {
            return static_cast<std::size_t>(
                std::clamp<std::int64_t>(std::int64_t{at} + step, 0, std::int64_t{size} - 1));
          };
          const std::uint32_t pixel =
              pixels[inside(y, k / 3 - 1, height) * (pitch(4) / 4) + inside(x, k % 3 - 1, width)];
          for (unsigned c = 0; c < 4; ++c) expected[std::size_t{y} * width + x] += pixel >> (8 * c) & 0xff;
        }
      }
    }
    return compare("out", out.read(s), expected);
  }

  AppResult tiles(rt::Runtime& device, rt::ModuleHandle module, rt::Kernel kernel, std::uint64_t seed) {
    const rt::Stream s = device.create_stream();
    const std::uint32_t n = params_.count;
    std::vector<std::uint16_t> pixels(pitch(2) / 2 * params_.height);
    Inputs numbers(seed, 1);
    for (std::uint16_t& p : pixels) p = static_cast<std::uint16_t>(numbers.below(65536));
    const std::vector<float> x = Inputs(seed, 2).reals(n, -2.0f, 3.0f),
                             y = Inputs(seed, 3).reals(n, -2.0f, 3.0f);
    DeviceArray<std::uint16_t> texels(device, pixels, s);
    DeviceArray<float> device_x(device, x, s), device_y(device, y, s), out(device, n);
    rt::TextureDescription t;
    t.geometry = rt::Geometry::d2;
    t.width = params_.width;
    t.height = params_.height;
    t.pitch_bytes = pitch(2);
    t.type = rt::TexelType::u16;
    t.normalised_values = true;
    t.normalised_coordinates = true;
    t.addressing[0] = rt::TextureAddressing::kWrap;
    t.addressing[1] = rt::TextureAddressing::kBorder;
    device.bind_texture(module, "image", texels.pointer(), t);
    device.launch(kernel, rt::Dim3(ctas(n)), rt::Dim3(params_.block),
                  rt::Args::of(out.pointer(), device_x.pointer(), device_y.pointer(), n), s);
    std::vector<float> expected(n, 0.0f);
    for (std::size_t i = 0; i < n; ++i) {
      if (y[i] < 0.0f || y[i] >= 1.0f) continue;
      const double across = double{x[i]} - std::floor(double{x[i]});
      const auto column = static_cast<std::size_t>(across * params_.width);
      const auto row = static_cast<std::size_t>(double{y[i]} * params_.height);
      expected[i] = static_cast<float>(pixels[row * (pitch(2) / 2) + column]) / 65535.0f;
    }
    return compare("out", out.read(s), expected);
  }

  TextureParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Texture, TextureParams, "texture",
                                   "Reads through textures of one and two dimensions.");

}  // namespace
}  // namespace warpvp::apps
