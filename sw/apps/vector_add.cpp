// c = a + b ("vec" of QAWS Table I).

#include <algorithm>

#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct VectorAddParams : LaunchForm {
  std::uint32_t count = 262144;
  std::uint32_t block = 256;

  void fields(FieldVisitor& v) {
    v.field("count", count, "elements", "Length of the vectors.", Constraint::range(1, 1u << 28));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    LaunchForm::fields(v);
  }
};

class VectorAdd : public Workload {
 public:
  explicit VectorAdd(const VectorAddParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    params_.count = static_cast<std::uint32_t>(std::clamp(params_.count * factor, 1.0, 0x1p28));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    a_ = Inputs(context.seed + seed_offset, 1).reals(params_.count, -1.0f, 1.0f);
    b_ = Inputs(context.seed + seed_offset, 2).reals(params_.count, -1.0f, 1.0f);
    c_.assign(params_.count, 0.0f);
    forms_ = load_forms(device, device.load_module(context.kernel_folder + "vector_add.ptx"), "vector_add",
                        rt::Dim3(params_.block));
    device_a_ = upload(device, a_, s);
    device_b_ = upload(device, b_, s);
    device_c_ = upload(device, c_, s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, forms_, rt::Dim3(ctas_for(params_.count, params_.block)),
                 rt::Args::of(device_a_, device_b_, device_c_, params_.count), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, c_, device_c_, s); }

  AppResult verify() const override {
    std::vector<float> expected(params_.count);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = a_[i] + b_[i];
    return compare("c", c_, expected);
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  VectorAddParams params_;
  std::vector<float> a_, b_, c_;
  Forms forms_;
  rt::DevicePtr device_a_ = 0, device_b_ = 0, device_c_ = 0;
};

WARPVP_REGISTER_WORKLOAD(VectorAdd, VectorAddParams, "vector_add", "vec",
                         "c = a + b over floats, one element a thread; memory-bound.");

}  // namespace
}  // namespace warpvp::apps
