// Jacobi steps of a five-point stencil in double precision, ping-pong between two grids.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct StencilParams {
  std::uint32_t rows = 96, columns = 100, steps = 3, block_x = 32, block_y = 4;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "points", "Height of the grid.", Constraint::range(3, 1u << 14));
    v.field("columns", columns, "points", "Width of the grid.", Constraint::range(3, 1u << 14));
    v.field("steps", steps, "", "Jacobi steps, a launch each.", Constraint::range(1, 100000));
    v.field("block_x", block_x, "threads", "Width of a CTA.", Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Height of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024 threads");
  }
};

class Stencil : public App {
 public:
  explicit Stencil(const StencilParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t rows = params_.rows, columns = params_.columns;
    Inputs inputs(context.seed, 1);
    std::vector<double> grid(static_cast<std::size_t>(rows) * columns);
    for (double& v : grid) v = inputs.real64(0, 1);
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "stencil.ptx"), "stencil5");
    const rt::Stream s = device.create_stream();
    DeviceArray<double> even(device, grid, s), odd(device, grid.size());
    const DeviceArray<double>* from = &even;
    const DeviceArray<double>* to = &odd;
    const rt::Dim3 ctas((columns + params_.block_x - 1) / params_.block_x,
                        (rows + params_.block_y - 1) / params_.block_y);
    for (std::uint32_t step = 0; step < params_.steps; ++step) {
      device.launch(kernel, ctas, rt::Dim3(params_.block_x, params_.block_y),
                    rt::Args::of(from->pointer(), to->pointer(), rows, columns), s);
      std::swap(from, to);
    }
    return compare("grid", from->read(s), reference::stencil5(grid, rows, columns, params_.steps));
  }

 private:
  StencilParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Stencil, StencilParams, "stencil",
                                   "Five-point Jacobi steps in double precision.");

}  // namespace
}  // namespace warpvp::apps
