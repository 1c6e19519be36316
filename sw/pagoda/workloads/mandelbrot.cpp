// MB of table 5.3: each task is a small image of a part of the Mandelbrot set.

#include <cmath>

#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct MandelbrotParams {
  std::uint32_t side = 64, iterations = 128;

  void fields(FieldVisitor& v) {
    v.field("side", side, "pixels", "Width and height of an image (table 5.4: 64).",
            Constraint::range(8, 4096));
    v.field("iterations", iterations, "", "Iterations of a pixel at most.", Constraint::range(1, 1u << 20));
  }
};

class MandelbrotTasks : public IndependentTasks<std::uint32_t> {
 public:
  explicit MandelbrotTasks(const MandelbrotParams& params) : params_(params) {}

  std::string module() const override { return "pagoda/mandelbrot.ptx"; }

  void make(const TaskPlan& plan) override {
    plan_ = plan;
    apps::Inputs inputs(plan.seed, 1);
    for (std::uint32_t i = 0; i < plan.tasks; ++i) {
      MandelbrotArguments a{};
      a.width = a.height = plan.size_of(i, params_.side, 8);
      a.iterations = params_.iterations;
      // Around the set's edge, magnified 2 to 32 times: some images lie within it, some outside.
      const auto zoom = static_cast<float>(2u << inputs.below(5));
      a.step = 3.0f / zoom / static_cast<float>(a.width);
      a.left = inputs.real(-1.75f, 0.25f);
      a.top = inputs.real(-0.75f, 0.5f);
      images_.push_back(a);
      parts_.add(std::size_t{a.width} * a.height);
    }
    make_arrays({&out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    MandelbrotArguments a = images_[i];
    a.out = out_.at(parts_.first(i));
    return spec_of(i, "mandelbrot", a, {});
  }

  void compute(std::uint32_t i) override {
    const MandelbrotArguments& a = images_[i];
    std::uint32_t* out = expected_.data() + parts_.first(i);
    for (std::uint32_t y = 0; y < a.height; ++y)
      for (std::uint32_t x = 0; x < a.width; ++x)
        *out++ = iterations(std::fma(static_cast<float>(x), a.step, a.left),
                            std::fma(static_cast<float>(y), a.step, a.top));
  }

 private:
  std::uint32_t iterations(float c_re, float c_im) const {
    float re = 0, im = 0;
    for (std::uint32_t n = 0; n < params_.iterations; ++n) {
      const float re2 = re * re, im2 = im * im;
      if (re2 + im2 > 4.0f) return n;
      im = std::fma(2.0f * re, im, c_im);
      re = re2 - im2 + c_re;
    }
    return params_.iterations;
  }

  const MandelbrotParams params_;
  std::vector<MandelbrotArguments> images_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, MandelbrotTasks, MandelbrotParams, "mandelbrot",
                                   "MB: images of the Mandelbrot set, whose pixels take differently long.");

}  // namespace
}  // namespace warpvp::pagoda
