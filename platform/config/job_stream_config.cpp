#include "platform/config/job_stream_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/trace_reader.h"
#include "platform/config/yaml_document.h"

namespace warpvp {

namespace fs = std::filesystem;

namespace {

using apps::TraceStep;

const char* const kJobs = "jobs";

std::map<std::string, double> rates_of(const Setting& setting) {
  if (!setting.is_mapping() || setting.entries.empty())
    refuse(setting.place, "'jobs_per_second' is " + shown(setting), "a mapping of names to jobs per second");
  std::map<std::string, double> rates;
  for (const SettingEntry& entry : setting.entries) {
    const double rate = number_of(entry.value, "jobs_per_second." + entry.key);
    if (!(rate >= 1e-3))
      refuse(entry.value.place, fmt::format("'jobs_per_second.{}' is {}", entry.key, entry.value.text),
             "at least 0.001");
    rates[entry.key] = rate;
  }
  return rates;
}

/// From a job's arrival, as the runtime takes it.
double deadline_of(const Setting& setting) {
  double us = 0;
  const bool number = setting.is_scalar() && parse_double(setting.text, us);
  if (!number || !(us >= 0) || !(us <= 1e9))
    refuse(setting.place,
           fmt::format("'deadline_us' is {}{}", shown(setting), us < 0 ? ", before the job's arrival" : ""),
           "a number from 0 (none) to 1000000000, counted from the arrival");
  return us;
}

apps::LengthLaw length_of(const Setting& setting) {
  if (!setting.is_mapping())
    refuse(setting.place, "'length' is " + shown(setting), "{mean: M, variation: V, least: A, most: B}");
  require_keys(setting, "length", {"mean", "variation", "least", "most"});
  apps::LengthLaw law;
  const Setting* const mean = setting.find("mean");
  if (!mean) refuse(setting.place, "'length.mean' is missing", "a number, at least 1");
  law.mean = number_of(*mean, "length.mean", 1);
  if (const Setting* v = setting.find("variation")) law.variation = number_of(*v, "length.variation");
  constexpr std::uint64_t kMost = 100'000;
  if (const Setting* v = setting.find("least"))
    law.least = static_cast<std::uint32_t>(whole_of(*v, "length.least", 1, kMost));
  law.most = static_cast<std::uint32_t>(kMost);
  if (const Setting* v = setting.find("most"))
    law.most = static_cast<std::uint32_t>(whole_of(*v, "length.most", law.least, kMost));
  return law;
}

class BenchmarkReader {
 public:
  explicit BenchmarkReader(const std::string& path) { file_.path = path; }

  JobBenchmarkFile read() {
    const Setting tree = load_yaml_file(file_.path);
    if (!tree.is_mapping()) refuse(tree.place, "found " + std::string(kind_name(tree)), "a mapping");
    require_keys(tree, "the benchmark",
                 {"profiles", "deadline_us", "jobs_per_second", "length", "steps", "kinds"});
    apps::JobBenchmark& benchmark = file_.benchmark;
    benchmark.name = fs::path(file_.path).stem().string();
    if (const Setting* profiles = tree.find("profiles")) {
      profiles_ = read_profiles(*profiles);
      file_.profiles = profiles_.files.front().resolved;
    }
    benchmark.deadline_us = deadline_of(required(tree, "deadline_us", "a number; 0: none"));
    file_.jobs_per_second =
        rates_of(required(tree, "jobs_per_second", "a mapping of names to jobs per second"));
    if (const Setting* length = tree.find("length")) {
      benchmark.length = length_of(*length);
      has_length_ = true;
    }
    const Setting* const steps = tree.find("steps");
    const Setting* const kinds = tree.find("kinds");
    if ((steps == nullptr) == (kinds == nullptr))
      refuse(tree.place, steps ? "both 'steps' and 'kinds'" : "'steps' is missing",
             "'steps' of one kind of jobs, or 'kinds'");
    if (steps) {
      add_kind(benchmark.name, 1, *steps, "steps");
    } else {
      read_kinds(*kinds);
    }
    return std::move(file_);
  }

