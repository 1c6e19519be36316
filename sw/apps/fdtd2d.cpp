// Steps of an electromagnetic field in two dimensions.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

struct Fdtd2dParams {
  std::uint32_t rows = 40, columns = 70, steps = 2, block_x = 32, block_y = 8;
  std::string kernel = "all";

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "cells", "Height of the field.", Constraint::range(1, 1u << 13));
    v.field("columns", columns, "cells", "Width of the field.", Constraint::range(1, 1u << 13));
    v.field("steps", steps, "", "Time steps, up to three launches each.", Constraint::range(1, 1000));
    v.field("kernel", kernel, "all: a whole step; ey, ex, hz: that part of it alone.",
            Constraint::words({"all", "ey", "ex", "hz"}));
    v.field("block_x", block_x, "threads", "Width of a CTA.", Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Height of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024 threads");
  }
};

class Fdtd2d : public App {
 public:
  explicit Fdtd2d(const Fdtd2dParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t rows = params_.rows, columns = params_.columns;
    reference::FieldGrid grid;
    grid.rows = rows;
    grid.columns = columns;
    Inputs inputs(context.seed, 1);
    grid.ex = inputs.reals(std::size_t{rows} * (columns + 1), -1.0f, 1.0f);
    grid.ey = inputs.reals((std::size_t{rows} + 1) * columns, -1.0f, 1.0f);
    grid.hz = inputs.reals(std::size_t{rows} * columns, -1.0f, 1.0f);

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "fdtd2d.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> ex(device, grid.ex, s), ey(device, grid.ey, s), hz(device, grid.hz, s);
    device.synchronize(s);  // the reference changes what was copied
    const rt::Dim3 ctas((columns + params_.block_x - 1) / params_.block_x,
                        (rows + params_.block_y - 1) / params_.block_y);
    const rt::Dim3 block(params_.block_x, params_.block_y);
    const auto chosen = [&](const char* part) { return params_.kernel == "all" || params_.kernel == part; };
    for (std::uint32_t step = 0; step < params_.steps; ++step) {
      const auto source = static_cast<float>(step);
      if (chosen("ey")) {
        device.launch(device.kernel(module, "fdtd_ey"), ctas, block,
                      rt::Args::of(ey.pointer(), hz.pointer(), source, rows, columns), s);
        reference::fdtd_ey(grid, source);
      }
      if (chosen("ex")) {
        device.launch(device.kernel(module, "fdtd_ex"), ctas, block,
                      rt::Args::of(ex.pointer(), hz.pointer(), rows, columns), s);
        reference::fdtd_ex(grid);
      }
      if (chosen("hz")) {
        device.launch(device.kernel(module, "fdtd_hz"), ctas, block,
                      rt::Args::of(ex.pointer(), ey.pointer(), hz.pointer(), rows, columns), s);
        reference::fdtd_hz(grid);
      }
    }
    AppResult result = compare("ex", ex.read(s), grid.ex);
    if (result.verified) result = compare("ey", ey.read(s), grid.ey);
    return result.verified ? compare("hz", hz.read(s), grid.hz) : result;
  }

 private:
  Fdtd2dParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Fdtd2d, Fdtd2dParams, "fdtd2d",
                                   "An electromagnetic field in two dimensions, as Polybench's FDTD-2D.");

}  // namespace
}  // namespace warpvp::apps
