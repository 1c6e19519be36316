// Sums with warp shuffles, and a count with votes.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct ReductionParams {
  std::uint32_t count = 16384, ctas = 8, block = 256;

  void fields(FieldVisitor& v) {
    v.field("count", count, "elements", "Numbers to add up.", Constraint::range(1, 1u << 28));
    v.field("ctas", ctas, "CTAs", "Grid, and number of partial sums.", Constraint::range(1, 1u << 16));
    v.field("block", block, "threads", "Threads a CTA, whole warps.", Constraint::range(32, 1024));
    v.require(block % 32 == 0, "block", "must be a multiple of 32");
  }
};

class Reduction : public App {
 public:
  explicit Reduction(const ReductionParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "reduction.ptx");
    const rt::Stream s = device.create_stream();

    const std::vector<float> in = Inputs(context.seed, 1).reals(params_.count, 0.0f, 1.0f);
    DeviceArray<float> device_in(device, in, s), partial(device, params_.ctas);
    device.launch(device.kernel(module, "reduce_sum"), rt::Dim3(params_.ctas), rt::Dim3(params_.block),
                  rt::Args::of(device_in.pointer(), partial.pointer(), params_.count), s);
    const AppResult sums =
        compare("partial", partial.read(s), reference::reduce_sum(in, params_.ctas, params_.block));

    Inputs dice(context.seed, 2);
    std::vector<std::int32_t> thrown(params_.count);
    for (std::int32_t& v : thrown) v = static_cast<std::int32_t>(dice.below(6)) + 1;
    const std::int32_t wanted = 6;
    DeviceArray<std::int32_t> device_thrown(device, thrown, s);
    DeviceArray<std::uint32_t> count(device, 1);
    count.fill_zero(s);
    device.launch(device.kernel(module, "count_equal"),
                  rt::Dim3((params_.count + params_.block - 1) / params_.block), rt::Dim3(params_.block),
                  rt::Args::of(device_thrown.pointer(), params_.count, wanted, count.pointer()), s);
    std::uint32_t expected = 0;
    for (std::int32_t v : thrown) expected += v == wanted;
    const AppResult counted = compare("count", count.read(s), {expected});
    return sums.verified ? counted : sums;
  }

 private:
  ReductionParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Reduction, ReductionParams, "reduction",
                                   "Sums by warp shuffles and shared memory, and a count by votes.");

}  // namespace
}  // namespace warpvp::apps