 private:
  static const Setting& required(const Setting& tree, const char* key, const char* allowed) {
    const Setting* const found = tree.find(key);
    if (!found) refuse(tree.place, fmt::format("'{}' is missing", key), allowed);
    return *found;
  }

  void read_kinds(const Setting& kinds) {
    if (!kinds.is_sequence() || kinds.items.empty())
      refuse(kinds.place, "'kinds' is " + shown(kinds), "a list of {name: N, share: S, steps: [..]}");
    for (std::size_t i = 0; i < kinds.items.size(); ++i) {
      const Setting& kind = kinds.items[i];
      const std::string path = fmt::format("kinds.{}", i);
      if (!kind.is_mapping())
        refuse(kind.place, fmt::format("'{}' is {}", path, shown(kind)), "{name: N, share: S, steps: [..]}");
      require_keys(kind, path, {"name", "share", "steps"});
      const Setting& name = required(kind, "name", "a name of its own");
      for (const apps::JobKind& other : file_.benchmark.kinds)
        if (other.name == name.text)
          refuse(name.place, fmt::format("'{}.name' is '{}', as another kind's", path, name.text),
                 "a name of its own");
      double share = 1;
      if (const Setting* s = kind.find("share")) share = number_of(*s, path + ".share", 1e-6);
      add_kind(name.text, share, required(kind, "steps", "a list of steps"), path + ".steps");
    }
  }

  void add_kind(const std::string& name, double share, const Setting& steps, const std::string& path) {
    apps::JobKind kind;
    kind.name = name;
    kind.share = share;
    kind.steps = read_job_steps(steps, path, file_.profiles.empty() ? nullptr : &profiles_);
    std::size_t launches = 0;
    apps::for_each_trace_step(kind.steps, [&](const TraceStep& step, std::uint64_t) {
      if (step.kind == TraceStep::Kind::kRepeat && step.times == 0 && !has_length_)
        refuse(step.place, "'repeat: length' in a file without 'length'",
               "length: {mean: M, variation: V, least: A, most: B} beside 'steps'");
      if (step.kind != TraceStep::Kind::kLaunch) return;
      ++launches;
      if (file_.profiles.empty()) return;
      const KernelProfile& profile = *profiles_.find(step.launch.kernel, product(step.launch.grid),
                                                     static_cast<std::uint32_t>(product(step.launch.block)));
      file_.kernels[describe_launch(step.launch)] = {profile.cta_us, profile.cta_cycles, profile.instructions,
                                                     profile.memory_bytes};
    });
    if (launches == 0)
      refuse(steps.place, fmt::format("'{}' launches no kernel", path), "at least one step 'launch'");
    file_.benchmark.kinds.push_back(std::move(kind));
  }

