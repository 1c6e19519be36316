// All policies of a bank together, under a slow link and a slow memory: nothing is lost.

#include <ostream>
#include <random>
#include <string>

#include "tests/l2/bank_bench.h"

namespace warpvp {
namespace {

using namespace bank_test;

struct Mix {
  const char *write_policy, *inclusion, *prefetcher, *replacement, *write_back, *partial_writes;
  std::uint32_t set_aside;
  Cycle apart;  ///< of requests; 0: each follows as soon as it can
};
void PrintTo(const Mix& m, std::ostream* out) {
  *out << m.write_policy << ", " << m.inclusion << ", " << m.prefetcher << ", " << m.replacement;
}
class L2RandomTraffic : public ::testing::TestWithParam<Mix> {};

TEST_P(L2RandomTraffic, EveryRequestIsAnsweredOnce) {
  const Mix& mix = GetParam();
  CacheBankConfig config = small_bank();
  config.request_queue = config.response_queue = 2;
  config.dram_queue = 6;
  config.miss_latency_cycles = 4;
  config.mshr_merges = 2;
  config.write_policy = mix.write_policy;
  config.inclusion = mix.inclusion;
  config.prefetcher = mix.prefetcher;
  config.replacement = mix.replacement;
  config.write_back = mix.write_back;
  config.partial_writes = mix.partial_writes;
  config.set_aside = mix.set_aside;
  Bench bench(config, 300);
  bench.requester.hold_cycles = 20;
  std::mt19937_64 random(7);
  std::vector<Request> requests;
  for (unsigned i = 0; i < 3000; ++i) {
    const auto command = random() % 2 ? kWrite : kRead;
    const unsigned bytes = 4u << random() % 6;
    const std::uint64_t line = random() % 4 ? random() % 8 : random() % 80;
    requests.push_back({command, A + line * 128 + random() % (128 / bytes) * bytes, bytes, 10 + mix.apart * i,
                        random() % 16 == 0 ? AccessKind::kAtomic : AccessKind::kLoad});
    requests.back().kernel_slot = static_cast<std::uint16_t>(random() % 3);
  }
  bench.run(requests, 3000);
  const L2Counters totals = bench.l2.totals();
  EXPECT_EQ(totals.accesses, 3000u);
  EXPECT_EQ(totals.hits + totals.misses + totals.merges, 3000u);
  if (std::string(mix.write_policy) == "write_through") {
    EXPECT_EQ(totals.writebacks, 0u);
    EXPECT_EQ(totals.written_through, totals.writes + totals.atomics);
  } else {
    EXPECT_GT(totals.writebacks, 10u);
  }
  const PrefetchCounters& p = totals.prefetch;
  EXPECT_GE(p.issued, p.useful + p.late + p.unused);
  EXPECT_EQ(p.issued != 0, std::string(mix.prefetcher) != "none");
}

constexpr char kBack[] = "write_back_allocate", kThrough[] = "write_through", kAround[] = "write_around";
constexpr char kFree[] = "non_inclusive", kHeld[] = "inclusive";
INSTANTIATE_TEST_SUITE_P(
    Mixes, L2RandomTraffic,
    ::testing::Values(Mix{kBack, kFree, "none", "lru", "on_eviction", "fetch", 3, 0},
                      Mix{kBack, kFree, "none", "lru", "dirty_share", "byte_masks", 0, 0},
                      Mix{kBack, kFree, "none", "random", "dirty_share", "byte_masks", 8, 0},
                      Mix{kBack, kFree, "none", "adaptive_insertion", "dirty_share", "fetch", 1, 0},
                      Mix{kThrough, kFree, "none", "lru", "on_eviction", "fetch", 4, 20},
                      Mix{kThrough, kHeld, "next_line", "srrip", "on_eviction", "byte_masks", 4, 20},
                      Mix{kAround, kHeld, "next_line", "plru", "on_eviction", "byte_masks", 4, 20},
                      Mix{kAround, kFree, "stride", "fifo", "on_eviction", "fetch", 4, 20},
                      Mix{kBack, kHeld, "stride", "random", "on_eviction", "byte_masks", 4, 20},
                      Mix{kBack, kFree, "next_line", "way_partition", "on_eviction", "fetch", 4, 20}));

}  // namespace
}  // namespace warpvp
