#include "study/calibrate_bandwidth.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "platform/build/bandwidth_peaks.h"
#include "platform/build/platform.h"
#include "platform/observe/schedule_recorder.h"
#include "platform/platform_config.h"
#include "platform/results/build_info.h"
#include "platform/results/result_writer.h"
#include "platform/results/text_table.h"
#include "platform/simulation.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

/// A pattern of the app bandwidth_probe.
struct Pattern {
  const char* name;
  const char* app;
  bool ideal_network = false;

  bool hits_l2() const { return std::string(app).rfind("l2", 0) == 0; }
};

/// DRAM is measured twice, as a network may be what holds it up: CCBP compares what kernels ask of each with
/// what that one alone sustains.
constexpr Pattern kPatterns[] = {
    {"L2 stream", "l2_stream"},
    {"L2 random", "l2_random"},
    {"L2 own bank", "l2_own_bank"},
    {"DRAM stream", "dram_stream"},
    {"DRAM random", "dram_random"},
    {"DRAM copy", "dram_copy"},
    {"DRAM stream, ideal network", "dram_stream", true},
    {"DRAM random, ideal network", "dram_random", true},
    {"DRAM copy, ideal network", "dram_copy", true},
};

constexpr std::uint64_t kLineBytes = 128, kEntries = 512;
/// Of what network patterns load from, a bank: little enough for any L2.
constexpr std::uint64_t kLinesOfBank = 64;
/// Replies that a bank gives at least: some 40,000 cycles at the peak.
constexpr std::uint64_t kRepliesOfBank = 8192;
/// What DRAM patterns load at least, in all and of a channel: more than L2s keep, and over many refresh
/// intervals.
constexpr std::uint64_t kDramBytes = std::uint64_t{4} << 20, kBytesOfChannel = std::uint64_t{3} << 18;
constexpr double kSliceUs = 0.25;

PlatformConfig platform_of(const RunFile& file) {
  PlatformConfig config;
  file.read_platform([&](FieldVisitor& v) { config.fields(v); });
  return config;
}

/// Ends with InputError where there is nothing to measure.
void check(const PlatformConfig& config) {
  if (config.sm.type.name == "cycle") {
    if (cycle_sm_config(config).memory.model.name == "isolated")
      throw InputError("sm.memory.model is isolated: no load reaches the network; allowed: hierarchy");
  } else if (config.sm.type.name == "profile") {
    throw InputError("sm.type is profile: its SMs load nothing; allowed: cycle");
  }
  if (config.l2.type.name == "perfect")
    throw InputError("l2 is perfect: no load reaches DRAM; allowed: cache");
}

RunFile run_of(const RunFile& platform, const PlatformConfig& config, const Pattern& pattern) {
  const AddressMapConfig& map = config.address_map;
  const std::uint64_t a_pass = std::uint64_t{2} * config.sms * kEntries;  // two CTAs to an SM
  const std::uint64_t dram_bytes = std::max(kDramBytes, kBytesOfChannel * map.channels);
  const std::uint64_t lines = pattern.hits_l2() ? kRepliesOfBank * map.banks : dram_bytes / kLineBytes;
  const std::uint64_t passes =
      std::max<std::uint64_t>((lines + a_pass - 1) / a_pass, pattern.hits_l2() ? 4 : 1);
  RunFile file = platform;
  file.apply({fmt::format(
      "workload={{app: bandwidth_probe, params: {{pattern: {}, entries: {}, passes: {}, "
      "footprint: {}, banks: {}, interleave_bytes: {}, hash: {}}}}}",
      pattern.app, kEntries, passes, kLinesOfBank * map.banks, map.banks, map.interleave_bytes, map.hash)});
  if (pattern.ideal_network) file.apply({"platform.crossbar=ideal"});
  return file;
}

/// What has been moved up to a time.
struct TrafficSample {
  double seconds = 0;
  MemorySystem::Traffic traffic;
};

/// Samples while the kernel runs. Fewer than it takes to measure when interrupted.
std::vector<TrafficSample> samples_of(const RunFile& file, const Pattern& pattern,
                                      const std::atomic<bool>* interrupted) {
  Simulation simulation(file);
  simulation.attach_workload();
  std::vector<TrafficSample> samples;
  while (simulation.run_for(SimTime::from_us(kSliceUs)) == Halt::kTime) {
    if (interrupted && *interrupted) return {};
    const std::vector<KernelState> kernels = simulation.kernels();
    if (kernels.empty() || kernels[0].phase != KernelState::Phase::kRunning) continue;
    samples.push_back(
        {simulation.now().to_seconds(), simulation.platform().memory_system().kernel_traffic()});
  }
  const Outcome& outcome = simulation.end();
  if (outcome.code != ExitCode::kOk)
    throw std::runtime_error(fmt::format("calibration, {}: {}", pattern.name, outcome.message));
  return samples;
}

PatternFigures figures_of(const Pattern& pattern, const std::vector<TrafficSample>& samples,
                          unsigned flit_bytes) {
  const std::size_t n = samples.size();
  std::size_t first = n / 4, last = n * 3 / 4;
  // SMs that share their bank with nobody, where others do, are done in half the time.
  if (pattern.app == std::string("l2_own_bank")) last = n / 2;
  // What the L2 keeps of the copy from the host is written to DRAM while the first third is read.
  if (!pattern.hits_l2()) first = n * 2 / 5, last = n * 4 / 5;
  const TrafficSample &from = samples[first], &to = samples[last];
  PatternFigures figures;
  figures.pattern = pattern.name;
  figures.seconds = to.seconds - from.seconds;
  const CrossbarCounters &before = from.traffic.crossbar.reply, &after = to.traffic.crossbar.reply;
  figures.reply_bytes = static_cast<double>(after.flits - before.flits) * flit_bytes;
  figures.replies = static_cast<double>(after.packets - before.packets);
  const MemoryCounters &dram = from.traffic.dram, &dram_after = to.traffic.dram;
  figures.dram_bytes = static_cast<double>(dram_after.read_bytes - dram.read_bytes +
                                           dram_after.written_bytes - dram.written_bytes);
  return figures;
}

