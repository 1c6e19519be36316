// The core and its devices put together in the command processor: what a device does reaches the core, and
// what the core writes reaches the platform.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "modules/command_processor/core/firmware_file.h"
#include "tests/control/processor_bench.h"
#include "tests/control/scripted_core.h"

namespace warpvp::test {
namespace {

namespace intc = regmap::intc;
namespace mailbox = regmap::mailbox;
namespace sysctl = regmap::sysctl;
namespace timer = regmap::timer;
namespace uart = regmap::uart;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct MachineBench : ProcessorBench {
  explicit MachineBench(ScriptedCore::Program program,
                        const CommandProcessorConfig& config = eager_hardware())
      : ProcessorBench("bench", config, 4, ScriptedCore::factory(std::move(program))),
        core(dynamic_cast<ScriptedCore*>(processor.core())) {}
  ScriptedCore* const core;
};

/// A file that is removed at the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name, const std::string& content = {})
      : path(::testing::TempDir() + name + std::to_string(::getpid())) {
    if (!content.empty()) std::ofstream(path, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string text() const {
    std::ifstream file(path, std::ios::binary);
    std::stringstream out;
    out << file.rdbuf();
    return out.str();
  }
  std::string path;
};

void print(ScriptedCore& core, const std::string& text) {
  for (char c : text) core.write(uart::kBase + uart::kData, static_cast<unsigned char>(c));
}

TEST(FirmwareMachine, TheConsoleGoesToTheTerminalByLines) {
  MachineBench b([](ScriptedCore& c) {
    print(c, "one\ntw");
    c.wait_ns(10000);
    print(c, "o\nrest");
  });
  b.run_ns(5000);
  EXPECT_EQ(b.console, "one\n");
  b.run_ns(50000);
  EXPECT_EQ(b.console, "one\ntwo\n");
}

TEST(FirmwareMachine, TheConsoleGoesToAFile) {
  const TemporaryFile file("console");
  CommandProcessorConfig config = eager_hardware();
  config.console = file.path;
  {
    MachineBench b([](ScriptedCore& c) { print(c, "one\nrest"); }, config);
    b.run_ns(5000);
    EXPECT_EQ(b.console, "");
  }
  EXPECT_EQ(file.text(), "one\nrest");  // also what no line end completed
}

TEST(FirmwareMachine, TheConsoleMayGoNowhere) {
  CommandProcessorConfig config = eager_hardware();
  config.console = "none";
  MachineBench b([](ScriptedCore& c) { print(c, "one\n"); }, config);
  b.run_ns(5000);
  EXPECT_EQ(b.console, "");
}

TEST(FirmwareMachine, TheConsoleReceivesAFile) {
  const TemporaryFile input("input", "hi");
  CommandProcessorConfig config = eager_hardware();
  config.console_input = input.path;
  std::string received;
  MachineBench b(
      [&](ScriptedCore& c) {
        c.write(intc::kBase + intc::kEnable, 1u << intc::kUartRx);
        for (int i = 0; i < 2; ++i) {
          c.sleep();
          c.write(intc::kBase + intc::kPending, 1u << intc::kUartRx);
          received += static_cast<char>(c.read(uart::kBase + uart::kData));
          c.write(uart::kBase + uart::kRxPop, 1);
        }
        c.write(intc::kBase + intc::kPending, 1u << intc::kUartRx);
        EXPECT_EQ(c.read(intc::kBase + intc::kRaw), 0u);
      },
      config);
  b.run_ns(5000);
  EXPECT_EQ(received, "hi");
}

TEST(FirmwareMachine, WordsGoBetweenHostAndCore) {
  const std::uint64_t record_at = regmap::kHostBusBase + 0x40;
  MachineBench b([](ScriptedCore& c) {
    c.write(intc::kBase + intc::kEnable, 1u << intc::kMailbox);
    for (;;) {
      c.sleep();
      c.write(intc::kBase + intc::kPending, 1u << intc::kMailbox);
      while (c.read(mailbox::kBase + mailbox::kToCoreCount) > 0) {
        const std::uint32_t word = c.read(mailbox::kBase + mailbox::kToCore);
        c.write(mailbox::kBase + mailbox::kToCorePop, 1);
        c.write(mailbox::kBase + mailbox::kToHost, word + 1);
      }
    }
  });
  b.run_ns(1000);
  b.driver.write<std::uint64_t>(mailbox::kBase + mailbox::kHostAddress, record_at);
  b.driver.write<std::uint32_t>(mailbox::kBase + mailbox::kSend, 41);
  b.driver.write<std::uint32_t>(mailbox::kBase + mailbox::kSend, 42);
  b.run_ns(1000);
  ASSERT_EQ(b.host_writes.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(b.host_writes[i].first, record_at);
    ASSERT_EQ(b.host_writes[i].second.size(), sizeof(mailbox::HostRecord));
    mailbox::HostRecord record;
    std::memcpy(&record, b.host_writes[i].second.data(), sizeof record);
    EXPECT_EQ(record.count, i + 1);
    EXPECT_EQ(record.word, 42 + i);
  }
}

TEST(FirmwareMachine, TimerAndSoftwareInterruptsHaveTheirLines) {
  double woken = 0;
  MachineBench b([&](ScriptedCore& c) {
    c.write(sysctl::kBase + sysctl::kSoftware, 1);
    EXPECT_TRUE(c.level(Interrupt::kSoftware));
    c.write(sysctl::kBase + sysctl::kSoftware, 0);
    EXPECT_FALSE(c.level(Interrupt::kSoftware));
    c.write64(timer::kBase + timer::kCompare, 3000);
    EXPECT_TRUE(c.surroundings().timer_armed());
    c.sleep();
    woken = ns(sc_core::sc_time_stamp());
    EXPECT_TRUE(c.level(Interrupt::kTimer));
  });
  EXPECT_FALSE(b.core->surroundings().timer_armed());
  EXPECT_FALSE(b.core->surroundings().external_enabled());
  b.run_ns(5000);
  EXPECT_DOUBLE_EQ(woken, 3000);
}

TEST(FirmwareMachine, AperturesShowDeviceMemory) {
  MachineBench b([](ScriptedCore& c) {
    constexpr std::uint32_t kAperture = regmap::core::kApertureBase;
    EXPECT_EQ(c.read(kAperture + 0x2000), 0x1234u);
    c.write64(sysctl::kBase + sysctl::kApertures + 24, DeviceMemory::kBase + 0x2000);
    EXPECT_EQ(c.read(kAperture + 3 * regmap::core::kApertureBytes), 0x1234u);
    c.write(kAperture + 3 * regmap::core::kApertureBytes + 4, 0x5678);
    std::uint32_t value = 0;  // the bench's memory is small
    EXPECT_EQ(c.access(false, kAperture + regmap::core::kApertureBytes, value),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  b.store<std::uint32_t>(DeviceMemory::kBase + 0x2000, 0x1234);
  b.run_ns(5000);
  EXPECT_EQ(b.load<std::uint32_t>(DeviceMemory::kBase + 0x2004), 0x5678u);
}

TEST(FirmwareMachine, TheCoreKnowsItsMachine) {
  CommandProcessorConfig config = eager_hardware();
  config.queues = 17;
  config.signal_poll_ns = 12.5;
  config.core.clock_mhz = 250;
  config.parameters = {7, 8};
  MachineBench b(
      [](ScriptedCore& c) {
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kQueues), 17u);
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kSlots), 4u);
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kEngines), 2u);
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kClockKhz), 250'000u);
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kSignalPollNs), 13u);
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kParameters + 4), 8u);
        EXPECT_EQ(c.read(sysctl::kBase + sysctl::kParameters + 8), 0u);
        c.write(sysctl::kBase + sysctl::kHalt, 9);
      },
      config);
  b.run_ns(5000);
  EXPECT_THAT(b.core->halts, ElementsAre(9));
  EXPECT_THAT(b.core->bus.describe_recent(), HasSubstr("write SYSTEM.HALT <- 0x9\n"));
  EXPECT_THAT(b.core->bus.describe_recent(), HasSubstr("read SYSTEM.PARAMETER[1] -> 0x8\n"));
}

