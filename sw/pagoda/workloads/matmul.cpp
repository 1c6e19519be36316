// MM of table 5.3: each task is the product of two small square matrices.

#include <cmath>

#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct MatmulParams {
  std::uint32_t side = 64;

  void fields(FieldVisitor& v) {
    v.field("side", side, "", "Rows and columns of a matrix (table 5.4: 64), a multiple of 16.",
            Constraint::range(16, 4096));
    v.require(side % 16 == 0, "side", "must be a multiple of 16");
  }
};

class MatmulTasks : public IndependentTasks<float> {
 public:
  explicit MatmulTasks(const MatmulParams& params, bool shared = false) : params_(params), shared_(shared) {}

  std::string module() const override { return "pagoda/matmul.ptx"; }

  void make(const TaskPlan& plan) override {
    plan_ = plan;
    for (std::uint32_t i = 0; i < plan.tasks; ++i) {
      side_.push_back(plan.size_of(i, params_.side, 16));
      parts_.add(std::size_t{side_.back()} * side_.back());
    }
    factors_.host = apps::Inputs(plan.seed, 1).reals(2 * parts_.total(), -1.0f, 1.0f);
    make_arrays({&factors_, &out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    const std::size_t first = parts_.first(i), count = parts_.count(i);
    MatmulArguments a;
    a.a = factors_.at(2 * first);
    a.b = factors_.at(2 * first + count);
    a.c = out_.at(first);
    a.size = side_[i];
    TaskSpec spec =
        spec_of(i, shared_ ? "matmul_shared" : "matmul", a, {factors_.copy(2 * first, 2 * count)});
    spec.sync = shared_;
    spec.shared_bytes = shared_ ? 3 * 16 * 16 * sizeof(float) : 0;
    return spec;
  }

  void compute(std::uint32_t i) override {
    const std::uint32_t n = side_[i];
    const float* const a = factors_.host.data() + 2 * parts_.first(i);
    const float* const b = a + parts_.count(i);
    float* const c = expected_.data() + parts_.first(i);
    for (std::uint32_t row = 0; row < n; ++row)
      for (std::uint32_t k = 0; k < n; ++k)  // the sums of a row side by side, each in the order of k
        for (std::uint32_t column = 0; column < n; ++column) {
          float& sum = c[row * n + column];
          sum = std::fma(a[row * n + k], b[k * n + column], k == 0 ? 0.0f : sum);
        }
  }

 private:
  const MatmulParams params_;
  const bool shared_;
  std::vector<std::uint32_t> side_;
  TaskArray<float> factors_;
};

class MatmulSharedTasks : public MatmulTasks {
 public:
  explicit MatmulSharedTasks(const MatmulParams& params) : MatmulTasks(params, true) {}
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, MatmulTasks, MatmulParams, "matmul",
                                   "MM: products of small square matrices.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, MatmulSharedTasks, MatmulParams, "matmul_shared",
                                   "MM with tiles in shared memory; threads wait for each other.");

}  // namespace
}  // namespace warpvp::pagoda
