#include "platform/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/registry.h"
#include "platform/config/buffer_data.h"
#include "platform/results/result_writer.h"
#include "sw/apps/launch_list.h"

namespace warpvp {

namespace {

/// The launch list of a run file as a host program.
class LaunchListApp : public apps::App {
 public:
  LaunchListApp(const RunConfig& run, std::string folder)
      : workload_(run.workload), seed_(run.seed), folder_(std::move(folder)) {
    for (const auto& [name, buffer] : workload_.buffers)
      list_.buffers.push_back({name, initial_contents(name, buffer, seed_), context_of(name)});
    for (const LaunchConfig& launch : workload_.launches) list_.launches.push_back(convert(launch));
    for (const CheckConfig& check : workload_.checks) want(check.buffer);
    for (const DumpConfig& dump : workload_.dumps) want(dump.buffer);
  }

  apps::AppResult run(rt::Runtime& device, const apps::AppContext&) override {
    const auto contents = apps::run_launch_list(device, list_);
    for (const DumpConfig& dump : workload_.dumps) {
      const auto& bytes = contents.at(dump.buffer);
      write_file_atomically(std::filesystem::path(folder_) / dump.file,
                            std::string(bytes.begin(), bytes.end()));
    }
    apps::AppResult result;
    result.checked = !workload_.checks.empty();
    result.verified = result.checked;
    for (const CheckConfig& check : workload_.checks) {
      const BufferConfig& buffer = *workload_.buffer(check.buffer);
      const Comparison comparison =
          compare_contents(check.buffer, buffer.element_type(), contents.at(check.buffer),
                           expected_contents(check, buffer, seed_), check.tolerance);
      if (comparison.differing == 0) continue;
      result.verified = false;
      if (result.message.empty()) result.message = comparison.message;
    }
    return result;
  }

 private:
  /// A buffer belongs to the context of the first launch that is given it.
  unsigned context_of(const std::string& buffer) const {
    for (const LaunchConfig& launch : workload_.launches)
      for (const ArgumentConfig& argument : launch.args.items)
        if (argument.type == "buffer" && argument.text == buffer) return launch.context;
    return 0;
  }
  static apps::LaunchList::Launch convert(const LaunchConfig& config) {
    apps::LaunchList::Launch launch;
    launch.place = config.ptx.place;
    launch.ptx = config.ptx.resolved;
    launch.entry = config.entry;
    std::copy_n(config.grid.begin(), 3, launch.grid);
    std::copy_n(config.block.begin(), 3, launch.block);
    launch.dynamic_shared_bytes = config.shared_bytes;
    launch.registers = config.registers;
    launch.context = config.context;
    launch.stream = config.stream;
    launch.priority = config.priority;
    launch.budget = config.budget;
    launch.start_us = config.start_us;
    launch.deadline_us = static_cast<std::uint64_t>(config.deadline_us);
    for (const ArgumentConfig& argument : config.args.items)
      launch.arguments.push_back(argument.type == "buffer"
                                     ? apps::LaunchList::Argument{argument.text, {}}
                                     : apps::LaunchList::Argument{"", argument.bytes()});
    return launch;
  }
  void want(const std::string& buffer) {
    if (std::find(list_.read_back.begin(), list_.read_back.end(), buffer) == list_.read_back.end())
      list_.read_back.push_back(buffer);
  }

  WorkloadConfig workload_;
  std::uint64_t seed_;
  std::string folder_;
  apps::LaunchList list_;
};

}  // namespace

std::unique_ptr<apps::App> make_workload(const RunConfig& run, const std::string& folder) {
  if (!run.workload.app.name.empty()) return Registry<apps::App>::instance().make(run.workload.app);
  return std::make_unique<LaunchListApp>(run, folder);
}

apps::AppContext app_context(const RunConfig& run) { return {run.seed, WARPVP_KERNEL_DIR "/"}; }

}  // namespace warpvp
