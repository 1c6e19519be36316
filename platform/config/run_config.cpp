#include "platform/config/run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/input_file.h"
#include "base/registry.h"
#include "interconnect/kernel_descriptor.h"
#include "platform/config/buffer_data.h"
#include "platform/config/config_printer.h"
#include "platform/config/variables.h"
#include "platform/config/yaml_field_loader.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {
constexpr const char kChanged[] = ", changed";
}  // namespace

void BufferConfig::fields(ConfigVisitor& v) {
  v.field("type", type, "Type of an element.", Constraint::words(element_type_names()));
  v.field("count", count, "elements",
          "Number of elements; 0: as many as `values`, the struct or the file has.");
  v.custom("init", init, "Contents before the first launch.");
  v.field("seed", seed, "", "Seed of `random`; 0: derived from the run's seed and the buffer's name.");
  v.field("min", min, "", "Least value of `random`.");
  v.field("max", max, "", "Greatest value of `random` (exclusive for f32 and f64).");
  v.require(min <= max, "min", fmt::format("{} is greater than max, {}", min, max));
}

void LaunchConfig::fields(ConfigVisitor& v) {
  v.path("ptx", ptx, "File of PTX text.");
  v.custom("link", link, "Further PTX files, linked with it into one module.");
  v.field("entry", entry,
          "Name of the kernel, mangled or as C++ writes it; may be left out when there is only one.");
  v.field("grid", grid, "CTAs", "Size of the grid in x, y, z.", Constraint::at_least(1));
  v.field("block", block, "threads", "Size of a CTA in x, y, z.", Constraint::range(1, 1024));
  v.field("shared_bytes", shared_bytes, "bytes", "Dynamic shared memory of a CTA.");
  v.field("registers", registers, "", "Registers per thread for occupancy; 0: from live ranges.",
          Constraint::range(0, 255));
  v.field("context", context, "", "Context (address space and owner) of the launch.");
  v.field("stream", stream, "", "Launches of one stream of a context run one after the other.");
  v.field("priority", priority, "", "Priority of the stream; greater is more urgent.",
          Constraint::range(-32768, 32767));
  v.field("budget", budget, "", "QAWS budget of the kernel.", Constraint::at_least(1));
  v.field("start_us", start_us, "us", "Earliest time of the launch by the host.", Constraint::at_least(0));
  v.field("deadline_us", deadline_us, "us", "Deadline, counted from the launch; 0: none.",
          Constraint::at_least(0));
  v.field("expected_us", expected_us, "us",
          "Time that it takes alone on the device, for schedulers there that want to know; 0: not known.",
          Constraint::range(0, 4e6));
  v.custom("args", args, "Arguments in the order of the kernel's parameters.");
  v.require(!grid.empty() && grid.size() <= 3, "grid", fmt::format("{} sizes; allowed: 1 to 3", grid.size()));
  v.require(!block.empty() && block.size() <= 3, "block",
            fmt::format("{} sizes; allowed: 1 to 3", block.size()));
  grid.resize(3, 1);
  block.resize(3, 1);
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  v.require(threads <= 1024, "block", fmt::format("{} threads in a CTA; allowed: at most 1024", threads));
  v.require(block[2] <= 64, "block", fmt::format("{} threads in z; allowed: at most 64", block[2]));
  v.require(grid[0] <= 2147483647u, "grid", "allowed: at most 2147483647 CTAs in x");
  v.require(grid[1] <= 65535 && grid[2] <= 65535, "grid", "allowed: at most 65535 CTAs in y and in z");
  // No overflow: 2^31 * 2^16 * 2^16.
  const std::uint64_t ctas = std::uint64_t{grid[0]} * grid[1] * grid[2];
  v.require(ctas <= kMostCtas, "grid", fmt::format("{} CTAs in all; allowed: at most {}", ctas, kMostCtas));
}

void CheckConfig::fields(ConfigVisitor& v) {
  v.field("buffer", buffer, "Name of the buffer.");
  v.custom("equals", equals, "What it must hold after the last launch.");
  v.field("seed", seed, "", "Seed of `equals: random`; 0: derived as for a buffer's contents.");
  v.field("tolerance", tolerance, "", "Accepts |got - expected| <= tolerance * max(1, |expected|).",
          Constraint::at_least(0));
}

void DumpConfig::fields(ConfigVisitor& v) {
  v.field("buffer", buffer, "Name of the buffer.");
  v.field("file", file, "Name of the file of raw little-endian elements in the run's folder.");
}

