// Miss queue "ccbp" alone: virtual queues, credits, arbitration, monitors (CCBP, section 6).

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/registry.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "interconnect/transaction.h"
#include "modules/sm/memory/miss_queue.h"
#include "tests/support/stat_map.h"

namespace warpvp {
namespace {

namespace rate = regmap::sm::miss_queue;

class CcbpBench {
 public:
  explicit CcbpBench(unsigned entries = 128) {
    SmContext context;
    context.kernel_slots = 16;
    context.events = &events_;
    context.registers = PolicyRegisters(0xc00, [this](RegisterSpec spec) { block_.add(std::move(spec)); });
    queue = Registry<MissQueue>::instance().make(PolicyChoice("ccbp"), context);
    queue->configure(entries);
  }
  ~CcbpBench() {
    for (Transaction* t : held_) t->release();
  }
  void kernel(unsigned slot, bool comes, Cycle now = 0) {
    const KernelHere here{slot, static_cast<std::uint16_t>(slot), 0, 0};
    comes ? events_.kernel_started(here, now) : events_.kernel_ended(here, now);
  }
  Transaction& push(unsigned slot, Cycle now, bool write = false) {
    Transaction& t = pool_.make(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, 128 * ++made_, 128);
    t.ext.kernel_slot = static_cast<std::uint16_t>(slot);
    held_.insert(&t);
    queue->push(t, now);
    return t;
  }
  /// The slot whose request leaves; -1: none.
  int pop(Cycle now) {
    Transaction* t = queue->pop(now);
    return t == nullptr ? -1 : t->ext.kernel_slot;
  }
  void quota(unsigned slot, std::uint32_t value) {
    access(tlm::TLM_WRITE_COMMAND, slot, rate::kQuota, value);
  }
  std::uint32_t count(unsigned slot, std::uint64_t which) {
    return access(tlm::TLM_READ_COMMAND, slot, which, 0);
  }
  std::unique_ptr<MissQueue> queue;

 private:
  std::uint32_t access(tlm::tlm_command command, unsigned slot, std::uint64_t which, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(slot * rate::kStride + which);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    block_.transport(payload);
    EXPECT_TRUE(payload.is_response_ok());
    return value;
  }

