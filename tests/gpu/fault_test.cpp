// What goes wrong with a Gpu in a design: it is told at its endpoint, and a fault of the device stops that
// device alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/registry.h"
#include "interconnect/register_map.h"
#include "interconnect/systemc_context.h"
#include "modules/sm/policies.h"
#include "tests/gpu/board.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace cp = regmap::cp;
namespace ep = regmap::ep;

struct PicksWarp99 : WarpPolicy<PicksWarp99> {
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView&) override { return 99; }
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, PicksWarp99, "picks_warp_99", "Wrong.");

/// A kernel that goes round for ever.
std::string endless() {
  const std::string file = ::testing::TempDir() + "/endless.ptx";
  std::ofstream(file) << ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry endless() {\n"
                         "AGAIN:\n  bra AGAIN;\n}\n";
  return file;
}

constexpr const char* kNullPointer = "global load through a null pointer of 4 bytes";

/// Launches a kernel that reads from address 0.
void go_wrong(Driver& driver) {
  const std::uint64_t kernel = driver.load("examples/foreign_platform/axpy.ptx", "axpy");
  driver.launch(kernel, 1, 32, axpy_arguments(0, 0, 32));
}

/// What finish() throws.
std::string trouble_of(Driver& driver) {
  try {
    driver.finish();
    return "none";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

tlm::tlm_response_status read_register(Board& board, std::uint64_t at) {
  std::uint32_t word = 0;
  tlm::tlm_generic_payload p;
  return board.access(set(p, tlm::TLM_READ_COMMAND, address::kBar0 + at, &word, sizeof word));
}

// Nobody waits for the answer to a posted write.
TEST(GpuFaults, APostedWriteThatNobodyTakesIsTold) {
  on_a_board([](Board& b) {
    b.cpu.store(address::kBar0 + cp::kBase + cp::kQueueCount, std::uint32_t{1});
    EXPECT_EQ(b.cpu.wait_for_interrupts(), 1u);
    expect_error(b, ep::kWriteRefused, cp::kBase + cp::kQueueCount,
                 "host write of 4 bytes over PCIe answered TLM_COMMAND_ERROR_RESPONSE");
    EXPECT_EQ(b.device.gpu.fault(), nullptr);
    EXPECT_EQ(read_register(b, cp::kBase + cp::kQueueCount), tlm::TLM_OK_RESPONSE) << "the device goes on";
  });
}

TEST(GpuFaults, DmaThatThePlatformRefusesIsTold) {
  on_a_board([](Board& b) {
    Driver driver(b.cpu);
    const std::uint64_t device = driver.allocate(64);
    driver.copy(Driver::in_host_memory(0x1000), device, 64);  // no memory there
    EXPECT_THAT(trouble_of(driver), HasSubstr("write of 64 bytes was answered"));
    expect_error(b, ep::kDmaRefused, 0x1000, "write of 64 bytes was answered TLM_ADDRESS_ERROR_RESPONSE");
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));  // the queue goes on
    driver.copy(device, Driver::in_host_memory(0x2000), 64);
    EXPECT_THAT(trouble_of(driver), HasSubstr("read of 64 bytes was answered"));
    expect_error(b, ep::kDmaRefused, 0x2000, "read of 64 bytes was answered TLM_ADDRESS_ERROR_RESPONSE");
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));  // firmware stops the queue
    EXPECT_EQ(b.cpu.load<cp::QueueError>(address::kBar0 + cp::queue(0) + cp::kError),
              cp::QueueError::kCopyFailed);
    EXPECT_EQ(b.device.gpu.fault(), nullptr);
  });
}

TEST(GpuFaults, AQueueThatStopsInterrupts) {
  on_a_board([](Board& b) {
    Driver driver(b.cpu);
    driver.launch(regmap::kMemoryBase + 64, 1, 32, axpy_arguments(0, 0, 0));
    EXPECT_EQ(trouble_of(driver), "queue 0 has stopped: kernel_object names no kernel");
    EXPECT_EQ(b.device.gpu.fault(), nullptr);
  });
}

