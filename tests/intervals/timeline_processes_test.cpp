// The timeline of processes that share a device: processes, whose SMs, tokens, priorities, copies by bursts
// and the link, each adding up to result.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/intervals/timeline_events.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using Span = TimelineEvents::Span;

/// Three processes on four SMs: long kernels, short ones, and an urgent one that copies much.
class SharedTimeline : public testing::Test {
 protected:
  SharedTimeline() {
    scratch_.file("profiles.yaml",
                  "kernels:\n"
                  "  slow: {threads: 32, registers: 16, cta_us: 100}\n"
                  "  fast: {threads: 32, registers: 16, cta_us: 10}\n");
    scratch_.file(
        "slow.yaml",
        "profiles: profiles.yaml\nsteps:\n  - copy_to_device: {mib: 1}\n"
        "  - launch: {kernel: slow, ctas: 40}\n  - synchronize: true\n  - copy_to_host: {mib: 2}\n");
    scratch_.file("fast.yaml",
                  "profiles: profiles.yaml\nsteps:\n  - fill: {mib: 1}\n  - repeat: 6\n    steps:\n"
                  "      - cpu_us: 30\n      - launch: {kernel: fast, ctas: 8}\n      - synchronize: true\n"
                  "  - copy_to_host: {kib: 64}\n");
    scratch_.file("urgent.yaml",
                  "profiles: profiles.yaml\nsteps:\n  - cpu_us: 40\n  - copy_to_device: {mib: 1}\n"
                  "  - launch: {kernel: fast, ctas: 8}\n  - synchronize: true\n  - copy_to_host: {mib: 1}\n");
  }
  void run(const std::string& policy, const std::string& more = "") {
    const std::string file = scratch_.file(
        "run.yaml",
        "platform:\n  extends: gk110\n  sms: 4\n  sm: {profiles: [profiles.yaml], resources: {ctas: 2}}\n"
        "  work_distributor: {setup_cycles: 300, policy: " +
            policy +
            "}\n"
            "workload:\n  processes:\n    - {application: slow.yaml}\n    - {application: fast.yaml}\n"
            "    - {application: urgent.yaml, priority: 2}\n" +
            more);
    const Finished finished =
        run_program({"run", file, "--quiet", "--trace", "--out", (scratch_ / "out").string()});
    ASSERT_EQ(finished.status, 0) << finished.err;
    events_ = read_timeline(scratch_ / "out/trace.json");  // fails where spans cross
    result_ = read_json(scratch_ / "out/result.json");
  }
  /// The value of a counter from its last event at or before `at` on; `otherwise` before the first.
  double counter_at(const std::string& name, std::int64_t at, double otherwise) const {
    for (const auto& event : events_.counters) {
      if (event.at > at) break;
      if (event.name == name) otherwise = event.value;
    }
    return otherwise;
  }
  std::map<std::string, std::vector<Span>> tracks(const std::string& group) const {
    std::map<std::string, std::vector<Span>> by;
    for (const Span& span : events_.of_group(group)) by[span.track].push_back(span);
    return by;
  }
  ScratchFolder scratch_;
  TimelineEvents events_;
  nlohmann::json result_;
};

TEST_F(SharedTimeline, ProcessesLastTheirTurnaroundTimes) {
  run("fcfs_m", "  alone: measure\n  replay: until_all_once\n");
  const auto rows = tracks("Processes");
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& process : result_["processes"]) {
    std::map<std::string, unsigned> seen;
    for (const Span& span : rows.at(process["name"])) {
      if (!span.args.contains("ended")) ++seen[span.name];
      EXPECT_EQ(number(span.args["context"]), process["context"]);
      if (span.name == "first") {
        EXPECT_NEAR(static_cast<double>(span.length()), process["turnaround_us"].get<double>() * 1e6, 1);
      }
      if (span.name == "alone") {
        EXPECT_NEAR(static_cast<double>(span.length()), process["alone_us"].get<double>() * 1e6, 1);
      }
    }
    EXPECT_EQ(seen["alone"], 1u);
    EXPECT_EQ(seen["first"] + seen["again"], process["executions"]);
  }
}

