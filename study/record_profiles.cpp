#include "study/record_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>

#include "platform/observe/cta_times.h"
#include "platform/platform_config.h"
#include "platform/results/build_info.h"
#include "platform/results/result_writer.h"
#include "platform/run/run.h"
#include "platform/run/run_apart.h"

namespace warpvp {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char kTimesFile[] = "cta_times.json";

/// A kernel's launches with so many CTAs of so many threads.
struct Shape {
  std::string entry;
  std::uint64_t ctas = 0, threads = 0;
  bool operator<(const Shape& o) const {
    return std::tie(entry, ctas, threads) < std::tie(o.entry, o.ctas, o.threads);
  }
};

/// What the CTAs of one launch took on one SM.
struct Residence {
  std::vector<std::pair<Cycle, Cycle>> ctas;  ///< start and end, by end

  Cycle begin() const {
    Cycle first = kNever;
    for (const auto& [start, end] : ctas) first = std::min(first, start);
    return first;
  }
  double span() const { return static_cast<double>(ctas.back().second - begin()); }
  /// CTAs that began before one had ended.
  std::size_t first_wave() const {
    return static_cast<std::size_t>(std::count_if(
        ctas.begin(), ctas.end(), [&](const auto& cta) { return cta.first < ctas.front().second; }));
  }
};

/// What one run says of a shape, summed over its launches.
struct Observed {
  std::uint64_t launches = 0, ctas = 0;
  double instructions = 0, memory_bytes = 0;
  std::vector<Residence> residences;  ///< where CTAs were watched
};

/// Mean and coefficient of variation.
struct Moments {
  double number = 0, sum = 0, squares = 0;
  void add(double x) {
    ++number;
    sum += x;
    squares += x * x;
  }
  double mean() const { return number > 0 ? sum / number : 0; }
  double variation() const {
    return number > 0 ? std::sqrt(std::max(squares / number - mean() * mean(), 0.0)) / mean() : 0;
  }
};

double cycles_of(const std::pair<Cycle, Cycle>& cta) { return static_cast<double>(cta.second - cta.first); }

/// CTAs one at a time: what the first on an SM takes, and the others.
struct Lone {
  Moments first, others;
  explicit Lone(const Observed& alone) {
    for (const Residence& r : alone.residences)
      for (std::size_t i = 0; i < r.ctas.size(); ++i) (i == 0 ? first : others).add(cycles_of(r.ctas[i]));
  }
  /// With one CTA a launch and SM, cold ones are all there is.
  const Moments& usual() const { return others.number > 0 ? others : first; }
  double cold() const { return std::max(first.mean() - usual().mean(), 0.0); }
};

/// An SM as full as it gets.
struct Full {
  double residence = 0;  ///< of a CTA, cold times left out
  double interval = 0;   ///< of the launch's time on the SM, by CTA
  Full(const Observed& full, double cold) {
    Moments times;
    double waves = 0, span = 0;
    for (const Residence& r : full.residences) {
      for (const auto& cta : r.ctas) times.add(cycles_of(cta));
      waves += static_cast<double>(r.first_wave());
      span += std::max(r.span() - cold, 0.0);
    }
    if (times.number == 0) return;
    residence = (times.sum - waves * cold) / times.number;
    interval = span / times.number;
  }
};

using Shapes = std::map<Shape, Observed>;

/// One way to run the file.
struct Variant {
  const char* name;
  std::vector<std::string> settings;
  bool watched;
};

/// Simulates, and writes the times of the CTAs beside the result.
ExitCode simulate(const ProfileRequest& request, const Variant& variant) {
  CtaTimes times;
  RunRequest run;
  run.file = request.file;
  run.file.apply(variant.settings);
  run.out = request.runs / variant.name;
  run.quiet = true;
  run.interrupted = request.interrupted;
  run.cta_times = variant.watched ? &times : nullptr;
  const ExitCode code = run_simulation(run);
  if (code != ExitCode::kOk || !variant.watched) return code;
  ordered_json json = ordered_json::array();
  for (const CtaTime& t : times) json.push_back({t.launch, t.sm, t.start, t.end});
  write_file_atomically(run.out / kTimesFile, json.dump() + "\n");
  return code;
}

ordered_json read_json(const fs::path& file) { return ordered_json::parse(std::ifstream(file)); }

/// What the run of a variant left.
Shapes observe(const ProfileRequest& request, const Variant& variant) {
  const fs::path folder = request.runs / variant.name;
  const ordered_json result = read_json(folder / "result.json");
  Shapes shapes;
  std::vector<Observed*> by_launch;
  for (const ordered_json& kernel : result["kernels"]) {
    Shape shape;
    shape.entry = kernel["entry"].get<std::string>();
    shape.ctas = kernel["ctas"].get<std::uint64_t>();
    shape.threads = 1;
    for (const auto& side : kernel["block"]) shape.threads *= side.get<std::uint64_t>();
    Observed& o = shapes[shape];
    ++o.launches;
    o.ctas += shape.ctas;
    o.instructions += kernel["warp_instructions"].get<double>();
    o.memory_bytes +=
        kernel["dram"]["read_bytes"].get<double>() + kernel["dram"]["written_bytes"].get<double>();
    const auto launch = kernel["launch"].get<std::size_t>();
    if (by_launch.size() <= launch) by_launch.resize(launch + 1, nullptr);
    by_launch[launch] = &o;
  }
  if (!variant.watched) return shapes;
  std::map<std::pair<std::size_t, unsigned>, Residence> residences;
  for (const ordered_json& row : read_json(folder / kTimesFile))
    residences[{row[0].get<std::size_t>(), row[1].get<unsigned>()}].ctas.emplace_back(row[2].get<Cycle>(),
                                                                                      row[3].get<Cycle>());
  for (auto& [where, residence] : residences)
    by_launch.at(where.first)->residences.push_back(std::move(residence));
  return shapes;
}

/// To six digits, which is more than is known.
std::string number(double value) { return fmt::format("{:.6g}", value); }

/// The three runs together as profiles.
struct Writer {
  const Shapes& alone;
  const Shapes& full;
  const Shapes& as_is;

