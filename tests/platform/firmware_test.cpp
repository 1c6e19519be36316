// Firmware in charge of the whole platform: the RISC-V core and the native one decide alike, and the policies
// order what they are asked to order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

const std::string kCommandProcessor = "platform.command_processor.";

// ---- The same decisions

struct NamedWorkload {
  const char* name;
  const char* file;  ///< in configs/workloads
  std::vector<std::string> settings;
};
struct DecisionCase {
  const char* policy;
  NamedWorkload workload;
};
std::string name_of(const DecisionCase& c) { return std::string(c.policy) + "_" + c.workload.name; }
void PrintTo(const DecisionCase& c, std::ostream* out) { *out << name_of(c); }

std::vector<DecisionCase> decision_cases() {
  const std::string p = "workload.params.";
  // What one slot and one engine make wait; parsers as fast and as slow as they come.
  const std::vector<NamedWorkload> workloads = {
      {"two_streams", "list_two_streams", {}},
      {"mix", "mix", {p + "size=0.02"}},
      {"copies_and_one_kernel", "vector_add", {p + "count=3000"}},
      {"gated_streams",
       "many_streams",
       {p + "streams=12", p + "priorities=[1, 5, 3]", p + "deadlines_us=[900, 0, 200, 400]"}},
      {"open_streams_few_slots",
       "many_streams",
       {p + "mode=open", p + "streams=20", p + "launches=3", p + "priorities=[0, 9]",
        p + "deadlines_us=[50, 20, 0]", "platform.work_distributor.slots=2", "platform.dma.engines=1",
        kCommandProcessor + "parse_interval_ns=0"}},
      {"streams_sharing_queues",
       "many_streams",
       {p + "streams=9", p + "launches=2", kCommandProcessor + "queues=3",
        kCommandProcessor + "signal_poll_ns=700"}},
  };
  std::vector<DecisionCase> cases;
  for (const char* policy : {"rr", "priority", "edf", "fcfs"})
    for (const NamedWorkload& workload : workloads) cases.push_back({policy, workload});
  return cases;
}

Finished run_workload(const std::string& workload, const std::filesystem::path& out,
                      const std::vector<std::string>& settings) {
  std::vector<std::string> words{"run", workload, "-p", "small", "--quiet", "--out", out.string()};
  for (const std::string& setting : settings) {
    words.push_back("--set");
    words.push_back(setting);
  }
  return run_program(words);
}

class Decisions : public testing::TestWithParam<DecisionCase> {};

TEST_P(Decisions, AreTheSameOnBothCoresWhenInstructionsCostNothing) {
  const ScratchFolder scratch;
  std::string logs[2];
  for (const std::string type : {"riscv", "native"}) {
    std::vector<std::string> settings = GetParam().workload.settings;
    settings.push_back(kCommandProcessor + "type=" + type);
    settings.push_back(kCommandProcessor + "firmware=" + GetParam().policy);
    settings.push_back(kCommandProcessor + "decisions=decisions.csv");
    for (const char* cost : {"alu", "multiply", "divide", "load", "store", "branch", "branch_taken", "jump",
                             "csr", "atomic", "trap", "wake"})
      settings.push_back(kCommandProcessor + "core.costs." + cost + "=0");
    const Finished run = run_workload(GetParam().workload.file, scratch / type, settings);
    ASSERT_EQ(run.status, 0) << type << ": " << run.err;
    logs[type == "native"] = read_text(scratch / type / "decisions.csv");
  }
  EXPECT_GT(std::count(logs[0].begin(), logs[0].end(), '\n'), 8);
  EXPECT_EQ(logs[0], logs[1]);
}

INSTANTIATE_TEST_SUITE_P(Firmware, Decisions, testing::ValuesIn(decision_cases()),
                         [](const auto& info) { return name_of(info.param); });

// ---- The right ones

struct Launch {
  unsigned stream;
  int priority = 0;
  unsigned deadline_us = 0;
  unsigned ctas = 1;
};
struct Order {
  const char* name;
  const char* policy;
  std::vector<Launch> launches;
  std::vector<std::size_t> order;  ///< indices of launches, as they start
};
void PrintTo(const Order& o, std::ostream* out) { *out << o.name; }

class Ordering : public testing::TestWithParam<Order> {};

/// A kernel in a stream of its own occupies the only slot while the others become ready.
std::string ordered_launches(const Order& o) {
  std::string text =
      "buffers:\n  in: {type: f32, count: 256, init: zero}\n  out: {type: f32, count: 256, init: zero}\n"
      "launches:\n";
  const auto add = [&](const Launch& l, unsigned iterations) {
    text += "  - {ptx: " WARPVP_SOURCE
            "/sw/kernels/pure_compute.ptx, entry: pure_compute_persistent, grid: [" +
            std::to_string(l.ctas) + "], block: [32], stream: " + std::to_string(l.stream) +
            ", priority: " + std::to_string(l.priority) + ", deadline_us: " + std::to_string(l.deadline_us) +
            ", args: [{buffer: in}, {buffer: out}, {u32: 256}, {u32: " + std::to_string(iterations) +
            "}, {u32: 32}]}\n";
  };
  add({100}, 2000);
  for (const Launch& l : o.launches) add(l, 4);
  return text;
}

