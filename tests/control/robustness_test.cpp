// Whatever the host writes into its rings, only the queue it spoils stops; the others go on, under every kind
// of scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/control/processor_bench.h"

namespace warpvp::test {
namespace {

namespace cp = regmap::cp;
namespace wd = regmap::wd;
using cp::QueueError;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

CommandProcessorConfig config_of(const std::string& type) {
  CommandProcessorConfig config = eager_hardware();
  config.type = type;
  return config;
}

class Robustness : public ::testing::TestWithParam<std::string> {
 protected:
  Robustness() : b("bench", config_of(GetParam())) {
    b.driver.write<std::uint64_t>(cp::kBase + cp::kErrorMailbox, kMailbox);
  }
  ~Robustness() override {
    EXPECT_FALSE(b.faults.faulted()) << b.console << b.faults.fault()->summary() << "\n"
                                     << b.faults.fault()->detail;
  }
  /// Lets time pass, ending kernels and copies soon after they started, until nothing happens any more.
  void settle() {
    for (unsigned quiet = 0; quiet < 40; ++quiet) {
      b.run_ns(10000);
      for (; ended_ < b.kernels.size(); ++ended_, quiet = 0) b.end_kernel(b.kernels[ended_].slot);
      for (; copied_ < b.copies.size(); ++copied_, quiet = 0) b.end_copy(b.copies[copied_].engine);
    }
  }
  std::vector<unsigned> records() const {
    std::vector<unsigned> queues;
    for (const auto& [address, data] : b.host_writes) {
      if (address != kMailbox) continue;
      cp::QueueErrorRecord record;
      std::memcpy(&record, data.data(), sizeof record);
      queues.push_back(record.queue);
    }
    return queues;
  }
  static constexpr std::uint64_t kMailbox = regmap::kHostBusBase + 0x1000;
  ProcessorBench b;

 private:
  std::size_t ended_ = 0, copied_ = 0;
};

TEST_P(Robustness, AMalformedPacketStopsItsQueueAlone) {
  struct Case {
    QueueError error;
    std::function<void(unsigned q)> put;
  };
  const auto kernel = [this](auto change) {
    return [this, change](unsigned q) {
      auto p = b.dispatch(true);
      change(p);
      b.put(q, p);
    };
  };
  using K = aql::KernelDispatch;
  const Case cases[] = {
      {QueueError::kBadPacketType, kernel([](K& p) { p.header = 4; })},
      {QueueError::kBadDimensions, kernel([](K& p) { p.grid_size[0] = 33; })},
      {QueueError::kBadKernelObject, kernel([](K& p) { p.kernel_object = 0; })},
      {QueueError::kBadKernelObject, kernel([this](K& p) { p.kernel_object = b.arguments; })},
      {QueueError::kBadAddress, kernel([](K& p) { p.completion_signal = 64; })},
      {QueueError::kBadAddress, kernel([](K& p) { p.extension = 1ull << 60; })},
      {QueueError::kBadAddress, kernel([](K& p) { p.kernarg_address = 0; })},
      {QueueError::kBadAddress,
       [this](unsigned q) { b.put(q, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {0x40})); }},
      {QueueError::kBadCopy,
       [this](unsigned q) {
         aql::Copy c;
         c.header = aql::header(aql::PacketType::kVendor, true);
         c.kind = 9;
         b.put(q, c);
       }},
  };
  unsigned count = 0;
  for (const Case& c : cases) {
    const unsigned q = 2 * count++;
    for (unsigned each : {q, q + 1}) {
      b.map_queue(each);
      b.put(each, b.dispatch(true, 0, each + 1));
    }
    c.put(q);
    for (unsigned each : {q, q + 1}) {
      b.put(each, b.dispatch(true, 0, each + 101));
      b.ring(each);
    }
  }
  settle();
  std::vector<unsigned> stopped;
  for (unsigned i = 0; i < count; ++i) {
    stopped.push_back(2 * i);
    EXPECT_EQ(b.error(2 * i), cases[i].error) << i;
    EXPECT_EQ(b.read_index(2 * i), 1u) << i;
    EXPECT_EQ(b.driver.read<std::uint64_t>(cp::queue(2 * i) + cp::kErrorIndex), 1u) << i;
    EXPECT_EQ(b.state(2 * i + 1), cp::QueueState::kIdle) << i;
    EXPECT_EQ(b.read_index(2 * i + 1), 2u) << i;
  }
  EXPECT_THAT(records(), ::testing::UnorderedElementsAreArray(stopped));
  EXPECT_EQ(b.kernels.size(), 3 * count);