void WorkloadConfig::fields(ConfigVisitor& v) {
  v.part("app", "params", "app", app, "A host program by name, instead of a launch list.");
  v.map("buffers", buffers, "Buffers in device memory, by name.");
  v.list("launches", launches, "Kernel launches, in the host's order.");
  v.list("jobs", jobs,
         "Launches that belong together and share a deadline, beside `launches` (docs/jobs.md).");
  v.custom("steps", steps,
           "Launches and what the host does between them, one after the other, instead of `launches` "
           "(docs/kernels.md). Names in a mapping `variables` beside it stand as `$name` and `$(arithmetic)` "
           "anywhere in the workload.");
  v.field("pad_bytes", pad_bytes, "bytes",
          "Allocates so much more behind every buffer, for kernels that read past the end of theirs.",
          Constraint::range(0, 1 << 30));
  v.list("checks", checks, "Comparisons after the last launch; the run fails when one differs.");
  v.list("dumps", dumps, "Buffers to write to files after the last launch.");
  v.group("job_stream", job_stream, "Jobs drawn at random, instead of a launch list (docs/jobs.md).");
  v.list("processes", processes, "Host programs that share the device, instead of one (docs/processes.md).");
  v.group("mix", mix, "Or processes drawn at random.");
  v.field(
      "replay", replay,
      "once: each process runs once. until_all_once: those that end early start again until all have ended "
      "once; statistics of processes are of their first executions.",
      Constraint::words({"once", "until_all_once"}));
  v.field(
      "alone", alone,
      "Times of each process with the device to itself, for metrics. none: without. measure: each one runs "
      "alone first, then all together. only: each one runs alone, and that is all. Both write alone.yaml. "
      "file: from alone_times.",
      Constraint::words({"none", "measure", "only", "file"}));
  v.field("cpu_scale", cpu_scale, "",
          "The times in which only the CPU of an application works are taken times this.",
          Constraint::range(0, 1e6));
  v.path("alone_times", alone_times, "An alone.yaml of the same platform, for `alone: file`.");
  v.require(processes.empty() || mix.size == 0, "mix", "either processes or a mix, not both");
  v.require(alone != "file" || !alone_times.written.empty(), "alone", "file needs 'alone_times'");
  v.require((launches.empty() && jobs.empty()) || steps.items.empty(), "steps",
            "either 'launches' and 'jobs' or 'steps', not both");
  const bool lists = is_launch_list() || !buffers.empty() || !checks.empty() || !dumps.empty();
  v.require(app.name.empty() || !lists, "app", "either a host program or a launch list, not both");
  v.require(!has_processes() || (app.name.empty() && !lists), "processes",
            "either processes, or a host program, or a launch list");
  v.require(!job_stream.given() || (app.name.empty() && !lists && !has_processes()), "job_stream",
            "either a job stream, or a host program, a launch list or processes");
}

const BufferConfig* WorkloadConfig::buffer(const std::string& name) const {
  for (const auto& entry : buffers)
    if (entry.first == name) return &entry.second;
  return nullptr;
}

void LimitsConfig::fields(ConfigVisitor& v) {
  v.field("cycles", cycles, "SM cycles", "Ends the run as a device fault after so many cycles; 0: no limit.");
  v.field("progress_us", progress_us, "us",
          "Ends the run as a device fault after so much simulated time without progress: nothing issues and "
          "nothing is launched, finished or copied, or warps are found to spin for ever; 0: never.",
          Constraint::range(0, 1e12));
  v.field(
      "effect_us", effect_us, "us",
      "Ends the run as a device fault after so much simulated time in which instructions issue, but no CTA "
      "starts or ends, nothing is launched or copied and no store changes a value; 0: never.",
      Constraint::range(0, 1e12));
  v.field(
      "wall_seconds", wall_seconds, "s",
      "Ends the run with exit status 124 after so much time of the host, with what is known so far; 0: no "
      "limit.",
      Constraint::range(0, 1e9));
  v.require(progress_us == 0 || effect_us == 0 || progress_us <= effect_us, "progress_us",
            fmt::format("{} is greater than effect_us, {}", progress_us, effect_us));
}

void OutputConfig::fields(ConfigVisitor& v) {
  v.group("intervals", intervals, "Counters over time.");
  v.field(
      "instructions", instructions,
      "Count by instruction what issues, diverges and stalls: `instructions.csv`, of which `warpvp report` "
      "makes a table of hot lines.");
  v.field("applications", applications,
          "Record what each host program calls as an application trace: `application_NAME.yaml` "
          "(docs/processes.md).");
  v.field("kernels", kernels,
          "List every kernel launch in result.json; false: keep it short where there are thousands.");
}

