// The timeline for Perfetto: what it shows adds up to result.json, in an order that one finds things in, of
// the part that was asked for and no larger than allowed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/intervals/interval_table.h"
#include "tests/intervals/timeline_events.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;
using Span = TimelineEvents::Span;

struct Traced {
  TimelineEvents events;
  nlohmann::json result;
};

Traced trace(const ScratchFolder& scratch, const std::string& platform, const std::string& workload,
             std::vector<std::string> words = {}, int status = 0) {
  const std::string file =
      scratch.file("run.yaml", "platform: " + platform + "\nworkload: " + workload + "\n");
  words.insert(words.begin(), {"run", file, "--quiet", "--trace", "--out", (scratch / "out").string()});
  const Finished run = run_program(words);
  EXPECT_EQ(run.status, status) << run.err;
  return {read_timeline(scratch / "out/trace.json"), read_json(scratch / "out/result.json")};
}

TEST(Timeline, HasTheKernelsAndCtasOfTheResult) {
  const ScratchFolder scratch;
  const auto [events, result] = trace(scratch, "small", "{app: many_streams, params: {streams: 4}}");
  std::map<std::uint64_t, Span> kernels;
  for (const Span& span : events.of_group("Kernels")) kernels[number(span.args["launch"])] = span;
  ASSERT_EQ(kernels.size(), result["kernels"].size());
  for (const auto& kernel : result["kernels"]) {
    const Span& span = kernels.at(kernel["launch"].get<std::uint64_t>());
    EXPECT_EQ(span.name, kernel["name"]);
    EXPECT_NEAR(static_cast<double>(span.from), kernel["launch_us"].get<double>() * 1e6, 1);
    EXPECT_NEAR(static_cast<double>(span.to), kernel["end_us"].get<double>() * 1e6, 1);
  }
  std::uint64_t ctas = 0;
  for (const Span& span : events.spans) ctas += span.track.rfind("CTA slot ", 0) == 0;
  EXPECT_EQ(ctas, result["control"]["work_distributor"]["ctas_done"]);
}

// Two processes' kernels, of which the second is more urgent: SMs are set up, run, drain and are handed back.
constexpr char kTwoContexts[] = R"(
  buffers:
    a: {type: f32, count: 8192, init: random}
    b: {type: f32, count: 8192, init: zero}
    c: {type: u32, count: 8192, init: zero}
  launches:
    - {ptx: pure_compute.ptx, grid: [200], block: [256], stream: 1, context: 1,
       entry: pure_compute, args: [{buffer: a}, {buffer: b}, {u32: 8192}, {u32: 40}]}
    - {ptx: divergence.ptx, grid: [40], block: [128], stream: 2, context: 2, priority: 1,
       entry: divergence, args: [{buffer: c}, {u32: 1}, {u32: 0}]}
)";

/// How SMs are taken, what the timeline says of it, and the counters that it belongs to.
struct Way {
  const char *name, *does, *times, *cycles;
};
class WhoseSms : public testing::TestWithParam<Way> {};