TEST_F(SharedTimeline, CopiesAndEnginesAddUp) {
  run("fcfs_ppq");
  const auto& dma = result_["control"]["dma"];
  std::uint64_t copies = 0, bytes = 0, bursts = 0, overtaken = 0;
  std::int64_t busy = 0;
  std::map<std::string, std::int64_t> engines;
  std::map<std::string, std::uint64_t> of_context;
  for (const Span& span : events_.of_group("Copies")) {
    if (span.name == "bursts") {
      bursts += number(span.args["bursts"]);
      engines[span.track] += span.length();
    } else if (span.name == "overtaken") {
      ++overtaken;
    } else {
      ++copies;
      bytes += number(span.args["bytes"]);
      busy += span.length();
      const bool to_device = span.name == "host to device";
      EXPECT_EQ(span.track.rfind(to_device ? "to device, engine " : "", 0), 0u) << span.track;
      EXPECT_EQ(span.args["priority"], span.args["context"] == "3" ? "2" : "0");
      if (span.name != "fill")
        of_context[span.args["context"].get<std::string>()] += number(span.args["bytes"]);
    }
  }
  EXPECT_EQ(copies, dma["copies"]);
  EXPECT_EQ(bytes, dma["bytes"]);
  EXPECT_EQ(bursts, dma["bursts"]);
  EXPECT_EQ(overtaken, dma["overtakings"]);
  EXPECT_GE(overtaken, 1u);  // the urgent process copies while the slow one does
  EXPECT_NEAR(static_cast<double>(busy), dma["busy_us"].get<double>() * 1e6, static_cast<double>(copies));
  for (const auto& [engine, key] : {std::pair{"to device, bursts of all", "to_device_busy_us"},
                                    std::pair{"to host, bursts of all", "to_host_busy_us"},
                                    std::pair{"on device, bursts of all", "on_device_busy_us"}}) {
    EXPECT_GT(engines[engine], 0) << engine;
    EXPECT_NEAR(static_cast<double>(engines[engine]), dma[key].get<double>() * 1e6, 50) << engine;
  }
  for (const auto& process : result_["processes"])
    EXPECT_EQ(
        of_context[std::to_string(process["context"].get<int>())],
        process["bytes_to_device"].get<std::uint64_t>() + process["bytes_to_host"].get<std::uint64_t>());
  // An urgent copy is not overtaken, and an overtaken one ends later than the one that overtook it began.
  for (const auto& [track, spans] : tracks("Copies"))
    for (const Span& inner : spans) {
      if (inner.name != "overtaken") continue;
      const bool within = std::any_of(spans.begin(), spans.end(), [&](const Span& copy) {
        return copy.name != "overtaken" && copy.args["priority"] == "0" && copy.from <= inner.from &&
               copy.to >= inner.to && number(copy.args["overtaken"]) >= 1;
      });
      EXPECT_TRUE(within) << track;
    }
}

TEST_F(SharedTimeline, TheLinkAddsUp) {
  run("fcfs_m");
  const auto& pcie = result_["control"]["pcie"];
  const double gb_per_s = result_["config"]["platform"]["pcie"]["gb_per_s"];
  std::uint64_t transfers = 0;
  for (const std::string direction : {"to device", "to host"}) {
    std::uint64_t bytes = 0, wire = 0;
    double busy = 0;
    const auto rows = tracks("PCIe");
    for (const Span& span : rows.at(direction)) {
      bytes += number(span.args["bytes"]);
      wire += number(span.args["bytes on the wire"]);
      transfers += number(span.args["transfers"]);
      const double us = std::stod(span.args["busy_us"].get<std::string>());
      EXPECT_LE(us, static_cast<double>(span.length()) / 1e6 + 1e-6);
      busy += us;
    }
    const std::string key = direction == "to device" ? "to_device" : "to_host";
    EXPECT_EQ(bytes, pcie[key + "_bytes"]) << direction;
    EXPECT_EQ(wire, pcie[key + "_wire_bytes"]) << direction;
    EXPECT_NEAR(busy, static_cast<double>(wire) / gb_per_s / 1e3, 0.01) << direction;
  }
  EXPECT_GE(transfers, pcie["transfers"].get<std::uint64_t>());  // a read goes both ways
}