  bool several_shapes(const std::string& entry) const {
    unsigned shapes = 0;
    for (const auto& [shape, observed] : as_is) shapes += shape.entry == entry;
    return shapes > 1;
  }

  std::string record(const Shape& shape, const Observed& whole) const {
    const Lone lone(alone.at(shape));
    const double cycles = lone.usual().mean();
    const auto ctas = static_cast<double>(whole.ctas);
    std::string text = fmt::format("  # {} launch{} of {} CTAs; a lone CTA takes {} cycles", whole.launches,
                                   whole.launches == 1 ? "" : "es", shape.ctas, number(cycles));
    // A full SM tells its throughput if its CTAs take longer than lone ones.
    double sm_cycles = 0;
    if (const auto crowd = full.find(shape); crowd != full.end()) {
      const Full crowded(crowd->second, lone.cold());
      if (crowded.residence > kSlowed * cycles) sm_cycles = crowded.interval;
      text += fmt::format(", one on a full SM {}", number(crowded.residence));
    }
    text += fmt::format("\n  {}:\n", several_shapes(shape.entry)
                                         ? fmt::format("{}@{}x{}", shape.entry, shape.ctas, shape.threads)
                                         : shape.entry);
    text += fmt::format("    threads: {}\n", shape.threads);
    text += fmt::format("    cta_cycles: {}\n", number(cycles));
    if (lone.cold() > 0) text += fmt::format("    cold_cycles: {}\n", number(lone.cold()));
    text += fmt::format("    instructions: {}\n", number(whole.instructions / ctas));
    if (sm_cycles > 0) text += fmt::format("    sm_cycles: {}\n", number(sm_cycles));
    text += fmt::format("    memory_bytes: {}\n", number(whole.memory_bytes / ctas));
    text += fmt::format("    variation: {}\n", number(std::round(lone.usual().variation() * 1e4) / 1e4));
    return text;
  }

  static constexpr double kSlowed = 1.02;
};

}  // namespace

ExitCode record_profiles(const ProfileRequest& request) {
  {  // Whatever is wrong is found before anything is simulated.
    RunConfig rest;
    PlatformConfig config;
    request.file.read(rest, [&](FieldVisitor& v) { config.fields(v); });
    if (config.sm.type.name != "cycle")
      throw InputError(fmt::format("{}{}'platform.sm.type' is '{}'; profiles are recorded of: cycle",
                                   config.sm.type.place, config.sm.type.place.empty() ? "" : ": ",
                                   config.sm.type.name));
    if (config.sampling.on())
      throw InputError("profiles are recorded of all CTAs; set platform.sampling.skip: 0");
  }
  make_writable_folder(request.runs);
  if (request.profiles.has_parent_path()) make_writable_folder(request.profiles.parent_path());

  const std::string one_cta = "platform.sm.resources.ctas=1", one_sm = "platform.sms=1";
  const Variant as_is{"as_is", {}, false}, full{"full", {one_sm}, true},
      alone{"alone", {one_sm, one_cta}, true}, spread{"spread", {one_cta}, true};
  const auto apart = [&](const Variant& variant) {
    return run_apart(fmt::format("the run '{}'", variant.name), *request.output,
                     [&] { return simulate(request, variant); });
  };
  for (const Variant* variant : {&as_is, &full, &alone})
    if (const ExitCode code = apart(*variant); code != ExitCode::kOk) return code;
  const Shapes wholes = observe(request, as_is), crowds = observe(request, full);
  Shapes lone = observe(request, alone);
  if (std::any_of(wholes.begin(), wholes.end(), [&](const auto& w) { return lone.count(w.first) == 0; })) {
    if (const ExitCode code = apart(spread); code != ExitCode::kOk) return code;
    for (auto& [shape, observed] : observe(request, spread)) lone.emplace(shape, observed);
  }
  std::string text = fmt::format(
      "# Profiles of kernels (docs/profile-grain.md), recorded by warpvp {} with\n#   {}\n# platform: {}\n"
      "# Times are of lone CTAs on one SM, instructions and DRAM bytes of the run as it is, by CTA.\n"
      "kernels:\n",
      build_info().version, request.command, request.file.platform_origin().name);
  const Writer writer{lone, crowds, wholes};
  for (const auto& [shape, observed] : wholes) {
    if (lone.count(shape) == 0)
      throw InputError(
          fmt::format("kernel '{}' was launched with {} CTAs of {} threads, but not so in the runs with "
                      "one CTA at a time; its launches depend on what an SM holds, and it has no profile",
                      shape.entry, shape.ctas, shape.threads));
    text += writer.record(shape, observed);
  }
  write_file_atomically(request.profiles, text);
  if (!request.quiet)
    *request.output << fmt::format("{}: {} profiles\n", request.profiles.string(), wholes.size());
  return ExitCode::kOk;
}

}  // namespace warpvp