TEST_P(WhoseSms, AreShownAndCounted) {
  const Way& way = GetParam();
  const std::string taken = std::string("pure_compute ") + way.does + " for divergence";
  const ScratchFolder scratch;
  for (const char* file : {"pure_compute.ptx", "divergence.ptx"})
    std::filesystem::copy_file(std::string("sw/kernels/") + file, scratch / file);
  const auto [events, result] =
      trace(scratch, "small", kTwoContexts,
            {"--set", "platform.work_distributor.policy=fcfs_ppq", "--set",
             "platform.work_distributor.setup_cycles=300", "--set", "trace.ctas=false", "--set",
             std::string("platform.work_distributor.preemption=") + way.name});
  const auto& control = result["control"]["work_distributor"];
  std::uint64_t setups = 0, drains = 0;
  std::int64_t drained = 0, longest = 0;
  std::set<std::string> names;
  for (const Span& span : events.of_group("Whose SMs")) {
    EXPECT_EQ(span.track.rfind("SM ", 0), 0u);
    names.insert(span.name);
    const bool setup = span.name.rfind("set-up", 0) == 0, drain = span.name == taken;
    setups += setup;
    drains += drain;
    if (drain) drained += span.length();
    if (setup) longest = std::max(longest, span.length());
    EXPECT_EQ(span.args["context"], span.name.find("divergence") == std::string::npos || drain ? "1" : "2");
  }
  EXPECT_THAT(names, testing::ElementsAre("divergence", "pure_compute", taken, "set-up for divergence",
                                          "set-up for pure_compute"));
  EXPECT_EQ(setups, control["setups"]);
  EXPECT_EQ(drains, control[way.times]);
  EXPECT_GT(drains, 0u);
  EXPECT_NEAR(static_cast<double>(longest), 250e3, 1);  // 300 cycles at 1200 MHz, unless reserved meanwhile
  EXPECT_NEAR(static_cast<double>(drained), control[way.cycles].get<double>() * 1e6 / 1200,
              4.0 * static_cast<double>(drains));  // both ends are rounded
  std::map<std::string, double> last, most;
  for (const auto& counter : events.counters) {
    last[counter.name] = counter.value;
    most[counter.name] = std::max(most[counter.name], counter.value);
  }
  EXPECT_EQ(most["SMs of context 1"], 4);
  EXPECT_GT(most["SMs of context 2"], 0);
  EXPECT_EQ(last["SMs of context 1"], 0);
  EXPECT_EQ(last["SMs of context 2"], 0);
  for (const Span& span : events.spans) EXPECT_NE(span.track.rfind("CTA slot", 0), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, WhoseSms,
                         testing::Values(Way{"drain", "drains", "reservations", "drain_cycles"},
                                         Way{"switch", "is saved", "preemptions", "preemption_cycles"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Timeline, HasCopiesDoorbellsAndDecisions) {
  const ScratchFolder scratch;
  const auto [events, result] = trace(scratch, "small", "{app: many_streams, params: {streams: 4}}");
  const auto& control = result["control"];
  std::uint64_t bytes = 0;
  std::int64_t busy = 0;
  for (const Span& span : events.of_group("Copies")) {
    bytes += number(span.args["bytes"]);
    busy += span.length();
    EXPECT_THAT(span.name, testing::AnyOf("host to device", "device to host", "device to device", "fill"));
  }
  EXPECT_EQ(events.of_group("Copies").size(), control["dma"]["copies"]);
  EXPECT_EQ(bytes, control["dma"]["bytes"]);
  EXPECT_NEAR(static_cast<double>(busy), control["dma"]["busy_us"].get<double>() * 1e6,
              static_cast<double>(events.of_group("Copies").size()));
  std::uint64_t doorbells = 0;
  std::map<std::string, std::uint64_t> taken;
  for (const auto& instant : events.instants) {
    EXPECT_EQ(instant.group, "Command processor");
    doorbells += instant.track == "doorbells";
    if (instant.track == "decisions: take") ++taken[instant.args["queue"]];
  }
  EXPECT_EQ(doorbells, control["command_processor"]["doorbells"]);
  std::uint64_t all = 0;
  for (const auto& [queue, count] : taken) all += count;
  EXPECT_EQ(all, control["command_processor"]["kernels"].get<std::uint64_t>() +
                     control["command_processor"]["copies"].get<std::uint64_t>() +
                     control["command_processor"]["barriers"].get<std::uint64_t>());
}

struct WarpCase {
  const char* name;
  const char* platform;
  const char* workload;
  const char* intervals;  ///< cycles; looking at the counters changes nothing
};
void PrintTo(const WarpCase& c, std::ostream* out) { *out << c.name; }
class Warps : public testing::TestWithParam<WarpCase> {};

// Every cycle of every warp: the instructions issued and the stalls by reason are those of the result.
TEST_P(Warps, AddUpToTheResult) {
  const ScratchFolder scratch;
  std::vector<std::string> words = {"--set", "trace.warps=all"};
  if (*GetParam().intervals) words.insert(words.end(), {"--intervals", GetParam().intervals});
  const auto [events, result] = trace(scratch, GetParam().platform, GetParam().workload, words);
  std::map<std::string, std::uint64_t> issued, nops;  // by SM
  std::map<std::string, std::uint64_t> stalls;
  std::uint64_t warps = 0;
  for (const Span& span : events.spans) {
    if (span.track.find(" warp ") == std::string::npos) continue;
    if (kStalls.count(span.name)) {
      stalls[span.name] += number(span.args["cycles"]);
    } else if (span.args.contains("PTX")) {
      ++(span.name == "nop" ? nops : issued)[span.group];
      EXPECT_THAT(span.args["PTX"].get<std::string>(), HasSubstr(".ptx:"));
    } else {
      ++warps;
      EXPECT_TRUE(span.args.contains("CTA"));
    }
  }
  std::map<std::string, std::uint64_t> expected;
  std::uint64_t expected_warps = 0;
  for (const auto& kernel : result["kernels"]) {
    for (const std::string& reason : kStalls)
      expected[reason] += kernel["stalls"][reason].get<std::uint64_t>();
    std::uint64_t threads = 1;
    for (const std::uint64_t size : kernel["block"]) threads *= size;
    expected_warps += kernel["ctas"].get<std::uint64_t>() * ((threads + 31) / 32);
  }
  for (const std::string& reason : kStalls) EXPECT_EQ(stalls[reason], expected[reason]) << reason;
  EXPECT_EQ(warps, expected_warps);
  for (std::size_t i = 0; i < result["sms"].size(); ++i) {
    EXPECT_EQ(issued["SM " + std::to_string(i)], result["sms"][i]["issued"]) << i;
    EXPECT_EQ(nops["SM " + std::to_string(i)], result["sms"][i]["nops"]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Timeline, Warps,
    testing::Values(WarpCase{"matmul", "small", "{app: matmul, params: {m: 32, n: 32, k: 32}}", ""},
                    WarpCase{"with_intervals", "small", "{app: matmul, params: {m: 32, n: 32, k: 32}}", "37"},
                    WarpCase{"atomics", "small", "{app: histogram, params: {words: 2000}}", "100"},
                    WarpCase{"coordinated",
                             "{extends: small, sm: {frontend: {mode: coordinated, fetch_width: 1}}}",
                             "{app: vector_add, params: {count: 2000}}", ""},
                    WarpCase{"many_kernels", "small", "{app: many_streams, params: {streams: 3}}", "1000"}),
    [](const auto& info) { return info.param.name; });

TEST(Timeline, HasTheWarpsOfChosenSmsAlone) {
  const ScratchFolder scratch;
  const auto [events, result] =
      trace(scratch, "small", "{app: vector_add, params: {count: 4000}}", {"--set", "trace.warps=[2, 0, 2]"});
  std::set<std::string> with_warps;
  for (const Span& span : events.spans)
    if (span.track.find(" warp ") != std::string::npos) with_warps.insert(span.group);
  EXPECT_EQ(with_warps, (std::set<std::string>{"SM 0", "SM 2"}));
}

TEST(Timeline, ShowsWhatHasNotEnded) {
  const ScratchFolder scratch;
  const auto [events, result] =
      trace(scratch, "small", "{app: fault, params: {kind: deadlocked}}", {"--set", "trace.warps=all"}, 3);
  const auto kernels = events.of_group("Kernels");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].args["ended"], "no");
  EXPECT_NEAR(static_cast<double>(kernels[0].to), result["simulation"]["time_us"].get<double>() * 1e6, 1);
  std::uint64_t barrier = 0;
  for (const Span& span : events.spans)
    if (span.name == "barrier") barrier += number(span.args["cycles"]);
  EXPECT_EQ(barrier, result["kernels"][0]["stalls"]["barrier"]);
  EXPECT_GT(barrier, 0u);
}

TEST(Timeline, HasTheIntervalsAsCounters) {
  const ScratchFolder scratch;
  const auto [events, result] = trace(scratch, "small", "matmul", {"--intervals", "500"});
  const IntervalTable table = read_intervals(scratch / "out");
  std::map<std::string, double> sums;
  std::map<std::string, std::size_t> points;
  for (const auto& counter : events.counters) {
    sums[counter.name] += counter.value;
    ++points[counter.name];
  }
  for (const std::string& name : table.names) {
    EXPECT_EQ(points[name], table.rows.size()) << name;
    if (!is_level(name)) {
      EXPECT_NEAR(sums[name], total_of(result, name), 1e-6) << name;
    }
  }
}

TEST(Timeline, ShowsGroupsSmsAndSlotsInOrder) {
  const ScratchFolder scratch;
  // The first CTAs to come are not those of the first SM and slot.
  const auto [events, result] =
      trace(scratch, "{extends: small, sms: 12}", "{app: vector_add, params: {count: 20000}}",
            {"--set", "trace.warps=all", "--intervals", "1000"});
  std::vector<std::pair<std::int64_t, std::string>> groups;
  for (const auto& [group, order] : events.group_order) groups.emplace_back(order, group);
  std::sort(groups.begin(), groups.end());
  std::vector<std::string> names;
  for (const auto& [order, name] : groups) names.push_back(name);
  std::vector<std::string> expected = {"Kernels", "Command processor", "Queues", "Copies", "PCIe", "Counters"};
  for (int sm = 0; sm < 12; ++sm) expected.push_back("SM " + std::to_string(sm));
  EXPECT_EQ(names, expected);
  std::vector<std::pair<std::int64_t, std::string>> tracks;
  for (const auto& [track, order] : events.track_order)
    if (track.first == "SM 3") tracks.emplace_back(order, track.second);
  std::sort(tracks.begin(), tracks.end());
  std::vector<int> slots;
  std::vector<std::pair<int, int>> warps;
  for (const auto& [order, name] : tracks) {
    int a = 0, b = 0;
    if (std::sscanf(name.c_str(), "CTA slot %d", &a) == 1) {
      EXPECT_TRUE(warps.empty()) << "CTAs come first";
      slots.push_back(a);
    } else if (std::sscanf(name.c_str(), "scheduler %d warp %d", &a, &b) == 2) {
      warps.emplace_back(a, b);
    }
  }
  EXPECT_GT(slots.size(), 1u);
  EXPECT_GT(warps.size(), 8u);
  EXPECT_TRUE(std::is_sorted(slots.begin(), slots.end()));
  EXPECT_TRUE(std::is_sorted(warps.begin(), warps.end()));
}

TEST(Timeline, IsOfTheWindowThatWasAskedFor) {
  const ScratchFolder scratch;
  const auto [all, result] = trace(scratch, "small", "matmul", {"--set", "trace.warps=[0]"});
  const double begin = result["kernels"][0]["start_us"], end = result["kernels"][0]["end_us"];
  const std::int64_t from = static_cast<std::int64_t>((begin + (end - begin) / 3) * 10) * 100'000,
                     to = static_cast<std::int64_t>((begin + (end - begin) / 2) * 10) * 100'000;
  const auto us = [](std::int64_t ps) { return std::to_string(static_cast<double>(ps) / 1e6); };
  const auto [part, again] = trace(
      scratch, "small", "matmul",
      {"--set", "trace.warps=[0]", "--set", "trace.start_us=" + us(from), "--set", "trace.end_us=" + us(to)});
  // All that lies within, cut at the ends.
  std::vector<std::string> expected, shown;
  const auto text = [](const Span& s) {
    return s.group + " " + s.track + " " + s.name + " " + std::to_string(s.from) + " " + std::to_string(s.to);
  };
  for (Span span : all.spans) {
    span.from = std::max(span.from, from);
    span.to = std::min(span.to, to);
    if (span.from < span.to) expected.push_back(text(span));
  }
  for (const Span& span : part.spans)
    if (span.from < span.to) shown.push_back(text(span));
  std::sort(expected.begin(), expected.end());
  std::sort(shown.begin(), shown.end());
  EXPECT_EQ(shown, expected);
  EXPECT_GT(shown.size(), 100u);
  EXPECT_LT(shown.size(), all.spans.size() / 2);
  for (const auto& instant : part.instants) EXPECT_TRUE(instant.at >= from && instant.at <= to);
  // The number of CTAs in flight does not begin with the first change in the window.
  double in_flight = -1;
  for (const auto& counter : part.counters)
    if (counter.name == "CTAs in flight" && counter.at == from) in_flight = counter.value;
  EXPECT_EQ(in_flight, 16);
}

TEST(Timeline, EndsAtItsLimitWithALineAndAWarning) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", "platform: small\nworkload: matmul\n");
  const Finished run = run_program({"run", file, "--quiet", "--trace", "--set", "trace.warps=all", "--set",
                                    "trace.limit_mib=1", "--out", scratch / "out"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("warpvp: warning: trace.json ends at "));
  EXPECT_THAT(run.err, HasSubstr(" us, where it reached its limit of 1 MiB (trace.limit_mib)"));
  const auto size = std::filesystem::file_size(scratch / "out/trace.json");
  EXPECT_GE(size, 1u << 20);
  EXPECT_LT(size, (1u << 20) + 20'000);
  const TimelineEvents events = read_timeline(scratch / "out/trace.json");
  unsigned lines = 0;
  std::int64_t end = 0;
  for (const auto& instant : events.instants)
    if (instant.name.rfind("recording ended: the file has reached its limit", 0) == 0) {
      ++lines;
      end = instant.at;
    }
  EXPECT_EQ(lines, 1u);
  for (const Span& span : events.spans) EXPECT_LE(span.to, end) << span.name;
  EXPECT_EQ(read_json(scratch / "out/result.json")["exit_code"], 0);
}

TEST(Timeline, RefusesWhatItCannotShow) {
  const ScratchFolder scratch;
  const auto refused = [&](const std::string& trace, const std::string& platform = "small") {
    const std::string file =
        scratch.file("run.yaml", "platform: " + platform + "\nworkload: vector_add\ntrace: {enabled: true, " +
                                     trace + "}\n");
    const Finished run = run_program({"run", file, "--quiet", "--out", scratch / "out"});
    EXPECT_EQ(run.status, 2) << trace;
    return run.err;
  };
  EXPECT_THAT(refused("warps: [1, 7]"),
              HasSubstr("run.yaml:3:31: 'trace.warps': there is no SM 7; allowed: 0 to 3"));
  EXPECT_THAT(refused("warps: some"), HasSubstr("allowed: a number of an SM, a list of them, or all"));
  EXPECT_THAT(refused("warps: [-1]"), HasSubstr("allowed: a number of an SM, a list of them, or all"));
  EXPECT_THAT(refused("start_us: 5, end_us: 5"), HasSubstr("5 is not after start_us, 5"));
  EXPECT_THAT(refused("limit_mib: 0"), HasSubstr("limit_mib"));
  EXPECT_THAT(refused("file: intervals.csv"), HasSubstr("neither result.json nor intervals.csv"));
}

}  // namespace
}  // namespace warpvp::test
