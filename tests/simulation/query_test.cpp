// What a session says while it is under way: time, statistics, kernels, memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/platform/program.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using Phase = KernelState::Phase;

/// A host program with a kernel that waits for a flag in device memory, which it leaves to others to set.
struct Waiting {
  explicit Waiting(Simulation& simulation) {
    simulation.attach_program("waits", [this](rt::Runtime& device) {
      out = device.malloc(256);
      device.memset_async(out, 0, 256, rt::Stream{0});
      const rt::DevicePtr place = device.malloc(256);
      device.memset_async(place, 0, 256, rt::Stream{0});
      device.synchronize();
      rt::LaunchOptions options;
      options.name = "waiter";
      const rt::Kernel kernel =
          device.kernel(device.load_module(waiting_kernel(scratch / "").c_str()), "wait");
      device.launch(kernel, rt::Dim3(2), rt::Dim3(32), rt::Args::of(place, out), rt::Stream{0}, options);
      device.launch(kernel, rt::Dim3(1), rt::Dim3(32), rt::Args::of(place, out), rt::Stream{0}, options);
      flag = place;
      device.synchronize();
    });
  }
  const ScratchFolder scratch;
  rt::DevicePtr flag = 0, out = 0;
};

/// Runs until the first kernel is on the device.
void run_to_the_wait(Simulation& simulation) {
  while (simulation.kernels().empty() || simulation.kernels()[0].phase == Phase::kQueued)
    ASSERT_EQ(simulation.run_for(us(5)), Halt::kTime);
}

TEST(Query, KernelsAndTheirPhases) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  Waiting program(simulation);
  EXPECT_EQ(simulation.kernels().size(), 0u);
  run_to_the_wait(simulation);
  simulation.run_for(us(50));
  std::vector<KernelState> kernels = simulation.kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "waiter");
  EXPECT_EQ(kernels[0].launch, 0u);
  EXPECT_EQ(kernels[0].phase, Phase::kRunning);
  EXPECT_EQ(kernels[0].ctas, 2u);
  EXPECT_EQ(kernels[0].ctas_done, 0u);
  EXPECT_GT(kernels[0].start_cycle, 0u);
  EXPECT_LE(kernels[0].start_cycle, simulation.cycle());
  EXPECT_EQ(kernels[1].phase, Phase::kQueued) << "the second of the stream";
  EXPECT_THAT(simulation.describe(), HasSubstr("launch 0 is kernel waiter"));

  const std::uint32_t one = 1;
  simulation.write_memory(program.flag, &one, sizeof one);
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  kernels = simulation.kernels();
  EXPECT_EQ(kernels[0].phase, Phase::kFinished);
  EXPECT_EQ(kernels[0].ctas_done, 2u);
  EXPECT_GT(kernels[0].end_cycle, kernels[0].start_cycle);
  EXPECT_EQ(kernels[1].phase, Phase::kFinished);
  EXPECT_GE(kernels[1].start_cycle, kernels[0].end_cycle);
  EXPECT_EQ(simulation.statistic("kernels.1.end_cycle"), kernels[1].end_cycle);
}

TEST(Query, MemoryIsReadAndWrittenWithoutTime) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  Waiting program(simulation);
  run_to_the_wait(simulation);
  const SimTime before = simulation.now();
  std::uint32_t word = 42;
  simulation.read_memory(program.out, &word, sizeof word);
  EXPECT_EQ(word, 0u);
  const std::uint32_t value = 0xabcd;
  simulation.write_memory(program.flag, &value, sizeof value);
  simulation.read_memory(program.flag, &word, sizeof word);
  EXPECT_EQ(word, 0xabcdu);
  EXPECT_EQ(simulation.now(), before);
  EXPECT_EQ(simulation.run(), Halt::kEnded) << "the kernels have seen the flag";
  simulation.read_memory(program.out, &word, sizeof word);
  EXPECT_EQ(word, 0xabcdu) << "and stored it";
  simulation.end();
  simulation.read_memory(program.out, &word, sizeof word);
  EXPECT_EQ(word, 0xabcdu) << "also afterwards";
}

