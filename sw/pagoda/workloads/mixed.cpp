// MPE of table 5.3: tasks of four workloads in turn, as of four applications: 3DES and the Mandelbrot set,
// which are irregular, the filter bank, which needs barriers, and matrix products, which need shared memory.

#include <algorithm>
#include <memory>

#include "sw/pagoda/task_workload.h"

namespace warpvp::pagoda {
namespace {

struct MixedParams {
  PolicyChoice encryption = "triple_des", fractal = "mandelbrot", filter = "filter_bank",
               product = "matmul_shared";

  void fields(FieldVisitor& v) {
    v.policy("encryption", TaskWorkload::kKind, encryption, "Tasks 0, 4, 8, ...: triple_des.");
    v.policy("fractal", TaskWorkload::kKind, fractal, "Tasks 1, 5, 9, ...: mandelbrot.");
    v.policy("filter", TaskWorkload::kKind, filter, "Tasks 2, 6, 10, ...: filter_bank.");
    v.policy("product", TaskWorkload::kKind, product, "Tasks 3, 7, 11, ...: matmul_shared.");
    require(v, "encryption", encryption, "triple_des");
    require(v, "fractal", fractal, "mandelbrot");
    require(v, "filter", filter, "filter_bank");
    require(v, "product", product, "matmul_shared");
  }

 private:
  static void require(FieldVisitor& v, const char* key, const PolicyChoice& choice, const char* name) {
    v.require(choice.name == name, key, std::string("must be ") + name + ", with parameters of its own");
  }
};

class MixedTasks : public TaskWorkload {
 public:
  explicit MixedTasks(const MixedParams& params) {
    for (const PolicyChoice* choice : {&params.encryption, &params.fractal, &params.filter, &params.product})
      parts_.push_back(Registry<TaskWorkload>::instance().make(*choice));
  }

  std::string module() const override { return "pagoda/mixed.ptx"; }
  std::uint32_t tasks() const override { return tasks_; }

  void make(const TaskPlan& plan) override {
    tasks_ = plan.tasks;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      TaskPlan part = plan;
      part.tasks = static_cast<std::uint32_t>((plan.tasks + parts_.size() - 1 - p) / parts_.size());
      part.seed = plan.seed + p;
      if (part.tasks > 0) parts_[p]->make(part);
    }
  }
  void place(rt::Runtime& device) override {
    for (std::uint32_t p = 0; p < used(); ++p) parts_[p]->place(device);
  }
  TaskSpec task(std::uint32_t i) const override { return parts_[i % 4]->task(i / 4); }
  void compute(std::uint32_t i) override { parts_[i % 4]->compute(i / 4); }
  apps::AppResult compare(std::uint32_t i) const override { return parts_[i % 4]->compare(i / 4); }
  void release(rt::Runtime& device) override {
    for (std::uint32_t p = 0; p < used(); ++p) parts_[p]->release(device);
  }

 private:
  /// Workloads that have tasks.
  std::uint32_t used() const { return std::min<std::uint32_t>(tasks_, 4); }

  std::vector<std::unique_ptr<TaskWorkload>> parts_;
  std::uint32_t tasks_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskWorkload, MixedTasks, MixedParams, "mixed",
    "MPE: tasks of 3DES, Mandelbrot, filter bank and matrix products in turn.");

}  // namespace
}  // namespace warpvp::pagoda
