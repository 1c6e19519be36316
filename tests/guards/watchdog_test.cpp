// Runs that would go on for ever end with exit status 3 and say who waits for what; long runs of use do not.

#include <gmock/gmock.h>

#include "base/registry.h"
#include "modules/dram/fixed_latency_memory.h"
#include "modules/sm/policies.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A kernel `k(flag, out)` with registers to spare, alone on a small machine.
std::string kernel_run(const Folder& folder, const std::string& body, const std::string& launch,
                       const std::string& settings = "") {
  folder.write("k.ptx",
               ".version 7.5\n.target sm_70\n.address_size 64\n"
               ".visible .entry k(.param .u64 flag, .param .u64 out)\n{\n"
               "  .reg .pred %p<8>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n"
               "  ld.param.u64 %rd1, [flag];\n  ld.param.u64 %rd2, [out];\n" +
                   body +
                   "  ret;\n}\n"
                   ".visible .entry set(.param .u64 flag)\n{\n  .reg .b64 %rd<2>;\n"
                   "  ld.param.u64 %rd1, [flag];\n  st.volatile.global.u32 [%rd1], 1;\n  ret;\n}\n");
  return "platform: {extends: small, sms: 1" + settings +
         "}\nlimits: {progress_us: 1000}\nworkload:\n  buffers:\n" +
         "    flag: {type: u32, count: 64, init: zero}\n    out: {type: u32, count: 4096, init: zero}\n" +
         "  launches:\n    - {ptx: k.ptx, entry: k, " + launch + ", args: [{buffer: flag}, {buffer: out}]}\n";
}

constexpr const char* kWaitForFlag =
    "L:\n  ld.volatile.global.u32 %r1, [%rd1];\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n";
constexpr const char* kWaitAndCount =
    "  mov.u32 %r2, 0;\nL:\n  ld.volatile.global.u32 %r1, [%rd1];\n  add.u32 %r2, %r2, 1;\n"
    "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n  st.global.u32 [%rd2], %r2;\n";

void expect_spin(const RunOutcome& run) {
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("no progress: for "), HasSubstr("the warps have only gone round in loops"),
                    HasSubstr("limits.progress_us"), HasSubstr("launch 0 is kernel k"),
                    HasSubstr("SM 0 kernel k CTA (0,0,0) warp 0: "), HasSubstr("k.ptx:")));
  EXPECT_LT(run.result["simulation"]["cycles"], 1'000'000) << "found from its state, long before the limits";
}

TEST(Watchdog, AFlagThatNobodySets) {
  const Folder folder;
  expect_spin(run_yaml(folder, kernel_run(folder, kWaitForFlag, "grid: [2], block: [64]")));
}

TEST(Watchdog, ACounterThatNobodyLooksAtIsNoProgress) {
  const Folder folder;
  expect_spin(run_yaml(folder, kernel_run(folder, kWaitAndCount, "block: [32]")));
}

TEST(Watchdog, ALockThatIsNeverGivenBack) {
  const Folder folder;
  expect_spin(run_yaml(folder, kernel_run(folder,
                                          "L:\n  atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"
                                          "  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra L;\n",
                                          "block: [64]")));
}

TEST(Watchdog, CtasThatWaitForOneThatDoesNotFit) {
  const Folder folder;
  const RunOutcome run = run_yaml(
      folder,
      kernel_run(folder,
                 "  mov.u32 %r3, %tid.x;\n  setp.ne.u32 %p2, %r3, 0;\n"
                 "  @!%p2 atom.global.add.u32 %r4, [%rd1], 1;\n"
                 "L:\n  ld.volatile.global.u32 %r1, [%rd1];\n  setp.lt.u32 %p1, %r1, 2;\n  @%p1 bra L;\n",
                 "grid: [2], block: [32]", ", sm: {resources: {ctas: 1}}"));
  expect_spin(run);
  EXPECT_THAT(run.err, HasSubstr("1 of 2 CTAs issued, 0 done"));
}

