// Temperature of a chip in two dimensions (SWaS paper, table I).

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct HotspotParams {
  std::uint32_t rows = 32, columns = 32, steps = 17;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "cells", "Height of the chip.", Constraint::range(1, 1024));
    v.field("columns", columns, "cells", "Width of the chip; one CTA has a thread for every cell.",
            Constraint::range(1, 1024));
    v.field("steps", steps, "", "Steps in time.", Constraint::range(1, 1u << 20));
    v.require(rows * columns <= 1024, "columns", "rows * columns must be at most 1024, the threads of a CTA");
  }
};

class Hotspot : public App {
 public:
  explicit Hotspot(const HotspotParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::size_t cells = static_cast<std::size_t>(params_.rows) * params_.columns;
    const std::vector<float> start = Inputs(context.seed, 1).reals(cells, 320.0f, 340.0f);
    const std::vector<float> power = Inputs(context.seed, 2).reals(cells, 0.0f, 0.02f);
    const reference::Package package = reference::chip_package(params_.rows, params_.columns);

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "hotspot.ptx"), "hotspot");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> even(device, start, s), odd(device, cells), device_power(device, power, s);
    device.launch(kernel, rt::Dim3(1), rt::Dim3(params_.rows, params_.columns),
                  rt::Args::of(even.pointer(), odd.pointer(), device_power.pointer(), package, params_.rows,
                               params_.columns, params_.steps),
                  s);
    return compare("temperature", (params_.steps % 2 == 0 ? even : odd).read(s),
                   reference::hotspot(start, power, package, params_.rows, params_.columns, params_.steps));
  }

 private:
  HotspotParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Hotspot, HotspotParams, "hotspot",
    "Temperature of a chip step by step in one CTA; barriers, uncoalesced accesses.");

}  // namespace
}  // namespace warpvp::apps