void MonitorConfig::fields(ConfigVisitor& v) {
  v.field("links", links, "Links to watch: names, separated by blanks; `*` stands for any text.");
  v.policy("monitor", "link_monitor", monitor, "What watches them.");
  v.require(links.find_first_not_of(' ') != std::string::npos, "links", "no link is named");
}

void RunConfig::fields(ConfigVisitor& v) {
  v.custom(
      "plugins", plugins,
      "Shared libraries that bring parts of their own, built with find_package(warpvp). Loaded before the "
      "rest is read.");
  v.field("seed", seed, "", "Seed of everything random in the run.");
  v.group("limits", limits, "When to give up.");
  v.group("trace", trace, "Timeline of the run.");
  v.group("output", output, "Files beside result.json.");
  v.list("monitors", monitors, "Monitors on the platform's links.");
  v.field("profile", profile, "Sample where host time goes: `host.time_shares` of result.json.");
  v.group("workload", workload, "What runs: the name or path of a workload file, or a mapping.");
}

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
  for (std::size_t i = 0; i < all.size(); ++i) {
    ProcessConfig& process = all[i];
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

void visit(const Setting& tree, RunConfig& run, const RunFile::PlatformFields& platform, ConfigVisitor& v) {
  v.begin_group("platform", "The machine: the name or path of a platform file, or a mapping with `extends`.");
  if (platform) platform(v);
  v.end_group();
  run.fields(v);
}

}  // namespace

RunFile RunFile::load(const fs::path& file, const std::vector<std::string>& overrides,
                      const ConfigSearch& search, const std::string& directory) {
  RunFile run = from_tree(search.load(file, "experiments"), search);
  run.apply(overrides, directory);
  return run;
}

RunFile RunFile::from_tree(Setting tree, const ConfigSearch& search) {
  RunFile run;
  run.tree_ = std::move(tree);
  run.search_ = search;
  return run;
}

void RunFile::apply(const std::vector<std::string>& overrides, const std::string& directory) {
  std::vector<Assignment> assignments;
  for (const std::string& text : overrides) assignments.push_back(parse_override(text, directory));
  assign(std::move(assignments));
}

void RunFile::assign(std::vector<Assignment> assignments) {
  // `platform` before `platform.sm.schedulers`: whatever the order of writing, the part refines the whole.
  const auto depth = [](const Assignment& a) { return std::count(a.path.begin(), a.path.end(), '.'); };
  std::stable_sort(assignments.begin(), assignments.end(),
                   [&](const Assignment& a, const Assignment& b) { return depth(a) < depth(b); });
  for (const Assignment& assignment : assignments) {
    const auto within = [&](const std::string& key) { return assignment.path.rfind(key + ".", 0) == 0; };
    if (within("platform")) {
      take_default_platform();
      PlatformOrigin origin = platform_origin();
      if (!origin.file.empty() && origin.name.find(kChanged) == std::string::npos) origin.name += kChanged;
      origin.is_default = false;
      origin_ = std::move(origin);
    }
    if (assignment.path == "platform") origin_.reset();
    for (const auto& [key, kind] : {std::pair{"platform", "platforms"}, std::pair{"workload", "workloads"}})
      if (within(key))
        if (Setting* setting = tree_.find(key)) search_.resolve(*setting, kind);
    assign_setting(tree_, assignment, ++next_layer_);
  }
}

bool RunFile::names_no_platform() const {
  const Setting* platform = tree_.find("platform");
  return (!platform || platform->is_null()) && !search_.default_platform().empty() && !is_experiment();
}

void RunFile::take_default_platform() {
  if (!names_no_platform()) return;
  origin_ = platform_origin();
  Setting word = Setting::string(search_.default_platform());
  word.place = "the default platform";
  word.directory = ".";
  tree_.put("platform", std::move(word));
}

PlatformOrigin RunFile::platform_origin() const {
  if (origin_) return *origin_;
  const auto found = [&](const std::string& name, const Setting& at, bool changed) {
    const fs::path file = search_.find(name, "platforms", at.directory, at.place);
    return PlatformOrigin{file.stem().string() + (changed ? kChanged : ""), file.string(), false};
  };
  if (names_no_platform()) {
    PlatformOrigin origin = found(search_.default_platform(), Setting{}, false);
    origin.is_default = true;
    return origin;
  }
  const Setting* platform = tree_.find("platform");
  if (!platform || platform->is_null()) return {};
  if (platform->is_scalar()) return found(platform->text, *platform, false);
  const Setting* base = platform->find("extends");
  if (base && base->is_scalar()) return found(base->text, *base, platform->entries.size() > 1);
  return {"written in the run file", platform->place.substr(0, platform->place.find(':')), false};
}