std::string percent(double share) { return share > 0 ? fmt::format("{:.1f} %", 100 * share) : "-"; }

TextTable table_of(const BandwidthFigures& figures) {
  TextTable table;
  table.add_column("pattern", TextTable::Align::kLeft);
  for (const char* title : {"network GB/s", "of peak", "DRAM GB/s", "of peak", "bytes a reply"})
    table.add_column(title);
  for (const PatternFigures& p : figures.patterns)
    table.add_row({p.pattern, fmt::format("{:.1f}", p.reply_bytes / p.seconds * 1e-9), percent(p.network),
                   fmt::format("{:.1f}", p.dram_bytes / p.seconds * 1e-9), percent(p.dram),
                   fmt::format("{:.1f}", p.reply_bytes / p.replies)});
  return table;
}

std::string peaks_text(const BandwidthFigures& figures) {
  const auto line = [](const char* what, double peak, const std::string& factors) {
    return peak > 0 ? fmt::format("{} peak: {:.1f} GB/s = {}\n", what, peak * 1e-9, factors)
                    : fmt::format("{} peak: {}\n", what, factors);
  };
  return line("network", figures.network_peak, figures.network_factors) +
         line("DRAM", figures.dram_peak, figures.dram_factors);
}

/// The lines of `text` as comments.
std::string comment(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += line.empty() ? "#\n" : "# " + line + "\n";
  return out;
}

}  // namespace

const PatternFigures& BandwidthFigures::of(const std::string& pattern) const {
  for (const PatternFigures& p : patterns)
    if (p.pattern == pattern) return p;
  throw InputError("no pattern '" + pattern + "' was run");
}

BandwidthFigures measure_bandwidth(const RunFile& platform, const std::atomic<bool>* interrupted) {
  const PlatformConfig config = platform_of(platform);
  check(config);
  const BandwidthPeak network = network_peak(config), dram = dram_peak(config);
  BandwidthFigures figures{
      network.bytes_per_second, dram.bytes_per_second, network.factors, dram.factors, {}};
  for (const Pattern& pattern : kPatterns) {
    const RunFile file = run_of(platform, config, pattern);
    const std::vector<TrafficSample> samples = samples_of(file, pattern, interrupted);
    if (interrupted && *interrupted) break;
    if (samples.size() < 8)
      throw InputError(fmt::format("calibration, {}: over in {} samples of {} us, too few to measure",
                                   pattern.name, samples.size(), kSliceUs));
    const unsigned flit_bytes = network_peak(platform_of(file)).flit_bytes;
    PatternFigures reached = figures_of(pattern, samples, flit_bytes);
    // An ideal network has no peak; what goes through it is not to be held against the platform's.
    if (!pattern.ideal_network) reached.network = network.share(reached.reply_bytes, reached.seconds);
    reached.dram = dram.share(reached.dram_bytes, reached.seconds);
    figures.patterns.push_back(std::move(reached));
  }
  return figures;
}

std::string calibrated_platform(const CalibrationRequest& request, const BandwidthFigures& figures) {
  const BuildInfo build = build_info();
  return comment(fmt::format("{} with the bandwidth that its network and its DRAM sustain, measured by\n"
                             "`warpvp calibrate bandwidth` of warpvp {}, commit {}{}.\n\n{}\n{}",
                             request.extends, build.version, build.commit, build.modified ? ", modified" : "",
                             peaks_text(figures), table_of(figures).text())) +
         fmt::format("extends: {}\nsustainable_bandwidth:\n  network: {:.3f}  # {}\n  dram: {:.3f}  # {}\n",
                     to_yaml(Setting::string(request.extends)), figures.of(kNetworkPattern).network,
                     kNetworkPattern, figures.of(kDramPattern).dram, kDramPattern);
}

ExitCode calibrate_bandwidth(const CalibrationRequest& request) {
  const PlatformConfig config = platform_of(request.file);
  check(config);
  if (!request.write.empty()) {
    if (!network_peak(config).limited() || !dram_peak(config).limited())
      throw InputError(fmt::format("--write: {} of platform {} has no peak bandwidth to take a share of",
                                   network_peak(config).limited() ? "the DRAM" : "the crossbar",
                                   request.platform));
    if (fs::is_directory(request.write))
      throw InputError(fmt::format("--write: {} is a folder; give a file", request.write.string()));
    const fs::path parent = request.write.parent_path(), folder = parent.empty() ? "." : parent;
    if (!fs::is_directory(folder) || access(folder.c_str(), W_OK) != 0)
      throw InputError(fmt::format("--write: cannot write to the folder {}; give a file in one that is there",
                                   folder.string()));
  }
  const BandwidthFigures figures = measure_bandwidth(request.file, request.interrupted);
  *request.output << fmt::format("platform {}\n{}\n{}", request.platform, peaks_text(figures),
                                 table_of(figures).text());
  if (request.interrupted && *request.interrupted) return ExitCode::kInterrupted;
  *request.output << fmt::format("\nsustainable: network {} ({}), DRAM {} ({})\n",
                                 percent(figures.of(kNetworkPattern).network), kNetworkPattern,
                                 percent(figures.of(kDramPattern).dram), kDramPattern);
  if (!request.write.empty()) {
    write_file_atomically(request.write, calibrated_platform(request, figures));
    *request.output << request.write.string() << "\n";
  }
  return ExitCode::kOk;
}

}  // namespace warpvp
