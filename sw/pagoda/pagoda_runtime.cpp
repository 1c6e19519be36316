#include "sw/pagoda/pagoda_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace warpvp::pagoda {

namespace dev = ::pagoda;

static_assert(kMaxArgumentBytes == dev::kArgumentBytes,
              "the interface of all runtimes and the TaskTable agree");

void PagodaParams::fields(FieldVisitor& v) {
  v.field("mtbs_per_sm", mtbs_per_sm, "",
          "Thread blocks of the MasterKernel on each SM; 0: as many as fit (the thesis: 2).",
          Constraint::range(0, 32));
  v.field(
      "mtb_warps", mtb_warps, "warps",
      "Warps of each of them, one of which schedules; 0: 32, or fewer where an SM has no room for so many.",
      Constraint::range(0, 32));
  v.require(mtb_warps != 1, "mtb_warps", "1; allowed: 0, or 2 to 32");
  v.field("shared_kib", shared_kib, "KiB",
          "Shared memory for tasks of each thread block; 0: 32, or less where that would cost thread blocks.",
          Constraint::range(0, dev::kPoolBytes / 1024));
  v.field("idle_sleep_ns", idle_sleep_ns, "ns",
          "An executor warp without a task sleeps so long (nanosleep) between two looks; 0: it spins, as in "
          "the thesis.",
          Constraint::range(0, 1000000));
  v.field("scan", scan,
          "How a scheduler warp looks at its column of the TaskTable. rows: at one entry after the other, as "
          "in the thesis; "
          "lanes: at all of them at once.",
          Constraint::words({"rows", "lanes"}));
  v.field("chain_looks", chain_looks, "looks",
          "How often a scheduler warp that is to release a task looks whether that task's own scheduler has "
          "seen it, "
          "before it goes on to other rows. The thesis' waits for it; 1: it goes on at once.",
          Constraint::range(1, 100'000));
  v.field("find_entry_ns", find_entry_ns, "ns",
          "Host time for each entry of the TaskTable that is looked at.", Constraint::at_least(0));
  v.field("fill_entry_ns", fill_entry_ns, "ns",
          "Host time to fill an entry; its copy takes runtime.call_ns besides.", Constraint::at_least(0));
  v.field("timeout_us", timeout_us, "us",
          "Who waits for a task lets so much time pass since the last copy of the TaskTable from the GPU, "
          "then asks for one.",
          Constraint::range(0.1, 1e6));
  v.field(
      "look", look,
      "What a wait or a check for one task copies back. entry: that task's entry, as in the thesis; table: "
      "all of the TaskTable, and so the host learns of other tasks that are over.",
      Constraint::words({"entry", "table"}));
  v.field("task_limit_us", task_limit_us, "us",
          "A task counts as one that never ends when it is waited for and none has ended for so long.",
          Constraint::range(1, 1e9));
  v.field("batch", batch, "tasks",
          "So many tasks are spawned, then all of them waited for (section 5.4.6); 0: tasks are spawned as "
          "they come.",
          Constraint::range(0, 1000000));
  v.field("steps", steps, "tasks",
          "Of so many tasks, the first ones, the GPU notes when it did what; the means are in `measured`. "
          "Costs a little time.",
          Constraint::range(0, 1u << 22));
}

Pagoda::~Pagoda() = default;

// All of an SM belongs to the MasterKernel (section 5.2.1): as many thread blocks of the most warps as fit
// with 32 registers a thread, and then as much shared memory as does not cost one.
void Pagoda::choose_shape(rt::Runtime& device, rt::Kernel master) {
  constexpr unsigned kRegisters = 32;
  const auto fitting = [&](unsigned warps, unsigned bytes) {
    return device.occupancy(master, 32 * warps, bytes, kRegisters);
  };
  warps_ = params_.mtb_warps != 0 ? params_.mtb_warps : 32;
  while (params_.mtb_warps == 0 && warps_ > 2 && fitting(warps_, dev::kLeafBytes) == 0) warps_ /= 2;
  pool_bytes_ = params_.shared_kib != 0 ? 1024 * params_.shared_kib : dev::kPoolBytes;
  const auto wanted = [&](unsigned bytes) {
    const unsigned most = fitting(warps_, bytes);
    return params_.mtbs_per_sm != 0 ? std::min(params_.mtbs_per_sm, most) : most;
  };
  if (params_.shared_kib == 0) {
    while (pool_bytes_ > dev::kLeafBytes && wanted(pool_bytes_) < wanted(dev::kLeafBytes)) pool_bytes_ /= 2;
  }
  const unsigned per_sm = wanted(pool_bytes_);
  if (per_sm == 0 || per_sm < params_.mtbs_per_sm)
    throw InputError(
        fmt::format("pagoda: {} thread blocks of {} warps and {} bytes of shared memory do not fit on an SM; "
                    "{} do: lower mtbs_per_sm, mtb_warps or shared_kib",
                    std::max(params_.mtbs_per_sm, 1u), warps_, pool_bytes_, per_sm));
  mtbs_ = per_sm * device.sm_count();
}

void Pagoda::open(rt::Runtime& device, rt::ModuleHandle module) {
  device_ = &device;
  module_ = module;
  const rt::Kernel master = device.kernel(module, "pagoda_master");
  choose_shape(device, master);
  table_ = std::make_unique<TaskTable>(mtbs_);
  const std::size_t bytes = sizeof(dev::TaskEntry) * table_->size();
  entries_ = device.malloc(bytes);
  stop_ = device.malloc(4);
  master_ = device.create_stream({"pagoda_master"});
  device.memset_async(entries_, 0, bytes, master_);
  device.memset_async(stop_, 0, 4, master_);
  if (params_.steps != 0) {
    stamps_ = device.malloc(params_.steps * sizeof(dev::TaskStamps));
    device.memset_async(stamps_, 0, params_.steps * sizeof(dev::TaskStamps), master_);
  }
  device.synchronize(master_);

  const dev::MasterArguments arguments{reinterpret_cast<dev::TaskEntry*>(entries_),
                                       reinterpret_cast<const unsigned*>(stop_),
                                       reinterpret_cast<dev::TaskStamps*>(stamps_),
                                       params_.steps,
                                       pool_bytes_,
                                       params_.idle_sleep_ns,
                                       params_.scan == "lanes" ? 1u : 0u,
                                       params_.chain_looks};
  rt::LaunchOptions options;
  options.dynamic_shared_bytes = pool_bytes_;
  options.registers = 32;
  options.name = "pagoda_master";
  device.launch(master, rt::Dim3(mtbs_), rt::Dim3(32 * warps_), rt::Args::of(arguments), master_, options);
  main_ = std::make_unique<PagodaSpawner>(*this, device);
}

TaskId Pagoda::spawn(const TaskSpec& task) { return main_->spawn(task); }
void Pagoda::wait(TaskId task) { main_->wait(task); }
bool Pagoda::check(TaskId task) { return main_->check(task); }
void Pagoda::wait_all() { main_->wait_all(); }
void Pagoda::pass(std::optional<SimTime> until) { main_->pass(until); }

std::unique_ptr<PagodaSpawner> Pagoda::spawner(rt::Runtime& own) {
  return std::make_unique<PagodaSpawner>(*this, own);
}

void Pagoda::close() {
  main_->wait_all();
  if (table_->taken() != 0)
    throw InputError(
        fmt::format("pagoda: close() with {} tasks of other host threads under way; each thread waits for "
                    "its tasks before it ends",
                    table_->taken()));
  const std::uint32_t stop = 1;
  device_->copy_to_device(stop_, &stop, sizeof stop);
  device_->synchronize(master_);
  if (params_.steps != 0) {
    // Cycles count from the beginning of the run, as the host's time does.
    collect_steps(device_->sm_clock_mhz());
    device_->free(stamps_);
  }
  device_->free(entries_);
  device_->free(stop_);
  main_.reset();
}

/// A task's life in pieces that follow each other (the stages of section 5.2.3, and the host's).
void Pagoda::collect_steps(double cycles_per_us) {
  std::vector<dev::TaskStamps> stamps(std::min<std::size_t>(params_.steps, times_.size()));
  device_->copy_to_host(stamps.data(), stamps_, stamps.size() * sizeof stamps[0]);
  static constexpr const char* kSteps[] = {"spawn", "copy", "release", "poll", "schedule", "run", "notice"};
  double sums[std::size(kSteps)] = {};
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    const auto us = [&](std::uint64_t cycle) { return static_cast<double>(cycle) / cycles_per_us; };
    const double released = host_steps_[i].released != 0 ? host_steps_[i].released : us(stamps[i].released);
    // The GPU sees an entry before the host can know that its copy is over.
    const double at[] = {times_[i].spawned,
                         host_steps_[i].sent,
                         std::min(host_steps_[i].copied, released),
                         released,
                         us(stamps[i].scheduled),
                         us(stamps[i].started),
                         us(stamps[i].ended),
                         times_[i].noticed};
    for (std::size_t s = 0; s < std::size(kSteps); ++s) sums[s] += at[s + 1] - at[s];
  }
  for (std::size_t s = 0; s < std::size(kSteps) && !stamps.empty(); ++s)
    measured_.emplace_back(fmt::format("step_{}_us", kSteps[s]),
                           sums[s] / static_cast<double>(stamps.size()));
}

void Pagoda::check_task(const TaskSpec& task) const {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("pagoda: task '{}': {}", task.function, why));
  };
  if (task.function.empty()) throw InputError("pagoda: a task without a function; name its body");
  if (task.threads == 0 || task.blocks == 0) refuse("needs at least one thread block of one thread");
  const std::uint64_t warps = (std::uint64_t{task.threads} + 31) / 32;
  if (warps > executors())
    refuse(fmt::format(
        "a thread block of {} threads has {} warps; allowed: at most {}, what a thread block of the "
        "MasterKernel has",
        task.threads, warps, executors()));
  if (warps * task.blocks > 1u << 30)
    refuse(fmt::format("{} thread blocks; allowed: 2^30 warps", task.blocks));
  unsigned largest = dev::kLeafBytes;
  while (2 * largest <= pool_bytes_) largest *= 2;
  if (task.shared_bytes > largest)
    refuse(fmt::format("{} bytes of shared memory; allowed: at most {}", task.shared_bytes, largest));
  if (task.sync && task.threads % 32 != 0)
    refuse(
        fmt::format("{} threads and a barrier; allowed: a multiple of 32, since a named barrier counts warps",
                    task.threads));
  if (task.arguments.size() > kMaxArgumentBytes)
    refuse(
        fmt::format("{} bytes of arguments; allowed: at most {}", task.arguments.size(), kMaxArgumentBytes));
}

std::uint64_t Pagoda::address_of(const std::string& function, rt::Runtime& device) {
  const auto known = functions_.find(function);
  if (known != functions_.end()) return known->second;
  std::uint64_t address = 0;
  device_->symbol(module_, function + "_pagoda");
  device.copy_to_host(&address, device_->symbol(module_, function + "_pagoda"), sizeof address);
  if (address == 0)
    throw InputError(fmt::format("pagoda: task '{}': its address in the module is null", function));
  functions_[function] = address;
  return address;
}

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskRuntime, Pagoda, PagodaParams, "pagoda",
    "Pagoda: a kernel that never ends gives tasks warps of its own (Yeh's thesis, chapter 5).");

}  // namespace warpvp::pagoda