  // Mapped anew, a queue that was stopped works.
  b.kernels.clear();
  b.written[0] = 0;
  b.map_queue(0);
  b.put(0, b.dispatch(true, 0, 8));
  b.ring(0);
  b.run_ns(20000);
  EXPECT_THAT(b.marks(), ElementsAre(8));
}

TEST_P(Robustness, WrongDoorbellsStopTheirQueueAlone) {
  b.map_queue(0, 4);
  b.map_queue(1, 4);
  b.map_queue(3, 3);  // no power of two
  b.map_queue(4, 4);
  b.run_ns(400000);  // firmware has started
  b.put(1, b.dispatch(true, 0, 1));
  b.ring(1);
  b.run_ns(20000);
  b.driver.write<std::uint64_t>(cp::doorbell(0), 5);  // overruns the ring
  b.driver.write<std::uint64_t>(cp::doorbell(1), 0);  // backwards
  b.driver.write<std::uint64_t>(cp::doorbell(2), 1);  // not mapped
  b.put(4, b.dispatch(true, 0, 4));
  b.ring(4);
  settle();
  EXPECT_EQ(b.error(0), QueueError::kRingOverrun);
  EXPECT_EQ(b.error(1), QueueError::kRingOverrun);
  EXPECT_EQ(b.error(2), QueueError::kQueueNotMapped);
  EXPECT_EQ(b.error(3), QueueError::kBadAddress);
  EXPECT_EQ(b.error(4), QueueError::kNone);
  EXPECT_THAT(b.marks(), ElementsAre(1, 4));
  EXPECT_EQ(b.driver.read<std::uint32_t>(cp::queue(1) + cp::kInFlight), 0u);  // what ran was completed
}

TEST_P(Robustness, ARefusedKernelStopsItsQueueAlone) {
  const std::pair<wd::SlotStatus, QueueError> cases[] = {
      {wd::SlotStatus::kRefusedNeverFits, QueueError::kCtaNeverFits},
      {wd::SlotStatus::kRefusedDimensions, QueueError::kBadDimensions},
      {wd::SlotStatus::kRefusedBusy, QueueError::kDispatchFailed},
  };
  unsigned q = 0;
  for (const auto& [answer, error] : cases) {
    b.map_queue(q);
    b.answer = answer;
    b.put(q, b.dispatch(true));
    b.ring(q);
    settle();
    EXPECT_EQ(b.error(q), error);
    ++q;
  }
  b.answer = wd::SlotStatus::kRunning;
  for (unsigned i = 0; i < 8; ++i) {  // no slot is lost
    b.map_queue(q + i);
    b.put(q + i, b.dispatch(true, 0, i + 1));
    b.ring(q + i);
  }
  settle();
  EXPECT_THAT(b.marks(), ::testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_P(Robustness, ACopyThatFailsStopsItsQueueAlone) {
  const std::uint64_t failed = b.make_signal(), fine = b.make_signal();
  aql::Copy c;
  c.header = aql::header(aql::PacketType::kVendor, false);
  c.kind = 1;
  for (unsigned q = 0; q < 2; ++q) {
    c.completion_signal = q == 0 ? failed : fine;
    b.map_queue(q);
    b.put(q, c);
    b.put(q, b.dispatch(true, 0, q + 1));
    b.ring(q);
  }
  b.run_ns(500000);
  ASSERT_EQ(b.copies.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) b.end_copy(b.copies[i].engine, i == 0 ? 4 : 0);
  b.copies.clear();
  settle();
  EXPECT_EQ(b.error(0), QueueError::kCopyFailed);
  EXPECT_EQ(b.load<aql::Signal>(failed).value, 1);  // what waits for the data must not go on
  EXPECT_EQ(b.load<aql::Signal>(fine).value, 0);
  EXPECT_THAT(b.marks(), ElementsAre(2));
}

// Queues are unmapped and mapped at any time, so also while their head is being started.
TEST_P(Robustness, QueuesComeAndGoAtAnyTime) {
  b.map_queue(0);
  b.run_ns(400000);
  std::mt19937 random(1);
  for (unsigned i = 0; i < 300; ++i) {
    b.written[0] = 0;
    b.map_queue(0);
    b.put(0, b.dispatch(false, 0, 1));
    b.put(0, b.dispatch(false, 0, 1));
    b.ring(0);
    b.run_ns(200 + random() % 4000);
    b.driver.write<std::uint32_t>(cp::queue(0) + cp::kControl, 0);
    if (i % 3 == 0) b.run_ns(random() % 500);
    if (i % 8 == 0) settle();
  }
  settle();
  EXPECT_GT(b.kernels.size(), 50u);
  EXPECT_EQ(b.driver.read<std::uint32_t>(cp::queue(0) + cp::kInFlight), 0u);
  b.kernels.clear();
  for (unsigned q = 1; q <= 4; ++q) {  // all four slots are free
    b.map_queue(q);
    b.put(q, b.dispatch(true, 0, q));
    b.ring(q);
  }
  b.run_ns(50000);
  EXPECT_THAT(b.marks(), ::testing::UnorderedElementsAre(1, 2, 3, 4));
}

// Packets whose bytes are random, and good ones with single bits changed.
TEST_P(Robustness, GarbageDoesNotReachOtherQueues) {
  std::mt19937 random(7);
  constexpr unsigned kGood = 127, kGoodPackets = 12;
  for (unsigned q = 0; q < 60; ++q) {
    b.map_queue(q);
    for (unsigned i = 0; i < 8; ++i) {
      aql::KernelDispatch p = b.dispatch(true, 0, 1);
      auto* bytes = reinterpret_cast<unsigned char*>(&p);
      if (q % 2 == 0) {
        for (unsigned k = 0; k < sizeof p; ++k) bytes[k] = static_cast<unsigned char>(random());
        bytes[0] = static_cast<unsigned char>(random() % 6);  // types that are parsed further
      } else {
        bytes[random() % sizeof p] ^= static_cast<unsigned char>(1u << random() % 8);
      }
      b.put(q, p);
    }
    b.ring(q);
  }
  const std::uint64_t signal = b.make_signal(kGoodPackets);
  b.map_queue(kGood);
  for (unsigned i = 0; i < kGoodPackets; ++i) b.put(kGood, b.dispatch(true, signal, 777));
  b.ring(kGood);
  settle();
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
  EXPECT_EQ(b.state(kGood), cp::QueueState::kIdle);
  EXPECT_EQ(
      std::count_if(b.kernels.begin(), b.kernels.end(), [](const auto& k) { return k.image.grid[0] == 777; }),
      kGoodPackets);
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const CoreTypeInfo& type : command_processor_types()) names.push_back(type.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Types, Robustness, ::testing::ValuesIn(type_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpvp::test