// A context's tokens, its SMs and what is reserved for it come to what it was given, at all times.
TEST_F(SharedTimeline, TokensAreThoseGivenLessTheSms) {
  run("{name: token, tokens: [1, 2, 1]}");
  const std::map<std::string, int> given = {{"1", 1}, {"2", 2}, {"3", 1}};
  std::map<std::string, std::string> names;  // of contexts, as counters have them
  for (const auto& process : result_["processes"]) {
    const std::string context = std::to_string(process["context"].get<int>());
    names[context] = "context " + context + " (" + process["name"].get<std::string>() + ")";
  }
  const auto sms = events_.of_group("Whose SMs");
  std::map<std::string, std::string> context_of_launch;
  for (const Span& span : sms)
    if (!span.args.contains("next launch")) context_of_launch[span.args["launch"]] = span.args["context"];
  std::vector<std::int64_t> edges;
  for (const Span& span : sms) edges.push_back(span.from);
  ASSERT_GT(edges.size(), 20u);
  bool reserved = false, negative = false;
  for (const std::int64_t edge : edges) {
    const std::int64_t at = edge + 1;  // all that happens at an edge has happened
    std::map<std::string, int> taken;
    for (const Span& span : sms) {
      if (span.from > at || span.to <= at) continue;
      const bool drains = span.args.contains("next launch");
      reserved |= drains;
      ++taken[drains ? context_of_launch.at(span.args["next launch"])
                     : span.args["context"].get<std::string>()];
    }
    for (const auto& [context, tokens] : given) {
      const double left = counter_at("tokens of " + names[context], at, tokens);
      EXPECT_EQ(left, tokens - taken[context]) << "context " << context << " at " << at;
      negative |= left < 0;
    }
  }
  EXPECT_TRUE(reserved);
  EXPECT_TRUE(negative);  // one that is alone has more SMs than tokens
}

TEST_F(SharedTimeline, PrioritiesAreThoseOfTheMostUrgentKernel) {
  run("fcfs_ppq");
  double most = 0, last = -1;
  for (const auto& counter : events_.counters) {
    if (counter.name.rfind("priority of ", 0) != 0) continue;
    EXPECT_EQ(counter.name, "priority of context 3 (urgent)");  // others have none to show
    double expected = 0;
    for (const Span& kernel : events_.of_group("Kernels"))
      if (kernel.args["context"] == "3" && kernel.from <= counter.at && kernel.to > counter.at)
        expected = std::max(expected, std::stod(kernel.args["priority"].get<std::string>()));
    EXPECT_EQ(counter.value, expected) << counter.at;
    most = std::max(most, last = counter.value);
  }
  EXPECT_EQ(most, 2);
  EXPECT_EQ(last, 0);
}

TEST_F(SharedTimeline, LeavesOutCtasUnlessAskedFor) {
  run("fcfs_m");
  for (const Span& span : events_.spans) EXPECT_NE(span.track.rfind("CTA slot", 0), 0u);
  run("fcfs_m", "trace: {ctas: true}\n");
  std::uint64_t ctas = 0;
  for (const Span& span : events_.spans) ctas += span.track.rfind("CTA slot", 0) == 0;
  EXPECT_EQ(ctas, result_["control"]["work_distributor"]["ctas_done"]);
}

}  // namespace
}  // namespace warpvp::test