TEST(GpuFaults, AFaultOfTheDeviceStopsIt) {
  on_a_board([](Board& b) {
    Driver driver(b.cpu);
    go_wrong(driver);
    // Reads until one is under way at the time of the fault: it is answered then.
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    sc_core::sc_time began;
    while (status == tlm::TLM_OK_RESPONSE) {
      began = sc_core::sc_time_stamp();
      status = read_register(b, cp::kBase + cp::kQueueCount);
    }
    EXPECT_EQ(status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_LT(sc_core::sc_time_stamp() - began, sc_core::sc_time(800, sc_core::SC_NS)) << "not over the link";
    const std::string result = b.device.gpu.statistics();
    EXPECT_EQ(b.cpu.wait_for_interrupts() & 1, 1u);
    ASSERT_NE(b.device.gpu.fault(), nullptr);
    EXPECT_THAT(b.device.gpu.fault()->summary(), StartsWith(kNullPointer));

    // The BARs answer no more; the endpoint does.
    unsigned char data[64] = {};
    tlm::tlm_generic_payload p;
    for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND})
      EXPECT_EQ(b.access(set(p, command, address::kBar2, data, sizeof data)),
                tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(b.access(set(p, tlm::TLM_WRITE_COMMAND, address::kBar0 + cp::doorbell(0), data, 8)),
              tlm::TLM_GENERIC_ERROR_RESPONSE);
    const std::uint64_t burst = std::uint64_t{8} << 48;
    std::memcpy(data, &burst, sizeof burst);
    EXPECT_EQ(b.access(set(p, tlm::TLM_WRITE_COMMAND, address::kBar0 + ep::kMemoryBurst, data, 8)),
              tlm::TLM_GENERIC_ERROR_RESPONSE);

    // Its result is that of the fault, whatever time passes.
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
    EXPECT_EQ(b.device.gpu.end(), result);
    EXPECT_EQ(b.device.gpu.statistics(), result);
    const nlohmann::json json = nlohmann::json::parse(result);
    EXPECT_EQ(json["exit_code"], 3);
    EXPECT_EQ(json["message"], b.device.gpu.fault()->summary());
    EXPECT_EQ(json["verified"], false);
    expect_error(b, ep::kDeviceFault, 0, kNullPointer);
  });
}

TEST(GpuFaults, ADriverThatWaitsHearsOfTheFault) {
  on_a_board([](Board& b) {
    Driver driver(b.cpu);
    go_wrong(driver);
    const std::string trouble = trouble_of(driver);
    ASSERT_NE(b.device.gpu.fault(), nullptr);
    EXPECT_EQ(trouble, b.device.gpu.fault()->summary());
  });
}

TEST(GpuFaults, ADesignCanEndWithTheFault) {
  EXPECT_THAT(in_child([]() -> std::string {
                configure_time();
                Board board("board", [](Board& b) {
                  Driver driver(b.cpu);
                  go_wrong(driver);
                  driver.finish();
                });
                sc_core::sc_report_handler::set_actions(Gpu::kFaultType, sc_core::SC_WARNING,
                                                        sc_core::SC_THROW);
                try {
                  sc_core::sc_start();
                } catch (const sc_core::sc_report& report) {
                  return std::string(report.get_msg_type()) + " " + report.get_msg();
                }
                return "nothing was thrown";
              }),
              StartsWith(std::string("/warpvp/device_fault board.gpu: ") + kNullPointer));
}

/// Memory that one access at a time has, each for 50 us.
struct LockedMemory : sc_core::sc_module {
  explicit LockedMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &LockedMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    lock.lock();
    ++accesses;
    wait(sc_core::sc_time(50, sc_core::SC_US));
    lock.unlock();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<LockedMemory> socket{"socket"};
  sc_core::sc_mutex lock;
  unsigned accesses = 0;
};

// A thread of the device that is in the platform at the time of the fault finishes there, and begins nothing.
TEST(GpuFaults, WhatIsInThePlatformAtTheFaultComesOut) {
  EXPECT_EQ(in_child([]() -> std::string {
              configure_time();
              LockedMemory memory("memory");
              std::string found = "the script still waits";
              Board board(
                  "board",
                  [&](Board& b) {
                    Driver driver(b.cpu);
                    for (const std::uint64_t packet : {1, 2}) report_to(b, address::kMemory, packet);
                    while (memory.accesses == 0) sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
                    go_wrong(driver);
                    for (unsigned us = 0; us < 40 && b.device.gpu.fault() == nullptr; ++us)
                      sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
                    if (b.device.gpu.fault() == nullptr) throw std::runtime_error("no fault");
                    const bool busy = memory.lock.trylock() == -1;
                    const unsigned before = memory.accesses;
                    sc_core::wait(sc_core::sc_time(500, sc_core::SC_US));
                    const bool free = memory.lock.trylock() == 0;
                    found = std::string(busy ? "busy, " : "idle, ") +
                            std::to_string(memory.accesses - before) + " later, " +
                            (free ? "free" : "locked for ever");
                  },
                  &memory.socket);
              sc_core::sc_start();
              return found;
            }),
            "busy, 0 later, free");
}