TEST(FirmwareMachine, MessagesSayWhereQueuesAndFirmwareAre) {
  MachineBench b([](ScriptedCore& c) {
    while (c.read(regmap::qc::kBase + regmap::qc::kEvent) == 0) c.wait_ns(100);
    c.write(regmap::qc::kBase + regmap::qc::kEventPop, 1);
  });
  b.map_queue(6);
  b.put(6, b.dispatch(true));
  b.put(6, b.dispatch(true));
  b.ring(6);
  b.run_ns(5000);
  const std::string queue =
      "queue 6: 2 packets waiting, 0 in flight, head is a kernel (launch 0, priority 0)\n";
  EXPECT_EQ(b.core->surroundings().describe_queues(), queue);
  EXPECT_EQ(b.processor.describe(), queue + "scripted core\n");
}

TEST(FirmwareMachine, WrongFilesAreInputErrors) {
  const auto message = [](const CommandProcessorConfig& config) -> std::string {
    try {
      MachineBench b({}, config);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CommandProcessorConfig config = eager_hardware();
  config.console = "/nowhere/console";
  EXPECT_THAT(message(config),
              HasSubstr("command_processor.console: cannot write /nowhere/console; allowed"));
  config = eager_hardware();
  config.console_input = "/nowhere/input";
  EXPECT_THAT(message(config), HasSubstr("command_processor.console_input: cannot read /nowhere/input"));
}

TEST(FirmwareFile, IsFoundByNameOrPath) {
  EXPECT_EQ(firmware_path("my.elf"), "my.elf");
  EXPECT_EQ(firmware_path("./my"), "./my");
  EXPECT_THAT(firmware_path("rr"), ::testing::EndsWith("sw/firmware/prebuilt/rr.elf"));
  EXPECT_TRUE(std::ifstream(firmware_path("rr")).good());
  try {
    firmware_path("prioriti");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("command_processor.firmware: no firmware 'prioriti'; allowed: ccbp, edf, fcfs, lax, ljf, ljf_measured, mlfq, prema, priority, rr, sjf, sjf_measured, srf"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'priority'?"));
  }
}

}  // namespace
}  // namespace warpvp::test
