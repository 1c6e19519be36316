// SLUD of table 5.3: a sparse matrix is split into L and U by sub-matrices. A task is one operation on
// sub-matrices; it is spawned when those that it depends on are over, so a runtime that wants all tasks
// beforehand cannot run it.

#include <cmath>
#include <deque>
#include <utility>

#include "base/random_factor.h"
#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/task_workload.h"

namespace warpvp::pagoda {
namespace {

struct SparseLuParams {
  std::uint32_t side = 32;
  double density = 0.3;

  void fields(FieldVisitor& v) {
    v.field("side", side, "", "Rows and columns of a sub-matrix (table 5.4: 32).", Constraint::range(4, 256));
    v.field("density", density, "",
            "Part of the sub-matrices that are not empty at first, those on the diagonal aside.",
            Constraint::range(0.05, 1));
  }
};

class SparseLuTasks : public TaskWorkload {
 public:
  explicit SparseLuTasks(const SparseLuParams& params) : params_(params) {}

  std::string module() const override { return "pagoda/sparse_lu.ptx"; }
  std::uint32_t tasks() const override { return static_cast<std::uint32_t>(steps_.size()); }

  /// The largest matrix that has no more tasks than the plan; at least one of a single sub-matrix.
  void make(const TaskPlan& plan) override {
    plan_ = plan;
    for (std::uint32_t across = 1;; ++across) {
      const std::vector<Step> before = std::move(steps_);
      plan_steps(across);
      if (steps_.size() <= plan.tasks || across == 1) continue;
      steps_ = before;
      across_ = across - 1;
      break;
    }
    const std::size_t elements = part(across_, 0);
    apps::Inputs inputs(plan.seed, 3);
    matrix_.host.assign(elements, 0.0f);
    for (std::uint32_t row = 0; row < across_; ++row)
      for (std::uint32_t column = 0; column < across_; ++column)
        if (is_there(row, column)) fill(inputs, row, column);
    expected_ = matrix_.host;
    link();
  }

  void place(rt::Runtime& device) override { matrix_.place(device); }

  TaskSpec task(std::uint32_t i) const override {
    const Step& step = steps_[i];
    SparseLuArguments a;
    a.first = matrix_.at(part(step.first.first, step.first.second));
    a.second = matrix_.at(part(step.second.first, step.second.second));
    a.target = matrix_.at(part(step.target.first, step.target.second));
    a.size = params_.side;
    TaskSpec spec;
    spec.function = kFunctions[step.kind];
    spec.threads = plan_.threads_of(i);
    spec.blocks = plan_.blocks;
    spec.arguments = argument_bytes(a);
    spec.depends = true;
    const TaskCopy target =
        matrix_.copy(part(step.target.first, step.target.second), std::size_t{params_.side} * params_.side);
    if (step.begins) spec.inputs = {target};
    if (step.ends) spec.outputs = {target};
    return spec;
  }

  void run(TaskFeed& feed) override {
    std::vector<std::uint32_t> missing(steps_.size());
    std::deque<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < steps_.size(); ++i) {
      missing[i] = steps_[i].missing;
      if (missing[i] == 0) ready.push_back(i);
    }
    std::vector<std::pair<TaskId, std::uint32_t>> running;
    while (!ready.empty() || !running.empty()) {
      for (; !ready.empty(); ready.pop_front())
        running.emplace_back(feed.spawn(ready.front()), ready.front());
      std::vector<std::pair<TaskId, std::uint32_t>> still;
      for (const auto& [id, step] : running) {
        if (!feed.check(id)) {
          still.emplace_back(id, step);
          continue;
        }
        for (const std::uint32_t next : steps_[step].followers)
          if (--missing[next] == 0) ready.push_back(next);
      }
      running = std::move(still);
      if (ready.empty() && !running.empty()) feed.wait(running.front().first);
    }
  }

  void compute(std::uint32_t i) override {
    const std::uint32_t n = params_.side;
    const Step& step = steps_[i];
    const float* const first = expected_.data() + part(step.first.first, step.first.second);
    const float* const second = expected_.data() + part(step.second.first, step.second.second);
    float* const t = expected_.data() + part(step.target.first, step.target.second);
    if (step.kind == kModify) {
      for (std::uint32_t row = 0; row < n; ++row)
        for (std::uint32_t k = 0; k < n; ++k)
          for (std::uint32_t column = 0; column < n; ++column)
            t[row * n + column] = std::fma(-first[row * n + k], second[k * n + column], t[row * n + column]);
      return;
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      if (step.kind == kForward) {
        for (std::uint32_t row = k + 1; row < n; ++row)
          for (std::uint32_t column = 0; column < n; ++column)
            t[row * n + column] = std::fma(-first[row * n + k], t[k * n + column], t[row * n + column]);
        continue;
      }
      // lu0 of the matrix itself, from the row below on; bdiv of all rows, by the U of the one on the
      // diagonal.
      const float* const u = step.kind == kDiagonal ? t : first;
      for (std::uint32_t row = step.kind == kDiagonal ? k + 1 : 0; row < n; ++row) {
        const float factor = t[row * n + k] / u[k * n + k];
        t[row * n + k] = factor;
        for (std::uint32_t column = k + 1; column < n; ++column)
          t[row * n + column] = std::fma(-factor, u[k * n + column], t[row * n + column]);
      }
    }
  }

