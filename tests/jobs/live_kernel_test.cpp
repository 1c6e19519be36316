// What may be changed of a kernel that has started: its priority, its budget, and whether it sends CTAs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modules/work_distributor/status_register_distributor.h"
#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

namespace wd = regmap::wd;

constexpr std::uint64_t priority_of(unsigned slot) {
  return wd::slot(slot) + offsetof(wd::KernelSlotImage, priority);
}
constexpr std::uint64_t budget_of(unsigned slot) {
  return wd::slot(slot) + offsetof(wd::KernelSlotImage, budget);
}

/// One SM with room for one CTA, so that CTAs come one by one.
struct LiveKernelBench : sc_core::sc_module {
  FaultSink faults;
  ClockDomain clock;
  RegisterBus bus;
  StatusRegisterDistributor distributor;
  ScriptedSms sms;
  Driver driver;
  Target mailbox;

  explicit LiveKernelBench(const std::string& policy = "smk", std::uint32_t launch_cycles = 0)
      : sc_module("bench"),
        clock("clock", 1000),
        bus("bus", RegisterBusConfig{20}),
        distributor("distributor", config(policy, launch_cycles), narrow(), 1, clock, faults),
        sms("sms", 1, clock),
        driver("driver"),
        mailbox("mailbox") {
    driver.socket.bind(bus.add_initiator("driver"));
    distributor.bus.bind(bus.add_initiator("distributor"));
    sms.bus.bind(bus.add_initiator("sms"));
    bus.add_target("distributor", wd::kBase, wd::kBytes).bind(distributor.registers);
    bus.add_target("mailbox", regmap::cp::kBase + regmap::cp::kKernelDone, 8).bind(mailbox.socket);
    bus.add_target("sm0", regmap::sm::window(0), regmap::sm::kStride).bind(sms.window(0));
    sms.cycles = [](const CtaLaunch&) { return 100; };
  }
  static WorkDistributorConfig config(const std::string& policy, std::uint32_t launch_cycles) {
    WorkDistributorConfig c;
    c.policy = policy.c_str();
    c.launch_cycles = launch_cycles;
    return c;
  }
  static SmResources narrow() {
    SmResources r;
    r.warps = 1;
    r.threads = 32;
    r.ctas = 1;
    r.threads_per_cta = 32;
    r.registers = 8192;
    r.shared_bytes = r.shared_bytes_per_cta = 16384;
    r.barriers = 8;
    return r;
  }
  void start(unsigned slot, std::uint32_t ctas, std::int32_t priority) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    wd::KernelSlotImage k;
    k.launch_id = slot;
    k.grid[0] = ctas;
    k.block[0] = 32;
    k.registers_per_thread = 16;
    k.priority = priority;
    ASSERT_EQ(access(driver.socket, tlm::TLM_WRITE_COMMAND, wd::slot(slot), &k, sizeof k),
              tlm::TLM_OK_RESPONSE);
    driver.write<std::uint32_t>(wd::slot(slot) + wd::kSlotStart, 1);
  }
  void run(unsigned cycles) { sc_core::sc_start(sc_core::sc_time(cycles, sc_core::SC_NS)); }
  void hold(unsigned slot, std::uint32_t value) {
    driver.write<std::uint32_t>(wd::slot(slot) + wd::kSlotHold, value);
  }
  /// The kernels whose CTAs were sent, in order.
  std::string order() const {
    std::string text;
    for (const auto& launch : sms.launches) text += static_cast<char>('a' + launch.record.launch_id);
    return text;
  }
};

TEST(LiveKernel, ALatePriorityOvertakesAtTheNextCta) {
  LiveKernelBench b;
  b.start(0, 4, 0);
  b.start(1, 3, 0);
  b.run(150);  // the second CTA of a runs
  b.driver.write<std::int32_t>(priority_of(1), 5);
  b.run(2000);
  EXPECT_EQ(b.order(), "aabbbaa");
  EXPECT_EQ(b.sms.launches[2].record.priority, 5) << "SMs see it too";
  EXPECT_EQ(b.sms.launches[0].record.priority, 0);
  EXPECT_EQ(b.distributor.records()[1].priority, 0) << "the result tells what the host asked for";
}

TEST(LiveKernel, AKernelThatLosesPriorityKeepsItsAge) {
  LiveKernelBench b;
  b.start(0, 3, 5);
  b.start(1, 3, 0);
  b.start(2, 3, 0);
  b.run(150);
  b.driver.write<std::int32_t>(priority_of(0), 0);  // oldest of its equals
  b.run(2000);
  EXPECT_EQ(b.order(), "aaabbbccc");
}

