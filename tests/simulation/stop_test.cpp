// stop(): from a host program, from a client, from another thread, beforehand; and clients between the steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/data_folder.h"
#include "interconnect/host_interface.h"
#include "sw/runtime/device_hang.h"
#include "tests/platform/program.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kEndless = "workload: {app: fault, params: {kind: endless}}\n";

TEST(Stop, AHostProgramStopsTheRunWhereItStands) {
  // The same program, never stopped.
  const auto program = [](Simulation* to_stop, std::vector<SimTime>* stops) {
    return [=](rt::Runtime& device) {
      for (int i = 0; i < 4; ++i) {
        const rt::DevicePtr memory = device.malloc(4096);
        device.memset_async(memory, 7, 4096, rt::Stream{0});
        device.synchronize();
        if (to_stop == nullptr) continue;
        to_stop->stop();
        stops->push_back(device.host().now());
      }
    };
  };
  const std::string reference = in_child([&] {
    Simulation simulation = Simulation::from_text("platform: small\n");
    simulation.attach_program("copies", program(nullptr, nullptr));
    return run_at_once(simulation);
  });
  Simulation simulation = Simulation::from_text("platform: small\n");
  std::vector<SimTime> stops;
  simulation.attach_program("copies", program(&simulation, &stops));
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(simulation.run(), Halt::kStopped);
    ASSERT_EQ(stops.size(), i) << "not a step later";
    EXPECT_EQ(simulation.now(), stops.back());
    EXPECT_FALSE(simulation.ended());
  }
  Halt halt = Halt::kStopped;
  while (halt == Halt::kStopped) halt = simulation.run();
  EXPECT_EQ(halt, Halt::kEnded);
  simulation.end();
  EXPECT_EQ(difference(simulation.result(), reference), "[]");
}

TEST(Stop, AnotherThreadStopsTheRun) {
  Simulation simulation = Simulation::from_text(std::string(kPatient) + kEndless);
  simulation.attach_workload();
  for (int i = 0; i < 2; ++i) {
    std::thread other([&] { simulation.stop(); });
    EXPECT_EQ(simulation.run(), Halt::kStopped) << "it would run for ever";
    other.join();
  }
  EXPECT_EQ(simulation.run_for(us(50)), Halt::kTime) << "and it goes on";
  EXPECT_EQ(simulation.end().code, ExitCode::kInterrupted);
}

TEST(Stop, OneThatComesBeforeTheRunIsNotLost) {
  Simulation simulation =
      Simulation::from_text("platform: small\nworkload: hello\n", {{}, {}, [](const std::string&) {}});
  simulation.attach_workload();
  simulation.stop();
  simulation.stop();
  EXPECT_EQ(simulation.run(), Halt::kStopped);
  EXPECT_EQ(simulation.now(), SimTime());
  EXPECT_EQ(simulation.run(), Halt::kEnded);
}

/// Counts the steps, and stops at some.
struct Counting : SimulationClient {
  void between_steps(Simulation& simulation) override {
    EXPECT_GE(simulation.now(), last);
    last = simulation.now();
    if (++steps % stop_every == 0) simulation.stop();
  }
  void stuck(Simulation& simulation, const std::string& why) override {
    why_stuck = why;
    waiting = simulation.describe();
  }
  void ended(const Outcome& outcome) override { codes.push_back(outcome.code); }
  bool device_may_wait() const override { return waits; }

  unsigned steps = 0, stop_every = ~0u;
  bool waits = false;
  SimTime last;
  std::string why_stuck, waiting;
  std::vector<ExitCode> codes;
};

TEST(Client, ActsBetweenStepsAndMayStop) {
  const std::string yaml = "platform: small\nworkload: {app: vector_add, params: {count: 4096}}\n";
  const std::string reference = in_child([&] {
    Simulation simulation = Simulation::from_text(yaml);
    simulation.attach_workload();
    return run_at_once(simulation);
  });
  Simulation simulation = Simulation::from_text(yaml);
  simulation.attach_workload();
  Counting client;
  client.stop_every = 3;
  simulation.attach_client(client);
  unsigned stops = 0;
  while (simulation.run() == Halt::kStopped) EXPECT_EQ(client.steps, 3 * ++stops);
  EXPECT_GT(stops, 2u);
  EXPECT_EQ(client.codes.size(), 0u);
  simulation.end();
  EXPECT_EQ(client.codes, std::vector<ExitCode>{ExitCode::kOk});
  EXPECT_EQ(client.why_stuck, "");
  EXPECT_EQ(difference(simulation.result(), reference), "[]");
}

