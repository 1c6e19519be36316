// The native core by itself: time of its accesses, and what it says when firmware cannot go on. The platform
// is a function that answers reads.
#include "modules/command_processor/native/native_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "interconnect/register_map.h"
#include "sw/firmware/hal/codes.h"
#include "sw/firmware/hal/registers.h"
#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

struct Bench : sc_core::sc_module {
  FaultSink faults;
  bool can_wake = true, work = false;
  NativeCore core;
  Target platform;
  std::map<std::uint32_t, std::uint32_t> registers = {
      {SYSCTL_QUEUES, 32}, {SYSCTL_SLOTS, 4}, {SYSCTL_ENGINES, 2}};
  std::function<std::uint32_t(std::uint32_t)> on_read;
  struct Access {
    bool write;
    std::uint32_t address, value;
    double at_ns;
  };
  std::vector<Access> accesses;
  double access_ns = 20;
  std::uint32_t refused = 0;
  std::string console;

  explicit Bench(sc_core::sc_module_name name, std::uint64_t progress_limit = 0)
      : sc_module(name), core("core", surroundings(), "rr", progress_limit), platform("platform") {
    core.bus.socket.bind(platform.socket);
    faults.on_fault = [] { sc_core::sc_stop(); };
    platform.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
      const auto address = static_cast<std::uint32_t>(p.get_address());
      if (address == refused) {
        p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
      }
      std::uint32_t value = 0;
      if (p.is_write()) {
        std::memcpy(&value, p.get_data_ptr(), 4);
        if (address == UART_DATA) console += static_cast<char>(value);
        if (address == SYSCTL_HALT) core.halt(value);
      } else {
        value = on_read ? on_read(address) : registers[address];
        std::memcpy(p.get_data_ptr(), &value, 4);
      }
      accesses.push_back({p.is_write(), address, value, ns(sc_core::sc_time_stamp())});
      delay += in_ns(access_ns);
    };
  }
  CoreSurroundings surroundings() {
    CoreSurroundings s;
    s.faults = &faults;
    s.work_pending = [this] { return work; };
    s.describe_queues = [] { return std::string("queue 3: 2 packets waiting\n"); };
    s.external_enabled = s.timer_armed = [this] { return can_wake; };
    return s;
  }
  void run_ns(double t) { sc_core::sc_start(in_ns(t)); }
};

TEST(NativeCore, AccessesTakeTheirTimeAndNothingElseDoes) {
  Bench b("bench");
  b.run_ns(100'000);
  ASSERT_GT(b.accesses.size(), 10u);
  for (std::size_t i = 0; i < b.accesses.size(); ++i)
    EXPECT_DOUBLE_EQ(b.accesses[i].at_ns, 20.0 * static_cast<double>(i));  // then it sleeps
  EXPECT_EQ(b.core.describe(), "firmware (native, policy rr) sleeps");
}

TEST(NativeCore, WakesAtTheInterrupt) {
  Bench b("bench");
  b.run_ns(10'000);
  const std::size_t before = b.accesses.size();
  b.run_ns(5'000.5);
  b.core.set_interrupt(Interrupt::kSoftware, true);  // not one that firmware wakes for
  b.run_ns(1'000);
  EXPECT_EQ(b.accesses.size(), before);
  b.core.set_interrupt(Interrupt::kExternal, true);
  b.run_ns(15);
  ASSERT_EQ(b.accesses.size(), before + 1);
  EXPECT_EQ(b.accesses.back().address, INTC_PENDING);
  EXPECT_DOUBLE_EQ(b.accesses.back().at_ns, 16'000.5);
}

TEST(NativeCore, APanicIsADeviceFaultThatSaysWhy) {
  Bench b("bench");
  b.registers[QC_EVENT] = 9u << 24 | 5;
  b.registers[INTC_PENDING] = FW_IRQ_EVENT;
  b.run_ns(100'000);
  EXPECT_EQ(b.console, "panic: event 09000005\n");
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_EQ(b.faults.fault()->what,
            "firmware (native, policy rr): the firmware gave up with code 4 (a device that said what it "
            "cannot say)");
  EXPECT_THAT(b.faults.fault()->detail, HasSubstr("queue 3: 2 packets waiting"));
  EXPECT_THAT(b.faults.fault()->detail, HasSubstr("last accesses to device registers"));
  EXPECT_EQ(b.core.describe(), "firmware (native, policy rr) has stopped");
}

TEST(NativeCore, ARefusedAccessIsADeviceFault) {
  Bench b("bench");
  b.refused = SYSCTL_ENGINES;
  b.run_ns(100'000);
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_THAT(b.faults.fault()->what, HasSubstr("load access fault at address 0x145008"));
}

TEST(NativeCore, SleepingForGoodWithWorkPendingIsADeviceFault) {
  Bench b("bench");
  b.can_wake = false;
  b.run_ns(10'000);
  EXPECT_FALSE(b.faults.faulted());
  b.work = true;
  b.core.work_arrived();
  b.run_ns(10);
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_THAT(b.faults.fault()->what, HasSubstr("asleep for ever"));
}

TEST(NativeCore, RunningInCirclesIsADeviceFault) {
  Bench b("bench", 1000);
  b.registers[INTC_PENDING] = FW_IRQ_HEAD;  // again and again, with no head
  b.run_ns(5'000);
  b.core.set_interrupt(Interrupt::kExternal, true);
  b.run_ns(100'000);
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_THAT(b.faults.fault()->what, HasSubstr("no progress: more than 1000 accesses"));
}

TEST(NativeCore, HasEachPolicyOnce) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("sw/firmware/policies"))
    files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  EXPECT_EQ(NativeCore::policies(), files);
}

TEST(NativeCore, IsAloneInItsProcess) {
  Bench b("bench");
  EXPECT_THROW(NativeCore("other", b.surroundings(), "rr", 0), std::logic_error);
}

}  // namespace
}  // namespace warpvp::test
