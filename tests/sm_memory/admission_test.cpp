// Which kernels may hand the load/store unit another memory instruction (sm.memory.admission).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

MemorySideConfig limited() {
  MemorySideConfig config = small_config();
  config.admission = "limit";
  return config;
}

/// Writes LIMIT of a slot.
void limit(Bench& b, unsigned slot, std::uint32_t in_flight) {
  tlm::tlm_generic_payload write;
  write.set_command(tlm::TLM_WRITE_COMMAND);
  write.set_address(regmap::sm::policy_window("memory_admission", 0).base + 4 * slot);
  write.set_data_ptr(reinterpret_cast<unsigned char*>(&in_flight));
  write.set_data_length(sizeof in_flight);
  write.set_streaming_width(sizeof in_flight);
  b.registers.transport(write);
  EXPECT_TRUE(write.is_response_ok());
}

// Kernels are launches here, one slot each. The third instruction of a kernel waits until its first is
// answered; the other kernel does not wait for it.
TEST(Admission, AKernelAtItsLimitWaitsAlone) {
  Bench b(limited());
  limit(b, 1, 2);
  const auto first = b.at(10, load_line(0), 0, 1), second = b.at(11, load_line(1), 1, 1);
  b.run(12);
  EXPECT_FALSE(b.memory->can_accept(1));
  EXPECT_TRUE(b.memory->can_accept(2));
  const auto other = b.at(20, load_line(2), 2, 2);
  b.run(300);
  EXPECT_NE(b.done[first], kNever);
  EXPECT_NE(b.done[second], kNever);
  EXPECT_NE(b.done[other], kNever);
  EXPECT_TRUE(b.memory->can_accept(1));
  EXPECT_EQ(b.stats()["memory_admission.peak_in_flight"], 2);
}

TEST(Admission, ALimitIsARegister) {
  Bench b(limited());
  const std::uint64_t window = regmap::sm::policy_window("memory_admission", 0).base;
  EXPECT_EQ(b.registers.name_of(window + 4), "MEMORY_ADMISSION_LIMIT[1]");
  EXPECT_EQ(b.registers.name_of(window + 0x204), "MEMORY_ADMISSION_IN_FLIGHT[1]");
  limit(b, 1, 0);
  EXPECT_FALSE(b.memory->can_accept(1));
  EXPECT_TRUE(b.memory->can_accept(0));
}

TEST(Admission, OpenLimitsNobody) {
  MemorySideConfig config = small_config();
  Bench b(config);
  for (unsigned i = 0; i < 7; ++i) b.at(10, load_line(i), i, 1);
  b.run(11);
  EXPECT_TRUE(b.memory->can_accept(1));
  EXPECT_EQ(b.stats().values.count("memory_admission.peak_in_flight"), 0u);
}

struct Listener : SmListener {
  void l1_refused(const L1Refusal& refusal, Cycle) override {
    cycles += refusal.cycles;
    reasons.push_back(refusal.why);
  }
  Cycle cycles = 0;
  std::vector<Reservation> reasons;
};

// What listeners hear of refused transactions adds up to what is counted.
TEST(Admission, RefusalsAreToldWithTheirCycles) {
  MemorySideConfig config = small_config();
  config.l1.mshrs = 1;
  Bench b(config);
  Listener listener;
  b.events.listen(listener, {SmEvent::kL1Refusals}, "test", "listener");
  for (unsigned i = 0; i < 3; ++i) b.at(10, load_line(i), i, 0);
  b.run();
  EXPECT_GT(listener.cycles, 100u);
  EXPECT_EQ(static_cast<double>(listener.cycles), b.stats()["l1_fail_mshr"]);
  for (const Reservation why : listener.reasons) EXPECT_EQ(why, Reservation::kMshr);
}

}  // namespace
}  // namespace warpvp::test
