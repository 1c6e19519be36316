// Diffusion coefficients of a speckled image.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct SradParams {
  std::uint32_t rows = 50, columns = 46, block = 512;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "pixels", "Height of the image, which is stored column by column.",
            Constraint::range(1, 1u << 14));
    v.field("columns", columns, "pixels", "Width of the image.", Constraint::range(1, 1u << 14));
    v.field("block", block, "threads", "Threads a CTA, a pixel each.", Constraint::range(32, 1024));
  }
};

class Srad : public App {
 public:
  explicit Srad(const SradParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t rows = params_.rows, columns = params_.columns;
    const std::size_t pixels = std::size_t{rows} * columns;
    const std::vector<float> image = Inputs(context.seed, 1).reals(pixels, 1.0f, 2.71828f);
    const float speckle = 0.05f;
    const auto neighbours = [](std::uint32_t count, int step) {
      std::vector<std::int32_t> out(count);
      for (std::uint32_t i = 0; i < count; ++i)
        out[i] = std::clamp(static_cast<std::int32_t>(i) + step, 0, static_cast<std::int32_t>(count) - 1);
      return out;
    };
    const std::vector<std::int32_t> north = neighbours(rows, -1), south = neighbours(rows, 1),
                                    west = neighbours(columns, -1), east = neighbours(columns, 1);

    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "srad.ptx"), "srad");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_image(device, image, s);
    DeviceArray<std::int32_t> device_north(device, north, s), device_south(device, south, s),
        device_east(device, east, s), device_west(device, west, s);
    DeviceArray<float> d_north(device, pixels), d_south(device, pixels), d_east(device, pixels),
        d_west(device, pixels), coefficient(device, pixels);
    device.launch(
        kernel, rt::Dim3(static_cast<std::uint32_t>((pixels + params_.block - 1) / params_.block)),
        rt::Dim3(params_.block),
        rt::Args::of(rows, columns, device_north.pointer(), device_south.pointer(), device_east.pointer(),
                     device_west.pointer(), d_north.pointer(), d_south.pointer(), d_east.pointer(),
                     d_west.pointer(), speckle, coefficient.pointer(), device_image.pointer()),
        s);
    const reference::SradStep expected = reference::srad(image, rows, columns, speckle);
    AppResult result = compare("north", d_north.read(s), expected.north);
    if (result.verified) result = compare("south", d_south.read(s), expected.south);
    if (result.verified) result = compare("east", d_east.read(s), expected.east);
    if (result.verified) result = compare("west", d_west.read(s), expected.west);
    return result.verified ? compare("coefficient", coefficient.read(s), expected.coefficient) : result;
  }

 private:
  SradParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Srad, SradParams, "srad",
                                   "Diffusion coefficients of a speckled image, as Rodinia's srad_v1.");

}  // namespace
}  // namespace warpvp::apps
