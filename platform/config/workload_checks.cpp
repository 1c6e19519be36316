#include "platform/config/workload_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/input_file.h"
#include "platform/config/buffer_data.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

const Setting* at(const Setting* setting, std::initializer_list<std::string> path) {
  for (const std::string& key : path) {
    if (!setting) return nullptr;
    std::uint64_t index = 0;
    if (setting->is_sequence()) {
      setting =
          parse_unsigned(key, index) && index < setting->items.size() ? &setting->items[index] : nullptr;
    } else {
      setting = setting->find(key);
    }
  }
  return setting;
}

std::string place_of(const Setting& tree, std::initializer_list<std::string> path) {
  std::string place = tree.place;
  const Setting* setting = &tree;
  for (const std::string& key : path) {
    setting = at(setting, {key});
    if (!setting) break;
    if (!setting->place.empty()) place = setting->place;
  }
  return place;
}

void require_file(const PathValue& file, const std::string& path, std::uint64_t limit) {
  std::error_code error;
  if (!fs::exists(file.resolved, error))
    throw InputError(fmt::format("{}: '{}': no file {}", file.place, path, file.resolved));
  check_input_file(file.resolved, limit, fmt::format("{}: '{}'", file.place, path));
}

void check_buffer_name(const WorkloadConfig& w, const std::string& name, const std::string& place,
                       const std::string& path) {
  if (w.buffer(name)) return;
  std::vector<std::string> names;
  for (const auto& entry : w.buffers) names.push_back(entry.first);
  const std::string near = nearest_name(name, names);
  throw InputError(fmt::format("{}: '{}': no buffer '{}'; allowed: {}{}", place, path, name,
                               names.empty() ? "none, as 'workload.buffers' is empty" : join_names(names),
                               near.empty() ? "" : "; did you mean '" + near + "'?"));
}

/// Settles a buffer's count from its contents, and checks that they agree.
void settle_count(BufferConfig& buffer, const std::string& path, const std::string& place) {
  BufferContents& init = buffer.init;
  std::uint64_t given = buffer.count;
  if (init.kind == BufferContents::Kind::kValues) given = init.values.size();
  if (init.kind == BufferContents::Kind::kStruct) {
    const std::size_t bytes = init.structure.bytes().size(), element = element_bytes(buffer.element_type());
    if (bytes % element != 0)
      throw InputError(fmt::format("{}: '{}.init.struct': {} bytes are not a whole number of {} elements",
                                   init.place, path, bytes, buffer.type));
    given = bytes / element;
  }
  if (init.kind == BufferContents::Kind::kFile) {
    require_file(init.file, path + ".init.file", input_limit::kData);
    const std::uint64_t bytes = fs::file_size(init.file.resolved);
    const std::size_t element = element_bytes(buffer.element_type());
    if (bytes % element != 0)
      throw InputError(fmt::format("{}: '{}.init.file': {} bytes are not a whole number of {} elements",
                                   init.file.place, path, bytes, buffer.type));
    given = bytes / element;
  }
  if (buffer.count == 0) buffer.count = given;
  if (buffer.count == 0)
    throw InputError(
        fmt::format("{}: '{}.count' is missing or 0; allowed: a whole number, at least 1", place, path));
  if (given != buffer.count)
    throw InputError(fmt::format("{}: '{}.init' has {} elements, but 'count' is {}", init.place, path, given,
                                 buffer.count));
  if (buffer.count > (std::uint64_t{1} << 40))
    throw InputError(fmt::format("{}: '{}.count' is {}; allowed: at most 2^40", place, path, buffer.count));
}

/// Only the run knows addresses.
void check_expectation(const BufferContents& contents, const std::string& path) {
  if (contents.kind == BufferContents::Kind::kStruct && !contents.structure.addresses().empty())
    throw InputError(fmt::format("{}: '{}' has an address, which cannot be expected; allowed: numbers",
                                 contents.place, path));
}