TEST(Client, StepsTakeTwoMicrosecondsWhereSomethingHappens) {
  Simulation simulation = Simulation::from_text(std::string(kPatient) + kEndless);
  simulation.attach_workload();
  simulation.run_until(us(100));
  Counting client;
  simulation.attach_client(client);
  simulation.run_until(us(200));
  // A step ends at the last event before its two microseconds are over.
  EXPECT_GE(client.steps, 50);
  EXPECT_LE(client.steps, 56);
}

TEST(Client, StepsAreLongerWhereSmsComputeNothing) {
  Simulation simulation = Simulation::from_text(
      "platform: gk110_wide_bursts\n"
      "workload: {processes: [{application: parboil/lbm}, {application: parboil/sad}], alone: none, "
      "cpu_scale: 0}\n");
  simulation.attach_workload();
  simulation.run_until(us(1000));
  Counting client;
  simulation.attach_client(client);
  simulation.run_until(us(6000));  // copies all the time; a step ends at the last event in its 50 us
  EXPECT_GE(client.steps, 100);
  EXPECT_LE(client.steps, 108);
}

TEST(Client, LooksAroundBeforeARunEndsThatCannotGoOn) {
  Simulation simulation =
      Simulation::from_text(std::string("platform: small\nlimits: {progress_us: 200}\n") + kEndless);
  simulation.attach_workload();
  Counting client;
  simulation.attach_client(client);
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  EXPECT_EQ(client.why_stuck, simulation.outcome().message);
  EXPECT_THAT(client.why_stuck, HasSubstr("no progress: for "));
  EXPECT_THAT(client.waiting, HasSubstr("launch 0 is kernel endless"));
  EXPECT_THAT(simulation.outcome().detail, ::testing::EndsWith(client.waiting)) << "behind the proof";
}

/// A host program that loses its patience ends the run as the watchdog does.
void expect_hang(bool in_thread) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("waits", [&](rt::Runtime& device) {
    const rt::Kernel endless =
        device.kernel(device.load_module(data_folder("sw/kernels") / "faults.ptx"), "endless");
    const rt::DevicePtr word = device.malloc(4);
    device.memset_async(word, 0, 4, rt::Stream{0});
    device.launch(endless, rt::Dim3(1), rt::Dim3(32), rt::Args::of(word));
    const auto wait = [](rt::Runtime& own) {
      own.host().sleep(us(100));
      throw rt::DeviceHang("waits: part 3 of 8 does not end: looked at for 100 us");
    };
    if (in_thread) device.join(device.start_thread("looker", wait));
    wait(device);
  });
  Counting client;
  simulation.attach_client(client);
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  const Outcome& outcome = simulation.end();
  EXPECT_EQ(outcome.code, ExitCode::kDeviceFault);
  EXPECT_EQ(outcome.message, "waits: part 3 of 8 does not end: looked at for 100 us");
  EXPECT_THAT(outcome.detail, HasSubstr("launch 0 is kernel endless"));
  EXPECT_EQ(client.why_stuck, outcome.message);
  EXPECT_EQ(client.waiting, outcome.detail);
  EXPECT_EQ(nlohmann::json::parse(simulation.result())["exit_code"], 3);
}

TEST(HostProgram, MayEndTheRunAsAHang) { expect_hang(false); }
TEST(HostProgram, MayEndItInAThreadOfItsOwn) { expect_hang(true); }

TEST(Client, ThatTheDeviceMayWaitForTurnsTheWatchdogOff) {
  Simulation simulation =
      Simulation::from_text(std::string("platform: small\nlimits: {progress_us: 200}\n") + kEndless);
  simulation.attach_workload();
  Counting client;
  client.waits = true;
  simulation.attach_client(client);
  EXPECT_EQ(simulation.run_until(us(1000)), Halt::kTime);
  client.waits = false;
  EXPECT_EQ(simulation.run_until(us(3000)), Halt::kEnded);
}

TEST(Client, MayNotRunTheSession) {
  struct Greedy : SimulationClient {
    void between_steps(Simulation& simulation) override { simulation.run(); }
  } client;
  Simulation simulation = Simulation::from_text(std::string(kPatient) + kEndless);
  simulation.attach_workload();
  simulation.attach_client(client);
  EXPECT_THROW(simulation.run(), SimulationMisuse);
}

}  // namespace
}  // namespace warpvp::test
