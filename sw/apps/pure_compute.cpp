// Arithmetic between one load and one store ("pc" of QAWS Table I).

#include <algorithm>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct PureComputeParams : LaunchForm {
  std::uint32_t threads = 81920;
  std::uint32_t iterations = 40;
  std::uint32_t block = 256;

  void fields(FieldVisitor& v) {
    v.field("threads", threads, "threads", "Threads in all.", Constraint::range(1, 1u << 28));
    v.field("iterations", iterations, "", "Rounds of the loop, seven arithmetic instructions each.",
            Constraint::range(0, 1u << 24));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    LaunchForm::fields(v);
  }
};

class PureCompute : public Workload {
 public:
  explicit PureCompute(const PureComputeParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    params_.threads = static_cast<std::uint32_t>(std::clamp(params_.threads * factor, 1.0, 0x1p28));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    in_ = Inputs(context.seed + seed_offset, 1).reals(params_.threads, 0.0f, 1.0f);
    out_.assign(params_.threads, 0.0f);
    forms_ = load_forms(device, device.load_module(context.kernel_folder + "pure_compute.ptx"),
                        "pure_compute", rt::Dim3(params_.block));
    device_in_ = upload(device, in_, s);
    device_out_ = upload(device, out_, s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, forms_, rt::Dim3(ctas_for(params_.threads, params_.block)),
                 rt::Args::of(device_in_, device_out_, params_.threads, params_.iterations), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, out_, device_out_, s); }

  AppResult verify() const override {
    return compare("out", out_, reference::pure_compute(in_, params_.iterations));
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  PureComputeParams params_;
  std::vector<float> in_, out_;
  Forms forms_;
  rt::DevicePtr device_in_ = 0, device_out_ = 0;
};

WARPVP_REGISTER_WORKLOAD(PureCompute, PureComputeParams, "pure_compute", "pc",
                         "One load, one store and a loop of arithmetic in each thread.");

}  // namespace
}  // namespace warpvp::apps
