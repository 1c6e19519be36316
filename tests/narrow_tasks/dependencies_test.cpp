// The sparse LU decomposition spawns a task when those that it depends on are over, and not before, whatever
// the order in which tasks end; and all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sw/apps/inputs.h"
#include "sw/pagoda/task_workload.h"
#include "tests/apps/parameters.h"
#include "tests/narrow_tasks/clocked_device.h"

namespace warpvp::pagoda {
namespace {

/// Tasks end in an order drawn from a seed, and run on the device when they end: one that was spawned before
/// what it reads was there finds something else.
class RandomOrder : public TaskFeed {
 public:
  RandomOrder(TaskRuntime& runtime, TaskWorkload& workload, std::uint64_t seed)
      : runtime_(runtime), workload_(workload), inputs_(seed) {}

  TaskId spawn(std::uint32_t task) override {
    EXPECT_TRUE(spawned_.insert(task).second) << "task " << task << " was spawned twice";
    running_.push_back(task);
    most_running_ = std::max(most_running_, running_.size());
    return task + 2;
  }
  bool check(TaskId id) override {
    const auto at = std::find(running_.begin(), running_.end(), id - 2);
    if (at == running_.end()) return true;
    if (inputs_.below(4) != 0) return false;
    end(at);
    return true;
  }
  void wait(TaskId id) override {
    const auto at = std::find(running_.begin(), running_.end(), id - 2);
    if (at != running_.end()) end(at);
  }
  std::size_t spawned() const { return spawned_.size(); }
  std::size_t most_running() const { return most_running_; }

 private:
  void end(std::vector<std::uint32_t>::iterator at) {
    runtime_.spawn(workload_.task(*at));
    running_.erase(at);
  }

  TaskRuntime& runtime_;
  TaskWorkload& workload_;
  apps::Inputs inputs_;
  std::set<std::uint32_t> spawned_;
  std::vector<std::uint32_t> running_;
  std::size_t most_running_ = 0;
};

std::unique_ptr<TaskWorkload> lu() {
  return Registry<TaskWorkload>::instance().make(
      test::choose("sparse_lu", {{"side", "8"}, {"density", "0.4"}}));
}

TEST(SparseLu, AnyOrderThatDependenciesAllowIsRight) {
  TaskPlan plan;
  plan.tasks = 150;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test::ClockedDevice device;
    const auto workload = lu();
    workload->make(plan);
    workload->place(device);
    const auto runtime = Registry<TaskRuntime>::instance().make(test::choose("hyperq", {}));
    runtime->open(device, device.load_module("sw/kernels/pagoda/sparse_lu.ptx", 0));
    RandomOrder feed(*runtime, *workload, seed);
    workload->run(feed);
    runtime->close();
    EXPECT_EQ(feed.spawned(), workload->tasks());
    EXPECT_GT(feed.most_running(), 3u);
    const apps::AppResult result = verify(*workload);
    EXPECT_TRUE(result.verified) << "seed " << seed << ": " << result.message;
    workload->release(device);
  }
}

TEST(SparseLu, HasAsManyTasksAsThePlanAllows) {
  std::uint32_t last = 0;
  for (const std::uint32_t tasks : {1u, 4u, 20u, 150u, 1000u}) {
    TaskPlan plan;
    plan.tasks = tasks;
    const auto workload = lu();
    workload->make(plan);
    EXPECT_LE(workload->tasks(), tasks);
    EXPECT_GE(workload->tasks(), last);
    EXPECT_GT(workload->tasks(), tasks / 3);
    last = workload->tasks();
  }
}

TEST(SparseLu, LTimesUIsTheMatrix) {
  TaskPlan plan;
  plan.tasks = 1;
  const auto workload = lu();
  workload->make(plan);
  test::ClockedDevice device;
  const rt::ModuleHandle module = device.load_module("sw/kernels/pagoda/sparse_lu.ptx", 0);
  workload->place(device);
  const TaskSpec placed = workload->task(0);
  ASSERT_EQ(placed.inputs.size(), 1u);
  const auto* const before = static_cast<const float*>(placed.inputs[0].host);
  rt::Args args;
  args.add(placed.arguments.data(), placed.arguments.size());
  device.launch(device.kernel(module, placed.function + "_task"), rt::Dim3(1), rt::Dim3(128), args,
                rt::Stream{}, {});
  std::vector<float> d(64);
  device.copy_to_host_async(d.data(), placed.outputs[0].device, 256, rt::Stream{});
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      double sum = 0;
      for (unsigned k = 0; k <= std::min(i, j); ++k)
        sum += (k == i ? 1.0 : double{d[i * 8 + k]}) * (k <= j ? double{d[k * 8 + j]} : 0.0);
      EXPECT_NEAR(sum, before[i * 8 + j], 1e-4) << i << " " << j;
    }
  }
  workload->release(device);
}

}  // namespace
}  // namespace warpvp::pagoda