  /// Of the last task of each sub-matrix; the others' results are gone by then.
  apps::AppResult compare(std::uint32_t i) const override {
    const Step& step = steps_[i];
    if (!step.ends) return {true, ""};
    return compare_part("part", matrix_.host, expected_, part(step.target.first, step.target.second),
                        std::size_t{params_.side} * params_.side);
  }

  void release(rt::Runtime& device) override { matrix_.release(device); }

 private:
  enum Kind { kDiagonal, kForward, kDivide, kModify };
  static constexpr const char* kFunctions[] = {"sparse_lu_diagonal", "sparse_lu_forward", "sparse_lu_divide",
                                               "sparse_lu_modify"};
  using Place = std::pair<std::uint32_t, std::uint32_t>;  ///< row and column of a sub-matrix
  struct Step {
    Kind kind;
    Place first, second, target;        ///< what is not read is the target
    bool begins = false, ends = false;  ///< the first, the last that changes its target
    std::uint32_t missing = 0;          ///< tasks that must be over before
    std::vector<std::uint32_t> followers{};
  };

  /// Where a sub-matrix lies.
  std::size_t part(std::uint32_t row, std::uint32_t column) const {
    return (std::size_t{row} * across_ + column) * params_.side * params_.side;
  }
  /// Not empty before the first step; does not depend on how large the matrix is.
  bool is_there(std::uint32_t row, std::uint32_t column) const {
    if (row == column) return true;
    return uniform_number(plan_.seed, row, column) < params_.density;
  }
  void fill(apps::Inputs& inputs, std::uint32_t row, std::uint32_t column) {
    float* const p = matrix_.host.data() + part(row, column);
    for (std::uint32_t e = 0; e < params_.side * params_.side; ++e) {
      p[e] = inputs.real(-1.0f, 1.0f);
      // Larger than the rest of its row, so that no pivots need be chosen.
      if (row == column && e % (params_.side + 1) == 0)
        p[e] += static_cast<float>(2 * params_.side * across_);
    }
  }

  /// All steps for a matrix of `across` sub-matrices a side, in an order in which they could be done.
  void plan_steps(std::uint32_t across) {
    steps_.clear();
    std::vector<std::vector<char>> there(across, std::vector<char>(across));
    for (std::uint32_t row = 0; row < across; ++row)
      for (std::uint32_t column = 0; column < across; ++column) there[row][column] = is_there(row, column);
    for (std::uint32_t k = 0; k < across; ++k) {
      steps_.push_back({kDiagonal, {k, k}, {k, k}, {k, k}});
      for (std::uint32_t j = k + 1; j < across; ++j)
        if (there[k][j]) steps_.push_back({kForward, {k, k}, {k, j}, {k, j}});
      for (std::uint32_t i = k + 1; i < across; ++i)
        if (there[i][k]) steps_.push_back({kDivide, {k, k}, {i, k}, {i, k}});
      for (std::uint32_t i = k + 1; i < across; ++i) {
        for (std::uint32_t j = k + 1; j < across; ++j) {
          if (!there[i][k] || !there[k][j]) continue;
          there[i][j] = 1;
          steps_.push_back({kModify, {i, k}, {k, j}, {i, j}});
        }
      }
    }
  }

  /// Who waits for whom: a task for the last one before it that changed what it reads or changes.
  void link() {
    std::vector<std::int64_t> last(std::size_t{across_} * across_, -1);
    const auto at = [this](const Place& p) { return std::size_t{p.first} * across_ + p.second; };
    for (std::uint32_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      step.begins = last[at(step.target)] < 0;
      for (const std::int64_t before : {last[at(step.first)], last[at(step.second)], last[at(step.target)]}) {
        if (before < 0) continue;
        std::vector<std::uint32_t>& followers = steps_[static_cast<std::size_t>(before)].followers;
        if (!followers.empty() && followers.back() == i) continue;
        followers.push_back(i);
        ++step.missing;
      }
      last[at(step.target)] = i;
    }
    for (const std::int64_t i : last)
      if (i >= 0) steps_[static_cast<std::size_t>(i)].ends = true;
  }

  const SparseLuParams params_;
  TaskPlan plan_;
  std::uint32_t across_ = 0;
  std::vector<Step> steps_;
  TaskArray<float> matrix_{Filled::kWhenPlaced};  // sub-matrices that are empty at first are zeros
  std::vector<float> expected_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskWorkload, SparseLuTasks, SparseLuParams, "sparse_lu",
    "SLUD: a sparse matrix into L and U; tasks are spawned as those before them end.");

}  // namespace
}  // namespace warpvp::pagoda
