// A separable convolution of an image read through textures.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_darsie.h"

namespace warpvp::apps {
namespace {

struct ConvolutionTextureParams {
  std::uint32_t width = 128, height = 64, block_x = 16, block_y = 16;

  void fields(FieldVisitor& v) {
    v.field("width", width, "pixels", "Width of the image.", Constraint::range(1, 8192));
    v.field("height", height, "pixels", "Height of the image.", Constraint::range(1, 8192));
    v.field("block_x", block_x, "threads", "Width of a CTA.", Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Height of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024");
  }
};

class ConvolutionTexture : public App {
 public:
  explicit ConvolutionTexture(const ConvolutionTextureParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t width = params_.width, height = params_.height;
    const std::vector<float> image = Inputs(context.seed, 1).reals(std::size_t{width} * height, 0.0f, 16.0f);
    const std::vector<float> taps = Inputs(context.seed, 2).reals(17, -0.5f, 1.0f);

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "convolution_texture.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> in(device, image, s), between(device, image.size()), out(device, image.size());
    device.copy_to_device_async(device.symbol(module, "taps"), taps.data(), taps.size() * sizeof taps[0], s);
    rt::TextureDescription t;
    t.geometry = rt::Geometry::d2;
    t.width = width;
    t.height = height;
    const rt::ImageHandle source = device.create_texture(in.pointer(), t),
                          half_done = device.create_texture(between.pointer(), t);
    const rt::Dim3 block(params_.block_x, params_.block_y),
        grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    device.launch(device.kernel(module, "convolution_rows"), grid, block,
                  rt::Args::of(between.pointer(), source, width, height), s);
    device.launch(device.kernel(module, "convolution_columns"), grid, block,
                  rt::Args::of(out.pointer(), half_done, width, height), s);
    const std::vector<float> got_between = between.read(s), got = out.read(s);
    device.destroy_image(source);
    device.destroy_image(half_done);
    const std::vector<float> rows = reference::convolve_rows(image, width, height, taps);
    const AppResult result = compare("rows", got_between, rows);
    return result.verified ? compare("out", got, reference::convolve_columns(rows, width, height, taps))
                           : result;
  }

 private:
  ConvolutionTextureParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, ConvolutionTexture, ConvolutionTextureParams, "convolution_texture",
    "Convolution along rows, then columns, with 17 taps, as the CUDA samples' convolutionTexture.");

}  // namespace
}  // namespace warpvp::apps
