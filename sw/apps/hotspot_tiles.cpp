// Temperature of a chip in tiles, several steps a launch.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct HotspotTilesParams {
  std::uint32_t rows = 40, columns = 40, steps = 2;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "cells", "Height of the chip.", Constraint::range(1, 1u << 14));
    v.field("columns", columns, "cells", "Width of the chip.", Constraint::range(1, 1u << 14));
    v.field("steps", steps, "", "Steps in time, all in one launch.", Constraint::range(1, 7));
  }
};

class HotspotTiles : public App {
 public:
  explicit HotspotTiles(const HotspotTilesParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t rows = params_.rows, columns = params_.columns, steps = params_.steps;
    const std::size_t cells = std::size_t{rows} * columns;
    const std::vector<float> start = Inputs(context.seed, 1).reals(cells, 320.0f, 340.0f);
    const std::vector<float> power = Inputs(context.seed, 2).reals(cells, 0.0f, 0.02f);
    const reference::Package chip = reference::chip_package(rows, columns);
    const reference::TilePackage package{chip.step, chip.capacity, chip.rx, chip.ry, chip.rz, chip.ambient};
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "hotspot_tiles.ptx"), "hotspot_tiles");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_power(device, power, s), from(device, start, s), to(device, cells);
    const std::uint32_t inner = 16 - 2 * steps;
    device.launch(kernel, rt::Dim3((columns + inner - 1) / inner, (rows + inner - 1) / inner),
                  rt::Dim3(16, 16),
                  rt::Args::of(steps, device_power.pointer(), from.pointer(), to.pointer(), columns, rows,
                               steps, package),
                  s);
    return compare("temperature", to.read(s),
                   reference::hotspot_tiles(start, power, package, rows, columns, steps));
  }

 private:
  HotspotTilesParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, HotspotTiles, HotspotTilesParams, "hotspot_tiles",
    "Temperature of a chip in overlapping tiles of shared memory, as Rodinia's hotspot; double precision.");

}  // namespace
}  // namespace warpvp::apps
