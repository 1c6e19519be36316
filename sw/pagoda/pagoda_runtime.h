#pragma once
// Pagoda (Yeh's thesis, chapter 5): tasks go one by one into a table in device memory, where a kernel that
// never ends finds them and gives them warps. This is the host's side; sw/kernels/pagoda/master_kernel.h is
// the device's.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sim_time.h"
#include "sw/pagoda/event_clock.h"
#include "sw/pagoda/pagoda_table.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {

struct PagodaParams {
  std::uint32_t mtbs_per_sm = 0, mtb_warps = 0, shared_kib = 0;
  std::uint32_t idle_sleep_ns = 0, chain_looks = 8;
  std::string scan = "rows", look = "entry";
  double find_entry_ns = 5, fill_entry_ns = 100;
  double timeout_us = 10, task_limit_us = 100000;
  std::uint32_t batch = 0, steps = 0;
  void fields(FieldVisitor& v);
};

class PagodaSpawner;

class Pagoda : public TaskRuntime {
 public:
  explicit Pagoda(const PagodaParams& params) : params_(params) {}
  ~Pagoda() override;

  void open(rt::Runtime& device, rt::ModuleHandle module) override;
  TaskId spawn(const TaskSpec& task) override;
  void wait(TaskId task) override;
  bool check(TaskId task) override;
  void wait_all() override;
  void pass(std::optional<SimTime> until) override;
  void close() override;
  const std::vector<TaskTimes>& times() const override { return times_; }
  /// Where the time of a task goes, of those whose steps were noted (PagodaParams::steps): means,
  /// microseconds.
  std::vector<std::pair<std::string, double>> measured() const override { return measured_; }

  /// For another host thread: `own` is that thread's Runtime. It spawns and waits as this does, for the tasks
  /// that were spawned with it; before the thread ends it calls wait_all(). After open(), and gone before
  /// close().
  std::unique_ptr<PagodaSpawner> spawner(rt::Runtime& own);
  /// Entries of the TaskTable that hold a task.
  unsigned taken() const { return table_ ? table_->taken() : 0; }
  unsigned entries() const { return table_ ? table_->size() : 0; }
  /// Thread blocks of the MasterKernel, and executor warps of each.
  unsigned mtbs() const { return table_ ? table_->columns() : 0; }
  unsigned executors() const { return warps_ - 1; }

 private:
  friend class PagodaSpawner;
  void choose_shape(rt::Runtime& device, rt::Kernel master);
  void check_task(const TaskSpec& task) const;
  std::uint64_t address_of(const std::string& function, rt::Runtime& device);

  PagodaParams params_;
  rt::Runtime* device_ = nullptr;
  rt::ModuleHandle module_;
  rt::Stream master_;
  unsigned mtbs_ = 0, warps_ = 0, pool_bytes_ = 0;
  std::unique_ptr<TaskTable> table_;
  rt::DevicePtr entries_ = 0, stop_ = 0;
  std::map<std::string, std::uint64_t> functions_;
  std::unique_ptr<PagodaSpawner> main_;
  std::vector<TaskTimes> times_;

  /// What the host knows of a task's steps, microseconds.
  struct HostSteps {
    double sent = 0;      ///< the copy of its entry was put into the stream
    double copied = 0;    ///< that was over
    double released = 0;  ///< the host's release was; 0: a scheduler warp did it
  };
  void collect_steps(double cycles_per_us);
  rt::DevicePtr stamps_ = 0;
  std::vector<HostSteps> host_steps_;  ///< by the order of spawning
  std::vector<std::pair<std::string, double>> measured_;
};

/// What one host thread knows of the tasks it has spawned. The GPU releases a task when the next one of the
/// same thread comes, so each thread has a chain of its own.
class PagodaSpawner {
 public:
  PagodaSpawner(Pagoda& of, rt::Runtime& runtime);

  TaskId spawn(const TaskSpec& task);
  void wait(TaskId task);
  bool check(TaskId task);
  void wait_all();
  /// As TaskRuntime has it. While tasks are under way it copies the table back each time the time-out has
  /// passed, and releases the last task.
  void pass(std::optional<SimTime> until);

 private:
  struct Running {
    std::size_t number = 0;  ///< in times()
    std::string function;
    std::vector<TaskCopy> outputs;
  };
  /// Tasks that are over and whose outputs are on their way.
  struct Returning {
    rt::Event there;
    std::vector<TaskId> tasks;
    std::vector<std::size_t> numbers;
    std::vector<TaskCopy> outputs;
  };

  unsigned find_entry();
  void pause();
  bool due() const;
  /// Copies entries back from the GPU and takes note of those that are over.
  void copy_back_all();
  void copy_back(unsigned entry);
  void look_at(unsigned entry);
  void note(unsigned entry, const ::pagoda::TaskEntry& seen, Returning& batch);
  void finish_batch(Returning batch);
  void release_last();
  void settle(bool wait_for_all);
  bool seen_running(unsigned entry) const;
  /// DeviceHang when no task has ended for task_limit_us.
  void check_progress() const;

  Pagoda& of_;
  rt::Runtime& runtime_;
  rt::Stream tasks_, results_;
  std::map<unsigned, Running> running_;  ///< by entry
  std::deque<Returning> returning_;
  std::vector<std::pair<std::size_t, rt::Event>> copies_;  ///< of entries, by the number of their task
  std::optional<unsigned> last_;                           ///< spawned, and not released by another one yet
  std::vector<::pagoda::TaskEntry> seen_;                  ///< the GPU's table, as it was copied back
  EventClock clock_;
  SimTime copied_back_;
  std::size_t over_ = 0;                  ///< tasks that are known to be over, their outputs included
  std::optional<SimTime> waiting_since_;  ///< the first look after the last task that was seen over
  std::uint32_t in_batch_ = 0;
};

}  // namespace warpvp::pagoda
