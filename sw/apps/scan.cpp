// Inclusive prefix sums in three launches.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kItems = 256;  // fixed by the kernels

struct ScanParams {
  std::uint32_t count = 20000;
  void fields(FieldVisitor& v) {
    v.field("count", count, "elements", "Numbers to add up, modulo 2^32.", Constraint::range(1, 1u << 26));
  }
};

class Scan : public App {
 public:
  explicit Scan(const ScanParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "scan.ptx");
    const rt::Stream s = device.create_stream();
    const std::vector<std::uint32_t> in = Inputs(context.seed, 1).words(params_.count);
    const std::uint32_t ctas = (params_.count + kItems - 1) / kItems;
    DeviceArray<std::uint32_t> device_in(device, in, s), out(device, params_.count), totals(device, ctas);
    device.launch(device.kernel(module, "scan_blocks"), rt::Dim3(ctas), rt::Dim3(kItems),
                  rt::Args::of(device_in.pointer(), out.pointer(), totals.pointer(), params_.count), s);
    device.launch(device.kernel(module, "scan_totals"), rt::Dim3(1), rt::Dim3(kItems),
                  rt::Args::of(totals.pointer(), ctas), s);
    device.launch(device.kernel(module, "scan_add"), rt::Dim3(ctas), rt::Dim3(kItems),
                  rt::Args::of(out.pointer(), totals.pointer(), params_.count), s);
    return compare("out", out.read(s), reference::inclusive_scan(in));
  }

 private:
  ScanParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Scan, ScanParams, "scan",
                                   "Inclusive prefix sum of unsigned integers.");

}  // namespace
}  // namespace warpvp::apps