/// `count` elements of y = 2 x + y on the board's Gpu, right or not.
bool axpy_is_right(Board& board, std::uint32_t count) {
  std::vector<float> x(count), y(count);
  for (std::uint32_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
  const std::uint32_t bytes = count * 4;
  board.cpu.store(address::kMemory, x.data(), bytes);
  Driver driver(board.cpu);
  const std::uint64_t kernel = driver.load("examples/foreign_platform/axpy.ptx", "axpy");
  const std::uint64_t device_x = driver.allocate(bytes), device_y = driver.allocate(bytes);
  for (const std::uint64_t device : {device_x, device_y})
    driver.copy(device, Driver::in_host_memory(address::kMemory), bytes);
  driver.launch(kernel, (count + 127) / 128, 128, axpy_arguments(device_x, device_y, count));
  driver.copy(Driver::in_host_memory(address::kMemory), device_y, bytes);
  driver.finish();
  board.cpu.load(address::kMemory, y.data(), bytes);
  for (std::uint32_t i = 0; i < count; ++i)
    if (y[i] != 3 * x[i]) return false;
  return true;
}

/// Two boards, whose scripts run at once: the results of both Gpus and when the second script was over. The
/// first one's Gpu has these settings; without `first` only the second is there.
std::string two_boards(const std::function<void(Board&)>& first, const std::string& yaml = kBoardGpu) {
  return in_child([&]() -> std::string {
    configure_time();
    sc_core::sc_report_handler::set_actions(Gpu::kFaultType, sc_core::SC_DO_NOTHING);
    std::unique_ptr<Board> one;
    if (first) one = std::make_unique<Board>("one", first, nullptr, yaml);
    bool right = false;
    std::string over, result;
    Board other("other", [&](Board& b) {
      right = axpy_is_right(b, 8000);
      over = sc_core::sc_time_stamp().to_string();
      Outcome outcome;
      outcome.verified = right;
      result = b.device.gpu.end(outcome);
    });
    sc_core::sc_start();
    nlohmann::json all;
    if (one) all["one"] = nlohmann::json::parse(one->device.gpu.end());
    all["other"] = nlohmann::json::parse(result);
    for (const char* own : {"host", "provenance"}) all["other"].erase(own);
    all["over"] = over;
    all["violations"] = other.device.violations();
    return all.dump();
  });
}

TEST(GpuFaults, TheOtherGpuOfADesignGoesOnAsIfItWereAlone) {
  const nlohmann::json alone = nlohmann::json::parse(two_boards({}));
  EXPECT_TRUE(alone["other"]["verified"]);
  const auto through_null = [](Board& b) {
    Driver driver(b.cpu);
    go_wrong(driver);
    trouble_of(driver);
  };
  // Firmware that gives up, by the register that it does so with.
  const auto halted = [](Board& b) {
    sc_core::wait(sc_core::sc_time(9, sc_core::SC_US));
    b.cpu.store(address::kBar0 + regmap::sysctl::kBase + regmap::sysctl::kHalt, std::uint32_t{7});
    b.cpu.wait_for_interrupts();
  };
  // A policy that answers what its interface excludes leaves an edge of a clock by an exception.
  const auto unpicked = [](Board& b) {
    Driver driver(b.cpu);
    const std::uint64_t memory = driver.allocate(4096);
    driver.launch(driver.load("examples/foreign_platform/axpy.ptx", "axpy"), 1, 64,
                  axpy_arguments(memory, memory, 64));
    trouble_of(driver);
  };
  const auto goes_round = [](Board& b) {
    Driver driver(b.cpu);
    driver.launch(driver.load(endless(), "endless"), 1, 32, axpy_arguments(0, 0, 0));
    trouble_of(driver);
  };
  struct Fault {
    std::function<void(Board&)> script;
    const char *more, *message;
  };
  const Fault faults[] = {
      {through_null, "", kNullPointer},
      {halted, "", "firmware"},
      {unpicked, ", sm: {warp_scheduler: picks_warp_99}", "picks_warp_99' broke its contract"},
      {goes_round, "}\nlimits: {cycles: 20000", "limit of 20000 SM cycles (limits.cycles)"},
      {goes_round, "}\nlimits: {progress_us: 20", "warps have only gone round in loops"}};
  for (const auto& [script, more, message] : faults) {
    const nlohmann::json both = nlohmann::json::parse(
        two_boards(script, std::string("platform: {extends: small, sms: 2") + more + "}\n"));
    EXPECT_EQ(both["one"]["exit_code"], 3) << message;
    EXPECT_THAT(both["one"]["message"].get<std::string>(), HasSubstr(message));
    EXPECT_EQ(both["over"], alone["over"]);
    EXPECT_EQ(both["violations"], "");
    EXPECT_EQ(nlohmann::json::diff(alone["other"], both["other"]).dump(), "[]");
  }
}

// Limits look at kernels that run, and at nothing else: the design ends when nothing is left to happen.
TEST(GpuFaults, LimitsThatAreNotReachedChangeNothing) {
  const auto run = [](const std::string& limits) {
    return in_child([&] {
      configure_time();
      std::string result;
      Board board(
          "board",
          [&](Board& b) {
            Outcome outcome;
            outcome.verified = axpy_is_right(b, 8000);
            result = b.device.gpu.end(outcome);
          },
          nullptr, kBoardGpu + limits);
      sc_core::sc_start();
      nlohmann::json json = nlohmann::json::parse(result);
      json.erase("config");
      json["over"] = sc_core::sc_time_stamp() < sc_core::sc_time(1, sc_core::SC_MS);
      return json.dump();
    });
  };
  const std::string without = run("");
  EXPECT_TRUE(nlohmann::json::parse(without)["verified"]);
  EXPECT_TRUE(nlohmann::json::parse(without)["over"]);
  EXPECT_EQ(difference(without, run("limits: {cycles: 100000000, progress_us: 5}\n")), "[]");
}

}  // namespace
}  // namespace warpvp::test
