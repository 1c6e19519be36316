// The workloads of narrow tasks on this machine's CPU, with threads: what Yeh's thesis compares Pagoda with
// (pThreads, figure 5.6). Time is this machine's, so it has no place in result.json, and differs from run to
// run.
//
//   narrow_tasks_cpu [--workload NAME] [--tasks N] [--threads N] [--seed N] [--repeat N]
//
// A task is the plain C++ that device results are checked against. Threads take tasks out of one queue; the
// main thread spawns them as it does for the GPU.

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

#include "sw/pagoda/task_workload.h"

namespace {

using warpvp::Registry;
using namespace warpvp::pagoda;

class ThreadPool : public TaskFeed {
 public:
  ThreadPool(TaskWorkload& workload, unsigned threads) : workload_(workload), over_(workload.tasks(), false) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~ThreadPool() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    to_do_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  TaskId spawn(std::uint32_t task) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(task);
    }
    to_do_.notify_one();
    return task + 2;
  }
  bool check(TaskId id) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return over_[id - 2];
  }
  void wait(TaskId id) override {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return over_[id - 2]; });
  }
  void wait_all() {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return completed_ == over_.size(); });
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      to_do_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::uint32_t task = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      workload_.compute(task);
      lock.lock();
      over_[task] = true;
      ++completed_;
      done_.notify_all();
    }
  }

  TaskWorkload& workload_;
  std::mutex mutex_;
  std::condition_variable to_do_, done_;
  std::deque<std::uint32_t> waiting_;
  std::vector<bool> over_;
  std::size_t completed_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

/// Microseconds for all tasks.
double run(const std::string& name, const TaskPlan& plan, unsigned threads) {
  const auto workload = Registry<TaskWorkload>::instance().make(name.c_str());
  workload->make(plan);
  ThreadPool pool(*workload, threads);
  const auto begin = std::chrono::steady_clock::now();
  workload->run(pool);
  pool.wait_all();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  std::string workload;
  TaskPlan plan;
  plan.tasks = 1024;
  unsigned threads = std::max(std::thread::hardware_concurrency(), 1u), repeat = 3;
  po::options_description options("Options");
  options.add_options()("help", "this text")("workload", po::value(&workload), "one of them; default: all")(
      "tasks", po::value(&plan.tasks)->default_value(plan.tasks), "tasks")(
      "threads", po::value(&threads)->default_value(threads), "threads of the CPU")(
      "seed", po::value(&plan.seed)->default_value(plan.seed), "of the inputs")(
      "repeat", po::value(&repeat)->default_value(repeat), "times; the shortest counts");
  try {
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, options), values);
    po::notify(values);
    if (values.count("help") != 0) {
      std::cout << options;
      return 0;
    }
    if (threads == 0 || plan.tasks == 0 || repeat == 0)
      throw warpvp::InputError("--threads, --tasks and --repeat must be at least 1");
    std::cout << fmt::format("{} tasks, {} threads; us for all tasks, the shortest of {}\n", plan.tasks,
                             threads, repeat);
    for (const std::string& name : Registry<TaskWorkload>::instance().names()) {
      if (!workload.empty() && name != workload) continue;
      double shortest = run(name, plan, threads);
      for (unsigned i = 1; i < repeat; ++i) shortest = std::min(shortest, run(name, plan, threads));
      std::cout << fmt::format("{:<16} {:>12.0f}\n", name, shortest);
    }
    if (!workload.empty() && !Registry<TaskWorkload>::instance().contains(workload))
      Registry<TaskWorkload>::instance().make(workload.c_str());  // says which there are
  } catch (const std::exception& error) {
    std::cerr << "narrow_tasks_cpu: " << error.what() << "\n";
    return 2;
  }
}
