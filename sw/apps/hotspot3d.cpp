// Temperature of a stacked chip (SWaS paper, table I).

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct Hotspot3dParams {
  std::uint32_t nx = 32, ny = 32, nz = 27, steps = 1, block_x = 32, block_y = 32;

  void fields(FieldVisitor& v) {
    v.field("nx", nx, "cells", "Cells along x.", Constraint::range(1, 1u << 12));
    v.field("ny", ny, "cells", "Cells along y.", Constraint::range(1, 1u << 12));
    v.field("nz", nz, "layers", "Layers of the stack; a thread climbs through all.",
            Constraint::range(1, 256));
    v.field("steps", steps, "", "Steps in time, a launch each.", Constraint::range(1, 100000));
    v.field("block_x", block_x, "threads", "Width of a CTA.", Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Height of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024 threads");
  }
};

class Hotspot3d : public App {
 public:
  explicit Hotspot3d(const Hotspot3dParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::size_t cells = static_cast<std::size_t>(params_.nx) * params_.ny * params_.nz;
    const std::vector<float> start = Inputs(context.seed, 1).reals(cells, 320.0f, 340.0f);
    const std::vector<float> power = Inputs(context.seed, 2).reals(cells, 0.0f, 0.02f);
    const reference::Stencil3d weights = reference::stack_stencil(params_.nx, params_.ny, params_.nz);

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "hotspot3d.ptx"), "hotspot3d");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> even(device, start, s), odd(device, cells), device_power(device, power, s);
    const rt::Dim3 ctas((params_.nx + params_.block_x - 1) / params_.block_x,
                        (params_.ny + params_.block_y - 1) / params_.block_y);
    for (std::uint32_t step = 0; step < params_.steps; ++step) {
      const DeviceArray<float>&from = step % 2 == 0 ? even : odd, &to = step % 2 == 0 ? odd : even;
      device.launch(kernel, ctas, rt::Dim3(params_.block_x, params_.block_y),
                    rt::Args::of(from.pointer(), to.pointer(), device_power.pointer(), weights, params_.nx,
                                 params_.ny, params_.nz),
                    s);
    }
    return compare(
        "temperature", (params_.steps % 2 == 0 ? even : odd).read(s),
        reference::hotspot3d(start, power, weights, params_.nx, params_.ny, params_.nz, params_.steps));
  }

 private:
  Hotspot3dParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Hotspot3d, Hotspot3dParams, "hotspot3d",
                                   "Temperature of a stacked chip; a thread climbs a column of cells.");

}  // namespace
}  // namespace warpvp::apps