void check_values(const BufferContents& contents, ElementType type, const std::string& path) {
  std::vector<std::uint8_t> ignored;
  for (const std::string& value : contents.values)
    if (!append_element(type, value, ignored))
      throw InputError(fmt::format("{}: '{}': '{}' is not a value of type {}", contents.place, path, value,
                                   element_type_name(type)));
}

/// A place within a buffer, or in a file that is there.
void check_target(const WorkloadConfig& w, const TargetConfig& target, const std::string& path) {
  if (!target.ptx.written.empty()) require_file(target.ptx, path + ".ptx", input_limit::kPtx);
  if (target.buffer.empty()) return;
  check_buffer_name(w, target.buffer, target.place, path);
  const std::uint64_t bytes = w.buffer(target.buffer)->bytes();
  if (target.offset >= bytes)
    throw InputError(
        fmt::format("{}: '{}': offset {} is past the end of buffer '{}' of {} bytes; allowed: less "
                    "than {}",
                    target.place, path, target.offset, target.buffer, bytes, bytes));
}

/// `bytes` (0: the rest) from `target` on lie within its buffer.
void check_extent(const WorkloadConfig& w, const TargetConfig& target, std::uint64_t bytes) {
  if (target.buffer.empty()) return;
  check_target(w, target, "steps");
  const std::uint64_t left = w.buffer(target.buffer)->bytes() - target.offset;
  if (bytes > left)
    throw InputError(fmt::format("{}: {} bytes from offset {} of buffer '{}', which has {} there",
                                 target.place, bytes, target.offset, target.buffer, left));
}

void check_dump_file(const std::string& file, const std::string& place, const std::string& path,
                     const RunConfig& run, std::vector<std::string>& taken) {
  if (file.empty() || file.find('/') != std::string::npos || file == "." || file == "..")
    throw InputError(
        fmt::format("{}: '{}.file' is '{}'; allowed: a file name without folders", place, path, file));
  const bool traced = run.trace.enabled && file == run.trace.file;
  const bool of_run = file == "result.json" || (run.output.intervals.cycles != 0 && file == kIntervalFile);
  const bool again = std::find(taken.begin(), taken.end(), file) != taken.end();
  if (traced || of_run || again)
    throw InputError(fmt::format("{}: '{}.file' is '{}', which {} writes; allowed: a name of its own", place,
                                 path, file,
                                 traced   ? "the trace"
                                 : of_run ? "the run"
                                          : "another dump"));
  taken.push_back(file);
}

/// Of a check or a loop's condition; settles type and count.
void check_compared(const WorkloadConfig& w, StepConfig& step) {
  if (!step.target.buffer.empty()) {
    check_target(w, step.target, "steps");
    if (step.type.empty()) step.type = w.buffer(step.target.buffer)->type;
  }
  const ElementType type = *parse_element_type(step.type);
  if (step.kind == StepConfig::Kind::kUntil) {
    check_extent(w, step.target, element_bytes(type));
    std::vector<std::uint8_t> ignored;
    if (!append_element(type, step.wanted, ignored))
      throw InputError(fmt::format("{}: '{}' is not a value of type {}", step.place, step.wanted, step.type));
    return;
  }
  BufferConfig expected;
  expected.type = step.type;
  expected.count = step.count;
  expected.init = step.equals;
  if (expected.count == 0 && !step.target.buffer.empty())
    expected.count = (w.buffer(step.target.buffer)->bytes() - step.target.offset) / element_bytes(type);
  settle_count(expected, "check", step.place);
  check_values(step.equals, type, "equals");
  check_expectation(step.equals, "equals");
  step.count = expected.count;
  check_extent(w, step.target, step.count * element_bytes(type));
}

