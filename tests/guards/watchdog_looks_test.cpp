// What the watchdog takes for progress, one thing at a time, and when it probes for warps that spin.

#include <gmock/gmock.h>

#include "base/registry.h"
#include "modules/dram/fixed_latency_memory.h"
#include "modules/sm/config.h"
#include "modules/sm/streaming_multiprocessor.h"
#include "platform/build/platform.h"
#include "platform/guard/watchdog.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Kernels: `count(rounds)` loops so often and stores nothing, `wait()` loops for ever, `slow(out)` has warp
/// 0 do so while warp 1 awaits a load from `out`.
constexpr const char kKernels[] = R"(.version 7.5
.target sm_70
.address_size 64
.visible .entry count(.param .u32 rounds) {
  .reg .pred %p; .reg .b32 %r<3>;
  ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;
L: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra L;
  ret;
}
.visible .entry wait() {
  .reg .pred %p; .reg .b32 %r; .shared .b32 s;
L: ld.volatile.shared.u32 %r, [s]; setp.eq.u32 %p, %r, 0; @%p bra L;
  ret;
}
.visible .entry slow(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd; .shared .b32 s;
  mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra SLOW;
L: ld.volatile.shared.u32 %r2, [s]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L;
  ret;
SLOW: ld.param.u64 %rd, [out]; ld.global.u32 %r2, [%rd]; st.shared.u32 [s], %r2;
  ret;
}
)";

/// A run of `program` with these settings, to its end.
RunOutcome run_program(const std::string& settings, const std::function<void(rt::Runtime&)>& program) {
  const Folder folder;
  SimulationOptions options;
  options.folder = (folder / "out").string();
  Simulation simulation = Simulation::from_file(folder.write("run.yaml", settings).string(), options);
  simulation.attach_program("program", program);
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  const Outcome& outcome = simulation.end();
  return {static_cast<int>(outcome.code), outcome.message + "\n" + outcome.detail,
          nlohmann::json::parse(simulation.result())};
}

rt::Kernel kernel(rt::Runtime& device, const char* name) {
  return device.kernel(device.load_module_text("kernels.ptx", kKernels), name);
}

// One CTA after the other.
TEST(WatchdogProgress, CtasAre) {
  const RunOutcome run = run_program(
      "platform: {extends: small, sms: 1, sm: {resources: {ctas: 1}}}\n"
      "limits: {progress_us: 100}\n",
      [](rt::Runtime& device) {
        device.launch(kernel(device, "count"), 6, 32, rt::Args::of(std::uint32_t{12'000}));
        device.synchronize();
      });
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_GT(run.result["simulation"]["cycles"], 600'000) << "several times limits.progress_us";
}

TEST(WatchdogProgress, AccessesOfAHostProgramAre) {
  const RunOutcome run =
      run_program("platform: {extends: small, sms: 1}\nlimits: {progress_us: 50}\n", [](rt::Runtime& device) {
        const rt::DevicePtr place = device.malloc(256);
        HostInterface& host = device.host();
        const SimTime end = host.now() + SimTime::from_us(500);
        for (std::uint32_t word; host.now() < end;) host.read(place, &word, sizeof word);
      });
  EXPECT_EQ(run.status, 0) << run.err;
}

/// An SM that executes PTX and shows none of its warps.
class Closed : public StreamingMultiprocessor {
 public:
  using StreamingMultiprocessor::StreamingMultiprocessor;
  warpvp::WarpView* warps() override { return nullptr; }
};
struct ClosedType : SmType {
  explicit ClosedType(const SmConfig& c) : config(c) {}
  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    SmConfig c = config;
    c.resources = place.resources;
    return std::make_unique<Closed>(name, c, place.id, place.clock, place.services);
  }
  SmConfig config;
};
WARPVP_REGISTER_BLOCK(SmType, ClosedType, SmConfig, "closed", "Shows no warps.");

// Of warps that cannot be looked at, nothing is proven, and nothing guessed.
TEST(WatchdogProbe, NeedsWarpsToLookAt) {
  const RunOutcome run = run_program(
      "platform: {extends: small, sms: 1, sm: {type: closed}}\n"
      "limits: {progress_us: 200, cycles: 3000000}\n",
      [](rt::Runtime& device) {
        device.launch(kernel(device, "wait"), 1, 32, {});
        device.synchronize();
      });
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("the limit of 3000000 SM cycles"));
}

TEST(WatchdogProbe, ZeroTurnsItOff) {
  const RunOutcome run =
      run_program("platform: {extends: small, sms: 1}\nlimits: {progress_us: 0, cycles: 3000000}\n",
                  [](rt::Runtime& device) {
                    device.launch(kernel(device, "wait"), 1, 32, {});
                    device.synchronize();
                  });
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("the limit of 3000000 SM cycles"), Not(HasSubstr("loops"))));
}

