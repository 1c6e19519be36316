// Tasks with deadlines before a runtime that takes them as they come. Ours, not the thesis': Pagoda's table
// knows no deadlines. The host gives the runtime only so many tasks as can run, keeps the others, gives the
// one with the earliest deadline next, and drops one whose turn comes too late. Giving takes the host's time,
// so it is done one by one in pass(), between looks for further arrivals, and not in spawn().

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "interconnect/host_interface.h"
#include "sw/pagoda/event_clock.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {
namespace {

constexpr double kNewWeight = 1.0 / 8;  // of the latest task in the mean of what tasks take

struct EarliestDeadlineParams {
  PolicyChoice runtime = "pagoda";
  std::uint32_t under_way = 32;
  bool drop = true;
  double expected_us = 0;

  void fields(FieldVisitor& v) {
    v.policy("runtime", TaskRuntime::kKind, runtime, "What executes the tasks: pagoda or hyperq.");
    v.require(runtime.name == "pagoda" || runtime.name == "hyperq", "runtime",
              "must be pagoda or hyperq, which tell of each task when it is over");
    v.field("under_way", under_way, "tasks",
            "So many tasks at most are given to it; the host keeps the others.",
            Constraint::range(1, 1u << 20));
    v.field("drop", drop,
            "A task whose turn comes so late that it would miss its deadline, if it takes what tasks of its "
            "kind took lately, is dropped.");
    v.field("expected_us", expected_us, "us",
            "What a task takes from its spawn on, until one of its kind has ended.",
            Constraint::range(0, 1e6));
  }
};

class EarliestDeadline : public TaskRuntime {
 public:
  explicit EarliestDeadline(const EarliestDeadlineParams& params)
      : params_(params), runtime_(Registry<TaskRuntime>::instance().make(params.runtime)) {}

  void open(rt::Runtime& device, rt::ModuleHandle module) override {
    host_ = &device.host();
    runtime_->open(device, module);
  }

  TaskId spawn(const TaskSpec& task) override {
    const std::size_t number = times_.size();
    times_.push_back({now_us(), 0, false});
    Kept kept;
    kept.spec = task;
    const double arrival = task.arrival ? task.arrival->to_seconds() * 1e6 : times_.back().spawned;
    if (task.deadline_us > 0) kept.deadline = arrival + task.deadline_us;
    order_.insert({kept.deadline, number});
    kept_.emplace(number, std::move(kept));
    return static_cast<TaskId>(number + 2);
  }

  void wait(TaskId task) override {
    while (!check(task)) pass({});
  }
  bool check(TaskId task) override {
    note();
    return task < 2 || task - 2 >= times_.size() || times_[task - 2].noticed > 0;
  }
  void wait_all() override {
    while (!order_.empty() || !under_way_.empty()) pass({});
    runtime_->wait_all();
  }
  void pass(std::optional<SimTime> until) override {
    note();
    if (give()) return;
    if (!under_way_.empty())
      runtime_->pass(until);
    else if (until)
      sleep_until(*host_, *until);
    note();
  }
  void close() override {
    wait_all();
    runtime_->close();
  }
  const std::vector<TaskTimes>& times() const override { return times_; }
  std::vector<std::pair<std::string, double>> measured() const override { return runtime_->measured(); }

 private:
  struct Kept {
    TaskSpec spec;
    double deadline = std::numeric_limits<double>::infinity();  ///< us
  };
  struct UnderWay {
    std::size_t number = 0, given = 0;  ///< by the order of spawning here, and there
    std::string function;
  };

  double now_us() const { return host_->now().to_seconds() * 1e6; }

  /// Gives a task, if there is room and one that is not dropped.
  bool give() {
    while (!order_.empty() && under_way_.size() < params_.under_way) {
      const std::size_t number = order_.begin()->second;
      order_.erase(order_.begin());
      const Kept kept = std::move(kept_.at(number));
      kept_.erase(number);
      if (params_.drop && now_us() + expected(kept.spec.function) > kept.deadline) {
        times_[number].noticed = now_us();
        times_[number].rejected = true;
        continue;
      }
      under_way_.push_back({number, given_++, kept.spec.function});
      runtime_->spawn(kept.spec);
      return true;
    }
    return false;
  }

  double expected(const std::string& function) const {
    const auto known = takes_us_.find(function);
    return known == takes_us_.end() ? params_.expected_us : known->second;
  }

  /// Takes note of tasks that are over.
  void note() {
    const auto is_over = [&](const UnderWay& task) {
      const TaskTimes& there = runtime_->times()[task.given];
      if (there.noticed == 0) return false;
      times_[task.number].noticed = there.noticed;
      times_[task.number].rejected = there.rejected;
      if (!there.rejected) {
        const double took = there.noticed - there.spawned;
        const auto [known, first] = takes_us_.emplace(task.function, took);
        if (!first) known->second += kNewWeight * (took - known->second);
      }
      return true;
    };
    under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(), is_over), under_way_.end());
  }

  const EarliestDeadlineParams params_;
  const std::unique_ptr<TaskRuntime> runtime_;
  HostInterface* host_ = nullptr;
  std::set<std::pair<double, std::size_t>> order_;  ///< of those kept: deadline, number
  std::map<std::size_t, Kept> kept_;                ///< by number
  std::vector<UnderWay> under_way_;
  std::size_t given_ = 0;
  std::map<std::string, double> takes_us_;  ///< a task of this function, lately
  std::vector<TaskTimes> times_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskRuntime, EarliestDeadline, EarliestDeadlineParams, "earliest_deadline",
    "Pagoda or HyperQ behind a host that keeps tasks, gives the most urgent one next, and "
    "drops those that would be late.");

}  // namespace
}  // namespace warpvp::pagoda
