// Scores of Gaussian mixtures for a frame of speech.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/job_kernels.h"
#include "sw/apps/reference_jobs.h"

namespace warpvp::apps {
namespace {

struct GmmParams {
  std::uint32_t mixtures = 2048, components = 8, features = 29, block = 256;

  void fields(FieldVisitor& v) {
    v.field("mixtures", mixtures, "mixtures", "Mixtures to score, a thread each.",
            Constraint::range(1, 1u << 20));
    v.field("components", components, "", "Components of a mixture.", Constraint::range(1, 1024));
    v.field("features", features, "", "Features of a frame.", Constraint::range(1, 1024));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

class Gmm : public App, public JobKernels {
 public:
  explicit Gmm(const GmmParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    prepare(device, context);
    const std::uint32_t ctas = (params_.mixtures + params_.block - 1) / params_.block;
    const JobLaunch all = launch("gmm_score", params_.mixtures);
    device.launch(all.kernel, rt::Dim3(ctas), rt::Dim3(params_.block), all.args, stream_);
    const AppResult result =
        compare("score", out_.read(stream_), reference::gmm_scores(set_, frame_), Tolerance{1e-4, 1e-4});
    in_.reset();
    means_.reset();
    precisions_.reset();
    weights_.reset();
    out_.reset();
    return result;
  }

  void prepare(rt::Runtime& device, const AppContext& context) override {
    Inputs inputs(context.seed, 1);
    set_.mixtures = params_.mixtures;
    set_.components = params_.components;
    set_.features = params_.features;
    const std::size_t components = std::size_t{set_.mixtures} * set_.components;
    set_.means = inputs.reals(components * set_.features, -1.0f, 1.0f);
    set_.precisions = inputs.reals(components * set_.features, 0.5f, 2.0f);
    set_.weights = inputs.reals(components, -12.0f, 0.0f);
    frame_ = inputs.reals(set_.features, -1.0f, 1.0f);
    kernel_ = device.kernel(device.load_module(context.kernel_folder + "gmm.ptx"), "gmm_score");
    stream_ = device.create_stream();
    in_.emplace(device, frame_, stream_);
    means_.emplace(device, set_.means, stream_);
    precisions_.emplace(device, set_.precisions, stream_);
    weights_.emplace(device, set_.weights, stream_);
    out_.emplace(device, set_.mixtures);
    device.synchronize(stream_);
  }
  JobLaunch launch(const std::string& name, std::uint32_t threads) override {
    // The data of all mixtures lie side by side: fewer threads score the first ones.
    require_kernel(name, "gmm_score", threads, params_.mixtures);
    return {kernel_, rt::Args::of(in_.pointer(), means_.pointer(), precisions_.pointer(), weights_.pointer(),
                                  out_.pointer(), set_.mixtures, set_.components, set_.features)};
  }

 private:
  GmmParams params_;
  reference::Mixtures set_;
  std::vector<float> frame_;
  rt::Kernel kernel_;
  rt::Stream stream_;
  HeldArray<float> in_, means_, precisions_, weights_, out_;
};

WARPVP_REGISTER_JOB_APP(Gmm, GmmParams, "gmm", "Scores of Gaussian mixtures for a frame of speech.");

}  // namespace
}  // namespace warpvp::apps
