// The keys of a run file outside of `platform`, with their limits.
#include <fmt/format.h>

#include "base/registry.h"
#include "interconnect/kernel_descriptor.h"
#include "platform/config/run_config.h"

namespace warpvp {

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
  v.custom("cpu_rates", cpu_rates,
           "Which value of the rates counts by which applications count the CPU's work.");
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
  v.field(
      "progress_us", progress_us, "us",
      "Ends the run as a device fault after so much simulated time in which nothing issues and nothing is "
      "launched, finished or copied, and after a fiftieth of it if the warps are proven to be stuck for "
      "ever; 0: never.",
      Constraint::range(0, 1e12));
  v.field(
      "wall_seconds", wall_seconds, "s",
      "Ends the run with exit status 124 after so much time of the host, with what is known so far; 0: no "
      "limit.",
      Constraint::range(0, 1e9));
}

void OutputConfig::fields(ConfigVisitor& v) {
  v.group("intervals", intervals, "Counters over time.");
  v.field(
      "instructions", instructions,
      "Count by instruction what issues, diverges and stalls: `instructions.csv`, of which `warpvp report` "
      "makes a table of hot lines.");
  v.field("redundancy", redundancy,
          "Compare what warps compute, and the marks of redundant instructions with it: `redundancy` of "
          "result.json and of its kernels. Not with front ends that skip instructions.");
  v.field("applications", applications,
          "Record what each host program calls as an application trace: `application_NAME.yaml` "
          "(docs/processes.md).");
  v.field("kernels", kernels,
          "List every kernel launch in result.json; false: keep it short where there are thousands.");
  v.field("most_kernels", most_kernels, "kernels",
          "List so many, the first ones: a hundred thousand take 0.5 GB of result.json and 3 GB of memory. What "
          "is summed over kernels has all of them.",
          Constraint::range(1, 4000000000));
}

void EnergyConfig::fields(ConfigVisitor& v) {
  v.path("table", table,
         "A table of energies, as in configs/energy: adds `energy` to result.json and to its kernels "
         "(docs/energy.md). Changes nothing else.");
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
  v.group("energy", energy, "What the run's events cost.");
  v.list("monitors", monitors, "Monitors on the platform's links.");
  v.field("profile", profile,
          "Sample where host time goes, and count how often blocks are evaluated: `host.time_shares` and "
          "`host.edges` of result.json.");
  v.group("workload", workload, "What runs: the name or path of a workload file, or a mapping.");
}

}  // namespace warpvp