void RunFile::resolve_references() {
  if (Setting* platform = tree_.find("platform")) search_.resolve(*platform, "platforms");
  if (Setting* workload = tree_.find("workload")) {
    search_.resolve(*workload, "workloads");
    expand_variables(*workload);
  }
}

void RunFile::read(RunConfig& run, const PlatformFields& platform, Workload workload) const {
  PluginList::load_named_in(tree_);
  RunFile resolved = *this;
  resolved.take_default_platform();
  resolved.resolve_references();
  YamlFieldLoader loader(resolved.tree_, "");
  visit(resolved.tree_, run, platform, loader);
  loader.finish();
  check_workload(run, resolved.tree_, workload);
}

Setting RunFile::resolved(const PlatformFields& platform, PrintStyle style, RunConfig* typed,
                          Workload workload) const {
  PluginList::load_named_in(tree_);
  RunFile file = *this;
  file.take_default_platform();
  file.resolve_references();
  RunConfig run;
  ConfigPrinter printer(style);
  {
    YamlFieldLoader loader(file.tree_, "");
    TeeVisitor tee(loader, printer);
    tee.begin_group("platform", "");
    if (platform) platform(tee);
    tee.end_group();
    run.fields(loader);
    loader.finish();
  }
  check_workload(run, file.tree_, workload);
  run.fields(printer);
  if (typed) *typed = std::move(run);
  return printer.tree();
}

Setting RunFile::resolved_platform(const PlatformFields& platform, PrintStyle style) const {
  ConfigPrinter printer(style);
  printer.begin_group("platform", "");
  visit_platform(platform, &printer);
  printer.end_group();
  return printer.tree();
}

void RunFile::read_platform(const PlatformFields& platform) const { visit_platform(platform, nullptr); }

void RunFile::visit_platform(const PlatformFields& platform, ConfigVisitor* printer) const {
  PluginList::load_named_in(tree_);
  RunFile file = *this;
  file.resolve_references();
  Setting nothing;
  nothing.place = tree_.place;
  const Setting* written = file.tree_.find("platform");
  YamlFieldLoader loader(written ? *written : nothing, "platform");
  if (printer) {
    TeeVisitor tee(loader, *printer);
    platform(tee);
  } else {
    platform(loader);
  }
  loader.finish();
}

void check_buffers_fit(const WorkloadConfig& workload, std::uint64_t capacity) {
  std::uint64_t used = 0;
  for (const auto& [name, buffer] : workload.buffers) {
    const std::uint64_t bytes = buffer.bytes() + workload.pad_bytes;
    if (bytes > capacity - used)
      throw InputError(fmt::format(
          "{}: 'workload.buffers.{}' has {} bytes, and {} of the {} bytes of device memory are left; raise "
          "platform.memory.capacity_mib",
          buffer.place, name, bytes, capacity - used, capacity));
    used += bytes;
  }
}

std::vector<std::string> input_files(const RunConfig& run) {
  std::vector<std::string> files;
  for (const PathValue& plugin : run.plugins.files) files.push_back(plugin.resolved);
  for (const ProcessConfig& process : run.workload.all_processes()) {
    if (!process.application.file.written.empty()) files.push_back(process.application.file.resolved);
    if (!process.application.application.profiles.empty())
      files.push_back(process.application.application.profiles);
  }
  const JobBenchmarkList& benchmarks = run.workload.job_stream.benchmarks;
  for (const PathValue& file : benchmarks.files) files.push_back(file.resolved);
  for (const JobBenchmarkFile& file : benchmarks.benchmarks)
    if (!file.profiles.empty()) files.push_back(file.profiles);
  if (!run.workload.alone_times.written.empty()) files.push_back(run.workload.alone_times.resolved);
  for_each_launch(run.workload, [&](const LaunchConfig& launch) {
    files.push_back(launch.ptx.resolved);
    for (const PathValue& file : launch.link.files) files.push_back(file.resolved);
  });
  for_each_target(run.workload, [&](const TargetConfig& target, const std::string&) {
    if (!target.ptx.written.empty()) files.push_back(target.ptx.resolved);
  });
  for (const auto& entry : run.workload.buffers)
    if (entry.second.init.kind == BufferContents::Kind::kFile)
      files.push_back(entry.second.init.file.resolved);
  for (const CheckConfig& check : run.workload.checks)
    if (check.equals.kind == BufferContents::Kind::kFile) files.push_back(check.equals.file.resolved);
  for_each_step(run.workload.steps.items, [&](const StepConfig& step) {
    if (step.equals.kind == BufferContents::Kind::kFile) files.push_back(step.equals.file.resolved);
  });
  return files;
}

}  // namespace warpvp