TEST(Watchdog, LoopsWithBarriersAndALongBodySpinToo) {
  const Folder folder;
  std::string body = "L:\n  bar.sync 0;\n";
  for (int i = 0; i < 300; ++i) body += "  mad.lo.u32 %r5, %r1, 3, 7;\n";
  body += "  ld.volatile.global.u32 %r1, [%rd1];\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n";
  expect_spin(run_yaml(folder, kernel_run(folder, body, "block: [128]")));
}

TEST(Watchdog, ALongLoopWithoutStoresIsLeftAlone) {
  const Folder folder;
  const RunOutcome run = run_yaml(
      folder, kernel_run(folder,
                         "  mov.u32 %r2, 0;\nL:\n  add.u32 %r2, %r2, 1;\n  setp.ne.u32 %p1, %r2, 300000;\n"
                         "  @%p1 bra L;\n  st.global.u32 [%rd2], %r2;\n",
                         "block: [32]"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_GT(run.result["simulation"]["cycles"], 2'000'000) << "several times limits.progress_us";
}

TEST(Watchdog, ATimeOutByTheClockIsLeftAlone) {
  const Folder folder;
  const RunOutcome run = run_yaml(
      folder,
      kernel_run(folder,
                 "  mov.u64 %rd3, %clock64;\nL:\n  mov.u64 %rd4, %clock64;\n  sub.u64 %rd5, %rd4, %rd3;\n"
                 "  setp.lt.u64 %p1, %rd5, 3000000;\n  @%p1 bra L;\n",
                 "block: [64]"));
  EXPECT_EQ(run.status, 0) << run.err;
}

// Loads of 50 us each: warp 0 waits for its second one while the others look at a flag that it sets then.
TEST(Watchdog, AWarpThatWaitsForSlowMemoryWhileOthersSpinIsLeftAlone) {
  const Folder folder;
  const RunOutcome run = run_yaml(
      folder,
      kernel_run(
          folder,
          std::string("  mov.u32 %r3, %tid.x;\n  setp.ge.u32 %p2, %r3, 32;\n  @%p2 bra L;\n"
                      "  ld.global.u32 %r4, [%rd2];\n  mul.wide.u32 %rd3, %r4, 4;\n"
                      "  add.u64 %rd3, %rd3, %rd2;\n  ld.global.u32 %r5, [%rd3+8192];\n"
                      "  add.u32 %r5, %r5, 1;\n  st.volatile.global.u32 [%rd1], %r5;\n") +
              kWaitForFlag,
          "block: [128]",
          ", l2: {bank_kib: 1, associativity: 1}, dram: {type: fixed_latency, latency_cycles: 50000}"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_GT(run.result["simulation"]["cycles"], 100'000);
}

TEST(Watchdog, AKernelThatWaitsForWhatTheHostWillSendIsLeftAlone) {
  const Folder folder;
  const std::string yaml =
      kernel_run(folder, kWaitAndCount, "block: [32]") +
      "    - {ptx: k.ptx, entry: set, stream: 1, start_us: 3000, args: [{buffer: flag}]}\n";
  const RunOutcome run = run_yaml(folder, yaml);
  EXPECT_EQ(run.status, 0) << run.err;
}

// It computes for longer than any limit, and nothing proves that it will not end.
TEST(Watchdog, ALoopThatCountsToItsEndIsLeftToLimitsCycles) {
  const Folder folder;
  std::string yaml = kernel_run(folder,
                                "  mov.u32 %r2, 0;\nL:\n  add.u32 %r2, %r2, 1;\n  setp.ne.u32 %p1, %r2, 0;\n"
                                "  @%p1 bra L;\n",
                                "block: [32]");
  yaml.replace(yaml.find("{progress_us: 1000}"), 19, "{progress_us: 100, cycles: 3000000}");
  const RunOutcome run = run_yaml(folder, yaml);
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the limit of 3000000 SM cycles"), HasSubstr("warp 0: ")));
}

// As nvcc -G writes it: parameters are stored for the function, and a counter in local memory is stored too.
TEST(Watchdog, SpinsWithCallsAndCountersOfTheirOwn) {
  const Folder folder;
  std::string yaml = kernel_run(folder,
                                "  .local .align 4 .b8 depot[8];\n  mov.u32 %r2, 0;\nL:\n"
                                "  {\n  .param .b64 a;\n  .param .b32 v;\n  st.param.b64 [a], %rd1;\n"
                                "  call.uni (v), look, (a);\n  ld.param.b32 %r1, [v];\n  }\n"
                                "  add.u32 %r2, %r2, 1;\n  st.local.u32 [depot], %r2;\n"
                                "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n",
                                "block: [32]");
  const std::string ptx = folder.read("k.ptx");
  const std::string look =
      ".func (.param .b32 r) look(.param .b64 a)\n{\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<2>;\n"
      "  ld.param.b64 %rd1, [a];\n  ld.volatile.global.u32 %r1, [%rd1];\n  st.param.b32 [r], %r1;\n  "
      "ret;\n}\n";
  std::string whole = ptx;
  whole.insert(whole.find(".visible"), look);
  folder.write("k.ptx", whole);
  expect_spin(run_yaml(folder, yaml));
}

TEST(Watchdog, ALongLoopWithStoresIsLeftAlone) {
  const Folder folder;
  std::string yaml =
      kernel_run(folder,
                 "  mov.u32 %r2, 0;\nL:\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%rd2], %r2;\n"
                 "  setp.ne.u32 %p1, %r2, 400000;\n  @%p1 bra L;\n",
                 "block: [1]");
  yaml.replace(yaml.find("{progress_us: 1000}"), 19, "{progress_us: 500}");
  const RunOutcome run = run_yaml(folder, yaml);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_GT(run.result["simulation"]["cycles"], 3'000'000);
}

struct NeverPicks : WarpPolicy<NeverPicks> {
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView&) override { return kNoWarp; }
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, NeverPicks, "never_picks", "Waits for ever.");

TEST(Watchdog, ASchedulerThatNeverPicks) {
  const Folder folder;
  const RunOutcome run = run_yaml(folder,
                                  "platform: {extends: small, sm: {warp_scheduler: never_picks}}\n"
                                  "limits: {progress_us: 200}\nworkload: {app: vector_add}\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("no progress for 20"), HasSubstr("no instruction issued"),
                             HasSubstr("is kernel vector_add"), HasSubstr("warp 0: is ready, ")));
}

/// Answers nothing, and has an event every microsecond.
class TickingMemory : public FixedLatencyMemory {
 public:
  TickingMemory(sc_core::sc_module_name name, const MemoryChannelPlace& place,
                const FixedLatencyConfig& config)
      : FixedLatencyMemory(name, place, config) {
    SC_HAS_PROCESS(TickingMemory);
    SC_THREAD(tick);
  }

  /// As one that tells nothing of what it will do.
  Outlook outlook() const override { return Outlook::kRests; }

 private:
  void tick() {
    for (;;) sc_core::wait(1, sc_core::SC_US);
  }
};
struct TickingType : MemoryChannelType {
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    FixedLatencyConfig never;
    never.latency_cycles = 4'000'000'000;
    return std::make_unique<TickingMemory>(name, place, never);
  }
};
WARPVP_REGISTER_POLICY(MemoryChannelType, TickingType, "ticking", "Answers nothing, and keeps time alive.");

/// Answers after 500 us, says so, and has an event every microsecond.
class HummingMemory : public FixedLatencyMemory {
 public:
  HummingMemory(sc_core::sc_module_name name, const MemoryChannelPlace& place,
                const FixedLatencyConfig& config)
      : FixedLatencyMemory(name, place, config) {
    SC_HAS_PROCESS(HummingMemory);
    SC_THREAD(hum);
  }

 private:
  void hum() {
    for (;;) sc_core::wait(1, sc_core::SC_US);
  }
};
struct HummingType : MemoryChannelType {
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    FixedLatencyConfig late;
    late.latency_cycles = 500'000;
    return std::make_unique<HummingMemory>(name, place, late);
  }
};
WARPVP_REGISTER_POLICY(MemoryChannelType, HummingType, "humming", "Answers late, and keeps time alive.");

// What is known to be due is waited for: an answer with a time, and the end of a sleep.
TEST(Watchdog, WhatIsDueIsWaitedForThoughOthersKeepTimeAlive) {
  const Folder folder;
  std::string yaml = kernel_run(folder, "  nanosleep.u32 900000;\n  st.global.u32 [%rd2], 1;\n",
                                "block: [32]", ", dram: humming");
  yaml.replace(yaml.find("{progress_us: 1000}"), 19, "{progress_us: 200}");
  const RunOutcome run = run_yaml(folder, yaml);
  EXPECT_EQ(run.status, 0) << run.err;
}

// Firmware that has set a timer may do anything when it wakes.
TEST(Watchdog, FirmwareThatWillWakeIsNoProof) {
  const Folder folder;
  std::string yaml = kernel_run(folder, kWaitForFlag, "block: [32]", ", command_processor: {firmware: lax}");
  yaml.replace(yaml.find("{progress_us: 1000}"), 19, "{progress_us: 1000, cycles: 2000000}");
  const RunOutcome run = run_yaml(folder, yaml);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("the limit of 2000000 SM cycles"));
}

