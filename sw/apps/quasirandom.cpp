// Quasirandom numbers from a table in constant memory.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct QuasirandomParams {
  std::uint32_t count = 2000, ctas = 4, block = 128;

  void fields(FieldVisitor& v) {
    v.field("count", count, "numbers", "Numbers in each of the three dimensions.",
            Constraint::range(1, 1u << 24));
    v.field("ctas", ctas, "CTAs", "Grid; threads stride over the numbers with it.",
            Constraint::range(1, 1u << 16));
    v.field("block", block, "threads", "Threads a CTA in each of the three dimensions.",
            Constraint::range(32, 340));
  }
};

class Quasirandom : public App {
 public:
  explicit Quasirandom(const QuasirandomParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    constexpr std::uint32_t kDimensions = 3, kBits = 31;
    std::vector<std::uint32_t> directions = Inputs(context.seed, 1).words(kDimensions * kBits);
    for (std::uint32_t& d : directions) d &= 0x7fffffffu;
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "quasirandom.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> out(device, std::size_t{params_.count} * kDimensions);
    device.copy_to_device_async(device.symbol(module, "directions"), directions.data(),
                                directions.size() * sizeof directions[0], s);
    const std::uint32_t seed = 0;
    device.launch(device.kernel(module, "quasirandom"), rt::Dim3(params_.ctas),
                  rt::Dim3(params_.block, kDimensions), rt::Args::of(out.pointer(), seed, params_.count), s);
    return compare("out", out.read(s), reference::quasirandom(directions, seed, params_.count));
  }

 private:
  QuasirandomParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Quasirandom, QuasirandomParams, "quasirandom",
    "Niederreiter's quasirandom numbers in three dimensions; integer arithmetic.");

}  // namespace
}  // namespace warpvp::apps