void check_steps_of(RunConfig& run, std::vector<StepConfig>& steps, std::vector<std::string>& taken) {
  using Kind = StepConfig::Kind;
  const WorkloadConfig& w = run.workload;
  for (StepConfig& step : steps) {
    if (step.kind == Kind::kLaunch) {
      if (step.launch.ptx.written.empty())
        throw InputError(fmt::format("{}: a step without 'ptx', the path of a PTX file; allowed: {}",
                                     step.place, w.steps.syntax()));
      require_file(step.launch.ptx, "ptx", input_limit::kPtx);
      for (const PathValue& file : step.launch.link.files) require_file(file, "link", input_limit::kPtx);
      for (const ArgumentConfig& arg : step.launch.args.items)
        if (arg.is_image()) check_buffer_name(w, arg.text, arg.place, "args");
    } else if (step.kind == Kind::kCheck || step.kind == Kind::kUntil) {
      check_compared(w, step);
    } else {
      const std::uint64_t bytes =
          step.kind == Kind::kWrite ? std::uint64_t{step.data.bytes().size()} : step.bytes;
      check_extent(w, step.target, bytes);
      if (step.bytes == 0 && !step.target.buffer.empty() && step.kind != Kind::kWrite)
        step.bytes = w.buffer(step.target.buffer)->bytes() - step.target.offset;
      if (step.kind == Kind::kCopy) check_extent(w, step.to, step.bytes);
    }
    if (step.kind == Kind::kDump) check_dump_file(step.file, step.place, "dump", run, taken);
    check_steps_of(run, step.body, taken);
  }
}

void check_steps(RunConfig& run) {
  std::vector<std::string> taken;
  for (const DumpConfig& dump : run.workload.dumps) taken.push_back(dump.file);
  check_steps_of(run, run.workload.steps.items, taken);
}

/// Each process has something to run and a name of its own; a mix is drawn.
void check_processes(RunConfig& run, const Setting& tree) {
  WorkloadConfig& w = run.workload;
  w.drawn.clear();
  if (w.mix.size != 0) {
    w.mix.place = place_of(tree, {"workload", "mix"});
    w.drawn = w.mix.draw(run.seed);
  }
  if (!w.alone_times.written.empty()) require_file(w.alone_times, "workload.alone_times", input_limit::kYaml);
  std::vector<ProcessConfig>& all = w.drawn.empty() ? w.processes : w.drawn;
  std::map<std::string, unsigned> uses, seen;
  const auto name_of = [](const ProcessConfig& process) {
    return process.app.name.empty() ? process.application.application.trace.name : process.app.name;
  };
  for (const ProcessConfig& process : all)
    if (process.name.empty()) ++uses[name_of(process)];
  std::set<std::string> names;
  for (const CpuRateChoice::Entry& entry : w.cpu_rates.entries) {
    const bool known = entry.rate == "all" || std::any_of(all.begin(), all.end(), [&](const auto& process) {
                         return process.application.application.rates.by_name.count(entry.rate) != 0;
                       });
    if (!known)
      throw InputError(fmt::format(
          "{}: 'workload.cpu_rates': no application has a rate '{}'; allowed: all, or a rate of the "
          "files that the applications name",
          entry.place, entry.rate));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    ProcessConfig& process = all[i];
    ApplicationFile& application = process.application.application;
    set_cpu_phases(application.trace.steps, application.rates, w.cpu_rates);
    const std::string place = place_of(tree, {"workload", "processes", std::to_string(i)});
    if (process.what().empty())
      throw InputError(
          fmt::format("{}: 'workload.processes.{}' has nothing to run; allowed: 'application' or "
                      "'app'",
                      place, i));
    if (process.name.empty()) {
      const std::string base = name_of(process);
      process.name = uses[base] > 1 ? fmt::format("{}_{}", base, ++seen[base]) : base;
    }
    if (process.name.find('/') != std::string::npos || !names.insert(process.name).second)
      throw InputError(
          fmt::format("{}: 'workload.processes.{}.name' is '{}'; allowed: a name of its own, without '/'",
                      place, i, process.name));
  }
}

