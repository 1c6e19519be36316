// Memory latency by following pointers; the message tells the cycles a step took.

#include <fmt/format.h>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"

namespace warpvp::apps {
namespace {

struct PointerChaseParams {
  std::uint32_t elements = 256, stride = 128, steps = 512;
  std::string space = "global";
  bool warm = true;

  void fields(FieldVisitor& v) {
    v.field("elements", elements, "", "Places in the ring; elements * stride is its footprint.",
            Constraint::range(1, 1u << 24));
    v.field("stride", stride, "bytes", "Distance between neighbours in the ring.",
            Constraint::range(8, 1u << 20));
    v.require(stride % 8 == 0, "stride", "must be a multiple of 8");
    v.require(static_cast<std::uint64_t>(elements) * stride <= (1ull << 30), "elements",
              "elements * stride must be at most 1 GiB");
    v.field("steps", steps, "loads", "Loads timed.", Constraint::range(1, 1u << 24));
    v.field(
        "space", space,
        "global: loads through the L1; l2: loads that the L1 does not keep (ld.cg); shared: shared memory.",
        Constraint::words({"global", "l2", "shared"}));
    v.field("warm", warm, "Walk once round the ring before the timed launch.");
  }
};

class PointerChase : public App {
 public:
  explicit PointerChase(const PointerChaseParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "pointer_chase.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint64_t> cycles(device, 1), reached(device, 1);
    if (params_.space == "shared") {
      device.launch(device.kernel(module, "pointer_chase_shared"), 1, 1,
                    rt::Args::of(params_.steps, cycles.pointer(), reached.pointer()), s);
      return report(cycles.read(s)[0], params_.steps);
    }
    const std::size_t words = params_.stride / 8;
    std::vector<std::uint64_t> ring(words * params_.elements, 0);
    DeviceArray<std::uint64_t> device_ring(device, ring.size());
    const std::uint64_t first = device_ring.pointer();
    for (std::size_t i = 0; i < params_.elements; ++i) {
      ring[i * words] = first + (i + 1) % params_.elements * params_.stride;
    }
    device.copy_to_device_async(first, ring.data(), ring.size() * sizeof ring[0], s);
    const rt::Kernel kernel =
        device.kernel(module, params_.space == "l2" ? "pointer_chase_l2" : "pointer_chase");
    if (params_.warm) {
      device.launch(kernel, 1, 1, rt::Args::of(first, params_.elements, cycles.pointer(), reached.pointer()),
                    s);
    }
    device.launch(kernel, 1, 1, rt::Args::of(first, params_.steps, cycles.pointer(), reached.pointer()), s);
    const AppResult result =
        compare("reached", reached.read(s),
                {first + params_.steps % params_.elements * std::uint64_t{params_.stride}});
    return result.verified ? report(cycles.read(s)[0], params_.steps) : result;
  }

 private:
  static AppResult report(std::uint64_t cycles, std::uint32_t steps) {
    const double each = static_cast<double>(cycles) / steps;
    return {true,
            fmt::format("{:.2f} cycles a step ({} cycles, {} steps)", each, cycles, steps),
            true,
            {{"cycles_per_step", each}}};
  }
  PointerChaseParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, PointerChase, PointerChaseParams, "pointer_chase",
    "One thread follows pointers: latency of the L1, L2, DRAM or shared memory.");

}  // namespace
}  // namespace warpvp::apps
