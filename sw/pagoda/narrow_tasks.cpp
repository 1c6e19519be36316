// The host program of narrow tasks: one workload under one runtime.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "interconnect/host_interface.h"
#include "sw/pagoda/task_workload.h"

namespace warpvp::pagoda {
namespace {

struct NarrowTasksParams {
  PolicyChoice runtime = "hyperq", workload = "filter_bank";
  TaskPlan plan;
  std::string copies = "task";

  void fields(FieldVisitor& v) {
    v.policy("runtime", TaskRuntime::kKind, runtime, "What executes the tasks.");
    v.policy("workload", TaskWorkload::kKind, workload, "What they compute.");
    v.field("tasks", plan.tasks, "tasks", "Number of tasks.", Constraint::range(1, 1u << 22));
    v.field("threads", plan.threads, "threads", "Threads of a thread block, a multiple of 32.",
            Constraint::range(32, 1024));
    v.require(plan.threads % 32 == 0, "threads", "must be a multiple of 32");
    v.field("blocks", plan.blocks, "thread blocks", "Thread blocks of a task.", Constraint::range(1, 65535));
    v.field("irregular", plan.irregular,
            "Threads (32 to 256) and size of each task are drawn from the seed; threads is not used.");
    v.field(
        "copies", copies,
        "task: each task brings its inputs and takes its outputs; apart: all inputs are copied before the "
        "clock starts, all outputs after it has stopped.",
        Constraint::words({"task", "apart"}));
  }
};

/// Spawns tasks of a workload, without their copies if those are done apart.
class Feed : public TaskFeed {
 public:
  Feed(TaskRuntime& runtime, const TaskWorkload& workload, bool copies)
      : runtime_(runtime), workload_(workload), copies_(copies) {}

  TaskId spawn(std::uint32_t task) override {
    TaskSpec spec = workload_.task(task);
    if (!copies_) {
      spec.inputs.clear();
      spec.outputs.clear();
    }
    return runtime_.spawn(spec);
  }
  bool check(TaskId id) override { return runtime_.check(id); }
  void wait(TaskId id) override { runtime_.wait(id); }

 private:
  TaskRuntime& runtime_;
  const TaskWorkload& workload_;
  const bool copies_;
};

/// The smallest of sorted numbers that `share` of them do not exceed.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()) + 0.999999);
  return sorted[std::min(std::max<std::size_t>(rank, 1), sorted.size()) - 1];
}

class NarrowTasks : public apps::App {
 public:
  explicit NarrowTasks(const NarrowTasksParams& params)
      : params_(params),
        runtime_(Registry<TaskRuntime>::instance().make(params.runtime)),
        workload_(Registry<TaskWorkload>::instance().make(params.workload)) {}

  apps::AppResult run(rt::Runtime& device, const apps::AppContext& context) override {
    TaskPlan plan = params_.plan;
    plan.seed = context.seed;
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + workload_->module());
    workload_->make(plan);
    workload_->place(device);
    runtime_->open(device, module);
    const bool copies = params_.copies == "task";
    if (!copies) copy_all(device, &TaskSpec::inputs, true);

    const SimTime begin = device.host().now();
    Feed feed(*runtime_, *workload_, copies);
    workload_->run(feed);
    runtime_->wait_all();
    const double us = (device.host().now() - begin).to_seconds() * 1e6;
    runtime_->close();
    if (!copies) copy_all(device, &TaskSpec::outputs, false);

    apps::AppResult result = verify(*workload_);
    workload_->release(device);
    result.measured = figures(us);
    for (const auto& figure : runtime_->measured()) result.measured.push_back(figure);
    if (result.verified)
      result.message = fmt::format("{} tasks in {:.1f} us, mean latency {:.1f} us", workload_->tasks(), us,
                                   result.measured[2].second);
    return result;
  }

 private:
  void copy_all(rt::Runtime& device, std::vector<TaskCopy> TaskSpec::*copies, bool to_device) {
    for (std::uint32_t i = 0; i < workload_->tasks(); ++i) {
      const TaskSpec spec = workload_->task(i);
      for (const TaskCopy& copy : spec.*copies) {
        if (to_device)
          device.copy_to_device_async(copy.device, copy.host, copy.bytes, rt::Stream{0});
        else
          device.copy_to_host_async(copy.host, copy.device, copy.bytes, rt::Stream{0});
      }
    }
    device.synchronize(rt::Stream{0});
  }

  std::vector<std::pair<std::string, double>> figures(double us) const {
    std::vector<double> latencies;
    for (const TaskTimes& t : runtime_->times()) latencies.push_back(t.noticed - t.spawned);
    std::sort(latencies.begin(), latencies.end());
    const double mean =
        std::accumulate(latencies.begin(), latencies.end(), 0.0) / static_cast<double>(latencies.size());
    std::uint64_t to_device = 0, to_host = 0;
    if (params_.copies == "task") {
      for (std::uint32_t i = 0; i < workload_->tasks(); ++i) {
        const TaskSpec spec = workload_->task(i);
        for (const TaskCopy& copy : spec.inputs) to_device += copy.bytes;
        for (const TaskCopy& copy : spec.outputs) to_host += copy.bytes;
      }
    }
    return {{"tasks", workload_->tasks()},
            {"time_us", us},
            {"latency_mean_us", mean},
            {"latency_p50_us", quantile(latencies, 0.5)},
            {"latency_p95_us", quantile(latencies, 0.95)},
            {"latency_p99_us", quantile(latencies, 0.99)},
            {"latency_max_us", latencies.back()},
            {"bytes_to_device", static_cast<double>(to_device)},
            {"bytes_to_host", static_cast<double>(to_host)}};
  }

  NarrowTasksParams params_;
  std::unique_ptr<TaskRuntime> runtime_;
  std::unique_ptr<TaskWorkload> workload_;
};

}  // namespace

using apps::App;
WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, NarrowTasks, NarrowTasksParams, "narrow_tasks",
    "Thousands of narrow tasks under one of several runtimes (Yeh's thesis, chapter 5).");

}  // namespace warpvp::pagoda