  JobBenchmarkFile file_;
  KernelProfiles profiles_;
  bool has_length_ = false;
};

}  // namespace

std::string describe_launch(const apps::TraceLaunch& launch) {
  return fmt::format("{}@{}x{}", launch.kernel, product(launch.grid), product(launch.block));
}

JobBenchmarkFile load_job_benchmark(const std::string& path) { return BenchmarkReader(path).read(); }

void JobBenchmarkList::load(const Setting& setting, const std::string& path) {
  files.clear();
  benchmarks.clear();
  std::vector<const Setting*> names;
  if (setting.is_sequence()) {
    for (const Setting& item : setting.items) names.push_back(&item);
  } else {
    names.push_back(&setting);
  }
  for (const Setting* name : names) {
    if (!name->is_scalar() || name->text.empty())
      refuse(name->place, fmt::format("'{}' is {}", path, shown(*name)), syntax());
    const fs::path file = ConfigSearch::standard().find(name->text, kJobs, name->directory, name->place);
    files.push_back({name->text, file.string(), name->place});
    benchmarks.push_back(load_job_benchmark(file.string()));
  }
}

Setting JobBenchmarkList::print(const PrintStyle& style) const {
  if (files.empty()) return {};
  const auto shown_as = [&](const PathValue& file) {
    return Setting::string(style.absolute_paths ? fs::absolute(file.resolved).lexically_normal().string()
                                                : file.written);
  };
  if (files.size() == 1) return shown_as(files.front());
  Setting list = Setting::sequence();
  for (const PathValue& file : files) list.items.push_back(shown_as(file));
  return list;
}

void JobStreamConfig::fields(ConfigVisitor& v) {
  v.custom("benchmarks", benchmarks,
           "What the jobs are, by names in configs/jobs. Of several each comes at its rate divided by their "
           "number.");
  v.field("rate", rate,
          "How often jobs come: a name that the benchmarks have rates for, as high, medium or low, or a "
          "number of jobs per second.");
  v.field("jobs", jobs, "jobs", "Number of jobs.", Constraint::range(1, 1'000'000));
  v.field("arrivals", arrivals,
          "Times between arrivals: exponential, independent of each other, or even, all the same.",
          Constraint::words({"exponential", "even"}));
  v.field("burst", burst, "jobs", "So many arrive at once, so many times as rarely.",
          Constraint::range(1, 1'000'000));
  v.field("told_deadline", told_deadline, "",
          "Schedulers are told the deadline times this, to see what wrong ones do; results count the right "
          "one.",
          Constraint::range(0.001, 1000));
  v.field("told_deadline_spread", told_deadline_spread, "",
          "And times a factor for each job with mean 1 and this coefficient of variation.",
          Constraint::range(0, 10));
  v.field("told_time", told_time, "",
          "Schedulers are told the kernels' times alone times this, to see what wrong profiles do.",
          Constraint::range(0.001, 1000));
  v.field("told_time_spread", told_time_spread, "",
          "And times a factor for each kernel with mean 1 and this coefficient of variation.",
          Constraint::range(0, 10));
  v.field("queues", queues, "",
          "Hardware queues: jobs that can be under way at once. Those that come meanwhile wait on the host.",
          Constraint::range(1, 256));
  v.part("kernels", "kernels_params", "job_kernels", kernels,
         "Real kernels with their data, for SMs that compute; without them kernels are empty, and known by "
         "their profiles.");
  v.part("scheduler", "scheduler_params", "host_scheduler", scheduler,
         "Scheduler on the host; without one jobs go to their queues as they arrive, and the command "
         "processor decides.");
}

apps::JobStreamPlan JobStreamConfig::plan() const {
  apps::JobStreamPlan out;
  double number = 0;
  const bool is_number = parse_double(rate, number);
  if (is_number && !(number >= 1e-3 && number <= 1e12))
    refuse(rate_place, fmt::format("'workload.job_stream.rate' is {}", rate),
           "from 0.001 to 1e12 jobs per second");
  for (const JobBenchmarkFile& file : benchmarks.benchmarks) {
    out.benchmarks.push_back(file.benchmark);
    if (is_number) {
      out.benchmarks.back().jobs_per_second = number;
      continue;
    }
    const auto named = file.jobs_per_second.find(rate);
    if (named == file.jobs_per_second.end()) {
      std::vector<std::string> names;
      for (const auto& [name, jobs_per_second] : file.jobs_per_second) names.push_back(name);
      const std::string near = nearest_name(rate, names);
      refuse(rate_place,
             fmt::format("'workload.job_stream.rate' is '{}', which {} does not have{}", rate, file.path,
                         near.empty() ? "" : "; nearest: '" + near + "'"),
             join_names(names) + ", or a number of jobs per second");
    }
    out.benchmarks.back().jobs_per_second = named->second;
  }
  out.jobs = jobs;
  out.even = arrivals == "even";
  out.burst = burst;
  out.told_deadline = told_deadline;
  out.told_deadline_spread = told_deadline_spread;
  return out;
}

void check_job_stream_fits(const JobStreamConfig& stream, unsigned queues) {
  if (!stream.given() || stream.queues <= queues) return;
  refuse(stream.place,
         fmt::format("'workload.job_stream.queues' is {}, and the platform has {}", stream.queues, queues),
         fmt::format("at most {}; or raise command_processor.queues", queues));
}

}  // namespace warpvp
