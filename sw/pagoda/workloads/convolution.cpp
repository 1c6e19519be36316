// CONV of table 5.3: each task is one image through a square filter.

#include <algorithm>

#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct ConvolutionParams {
  std::uint32_t side = 128, radius = 2;

  void fields(FieldVisitor& v) {
    v.field("side", side, "pixels", "Width and height of an image (table 5.4: 128).",
            Constraint::range(8, 4096));
    v.field("radius", radius, "pixels", "The filter has 2 radius + 1 weights a side.",
            Constraint::range(0, 16));
  }
};

class ConvolutionTasks : public IndependentTasks<std::uint8_t> {
 public:
  explicit ConvolutionTasks(const ConvolutionParams& params) : params_(params) {}

  std::string module() const override { return "pagoda/convolution.ptx"; }

  void make(const TaskPlan& plan) override {
    plan_ = plan;
    for (std::uint32_t i = 0; i < plan.tasks; ++i) {
      side_.push_back(plan.size_of(i, params_.side, 8));
      parts_.add(std::size_t{side_.back()} * side_.back());
    }
    apps::Inputs pixels(plan.seed, 1), weights(plan.seed, 2);
    in_.host.resize(parts_.total());
    for (std::uint8_t& pixel : in_.host) pixel = static_cast<std::uint8_t>(pixels.below(256));
    // Some sharpen, as weights may be negative; together they leave the brightness as it is.
    const std::uint32_t across = 2 * params_.radius + 1;
    std::int32_t rest = 256;
    for (std::uint32_t i = 0; i + 1 < across * across; ++i) {
      weights_.host.push_back(static_cast<std::int32_t>(weights.below(33)) - 12);
      rest -= weights_.host.back();
    }
    weights_.host.insert(weights_.host.begin() + static_cast<std::ptrdiff_t>(weights_.host.size() / 2), rest);
    make_arrays({&in_, &weights_, &out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    ConvolutionArguments a;
    a.in = in_.at(parts_.first(i));
    a.weights = weights_.at(0);
    a.out = out_.at(parts_.first(i));
    a.width = a.height = side_[i];
    a.radius = params_.radius;
    return spec_of(i, "convolution", a, {in_.copy(parts_.first(i), parts_.count(i))});
  }

  void compute(std::uint32_t i) override {
    const std::uint8_t* const in = in_.host.data() + parts_.first(i);
    std::uint8_t* const out = expected_.data() + parts_.first(i);
    const auto side = static_cast<std::int32_t>(side_[i]), radius = static_cast<std::int32_t>(params_.radius);
    for (std::int32_t y = 0; y < side; ++y) {
      for (std::int32_t x = 0; x < side; ++x) {
        std::int32_t sum = 128;
        const std::int32_t* weight = weights_.host.data();
        for (std::int32_t dy = -radius; dy <= radius; ++dy)
          for (std::int32_t dx = -radius; dx <= radius; ++dx)
            sum += *weight++ * in[std::clamp(y + dy, 0, side - 1) * side + std::clamp(x + dx, 0, side - 1)];
        out[y * side + x] = static_cast<std::uint8_t>(std::clamp(sum >> 8, 0, 255));
      }
    }
  }

 private:
  const ConvolutionParams params_;
  std::vector<std::uint32_t> side_;
  TaskArray<std::uint8_t> in_;
  TaskArray<std::int32_t> weights_{Filled::kWhenPlaced};
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, ConvolutionTasks, ConvolutionParams, "convolution",
                                   "CONV: images through a square filter.");

}  // namespace
}  // namespace warpvp::pagoda