TEST(Watchdog, AModuleThatOnlyKeepsTimeAlive) {
  const Folder folder;
  const RunOutcome run = run_yaml(
      folder,
      "platform: {extends: small, dram: ticking}\nlimits: {progress_us: 200}\nworkload: {app: vector_add}\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("no progress for 20"), HasSubstr("dma_0: copy of ")));
}

// Runs that are slow in one place only: each thing that counts as progress is for long the only one.
struct Slow {
  const char* name;
  const char* platform;
  unsigned progress_us, values;
};
void PrintTo(const Slow& s, std::ostream* os) { *os << s.name; }
class SlowRuns : public ::testing::TestWithParam<Slow> {};

TEST_P(SlowRuns, AreLeftAlone) {
  const Folder folder;
  const Slow& c = GetParam();
  const RunOutcome run = run_yaml(
      folder, std::string("platform: {extends: small, ") + c.platform +
                  "}\nlimits: {progress_us: " + std::to_string(c.progress_us) +
                  "}\nworkload: {app: vector_add, params: {count: " + std::to_string(c.values) + "}}\n");
  EXPECT_EQ(run.status, 0) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    Watchdog, SlowRuns,
    ::testing::Values(Slow{"one_transfer_on_the_link", "pcie: {gb_per_s: 0.001}", 1000, 1024},
                      Slow{"pieces_of_a_copy",
                           "pcie: {latency_ns: 50000}, dma: {chunk_bytes: 64, outstanding: 1}", 300, 256}),
    [](const auto& info) { return std::string(info.param.name); });

// Transfers that change nothing are none of them, however busy they keep the link.
TEST(Watchdog, FirmwareThatSendsWordsForEver) {
  const Folder folder;
  const RunOutcome run =
      run_yaml(folder,
               "platform:\n  extends: small\n  pcie: {gb_per_s: 0.5}\n  command_processor: {type: "
               "native, firmware: sends_for_ever}\n"
               "limits: {progress_us: 200, cycles: 2000000}\nworkload: {app: vector_add}\n");
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("no progress for 20"), HasSubstr("limits.progress_us")));
}

TEST(Watchdog, ZeroTurnsItOff) {
  const Folder folder;
  const RunOutcome run = run_yaml(folder,
                                  "platform: {extends: small, sm: {warp_scheduler: never_picks}}\n"
                                  "limits: {progress_us: 0, cycles: 2000000}\nworkload: {app: vector_add}\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("the limit of 2000000 SM cycles (limits.cycles) is reached"));
}

}  // namespace
}  // namespace warpvp::test