void expect_order(const Order& o, const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    const ScratchFolder scratch;
    const std::string workload = scratch.file("launches.yaml", ordered_launches(o));
    const Finished run =
        run_workload(workload, scratch / "out",
                     {"platform.work_distributor.slots=1", kCommandProcessor + "type=" + type,
                      kCommandProcessor + "firmware=" + o.policy});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto result = read_json(scratch / "out/result.json");
    std::vector<std::uint64_t> launches;                          // in the host's order
    std::vector<std::pair<std::uint64_t, std::uint64_t>> starts;  // cycle, launch
    for (const auto& kernel : result["kernels"]) {
      launches.push_back(kernel["launch"]);
      starts.emplace_back(kernel["launch_cycle"], kernel["launch"]);
    }
    std::sort(launches.begin(), launches.end());
    std::sort(starts.begin(), starts.end());
    std::vector<std::size_t> order;
    for (const auto& [cycle, launch] : starts)
      order.push_back(
          static_cast<std::size_t>(std::find(launches.begin(), launches.end(), launch) - launches.begin()));
    ASSERT_EQ(order.size(), o.launches.size() + 1);
    EXPECT_EQ(order[0], 0u);
    order.erase(order.begin());
    for (std::size_t& launch : order) --launch;
    EXPECT_THAT(order, ElementsAreArray(o.order)) << type;
  }
}

TEST_P(Ordering, FollowsThePolicy) { expect_order(GetParam(), {"riscv", "native"}); }

INSTANTIATE_TEST_SUITE_P(
    Firmware, Ordering,
    testing::Values(
        Order{"RoundRobinOverQueues",
              "rr",
              {{1, 0, 900}, {1, 0, 800}, {2, 1, 700}, {2, 1, 600}, {3, 2, 500}, {3, 2, 400}},
              {0, 2, 4, 1, 3, 5}},
        Order{"UrgentStreamsFirst",
              "priority",
              {{1, 0, 100}, {2, 2, 900}, {3, 9, 900}, {4, 2, 900}, {5, -3, 10}, {3, 9, 900}, {2, 2}, {4, 2}},
              {2, 5, 3, 1, 7, 6, 0, 4}},
        Order{"EarlyDeadlinesFirst",
              "edf",
              {{1, 9, 5000}, {2, 8, 0}, {3, 7, 4000}, {4, 6, 2000}, {5, 5, 3000}},
              {3, 4, 2, 0, 1}},
        Order{"TheHeadsDeadlineCounts",
              "edf",
              {{1, 0, 4000}, {1, 0, 1000}, {2, 0, 3000}, {2, 0, 5000}, {3, 0, 0}, {3, 0, 900}},
              {2, 0, 1, 3, 4, 5}}),
    [](const auto& info) { return info.param.name; });

// It looks at the packets in the rings themselves.
TEST(Firmware, TheExamplePolicyStartsTheSmallestKernelFirst) {
#ifdef WARPVP_EXAMPLE_FIRMWARE
  expect_order({"SmallFirst",
                WARPVP_EXAMPLE_FIRMWARE,
                {{1, 0, 0, 9}, {2, 0, 0, 3}, {3, 0, 0, 4}, {2, 0, 0, 1}, {3, 0, 0, 20}},
                {1, 3, 2, 0, 4}},
               {"riscv"});
#else
  GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
}

// ---- Wrong names

TEST(Firmware, UnknownNamesAreRefusedWithWhatIsAllowed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"riscv", "allowed: ccbp, edf, fcfs, lax, ljf, ljf_measured, mlfq, prema, priority, rr, sjf, sjf_measured, srf, or the path of an ELF file"},
      {"native",
       "with type: native allowed: ccbp, edf, fcfs, lax, ljf, ljf_measured, mlfq, prema, priority, rr, sjf, sjf_measured, srf; a program of one's own needs type: riscv"},
  };
  for (const auto& [type, remedy] : mistakes) {
    const ScratchFolder scratch;
    const Finished run = run_app("small", "vector_add", scratch / "out",
                                 {kCommandProcessor + "type=" + type, kCommandProcessor + "firmware=lifo"});
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("'lifo'"));
    EXPECT_THAT(run.err, HasSubstr(remedy));
  }
}

TEST(Firmware, AProgramOfOnesOwnIsNoPolicyOfTheNativeCore) {
  const ScratchFolder scratch;
  const Finished run = run_app(
      "small", "vector_add", scratch / "out",
      {kCommandProcessor + "type=native", kCommandProcessor + "firmware=sw/firmware/prebuilt/rr.elf"});
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("needs type: riscv"));
}

}  // namespace
}  // namespace warpvp::test