  SmEvents events_;
  RegisterBlock block_{"miss queue", 0xc00, ""};
  TransactionPool pool_;
  std::set<Transaction*> held_;
  std::uint64_t made_ = 0;
};

// What the load/store unit has taken it serves in order: a kernel without room for a warp's misses is kept
// out.
TEST(CcbpMissQueue, AdmitsKernelsThatHaveRoomForTheMissesOfAWarp) {
  CcbpBench bench(128);
  ASSERT_TRUE(bench.queue->limits_instructions());
  EXPECT_TRUE(bench.queue->admits(3)) << "it has no CTAs here";
  bench.kernel(0, true);
  bench.kernel(5, true);
  bench.quota(0, 1);
  for (unsigned i = 0; i < 32; ++i) bench.push(0, 1);
  EXPECT_TRUE(bench.queue->admits(0)) << "32 of 64 are left";
  bench.push(0, 1);
  EXPECT_FALSE(bench.queue->admits(0));
  EXPECT_TRUE(bench.queue->admits(5));
  EXPECT_EQ(bench.pop(200), 0);
  EXPECT_TRUE(bench.queue->admits(0));
  // With 32 entries each half of them has to do.
  bench.kernel(6, true);
  bench.kernel(7, true);
  for (unsigned i = 0; i < 16; ++i) bench.push(6, 201);
  EXPECT_TRUE(bench.queue->admits(6));
  bench.push(6, 201);
  EXPECT_FALSE(bench.queue->admits(6));
}

TEST(CcbpMissQueue, WithoutQuotasKernelsTakeTurnsAndKeepTheirOrder) {
  CcbpBench bench;
  bench.kernel(0, true);
  bench.kernel(1, true);
  std::vector<Transaction*> first;
  for (unsigned i = 0; i < 4; ++i) first.push_back(&bench.push(0, 0));
  bench.push(1, 0);
  EXPECT_EQ(bench.pop(0), -1) << "the arbiter takes a cycle";
  EXPECT_EQ(bench.queue->next_issue(0), 1u);
  EXPECT_EQ(bench.queue->pop(1), first[0]);
  EXPECT_EQ(bench.pop(2), 1) << "kernel 0 has just sent";
  for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(bench.queue->pop(2 + i), first[i]);
  EXPECT_TRUE(bench.queue->empty());
  EXPECT_EQ(bench.queue->next_issue(6), kNever);
}

TEST(CcbpMissQueue, CreditsLastForAnIntervalAndComeBack) {
  CcbpBench bench;
  bench.kernel(0, true);
  bench.quota(0, 3);
  for (unsigned i = 0; i < 5; ++i) bench.push(0, 0);
  for (Cycle now = 1; now < 200; ++now)
    EXPECT_EQ(bench.pop(now), -1) << "a quota acts from the next interval on";
  for (Cycle now = 200; now < 203; ++now) EXPECT_EQ(bench.pop(now), 0);
  EXPECT_EQ(bench.pop(203), -1) << "no credit, no issue";
  EXPECT_EQ(bench.queue->next_issue(203), 400u);
  EXPECT_EQ(bench.pop(399), -1);
  EXPECT_EQ(bench.pop(400), 0);
  EXPECT_EQ(bench.pop(401), 0);
  EXPECT_EQ(bench.count(0, rate::kRequests), 5u);
}

TEST(CcbpMissQueue, OfKernelsWithCreditLatencySensitiveOnesGoFirst) {
  CcbpBench bench;
  bench.kernel(0, true);
  bench.kernel(1, true);
  bench.quota(0, 2);
  bench.quota(1, 2 | rate::kLatencySensitive);
  for (unsigned i = 0; i < 3; ++i) bench.push(0, 200), bench.push(1, 200);
  const int wanted[] = {1, 1, 0, 0, -1};  // credits of 1 are used up, then those of 0
  for (unsigned i = 0; i < std::size(wanted); ++i) EXPECT_EQ(bench.pop(201 + i), wanted[i]) << i;
}

TEST(CcbpMissQueue, AQuotaOfNoneHoldsUntilAnotherIsWritten) {
  CcbpBench bench;
  bench.kernel(0, true);
  bench.quota(0, 0);
  bench.push(0, 0);
  EXPECT_EQ(bench.queue->next_issue(0), kNever);
  for (Cycle now = 1; now < 1000; ++now) EXPECT_EQ(bench.pop(now), -1);
  bench.quota(0, rate::kNoQuota);
  EXPECT_EQ(bench.queue->next_issue(1000), 1001u);
  EXPECT_EQ(bench.pop(1001), 0);
}

// Section 6.1: eight sub-queues of sixteen entries, dealt out evenly.
TEST(CcbpMissQueue, SubQueuesAreDealtOutAndDealtAnew) {
  CcbpBench bench;
  Cycle now = 0;
  const auto room = [&](unsigned slot) {
    unsigned n = 0;
    for (; bench.queue->can_push(slot, 1); ++n) bench.push(slot, now);
    while (!bench.queue->empty()) bench.pop(++now);
    return n;
  };
  bench.kernel(3, true);
  EXPECT_EQ(room(3), 128u);
  bench.kernel(5, true);
  EXPECT_EQ(room(3), 64u);
  EXPECT_EQ(room(5), 64u);
  bench.kernel(7, true);
  EXPECT_EQ(room(3), 48u) << "eight do not divide by three: two more go to the first kernels";
  EXPECT_EQ(room(5), 48u);
  EXPECT_EQ(room(7), 32u);
  for (unsigned i = 0; i < 48; ++i) bench.push(3, now);
  bench.kernel(9, true);
  EXPECT_FALSE(bench.queue->can_push(3, 1)) << "it has more than its new share of 32";
  unsigned left = 0;
  while (bench.pop(++now) == 3) ++left;
  EXPECT_EQ(left, 48u) << "and loses none of them";
  bench.kernel(5, false);
  bench.kernel(7, false);
  bench.kernel(9, false);
  EXPECT_EQ(room(3), 128u);
}

TEST(CcbpMissQueue, MoreKernelsThanSubQueuesAreRefused) {
  CcbpBench bench;
  for (unsigned slot = 0; slot < 8; ++slot) bench.kernel(slot, true);
  EXPECT_ANY_THROW(bench.kernel(8, true));
}

TEST(CcbpMissQueue, WriteBacksOfNobodyNeedNoCredit) {
  CcbpBench bench;
  bench.kernel(0, true);
  bench.quota(0, 0);
  bench.push(0, 0);
  bench.push(MemExtension::kNone, 0, true);
  EXPECT_EQ(bench.pop(1), static_cast<int>(MemExtension::kNone));
  EXPECT_EQ(bench.pop(2), -1);
}

TEST(CcbpMissQueue, MonitorsCountRequestsReadsAndWhatTheyCausedInDram) {
  CcbpBench bench;
  bench.kernel(0, true);
  std::vector<Transaction*> sent;
  for (unsigned i = 0; i < 6; ++i) sent.push_back(&bench.push(0, 0, i % 3 == 0));
  for (Cycle now = 1; now <= 6; ++now) EXPECT_EQ(bench.pop(now), 0);
  EXPECT_EQ(bench.count(0, rate::kRequests), 6u);
  EXPECT_EQ(bench.count(0, rate::kReads), 4u);
  for (unsigned i = 0; i < 5; ++i) {
    sent[i]->ext.dram_accesses = static_cast<std::uint8_t>(i);  // 0 1 2, and what two bits cannot say
    bench.queue->response(sent[i]->ext, true, 10);
  }
  EXPECT_EQ(bench.count(0, rate::kAnswers), 5u);
  EXPECT_EQ(bench.count(0, rate::kDramAccesses), 0u + 1 + 2 + 2 + 2);
}

// Section 4.1: what waits to be sent in an interval, whether or not it could be.
TEST(CcbpMissQueue, DemandCountsWhatWaitsInEachInterval) {
  CcbpBench bench;
  bench.kernel(0, true);
  bench.quota(0, 2);
  for (unsigned i = 0; i < 6; ++i) bench.push(0, 10);
  for (Cycle now = 11; now < 800; ++now) bench.pop(now);
  // 6 came in the first interval; 6 waited at 200, 4 at 400, 2 at 600.
  EXPECT_EQ(bench.count(0, rate::kDemand), 6u + 6 + 4 + 2);
}

// Any traffic, quotas and partitions: nothing is lost or sent twice, credits are kept to, and a kernel with
// credit is served.
TEST(CcbpMissQueue, RandomTrafficLosesNothingAndKeepsToItsCredits) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    CcbpBench bench(64);
    std::set<const Transaction*> waiting;
    std::map<unsigned, std::uint32_t> quotas, sent, in_force;
    std::set<unsigned> here;
    Cycle now = 1;
    for (; now < 6000; ++now) {
      if (now % 200 == 0) {
        sent.clear();
        in_force = quotas;
      }
      if (below(300) == 0) {
        const unsigned slot = below(8);
        const bool comes = here.count(slot) == 0;
        bench.kernel(slot, comes, now);
        comes ? (void)here.insert(slot) : (void)here.erase(slot);
      }
      if (below(300) == 0) {
        const unsigned slot = below(8);
        quotas[slot] = 1 + below(30);
        bench.quota(slot, quotas[slot] | (below(2) ? rate::kLatencySensitive : 0));
        // Until the next interval it has at most what it had.
        in_force[slot] = std::max(in_force.count(slot) ? in_force[slot] : 64000, quotas[slot]);
      }
      const unsigned slot = below(8);
      if (here.count(slot) && bench.queue->can_push(slot, 1)) waiting.insert(&bench.push(slot, now));
      if (const Transaction* const t = bench.queue->pop(now)) {
        ASSERT_EQ(waiting.erase(t), 1u) << "sent twice, or never queued";
        const unsigned of = t->ext.kernel_slot;
        ++sent[of];
        if (in_force.count(of)) {
          ASSERT_LE(sent[of], in_force[of]) << "seed " << seed << " cycle " << now;
        }
      }
      ASSERT_EQ(bench.queue->empty(), waiting.empty());
      const Cycle next = bench.queue->next_issue(now);
      ASSERT_GT(next, now);
      ASSERT_EQ(next == kNever, waiting.empty()) << "all have a quota above none: each is served some time";
    }
    for (; !waiting.empty() && now < 100000; ++now) {
      const Transaction* const t = bench.queue->pop(now);
      if (t != nullptr) {
        ASSERT_EQ(waiting.erase(t), 1u);
      }
    }
    EXPECT_TRUE(waiting.empty());
  }
}

// Section 6.4, with N = 8: 8 x 3 bits of the partition vector, 8 x 8 of credits, two counters of 32 bits for
// each kernel in both monitors. DEMAND, which is ours, is not among them.
TEST(CcbpMissQueue, HardwareCostIsThatOfSection64) {
  CcbpBench bench;
  test::StatMap stats;
  bench.queue->stats(stats);
  EXPECT_EQ(stats["cost_bits"], 8 * 3 + 8 * 8 + 8 * 2 * 32 + 8 * 2 * 32);
}

}  // namespace
}  // namespace warpvp
