// Sorting by ranks (SWaS paper, table I and section VI-B1).

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct PsortParams {
  std::uint32_t count = 1024, distinct = 1u << 20, block = 1024;

  void fields(FieldVisitor& v) {
    v.field("count", count, "elements", "Elements to sort, a thread each.", Constraint::range(1, 1u << 18));
    v.field("distinct", distinct, "values", "Elements are drawn from this many values.",
            Constraint::range(1, 1u << 24));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

class Psort : public App {
 public:
  explicit Psort(const PsortParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    Inputs inputs(context.seed, 1);
    std::vector<float> elements(params_.count);
    for (float& v : elements) v = static_cast<float>(inputs.below(params_.distinct)) * 0.5f;
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "psort.ptx"), "psort");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> in(device, elements, s), out(device, params_.count);
    device.launch(kernel, rt::Dim3((params_.count + params_.block - 1) / params_.block),
                  rt::Dim3(params_.block), rt::Args::of(in.pointer(), out.pointer(), params_.count), s);
    const std::vector<float> got = out.read(s);
    std::sort(elements.begin(), elements.end());
    return compare("out", got, elements);
  }

 private:
  PsortParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Psort, PsortParams, "psort",
                                   "Rank sort: every thread compares its element with all; a short loop.");

}  // namespace
}  // namespace warpvp::apps
