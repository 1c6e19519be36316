// In which order the delivered policies start packets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

struct Packet {
  int priority = 0;
  std::uint64_t deadline = 0;
};
struct Case {
  const char* name;
  const char* policy;
  std::vector<std::vector<Packet>> queues;  ///< all there before the first start
  std::vector<unsigned> order;              ///< of queues
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Order : public ::testing::TestWithParam<Case> {};

TEST_P(Order, OneSlotShowsIt) {
  ScriptedMachine m(8, 1);
  // Queue 7 occupies the slot until all heads are ready. It is the last to start, so the round begins at
  // queue 0.
  ScriptedPacket first;
  first.run_ns = 20000;
  first.priority = 1000;
  m.push(7, {first});
  m.at(5000, [&] {
    for (unsigned q = 0; q < GetParam().queues.size(); ++q) {
      std::vector<ScriptedPacket> packets;
      for (const Packet& p : GetParam().queues[q]) {
        ScriptedPacket s;
        s.priority = p.priority;
        s.deadline_ns = p.deadline;
        packets.push_back(s);
      }
      if (!packets.empty()) m.push(q, packets);
    }
  });
  m.run(policy(GetParam().policy));
  std::vector<unsigned> expected = {7};
  expected.insert(expected.end(), GetParam().order.begin(), GetParam().order.end());
  EXPECT_THAT(m.starts, ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Order,
    ::testing::Values(
        Case{"RoundRobinTakesQueuesInTurn", "rr", {{{}, {}}, {{}, {}}, {{}, {}}}, {0, 1, 2, 0, 1, 2}},
        Case{"RoundRobinSkipsEmptyQueues", "rr", {{{}}, {}, {{}, {}, {}}, {{}}}, {0, 2, 3, 2, 2}},
        Case{"RoundRobinIgnoresPriorityAndDeadline", "rr", {{{0, 900}}, {{5, 100}}, {{9, 50}}}, {0, 1, 2}},
        Case{"PriorityPrefersTheGreater", "priority", {{{1}}, {{3}}, {{2}}}, {1, 2, 0}},
        Case{"PriorityOfTheHeadCounts", "priority", {{{1}, {9}}, {{2}, {2}}}, {1, 1, 0, 0}},
        Case{"PriorityMayBeNegative", "priority", {{{-5}}, {{}}, {{-1}}}, {1, 2, 0}},
        Case{"EqualPrioritiesTakeTurns", "priority", {{{1}, {1}}, {{1}, {1}}, {{2}}}, {2, 0, 1, 0, 1}},
        Case{"PriorityIgnoresDeadlines", "priority", {{{1, 10}}, {{2, 900}}}, {1, 0}},
        Case{"EarliestDeadlineGoesFirst", "edf", {{{0, 300000}}, {{0, 100000}}, {{0, 200000}}}, {1, 2, 0}},
        Case{"NoDeadlineComesLast", "edf", {{{}, {}}, {{0, 900000}}, {{}}, {{0, 500000}}}, {3, 1, 2, 0, 0}},
        Case{"EqualDeadlinesTakeTurns", "edf", {{{0, 70}, {0, 70}}, {{0, 70}, {0, 70}}}, {0, 1, 0, 1}},
        Case{"DeadlinesAreSixtyFourBitsWide",
             "edf",
             {{{0, 0x1'0000'0001}}, {{0, 0x2'0000'0000}}, {{0, 5}}},
             {2, 0, 1}},
        Case{"DeadlinesIgnorePriority", "edf", {{{9, 200}}, {{1, 100}}}, {1, 0}}),
    [](const auto& info) { return info.param.name; });

TEST(RoundRobin, GoesOnAfterTheQueueThatStartedLast) {
  ScriptedMachine m(8, 1);
  m.push(3, {{}});
  m.at(10000, [&] {
    for (unsigned q : {1u, 3u, 5u}) m.push(q, {{}});
  });
  m.run(policy("rr"));
  // All three become ready at once; after 3 comes 5, not 1.
  EXPECT_THAT(m.starts, ElementsAre(3, 5, 1, 3));
}

TEST(Policies, ServeTwoHundredAndFiftySixQueues) {
  for (const char* name : {"rr", "priority", "edf", "fcfs"}) {
    ScriptedMachine m(256, 128);
    for (unsigned q = 0; q < 256; ++q) m.push(q, {{}, {}});
    m.run(policy(name));
    EXPECT_EQ(m.starts.size(), 512u) << name;
  }
}

TEST(Policies, StartThemselvesAnew) {
  for (const char* name : {"rr", "priority", "edf", "fcfs"}) {
    std::vector<std::string> logs[2];
    for (auto& log : logs) {
      ScriptedMachine m;
      for (unsigned q = 0; q < 4; ++q) m.push(q, {{}, {}, {}});
      m.run(policy(name));
      log = m.log;
    }
    EXPECT_EQ(logs[0], logs[1]) << name;
  }
}

TEST(Policies, FirstComeFirstServedGoesByTheDoorbell) {
  ScriptedMachine m(8, 1);
  ScriptedPacket first;
  first.run_ns = 20000;  // until all others have come
  m.push(7, {first});
  m.at(4000, [&] { m.push(0, {ScriptedPacket{}}); });
  m.at(3000, [&] { m.push(2, {ScriptedPacket{}, ScriptedPacket{}}); });
  m.at(3500, [&] { m.push(1, {ScriptedPacket{}}); });
  m.run(policy("fcfs"));
  EXPECT_THAT(m.starts, ElementsAre(7, 2, 2, 1, 0));
}

}  // namespace
}  // namespace warpvp::test