TEST(Query, MemoryThatIsNotThereIsRefused) {
  Simulation simulation = Simulation::from_text("platform: {extends: small, memory: {capacity_mib: 128}}\n");
  std::uint8_t byte = 0;
  constexpr std::uint64_t kBase = 0x100000000, kBytes = 128 << 20;
  EXPECT_THROW(simulation.read_memory(0, &byte, 1), InputError);
  EXPECT_THROW(simulation.read_memory(kBase - 1, &byte, 1), InputError);
  EXPECT_THROW(simulation.write_memory(kBase + kBytes, &byte, 1), InputError);
  EXPECT_THROW(simulation.write_memory(kBase + kBytes - 1, &byte, 2), InputError);
  EXPECT_NO_THROW(simulation.read_memory(kBase + kBytes - 1, &byte, 1));
  try {
    simulation.read_memory(16, &byte, 1);
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "device memory has no 1 bytes at 0x10; allowed: from 0x100000000, below 0x108000000");
  }
}

// A client that does what another thread asks it for: the thread learns the flag's address, and has it set.
TEST(Query, AClientServesAnotherThread) {
  struct Server : SimulationClient {
    explicit Server(const rt::DevicePtr& watched) : flag(watched) {}
    void between_steps(Simulation& simulation) override {
      if (flag != 0 && !told) {
        address.set_value(flag);
        told = true;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      for (const auto& [at, word] : writes) simulation.write_memory(at, &word, sizeof word);
      writes.clear();
    }
    bool device_may_wait() const override { return true; }
    const rt::DevicePtr& flag;
    bool told = false;
    std::promise<std::uint64_t> address;
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> writes;
  };
  Simulation simulation = Simulation::from_text("platform: small\nlimits: {progress_us: 300}\n");
  Waiting program(simulation);
  Server server(program.flag);
  simulation.attach_client(server);
  std::thread other([&] {
    const std::uint64_t address = server.address.get_future().get();
    const std::lock_guard<std::mutex> lock(server.mutex);
    server.writes.emplace_back(address, 77);
  });
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  other.join();
  std::uint32_t word = 0;
  simulation.read_memory(program.out, &word, sizeof word);
  EXPECT_EQ(word, 77u);
}

// The watchdog takes a write from outside for progress: the kernel has not been waiting in vain.
TEST(Query, AWriteFromOutsideIsProgress) {
  const std::string settings = "platform: small\nlimits: {progress_us: 300}\n";
  Simulation simulation = Simulation::from_text(settings);
  Waiting program(simulation);
  run_to_the_wait(simulation);
  const std::uint32_t zero = 0;
  for (int i = 0; i < 40; ++i) {
    simulation.write_memory(program.flag, &zero, sizeof zero);
    // The first probe for warps that spin comes after a fiftieth of the limit.
    ASSERT_EQ(simulation.run_for(us(5)), Halt::kTime) << simulation.outcome().message;
  }
  EXPECT_EQ(simulation.run_for(us(600)), Halt::kEnded);
  EXPECT_THAT(simulation.outcome().message, HasSubstr("no progress: for "));
}

TEST(Query, StatisticsGrowDuringTheRun) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  Waiting program(simulation);
  EXPECT_EQ(simulation.statistic("simulation.cycles"), 0);
  run_to_the_wait(simulation);
  simulation.run_for(us(10));
  const double instructions = simulation.statistic("simulation.warp_instructions");
  EXPECT_GT(instructions, 0);
  simulation.run_for(us(10));
  EXPECT_GT(simulation.statistic("simulation.warp_instructions"), instructions);
  EXPECT_EQ(simulation.statistic("simulation.cycles"), simulation.cycle());
  const auto statistics = nlohmann::json::parse(simulation.statistics());
  EXPECT_EQ(statistics["exit_code"], 130) << "as if the session ended now";
  EXPECT_THAT(statistics["message"].get<std::string>(), HasSubstr("before its host programs"));
  EXPECT_EQ(statistics["config"]["platform"]["sms"], simulation.statistic("config.platform.sms"));
  for (const char* wrong : {"simulation.cycle", "message", "kernels.9.end_cycle", ""})
    EXPECT_THROW(simulation.statistic(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace warpvp::test
