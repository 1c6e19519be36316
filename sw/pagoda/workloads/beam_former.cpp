// BF of table 5.3: each task is one beam, a complex filter over the samples of an antenna, and the magnitude.

#include <cmath>

#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct BeamFormerParams {
  std::uint32_t width = 2048, taps = 64;

  void fields(FieldVisitor& v) {
    v.field("width", width, "samples", "Length of a signal (table 5.4: 2048).",
            Constraint::range(32, 1u << 20));
    v.field("taps", taps, "", "Complex weights of the filter.", Constraint::range(1, 1024));
  }
};

class BeamFormerTasks : public IndependentTasks<float> {
 public:
  explicit BeamFormerTasks(const BeamFormerParams& params) : params_(params) {}

  std::string module() const override { return "pagoda/beam_former.ptx"; }

  void make(const TaskPlan& plan) override {
    plan_ = plan;
    for (std::uint32_t i = 0; i < plan.tasks; ++i) parts_.add(plan.size_of(i, params_.width, 32));
    samples_.host = apps::Inputs(plan.seed, 1).reals(2 * parts_.total(), -1.0f, 1.0f);
    weights_.host = apps::Inputs(plan.seed, 2).reals(std::size_t{2} * params_.taps, -1.0f, 1.0f);
    make_arrays({&samples_, &weights_, &out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    const std::size_t first = parts_.first(i), count = parts_.count(i);
    BeamFormerArguments a;
    a.samples = samples_.at(2 * first);
    a.weights = weights_.at(0);
    a.out = out_.at(first);
    a.length = static_cast<std::uint32_t>(count);
    a.taps = params_.taps;
    return spec_of(i, "beam_former", a, {samples_.copy(2 * first, 2 * count)});
  }

  void compute(std::uint32_t i) override {
    const float* const samples = samples_.host.data() + 2 * parts_.first(i);
    for (std::size_t s = 0; s < parts_.count(i); ++s) {
      float re = 0, im = 0;
      for (std::size_t k = 0; k < params_.taps && k <= s; ++k) {
        const float w_re = weights_.host[2 * k], w_im = weights_.host[2 * k + 1];
        const float x_re = samples[2 * (s - k)], x_im = samples[2 * (s - k) + 1];
        re = std::fma(-w_im, x_im, std::fma(w_re, x_re, re));
        im = std::fma(w_im, x_re, std::fma(w_re, x_im, im));
      }
      expected_[parts_.first(i) + s] = std::sqrt(re * re + im * im);
    }
  }

 private:
  const BeamFormerParams params_;
  TaskArray<float> samples_, weights_{Filled::kWhenPlaced};
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, BeamFormerTasks, BeamFormerParams, "beam_former",
                                   "BF: beams of complex samples through a complex filter.");

}  // namespace
}  // namespace warpvp::pagoda
