#include "interconnect/clock_domain.h"

#include <gtest/gtest.h>

#include <functional>

namespace warpvp {
namespace {

using sc_core::SC_NS;
using sc_core::SC_PS;
using sc_core::sc_time;

struct Block : Clocked {
  std::function<void(Cycle)> on_evaluate;
  std::function<Cycle(Cycle)> on_commit = [](Cycle) { return kNever; };
  std::vector<Cycle> evaluated;
  void evaluate(Cycle now) override {
    evaluated.push_back(now);
    if (on_evaluate) on_evaluate(now);
  }
  Cycle commit(Cycle now) override { return on_commit(now); }
};

TEST(ClockDomain, SleepingBlocksCostNothing) {
  ClockDomain clock("clock", 1000);
  Block block;
  clock.join(block);
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  EXPECT_TRUE(block.evaluated.empty());
  EXPECT_LE(sc_core::sc_delta_count() - deltas, 2u);
}

TEST(ClockDomain, SkipsToTheEarliestCycleAsked) {
  ClockDomain clock("clock", 1000);
  Block block;
  const unsigned id = clock.join(block);
  block.on_commit = [](Cycle now) { return now == 7 ? Cycle{1000} : now == 1000 ? now + 1 : kNever; };
  clock.wake(id, 7);
  sc_core::sc_start(sc_time(5, sc_core::SC_US));
  EXPECT_EQ(block.evaluated, (std::vector<Cycle>{7, 1000, 1001}));
}

TEST(ClockDomain, CountsEdgesAtWhichNothingMoved) {
  struct Counting : Block {
    std::uint64_t moved = 0;
    std::uint64_t progress() const override { return moved; }
  };
  ClockDomain clock("clock", 1000);
  Counting counts, never_woken;
  Block does_not_count;
  const unsigned first = clock.join(counts), second = clock.join(does_not_count);
  clock.join(never_woken);
  counts.on_evaluate = [&](Cycle now) { counts.moved += now % 3 == 0; };
  counts.on_commit = [](Cycle now) { return now < 10 ? now + 1 : kNever; };
  clock.wake(first, 1);
  clock.wake(second, 4);
  clock.count_visits();
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  std::vector<const Clocked*> blocks;
  clock.for_each_visited([&](const Clocked& block, const ClockDomain::Visits& visits) {
    blocks.push_back(&block);
    found.emplace_back(visits.edges, visits.in_vain);
  });
  EXPECT_EQ(blocks, (std::vector<const Clocked*>{&counts, &does_not_count, &never_woken}));
  EXPECT_EQ(found[0], std::make_pair(std::uint64_t{10}, std::uint64_t{7}));  // 3, 6 and 9 moved something
  EXPECT_EQ(found[1], std::make_pair(std::uint64_t{1}, std::uint64_t{1}));
  EXPECT_EQ(found[2], std::make_pair(std::uint64_t{0}, std::uint64_t{0}));
}

// Many blocks (more than one word of a mask) with jumps short, long and around the span of the wheel.
TEST(ClockDomain, EveryBlockTicksExactlyWhenItAsked) {
  ClockDomain clock("clock", 1000);
  const Cycle jumps[] = {1, 2, 63, 64, 255, 256, 257, 511, 1000, 3000};
  std::vector<Block> blocks(150);
  std::vector<std::vector<Cycle>> expected(blocks.size());
  for (unsigned b = 0; b < blocks.size(); ++b) {
    const unsigned id = clock.join(blocks[b]);
    clock.wake(id, 1 + b * 7 % 600);
    Cycle at = 1 + b * 7 % 600;
    for (unsigned k = 0; at <= 20000; ++k) {
      expected[b].push_back(at);
      at += jumps[(b + k * (b % 3 + 1)) % 10];
    }
    blocks[b].on_commit = [&expected, b, n = std::size_t{0}](Cycle) mutable {
      ++n;
      return n < expected[b].size() ? expected[b][n] : kNever;
    };
  }
  sc_core::sc_start(sc_time(30, sc_core::SC_US));
  for (unsigned b = 0; b < blocks.size(); ++b) ASSERT_EQ(blocks[b].evaluated, expected[b]) << b;
}

TEST(ClockDomain, AnEarlierWakeMovesTheEdgeAndALaterOneDoesNot) {
  ClockDomain clock("clock", 1000);
  Block a, b;
  const unsigned ida = clock.join(a), idb = clock.join(b);
  clock.wake(ida, 100);
  clock.wake(idb, 20);
  clock.wake(idb, 300);
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  EXPECT_EQ(a.evaluated, (std::vector<Cycle>{100}));
  EXPECT_EQ(b.evaluated, (std::vector<Cycle>{20}));
}

TEST(ClockDomain, WakeForAPastOrPresentEdgeMeansTheNextOne) {
  ClockDomain clock("clock", 1000);
  Block a, b;
  const unsigned ida = clock.join(a), idb = clock.join(b);
  // a wakes b (already passed in joining order) and itself at edge 5, in commit.
  a.on_commit = [&](Cycle now) {
    if (now == 5) {
      clock.wake(idb, 3);
      clock.wake(ida, 5);
    }
    return kNever;
  };
  clock.wake(ida, 5);
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  EXPECT_EQ(a.evaluated, (std::vector<Cycle>{5, 6}));
  EXPECT_EQ(b.evaluated, (std::vector<Cycle>{6}));
}

TEST(ClockDomain, AllEvaluatesOfAnEdgeComeBeforeItsCommits) {
  ClockDomain clock("clock", 1000);
  Block a, b;
  const unsigned ida = clock.join(a), idb = clock.join(b);
  std::string order;
  a.on_evaluate = [&](Cycle) { order += "a"; };
  b.on_evaluate = [&](Cycle) { order += "b"; };
  a.on_commit = [&](Cycle) {
    order += "A";
    return kNever;
  };
  b.on_commit = [&](Cycle) {
    order += "B";
    return kNever;
  };
  clock.wake(ida, 2);
  clock.wake(idb, 2);
  sc_core::sc_start(sc_time(10, SC_NS));
  EXPECT_EQ(order, "abAB");
}

// b_transport must not be called from a method.
TEST(ClockDomain, AThreadMakesTheCommitsOfEdgesForWhichABlockAsksInTheSameOrder) {
  ClockDomain clock("clock", 1000);
  Block a, b;
  const unsigned ida = clock.join(a), idb = clock.join(b);
  std::string order;
  const auto by_thread = [] {
    return sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_THREAD_PROC_;
  };
  a.on_evaluate = [&](Cycle) { order += by_thread() ? "x" : "a"; };
  b.on_evaluate = [&](Cycle now) {
    order += by_thread() ? "x" : "b";
    if (now == 3 || now == 4) clock.commit_by_thread();
  };
  a.on_commit = [&](Cycle now) {
    EXPECT_EQ(by_thread(), now == 3 || now == 4) << now;
    EXPECT_EQ(sc_core::sc_time_stamp(), clock.time_of(now));
    EXPECT_EQ(clock.now(), now);
    order += "A";
    if (now == 3) clock.wake(idb, 3);  // the edge under way: the next one
    return now < 5 ? now + 1 : kNever;
  };
  b.on_commit = [&](Cycle now) {
    EXPECT_EQ(by_thread(), now == 3 || now == 4) << now;
    order += "B";
    return now == 2 ? Cycle{3} : kNever;
  };
  clock.wake(ida, 2);
  clock.wake(idb, 2);
  sc_core::sc_start(sc_time(100, SC_NS));
  EXPECT_EQ(order, "abABabABabABaA");
  EXPECT_EQ(b.evaluated, (std::vector<Cycle>{2, 3, 4}));
}

TEST(ClockDomain, ACommitThatLetsTimePassIsAnError) {
  ClockDomain clock("clock", 1000);
  Block block;
  const unsigned id = clock.join(block);
  block.on_evaluate = [&](Cycle) { clock.commit_by_thread(); };
  block.on_commit = [&](Cycle now) {
    sc_core::wait(sc_time(5, SC_NS));
    return now + 1;
  };
  clock.wake(id, 2);
  try {
    sc_core::sc_start(sc_time(100, SC_NS));
    FAIL() << "nobody noticed";
  } catch (const sc_core::sc_report& error) {
    EXPECT_STREQ(error.get_msg_type(), "clock");
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(7, SC_NS));
  }
}

TEST(ClockDomain, NowAndTimesOfFractionalFrequencies) {
  ClockDomain clock("clock", 1455);  // period 687 285 fs, rounded
  EXPECT_EQ(clock.period(), sc_time(687285, sc_core::SC_FS));
  EXPECT_EQ(clock.now(), 0u);
  sc_core::sc_start(sc_time(687284, sc_core::SC_FS));
  EXPECT_EQ(clock.now(), 0u);
  sc_core::sc_start(sc_time(1, sc_core::SC_FS));
  EXPECT_EQ(clock.now(), 1u);
  EXPECT_EQ(clock.next_edge(), 2u);
  EXPECT_EQ(clock.time_of(1000), sc_time(687285000, sc_core::SC_FS));
}

// Two domains whose edges fall together: what one hands over at an edge reaches the other at its next edge,
// whichever domain ticks first, and although the receiver is due at the common edge anyway.
void hand_over_between_domains(bool sender_first) {
  // The one that was made last ticks first.
  ClockDomain first("first", sender_first ? 500 : 1000), second("second", sender_first ? 1000 : 500);
  ClockDomain &fast = sender_first ? second : first, &slow = sender_first ? first : second;
  Block sender, receiver;
  const unsigned sid = fast.join(sender);
  const unsigned rid = slow.join(receiver);
  std::string order;
  fast.wake(sid, 4);
  slow.wake(rid, 2);  // 4 ns as well
  sender.on_commit = [&](Cycle) {
    order += "s";
    slow.wake(rid, slow.now() + 1);
    return kNever;
  };
  receiver.on_evaluate = [&](Cycle) { order += "r"; };
  sc_core::sc_start(sc_time(100, SC_NS));
  EXPECT_EQ(receiver.evaluated, (std::vector<Cycle>{2, 3}));
  EXPECT_EQ(order, sender_first ? "srr" : "rsr");
}
TEST(ClockDomain, HandOverSenderFirst) { hand_over_between_domains(true); }
TEST(ClockDomain, HandOverReceiverFirst) { hand_over_between_domains(false); }

}  // namespace
}  // namespace warpvp