// Fetches and loads take 300 us. As long as an answer is due, the warp that waits for it may still do
// anything.
TEST(WatchdogProbe, WaitsForWhatMemoryWillAnswer) {
  const RunOutcome run = run_program(
      "platform: {extends: small, sms: 1, l2: {bank_kib: 1, associativity: 1}, "
      "dram: {type: fixed_latency, latency_cycles: 300000}}\nlimits: {progress_us: 100}\n",
      [](rt::Runtime& device) {
        const rt::DevicePtr out = device.malloc(256);
        device.memset_async(out, 1, 256, rt::Stream{0});
        device.launch(kernel(device, "slow"), 1, 64, rt::Args::of(out));
        device.synchronize();
      });
  EXPECT_EQ(run.status, 0) << run.err;
}

/// Answers late, and does not say when.
class Silent : public FixedLatencyMemory {
 public:
  using FixedLatencyMemory::FixedLatencyMemory;
  Outlook outlook() const override { return Outlook::kRests; }
};
struct SilentType : MemoryChannelType {
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    FixedLatencyConfig late;
    late.latency_cycles = 300'000;
    return std::make_unique<Silent>(name, place, late);
  }
};
WARPVP_REGISTER_POLICY(MemoryChannelType, SilentType, "silent",
                       "Answers after 300 us, and says so to nobody.");

// ... and when a memory that tells nothing of itself has held an answer for longer than the limit, not.
TEST(WatchdogProbe, BecomesPatient) {
  const RunOutcome run =
      run_program("platform: {extends: small, sms: 1, dram: silent}\nlimits: {progress_us: 100}\n",
                  [](rt::Runtime& device) {
                    device.launch(kernel(device, "slow"), 1, 64, rt::Args::of(device.malloc(256)));
                    device.synchronize();
                  });
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("gone round in loops"),
                             HasSubstr("1 warp goes round, 0 wait at barriers, 1 wait for "
                                       "memory that does not answer"),
                             HasSubstr("warp 1: waits for ")));
}

/// Looks at a device that counts for ever.
struct Watched {
  Watched()
      : platform((configure_time(), "platform"), one_sm(), [](const std::string&) {}),
        watchdog(platform, limits()) {
    platform.add_program("program", [](rt::Runtime& device) {
      device.launch(kernel(device, "count"), 1, 32, rt::Args::of(~std::uint32_t{0}));
      device.synchronize();
    });
    while (platform.distributor().statistics().ctas_issued == 0) look();
    event = now;
  }
  static PlatformConfig one_sm() {
    PlatformConfig config;
    config.sms = 1;
    return config;
  }
  static LimitsConfig limits() {
    LimitsConfig limits;
    limits.progress_us = kProgress;
    return limits;
  }
  void look() {
    sc_core::sc_start(sc_core::sc_time(kStep, sc_core::SC_US));
    now += kStep;
    EXPECT_EQ(watchdog.look(), "");
  }
  /// A probe is the observer of the SM's issues.
  bool probing() const { return platform.sms()[0]->warps()->issue_observer() != nullptr; }
  /// Microseconds from the last event to the begin and to the end of the next probe.
  std::pair<unsigned, unsigned> next_probe() {
    std::pair<unsigned, unsigned> times;
    while (!probing()) look();
    times.first = now - event;
    while (probing()) look();
    times.second = now - event;
    return times;
  }

  static constexpr unsigned kProgress = 1000, kStep = 2;
  Platform platform;
  Watchdog watchdog;
  unsigned now = 0, event = 0;  // us
};

TEST(WatchdogProbe, PausesAndLengthsDouble) {
  Watched device;
  auto last = device.next_probe();
  EXPECT_EQ(last.first, Watched::kProgress / 50);
  for (int i = 0; i < 5; ++i) {
    const auto next = device.next_probe();
    EXPECT_EQ(next.first, 2 * last.second);
    EXPECT_NEAR(next.second - next.first, 2 * (last.second - last.first), 2 * Watched::kStep);
    last = next;
  }
}

TEST(WatchdogProbe, AnEventEndsItAndBeginsAnew) {
  Watched device;
  const auto first = device.next_probe();
  for (int i = 0; i < 5; ++i) device.next_probe();
  while (!device.probing()) device.look();
  device.watchdog.note_change();
  device.look();
  EXPECT_FALSE(device.probing()) << "what it saw before the event does not hold";
  device.event = device.now;
  const auto next = device.next_probe();
  EXPECT_EQ(next.first, first.first);
  EXPECT_NEAR(next.second, first.second, 2 * Watched::kStep);
}

}  // namespace
}  // namespace warpvp::test
