// Who evaluates the blocks of an edge, in which order: all of them once, whatever the number of threads.

#include "interconnect/evaluation.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizers.h"
#include "interconnect/clock_domain.h"

namespace warpvp {
namespace {

EvaluationConfig config(unsigned threads, const std::string& order = "forward") {
  EvaluationConfig c;
  c.threads = threads;
  c.order = order;
  return c;
}

/// Ticks at every edge; counts without a lock, as nobody else may evaluate it at the same time.
struct Counter : Clocked {
  std::uint64_t edges = 0;
  bool throws = false;
  std::vector<unsigned>* sequence = nullptr;
  unsigned id = 0;
  void evaluate(Cycle) override {
    ++edges;
    if (sequence) sequence->push_back(id);
    if (throws) throw std::runtime_error("block " + std::to_string(id));
  }
  Cycle commit(Cycle now) override {
    if (sequence) sequence->push_back(100 + id);
    return now + 1;
  }
};

struct Domain {
  explicit Domain(unsigned blocks, const EvaluationConfig& c)
      : evaluation(c), clock("clock", 1000), counters(blocks) {
    clock.evaluate_by(&evaluation);
    for (unsigned i = 0; i < blocks; ++i) {
      counters[i].id = i;
      clock.wake(clock.join(counters[i]), 1);
    }
  }
  void run(unsigned edges) { sc_core::sc_start((edges + 0.5) * clock.period()); }
  Evaluation evaluation;
  ClockDomain clock;
  std::vector<Counter> counters;
};

TEST(Evaluation, EveryThreadTakesItsBlocksOnceAnEdge) {
  for (unsigned threads : {1u, 2u, 3u, 7u}) {
    for (unsigned blocks : {1u, 3u, 4u, 5u, 80u}) {
      std::vector<Counter> counters(blocks);
      std::vector<Clocked*> all;
      std::vector<unsigned> active;
      for (unsigned i = 0; i < blocks; ++i) {
        all.push_back(&counters[i]);
        if (i % 5 != 3) active.push_back(i);
      }
      Evaluation evaluation(config(threads));
      for (Cycle now = 1; now <= 500; ++now) evaluation.run(all, active, now);
      for (unsigned i = 0; i < blocks; ++i)
        ASSERT_EQ(counters[i].edges, i % 5 != 3 ? 500u : 0u) << threads << " threads, block " << i;
    }
  }
}

// Threads are for blocks that have much to do, and only where there are several.
TEST(Evaluation, BlocksWithLittleToDoWakeNobody) {
  struct Idle : Clocked {
    std::thread::id by;
    bool busy = false;
    void evaluate(Cycle) override {
      by = std::this_thread::get_id();
      std::this_thread::sleep_for(
          std::chrono::microseconds(20));  // so that the other thread comes, if it does
    }
    Cycle commit(Cycle now) override { return now + 1; }
    bool worth_a_thread(Cycle) const override { return busy; }
  };
  for (unsigned busy : {0u, 3u, 4u, 64u}) {
    std::vector<Idle> blocks(64);
    std::vector<Clocked*> all;
    std::vector<unsigned> active;
    for (unsigned i = 0; i < 64; ++i) {
      blocks[i].busy = i < busy;
      all.push_back(&blocks[i]);
      active.push_back(i);
    }
    Evaluation evaluation(config(2));
    unsigned elsewhere = 0;
    for (Cycle now = 1; now <= 20; ++now) {
      evaluation.run(all, active, now);
      for (const Idle& block : blocks) elsewhere += block.by != std::this_thread::get_id();
    }
    EXPECT_EQ(elsewhere != 0, busy >= 4) << busy;
  }
}

TEST(Evaluation, ReverseIsReverseAndCommitsStayInOrder) {
  std::vector<unsigned> sequence;
  Domain domain(6, config(1, "reverse"));
  for (Counter& c : domain.counters) c.sequence = &sequence;
  domain.run(1);
  EXPECT_EQ(sequence, (std::vector<unsigned>{5, 4, 3, 2, 1, 0, 100, 101, 102, 103, 104, 105}));
}

TEST(Evaluation, TheDomainTicksAllOfThemOnThreads) {
  Domain domain(70, config(3));
  domain.run(1000);
  for (const Counter& c : domain.counters) EXPECT_EQ(c.edges, 1000u);
}

TEST(Evaluation, TheFirstBlocksExceptionIsThrownWhenAllAreDone) {
  for (unsigned threads : {2u, 5u}) {
    std::vector<Counter> counters(40);
    std::vector<Clocked*> all;
    std::vector<unsigned> active;
    for (unsigned i = 0; i < 40; ++i) {
      counters[i].id = i;
      counters[i].throws = i == 13 || i == 14 || i == 39;
      all.push_back(&counters[i]);
      active.push_back(i);
    }
    Evaluation evaluation(config(threads));
    for (unsigned round = 0; round < 50; ++round) {
      try {
        evaluation.run(all, active, round);
        FAIL() << "no exception";
      } catch (const std::runtime_error& e) {
        // Who threw stands before it; these blocks have no names.
        EXPECT_NE(std::string(e.what()).find("std::runtime_error: block 13"), std::string::npos) << e.what();
      }
    }
    for (const Counter& c : counters) EXPECT_EQ(c.edges, 50u);
  }
}

// ---- helpers that the host does not let work

std::atomic<bool> helper_is_kept{false}, helper_may_go{false};
/// Runs on a helper's thread, wherever that is.
void keep_helper(int) {
  helper_is_kept = true;
  while (!helper_may_go) usleep(100);
}

/// Counts, and knows which helper has evaluated it, if one has.
struct Watched : Clocked {
  explicit Watched(std::atomic<pthread_t>& seen) : helper(seen) {}
  std::atomic<pthread_t>& helper;
  const pthread_t own = pthread_self();
  unsigned edges = 0;
  bool slow_helpers = false;
  void evaluate(Cycle) override {
    ++edges;
    if (pthread_self() == own) return usleep(20), void();
    helper = pthread_self();
    if (slow_helpers) usleep(50'000);
  }
  Cycle commit(Cycle now) override { return now + 1; }
};

struct WatchedBlocks {
  std::atomic<pthread_t> helper{};
  std::vector<std::unique_ptr<Watched>> blocks;
  std::vector<Clocked*> all;
  std::vector<unsigned> active;
  Evaluation evaluation{config(2)};
  unsigned edges = 0;
  WatchedBlocks() {
    for (unsigned i = 0; i < 40; ++i) {
      blocks.push_back(std::make_unique<Watched>(helper));
      all.push_back(blocks.back().get());
      active.push_back(i);
    }
  }
  /// Whether the helper took part.
  bool edge() {
    helper = pthread_t{};
    evaluation.run(all, active, ++edges);
    return helper.load() != pthread_t{};
  }
  void edge_with_helper() {
    while (!edge()) {
    }
  }
  ~WatchedBlocks() {
    for (const auto& block : blocks) EXPECT_EQ(block->edges, edges);
  }
};

// Were one to wait for it, the test would not end.
TEST(Evaluation, EdgesDoNotWaitForAThreadThatHasNotCome) {
  if (WARPVP_HAS_TSAN) GTEST_SKIP() << "the thread sanitizer has signals wait, some for ever";
  helper_is_kept = helper_may_go = false;
  WatchedBlocks watched;
  watched.edge_with_helper();
  struct sigaction action {};
  action.sa_handler = keep_helper;
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  ASSERT_EQ(pthread_kill(watched.helper, SIGUSR1), 0);
  while (!helper_is_kept) usleep(100);
  for (unsigned i = 0; i < 20; ++i) EXPECT_FALSE(watched.edge());
  helper_may_go = true;
  watched.edge_with_helper();
}

TEST(Evaluation, EdgesAreWithoutHelpersBehindOneThatWasKept) {
  WatchedBlocks watched;
  const auto slow_helpers = [&](bool slow) {
    for (const auto& block : watched.blocks) block->slow_helpers = slow;
  };
  // The simulation's own thread may be kept from its processor as well, and then there is no saying.
  bool rests = false;
  for (unsigned attempt = 0; attempt < 20 && !rests; ++attempt) {
    slow_helpers(true);
    watched.edge_with_helper();
    slow_helpers(false);
    rests = true;
    for (unsigned i = 0; i < 64; ++i) rests &= !watched.edge();
  }
  EXPECT_TRUE(rests);
  watched.edge_with_helper();
}

}  // namespace
}  // namespace warpvp
