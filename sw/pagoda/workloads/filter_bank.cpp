// FB of table 5.3: each task is the signal of one radio, through one channel of a filter bank.

#include <cmath>

#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct FilterBankParams {
  std::uint32_t width = 2048, taps = 32, decimation = 8;

  void fields(FieldVisitor& v) {
    v.field("width", width, "samples", "Length of a signal (table 5.4: 2048).",
            Constraint::range(32, 1u << 20));
    v.field("taps", taps, "", "Weights of each filter.", Constraint::range(1, 1024));
    v.field("decimation", decimation, "", "Of so many samples one is kept.", Constraint::range(1, 1024));
  }
};

class FilterBankTasks : public IndependentTasks<float> {
 public:
  explicit FilterBankTasks(const FilterBankParams& params) : params_(params) {}

  std::string module() const override { return "pagoda/filter_bank.ptx"; }

  void make(const TaskPlan& plan) override {
    if (plan.blocks != 1)
      throw InputError("filter_bank: a task is one thread block, as its threads wait for each other");
    plan_ = plan;
    for (std::uint32_t i = 0; i < plan.tasks; ++i) parts_.add(plan.size_of(i, params_.width, 32));
    signal_.host = apps::Inputs(plan.seed, 1).reals(parts_.total(), -1.0f, 1.0f);
    weights_.host = apps::Inputs(plan.seed, 2).reals(std::size_t{2} * params_.taps, -1.0f, 1.0f);
    scratch_.host.resize(2 * parts_.total());
    make_arrays({&signal_, &weights_, &scratch_, &out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    const std::size_t first = parts_.first(i), count = parts_.count(i);
    FilterBankArguments a;
    a.signal = signal_.at(first);
    a.analysis = weights_.at(0);
    a.synthesis = weights_.at(params_.taps);
    a.filtered = scratch_.at(2 * first);
    a.expanded = scratch_.at(2 * first + count);
    a.out = out_.at(first);
    a.length = static_cast<std::uint32_t>(count);
    a.taps = params_.taps;
    a.decimation = params_.decimation;
    TaskSpec spec = spec_of(i, "filter_bank", a, {signal_.copy(first, count)});
    spec.sync = true;
    return spec;
  }

  void compute(std::uint32_t i) override {
    const std::size_t first = parts_.first(i), count = parts_.count(i);
    std::vector<float> expanded(count, 0.0f);
    for (std::size_t s = 0; s < count; s += params_.decimation)
      expanded[s] = filter(signal_.host.data() + first, weights_.host.data(), s);
    for (std::size_t s = 0; s < count; ++s)
      expected_[first + s] = filter(expanded.data(), weights_.host.data() + params_.taps, s);
  }

 private:
  /// Sample `i` of a signal behind a filter.
  float filter(const float* signal, const float* weights, std::size_t i) const {
    float sum = 0.0f;
    for (std::size_t k = 0; k < params_.taps && k <= i; ++k) sum = std::fma(weights[k], signal[i - k], sum);
    return sum;
  }

  const FilterBankParams params_;
  TaskArray<float> signal_, weights_{Filled::kWhenPlaced}, scratch_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskWorkload, FilterBankTasks, FilterBankParams, "filter_bank",
    "FB: signals through a channel of a filter bank; threads wait for each other.");

}  // namespace
}  // namespace warpvp::pagoda
