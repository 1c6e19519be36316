#pragma once
// Narrow tasks and the runtimes that execute them (Yeh's thesis, chapter 5). A task is one device function
// run by a few warps; an application makes thousands. Every runtime here is software above rt::Runtime:
// Pagoda's MasterKernel and the ways it is compared with (a kernel a task, one fused kernel, GeMTC's
// batches).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/registry.h"
#include "base/sim_time.h"
#include "sw/runtime/runtime.h"

namespace warpvp::pagoda {

/// Bytes of arguments that a task may have: they travel inside its TaskTable entry.
inline constexpr std::size_t kMaxArgumentBytes = 64;

/// A copy that belongs to a task.
struct TaskCopy {
  rt::DevicePtr device = 0;
  void* host = nullptr;  ///< stays alive until the task's wait() has returned
  std::size_t bytes = 0;
};

/// One task as taskSpawn takes it (table 5.1).
struct TaskSpec {
  /// Name of its body in the module: entry "<name>_task" alone, device function in Pagoda.
  std::string function;
  unsigned threads = 128;  ///< of a thread block
  unsigned blocks = 1;
  unsigned shared_bytes = 0;              ///< of a thread block
  bool sync = false;                      ///< its thread blocks synchronise
  std::vector<std::uint8_t> arguments{};  ///< the body's argument structure, at most kMaxArgumentBytes
  std::vector<TaskCopy> inputs{};         ///< to the device, before it runs
  std::vector<TaskCopy> outputs{};        ///< to the host, after it has run
  bool depends = false;                   ///< spawned for what an earlier task has done: not known beforehand
  std::optional<SimTime> arrival{};       ///< when somebody has asked for it; not set: when it is spawned
  double deadline_us = 0;  ///< from its arrival; 0: none. Who looks at it is a matter of the runtime
};

/// A task, from 2 on, unique among those that are not over (0 and 1 are states of the ready field,
/// section 5.2.2).
using TaskId = std::uint32_t;

/// When what happened to a task; microseconds of simulated time.
struct TaskTimes {
  double spawned = 0;     ///< taskSpawn was called
  double noticed = 0;     ///< the host knew that it was over, its outputs included, or rejected; 0: not yet
  bool rejected = false;  ///< turned down: it has not run
};

class TaskRuntime {
 public:
  static constexpr const char* kKind = "task_runtime";
  virtual ~TaskRuntime() = default;

  /// Prepares the device. `module` has the tasks' bodies; called once, before all else.
  virtual void open(rt::Runtime& device, rt::ModuleHandle module) = 0;
  /// Gives a task to the device. Returns without waiting for it, though it waits for a place where all are
  /// taken. InputError, naming the task, for what this runtime can never run.
  virtual TaskId spawn(const TaskSpec& task) = 0;
  virtual void wait(TaskId task) = 0;
  virtual bool check(TaskId task) = 0;  ///< whether it is over; an unknown id is one that is over
  virtual void wait_all() = 0;
  /// The host has nothing to spawn before `until` (without a time: before another task is over): lets time
  /// pass and does what is the host's part meanwhile. May return earlier, at the latest when another task is
  /// known to be over; without a time, returns at once when no task is under way.
  virtual void pass(std::optional<SimTime> until) = 0;
  /// Ends what runs persistently on the device; waits for all tasks first.
  virtual void close() = 0;
  /// Of every task, by the order of spawning; complete after wait_all(), and up to date after pass() where
  /// the runtime tells tasks one by one.
  virtual const std::vector<TaskTimes>& times() const = 0;
  /// What else it has measured, name and number, for AppResult::measured; after close().
  virtual std::vector<std::pair<std::string, double>> measured() const { return {}; }
};

}  // namespace warpvp::pagoda