void check_launches(const WorkloadConfig& w, const std::vector<LaunchConfig>& launches,
                    const std::string& key, const Setting* list) {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchConfig& launch = launches[i];
    const std::string path = fmt::format("{}.{}", key, i);
    if (launch.ptx.written.empty())
      throw InputError(
          fmt::format("{}: '{}.ptx' is missing; give the path of a PTX file", list->items[i].place, path));
    require_file(launch.ptx, path + ".ptx", input_limit::kPtx);
    for (const PathValue& file : launch.link.files) require_file(file, path + ".link", input_limit::kPtx);
    for (std::size_t k = 0; k < launch.args.items.size(); ++k) {
      const ArgumentConfig& arg = launch.args.items[k];
      if (arg.is_image()) check_buffer_name(w, arg.text, arg.place, fmt::format("{}.args.{}", path, k));
    }
  }
}

void check_job_stream(JobStreamConfig& stream, const Setting& tree) {
  stream.place = place_of(tree, {"workload", "job_stream"});
  if (!stream.given()) return;
  stream.rate_place = place_of(tree, {"workload", "job_stream", "rate"});
  (void)stream.plan();
}

}  // namespace

void check_workload(RunConfig& run, const Setting& tree, RunFile::Workload workload) {
  WorkloadConfig& w = run.workload;
  const bool optional = workload == RunFile::Workload::kOptional && !tree.find("workload");
  check_processes(run, tree);
  check_job_stream(w.job_stream, tree);
  if (!optional && w.app.name.empty() && !w.is_launch_list() && !w.has_processes() && !w.job_stream.given())
    throw InputError(
        fmt::format("{}: nothing to run; give 'workload.app', 'workload.launches', 'workload.jobs', "
                    "'workload.job_stream.benchmarks', 'workload.steps' or 'workload.processes'",
                    place_of(tree, {"workload"})));
  for (auto& [name, buffer] : w.buffers) {
    const std::string path = "workload.buffers." + name;
    buffer.place = place_of(tree, {"workload", "buffers", name});
    settle_count(buffer, path, buffer.place);
    check_values(buffer.init, buffer.element_type(), path + ".init");
  }
  check_launches(w, w.launches, "workload.launches", at(&tree, {"workload", "launches"}));
  check_jobs(w, at(&tree, {"workload", "jobs"}));
  for (std::size_t i = 0; i < w.jobs.size(); ++i)
    check_launches(w, w.jobs[i].launches, fmt::format("workload.jobs.{}.launches", i),
                   at(&tree, {"workload", "jobs", std::to_string(i), "launches"}));
  check_steps(run);
  for_each_target(
      w, [&](const TargetConfig& target, const std::string& path) { check_target(w, target, path); });
  for (std::size_t i = 0; i < w.checks.size(); ++i) {
    CheckConfig& check = w.checks[i];
    const std::string path = fmt::format("workload.checks.{}", i);
    check_buffer_name(w, check.buffer, place_of(tree, {"workload", "checks", std::to_string(i), "buffer"}),
                      path + ".buffer");
    const Setting* item = at(&tree, {"workload", "checks", std::to_string(i)});
    if (item && !item->find("equals"))
      throw InputError(
          fmt::format("{}: '{}.equals' is missing; allowed: {}", item->place, path, check.equals.syntax()));
    BufferConfig expected = *w.buffer(check.buffer);
    expected.init = check.equals;
    settle_count(expected, path, place_of(tree, {"workload", "checks", std::to_string(i)}));
    check_values(check.equals, expected.element_type(), path + ".equals");
    check_expectation(check.equals, path + ".equals");
  }
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < w.dumps.size(); ++i) {
    const DumpConfig& dump = w.dumps[i];
    const std::string path = fmt::format("workload.dumps.{}", i);
    check_buffer_name(w, dump.buffer, place_of(tree, {"workload", "dumps", std::to_string(i), "buffer"}),
                      path + ".buffer");
    check_dump_file(dump.file, place_of(tree, {"workload", "dumps", std::to_string(i), "file"}), path, run,
                    taken);
  }
}

}  // namespace warpvp