TEST(LiveKernel, APriorityWrittenWhileTheKernelIsPreparedCountsFromItsFirstCta) {
  LiveKernelBench b("smk", 200);
  b.start(0, 3, 0);
  b.start(1, 2, 0);
  b.driver.write<std::int32_t>(priority_of(1), 9);
  b.run(2000);
  EXPECT_EQ(b.order(), "bbaaa");
}

TEST(LiveKernel, AHeldKernelSendsNoCtasUntilItIsReleased) {
  LiveKernelBench b;
  b.start(0, 4, 0);
  b.start(1, 2, 0);
  b.run(150);
  b.hold(0, 1);
  b.run(5000);
  EXPECT_EQ(b.order(), "aabb");
  EXPECT_EQ(b.driver.read<std::uint32_t>(wd::slot(0) + wd::kSlotStatus),
            static_cast<std::uint32_t>(wd::SlotStatus::kRunning));
  EXPECT_EQ(b.driver.read<std::uint32_t>(wd::slot(0) + wd::kSlotHold), 1u);
  b.hold(0, 0);
  b.run(2000);
  EXPECT_EQ(b.order(), "aabbaa");
  EXPECT_TRUE(b.distributor.records()[0].finished());
}

TEST(LiveKernel, AKernelMayStartHeldAndTheNextOneDoesNot) {
  LiveKernelBench b;
  b.start(1, 1, 0);
  b.hold(0, 1);
  b.start(0, 2, 7);
  b.run(1000);
  EXPECT_EQ(b.order(), "b");
  b.hold(0, 0);
  b.run(1000);
  EXPECT_EQ(b.order(), "baa");
  b.start(2, 2, 0);
  b.hold(2, 1);
  b.run(1000);
  b.hold(2, 0);
  b.run(5000);
  b.hold(2, 1);  // it has ended: this is for the next one
  b.start(2, 1, 0);
  b.run(1000);
  EXPECT_EQ(b.order(), "baacc");
}

TEST(LiveKernel, WholeSmsAreHandedOverToo) {
  LiveKernelBench b("fcfs_ppq");
  b.start(0, 4, 0);
  b.start(1, 2, 0);
  b.run(150);
  b.driver.write<std::int32_t>(priority_of(1), 5);
  b.run(3000);
  EXPECT_EQ(b.order(), "aabbaa");
}

TEST(LiveKernel, TheBudgetActsFromTheNextCta) {
  LiveKernelBench b;
  b.start(0, 3, 0);
  b.run(150);
  b.driver.write<std::uint32_t>(budget_of(0), 6);
  b.run(1000);
  ASSERT_EQ(b.sms.launches.size(), 3u);
  EXPECT_EQ(b.sms.launches[1].record.budget, 1u);
  EXPECT_EQ(b.sms.launches[2].record.budget, 6u);
}

TEST(LiveKernel, WhatWouldNotActIsRefused) {
  LiveKernelBench b;
  b.start(0, 3, 0);
  const auto write = [&](std::uint64_t offset, unsigned bytes) {
    std::uint64_t value = 1;
    return access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::slot(0) + offset, &value, bytes);
  };
  using Image = wd::KernelSlotImage;
  for (const std::size_t offset :
       {offsetof(Image, launch_id), offsetof(Image, stream), offsetof(Image, grid), offsetof(Image, block),
        offsetof(Image, dynamic_shared_bytes), offsetof(Image, job), offsetof(Image, deadline_ns)})
    EXPECT_EQ(write(offset, 4), tlm::TLM_GENERIC_ERROR_RESPONSE) << offset;
  EXPECT_EQ(write(offsetof(Image, kernel_object), 8), tlm::TLM_GENERIC_ERROR_RESPONSE);
  // A burst that has one of them in it changes nothing at all.
  Image image;
  image.priority = 9;
  EXPECT_EQ(access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::slot(0), &image, sizeof image),
            tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.driver.read<std::int32_t>(priority_of(0)), 0);
  EXPECT_EQ(b.driver.read<std::uint32_t>(wd::slot(0) + offsetof(Image, grid)), 3u);
  b.run(1000);
  EXPECT_EQ(write(offsetof(Image, grid), 4), tlm::TLM_OK_RESPONSE) << "it has ended";
}

}  // namespace
}  // namespace warpvp::test
