// The discrete cosine transform of 8 x 8 blocks, as matrix products or by factored vectors.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct Dct8x8Params {
  std::uint32_t width = 64, height = 32;
  std::string kernel = "dct_vectors";

  void fields(FieldVisitor& v) {
    v.field("width", width, "pixels", "Width of the image, a multiple of 32.",
            Constraint::range(32, 1u << 14));
    v.field("height", height, "pixels", "Height of the image, a multiple of 16.",
            Constraint::range(16, 1u << 14));
    v.require(width % 32 == 0, "width", "must be a multiple of 32");
    v.require(height % 16 == 0, "height", "must be a multiple of 16");
    v.field("kernel", kernel, "dct_products: a thread a coefficient; dct_vectors: a thread 8 of them.",
            Constraint::words({"dct_products", "dct_vectors"}));
  }
};

class Dct8x8 : public App {
 public:
  explicit Dct8x8(const Dct8x8Params& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t width = params_.width, height = params_.height;
    const std::vector<float> image =
        Inputs(context.seed, 1).reals(std::size_t{width} * height, -128.0f, 128.0f);
    const std::vector<float> cosines = reference::dct_cosines();
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "dct8x8.ptx");
    const rt::Kernel kernel = device.kernel(module, params_.kernel);
    const rt::Stream s = device.create_stream();
    DeviceArray<float> in(device, image, s), out(device, image.size());
    if (params_.kernel == "dct_products") {
      device.copy_to_device_async(device.symbol(module, "cosines"), cosines.data(),
                                  cosines.size() * sizeof cosines[0], s);
      rt::TextureDescription t;
      t.geometry = rt::Geometry::d2;
      t.width = width;
      t.height = height;
      const rt::ImageHandle texture = device.create_texture(in.pointer(), t);
      device.launch(kernel, rt::Dim3(width / 8, height / 8), rt::Dim3(8, 8),
                    rt::Args::of(out.pointer(), width, texture), s);
      device.synchronize(s);
      device.destroy_image(texture);
    } else {
      device.launch(kernel, rt::Dim3(width / 32, height / 16), rt::Dim3(8, 4, 2),
                    rt::Args::of(out.pointer(), in.pointer(), width), s);
    }
    // Up to 16 products of 128 are added in single precision.
    return compare("out", out.read(s), reference::dct8x8(image, width, height), {2e-3, 1e-5});
  }

 private:
  Dct8x8Params params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Dct8x8, Dct8x8Params, "dct8x8",
                                   "Discrete cosine transform of 8 x 8 blocks of an image, in two ways.");

}  // namespace
}  // namespace warpvp::apps
