// The host program of narrow tasks: one workload under one runtime.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "interconnect/host_interface.h"
#include "sw/pagoda/demand.h"

namespace warpvp::pagoda {
namespace {

struct NarrowTasksParams {
  PolicyChoice runtime = "hyperq", workload = "filter_bank";
  TaskPlan plan;
  std::string copies = "task";
  TaskDemand demand;

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
    demand.fields(v);
  }
};

/// Spawns tasks of a workload when they have arrived, without their copies if those are done apart.
class Feed : public TaskFeed {
 public:
  Feed(TaskRuntime& runtime, const TaskWorkload& workload, bool copies, HostInterface& host,
       const std::vector<TaskWish>& wishes)
      : runtime_(runtime),
        workload_(workload),
        copies_(copies),
        host_(host),
        wishes_(wishes),
        begin_(host.now()) {}

  TaskId spawn(std::uint32_t task) override {
    TaskSpec spec = workload_.task(task);
    if (!copies_) {
      spec.inputs.clear();
      spec.outputs.clear();
    }
    if (!wishes_.empty()) {
      spec.arrival = begin_ + SimTime::from_us(wishes_[task].arrival_us);
      spec.deadline_us = wishes_[task].deadline_us;
      while (host_.now() < *spec.arrival) runtime_.pass(spec.arrival);
    }
    order_.push_back(task);
    return runtime_.spawn(spec);
  }
  bool check(TaskId id) override { return runtime_.check(id); }
  void wait(TaskId id) override { runtime_.wait(id); }

  SimTime begin() const { return begin_; }
  /// Tasks by the order of spawning.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  TaskRuntime& runtime_;
  const TaskWorkload& workload_;
  const bool copies_;
  HostInterface& host_;
  const std::vector<TaskWish>& wishes_;
  const SimTime begin_;
  std::vector<std::uint32_t> order_;
};

/// What became of the tasks, from the times of the runtime.
struct TaskOutcomes {
  std::vector<double> latencies;  ///< us, sorted: of those that ran, from the arrival or else the spawn
  std::vector<bool> rejected;     ///< by task
  unsigned met = 0, late = 0;     ///< of those that ran

  TaskOutcomes(const std::vector<TaskTimes>& times, const Feed& feed, const std::vector<TaskWish>& wishes)
      : rejected(times.size()) {
    const double begin_us = feed.begin().to_seconds() * 1e6;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::uint32_t task = feed.order()[i];
      rejected[task] = times[i].rejected;
      if (times[i].rejected) continue;
      const double from_us = wishes.empty() ? times[i].spawned : begin_us + wishes[task].arrival_us;
      latencies.push_back(times[i].noticed - from_us);
      if (!wishes.empty() && wishes[task].deadline_us > 0)
        ++(latencies.back() <= wishes[task].deadline_us ? met : late);
    }
    std::sort(latencies.begin(), latencies.end());
  }
  std::size_t turned_down() const { return rejected.size() - latencies.size(); }
};

/// The smallest of sorted numbers that `share` of them do not exceed; no number where there are none.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
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
    const bool copies = params_.copies == "task", deadlines = params_.demand.deadline_us > 0;
    const std::vector<TaskWish> wishes = draw(plan.seed);
    const OutputGuard guard;
    if (deadlines) guard.fill(device, *workload_);
    if (!copies) copy_all(device, &TaskSpec::inputs, true);

    Feed feed(*runtime_, *workload_, copies, device.host(), wishes);
    workload_->run(feed);
    runtime_->wait_all();
    const double us = (device.host().now() - feed.begin()).to_seconds() * 1e6;
    runtime_->close();
    if (!copies) copy_all(device, &TaskSpec::outputs, false);

    const TaskOutcomes outcomes(runtime_->times(), feed, wishes);
    apps::AppResult result = verify(*workload_, outcomes.rejected);
    for (std::uint32_t i = 0; i < workload_->tasks() && result.verified; ++i)
      if (outcomes.rejected[i] && !guard.untouched(device, *workload_, i))
        result = {false, fmt::format("task {} was rejected, and has run", i)};
    workload_->release(device);
    result.measured = figures(us, outcomes);
    for (const auto& figure : runtime_->measured()) result.measured.push_back(figure);
    if (result.verified && !outcomes.latencies.empty())
      result.message = fmt::format("{} tasks in {:.1f} us, mean latency {:.1f} us", workload_->tasks(), us,
                                   result.measured[2].second);
    else if (result.verified)
      result.message = fmt::format("{} tasks, of which none ran", workload_->tasks());
    if (result.verified && deadlines)
      result.message += fmt::format("; {} met their deadline, {} were late, {} rejected", outcomes.met,
                                    outcomes.late, outcomes.turned_down());
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

  std::vector<TaskWish> draw(std::uint64_t seed) const {
    if (params_.demand.plain()) return {};
    for (std::uint32_t i = 0; i < workload_->tasks(); ++i)
      if (workload_->task(i).depends)
        throw InputError(
            fmt::format("narrow_tasks: the tasks of '{}' depend on each other; allowed with arrival_us and "
                        "deadline_us: tasks that do not",
                        params_.workload.name));
    return draw_wishes(params_.demand, workload_->tasks(), seed);
  }

  std::vector<std::pair<std::string, double>> figures(double us, const TaskOutcomes& outcomes) const {
    const std::vector<double>& latencies = outcomes.latencies;
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
    std::vector<std::pair<std::string, double>> figures = {
        {"tasks", workload_->tasks()},
        {"time_us", us},
        {"latency_mean_us", mean},
        {"latency_p50_us", quantile(latencies, 0.5)},
        {"latency_p95_us", quantile(latencies, 0.95)},
        {"latency_p99_us", quantile(latencies, 0.99)},
        {"latency_max_us", quantile(latencies, 1)},
        {"bytes_to_device", static_cast<double>(to_device)},
        {"bytes_to_host", static_cast<double>(to_host)}};
    if (params_.demand.deadline_us > 0) {
      figures.emplace_back("met", outcomes.met);
      figures.emplace_back("late", outcomes.late);
      figures.emplace_back("rejected", static_cast<double>(outcomes.turned_down()));
    }
    return figures;
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
