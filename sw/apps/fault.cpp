// Kernels that go wrong on purpose; the run is expected to end with a device fault (exit 3).

#include "sw/apps/app.h"
#include "sw/apps/device_array.h"

namespace warpvp::apps {
namespace {

struct FaultParams {
  std::string kind = "out_of_bounds";
  std::uint32_t ctas = 2;
  void fields(FieldVisitor& v) {
    v.field("kind", kind,
            "out_of_bounds: a store far outside every allocation; misaligned: a 4-byte store at an odd "
            "multiple of 2; "
            "trapped: trap; trapped_midway: trap in the CTA in the middle of the grid; failed_assertion: "
            "assert; deadlocked: a barrier that cannot complete; endless: a "
            "loop "
            "that never ends.",
            Constraint::words({"out_of_bounds", "misaligned", "trapped", "trapped_midway", "failed_assertion",
                               "deadlocked", "endless"}));
    v.field("ctas", ctas, "", "In the grid.", Constraint::range(2, 1 << 20));
  }
};

class Fault : public App {
 public:
  explicit Fault(const FaultParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "faults.ptx"), params_.kind);
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint32_t> words(device, 256);
    words.fill_zero(s);
    rt::Args args = rt::Args::of(words.pointer());
    if (params_.kind == "out_of_bounds") {
      args = rt::Args::of(words.pointer(), std::uint64_t{1} << 40);
    } else if (params_.kind == "trapped" || params_.kind == "failed_assertion") {
      args = rt::Args::of(std::int32_t{50});
    } else if (params_.kind == "trapped_midway") {
      args = rt::Args();
    }
    device.launch(kernel, rt::Dim3(params_.ctas), rt::Dim3(128), args, s);
    device.synchronize(s);
    return {false, "the kernel was expected to fault and did not"};
  }

 private:
  FaultParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Fault, FaultParams, "fault",
                                   "Kernels that go wrong on purpose, to see how the platform reports it.");

}  // namespace
}  // namespace warpvp::apps
