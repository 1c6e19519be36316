// Conservation under random traffic: whatever the configuration and the target, every instruction completes
// exactly once, stores drain, and nothing is left at the end.

#include <gtest/gtest.h>

#include <random>

#include "tests/sm_memory/harness.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

using ptx::Space;

struct Variant {
  std::string name;
  std::function<void(MemorySideConfig&)> set;
  Cycle accept_cycles = 0;
  bool at_once = false;
};
void PrintTo(const Variant& s, std::ostream* out) { *out << s.name; }

class Traffic : public ::testing::TestWithParam<Variant> {};

ptx::MemoryAccess random_access(std::mt19937& random) {
  static constexpr Space kSpaces[] = {Space::kGlobal, Space::kGlobal, Space::kGlobal, Space::kLocal,
                                      Space::kShared, Space::kConst,  Space::kParam};
  const Space space = kSpaces[random() % std::size(kSpaces)];
  const unsigned bytes = 1u << random() % 5;
  const unsigned range = space == Space::kLocal ? 64 : 512u << random() % 7;
  const std::uint64_t base = space == Space::kGlobal || space == Space::kConst ? kBase : 0;
  const unsigned pattern = random() % 3;
  const std::uint64_t start = random() % range / 16 * 16;
  ptx::MemoryAccess a = access(
      space, bytes,
      [&](unsigned lane) {
        const std::uint64_t offset = pattern == 0   ? start
                                     : pattern == 1 ? start + lane * bytes
                                                    : random() % range;
        return base + offset / bytes * bytes;
      },
      random() % 4 ? kAll : random() | 1);
  if (space == Space::kGlobal && random() % 8 == 0) {
    a.shared_lanes = a.lanes & random();
    a.lanes &= ~a.shared_lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (a.shared_lanes >> lane & 1) a.address[lane] -= kBase;
  }
  if (space == Space::kConst || space == Space::kParam) return a;
  switch (random() % 6) {
    case 0:
    case 1:
      return as_store(a);
    case 2:
      return space == Space::kLocal ? a : as_atomic(a, random() % 2);
    case 3:
      return with_cache_op(a, ptx::CacheOp::cg);
    default:
      return a;
  }
}

TEST_P(Traffic, EveryInstructionCompletesExactlyOnce) {
  const Variant& variant = GetParam();
  MemorySideConfig config = small_config();
  config.l1.mshrs = 8;
  config.l1.mshr_merge = 3;
  config.l1.miss_queue_entries = 8;
  config.l1.store_buffer_entries = 3;
  variant.set(config);
  Bench b(config);
  std::mt19937 random(42), latencies(43);
  b.target.accept_cycles = variant.accept_cycles;
  b.target.style = variant.at_once ? ScriptedTarget::Style::kCompletesAtOnce : ScriptedTarget::Style::kPhases;
  b.target.latency_of = [&](const tlm::tlm_generic_payload&) {
    return variant.accept_cycles + 1 + latencies() % 150;
  };
  constexpr unsigned kInstructions = 3000;
  for (unsigned i = 0; i < kInstructions; ++i)
    b.at(10 + 2 * i, random_access(random), random() % Bench::kWarps, i / 1000);
  unsigned fetches = 0;
  for (Cycle cycle = 100; cycle < 5000; cycle += 7)
    b.call_at(cycle, [&](Cycle now) {
      b.memory->fetch(fetch_at(kBase + random() % 65536), now);
      ++fetches;
    });
  b.call_at(4000, [&](Cycle) { b.memory->invalidate(); });
  if (config.l1.unified_kib != 0)
    for (Cycle cycle = 150; cycle < 12000; cycle += 61)
      b.call_at(cycle, [&](Cycle) { b.memory->resize_l1(1024u << random() % 5); });
  b.run(2'000'000);

  for (unsigned i = 0; i < kInstructions; ++i) {
    ASSERT_EQ(b.completions[i], 1u) << "instruction " << i;
    if (b.missed[i] != kNever) {
      EXPECT_LE(b.missed[i], b.done[i]);
    }
  }
  for (unsigned warp = 0; warp < Bench::kWarps; ++warp) EXPECT_FALSE(b.memory->stores_outstanding(warp));
  EXPECT_TRUE(b.memory->idle());
  EXPECT_EQ(b.checker.count(), 0u) << b.checker.violations().front().text;
  EXPECT_EQ(b.checker.in_flight(), 0u);
  const StatMap s = b.stats();
  EXPECT_EQ(s["instructions"], kInstructions);
  EXPECT_EQ(s["instruction_fetches"], fetches);
  EXPECT_EQ(s["responses"], s["read_requests"] + s["write_requests"]);
  EXPECT_EQ(s["responses"], b.target.requests.size());
  EXPECT_EQ(s["l1_accesses"] + s["l1_bypasses"], s["load_transactions"]);
  // Launches add up to the whole, apart from what belongs to no launch (write-backs at invalidation).
  double instructions = 0, loads = 0;
  for (std::uint32_t launch = 0; launch < 3; ++launch) {
    const SmMemoryCounters* counters = b.memory->launch_counters(launch);
    if (!counters) continue;
    StatMap one;
    counters->stats(one);
    instructions += one["instructions"];
    loads += one["load_transactions"];
  }
  EXPECT_EQ(instructions, kInstructions);
  EXPECT_EQ(loads, s["load_transactions"]);
}

INSTANTIATE_TEST_SUITE_P(
    Variants, Traffic,
    ::testing::Values(
        Variant{"write_through", [](MemorySideConfig&) {}},
        Variant{"backpressure", [](MemorySideConfig&) {}, 6},
        Variant{"completes_at_once", [](MemorySideConfig&) {}, 0, true},
        Variant{"write_through_on_fill", [](MemorySideConfig& c) { c.l1.allocate = "on_fill"; }, 2},
        Variant{"write_evict", [](MemorySideConfig& c) { c.l1.write_policy = "write_evict"; }},
        Variant{"write_back", [](MemorySideConfig& c) { c.l1.write_policy = "write_back_allocate"; }},
        Variant{"write_back_on_fill",
                [](MemorySideConfig& c) {
                  c.l1.write_policy = "write_back_allocate";
                  c.l1.allocate = "on_fill";
                },
                6},
        Variant{"write_back_unsectored_one_way",
                [](MemorySideConfig& c) {
                  c.l1.write_policy = "write_back_allocate";
                  c.l1.sector_bytes = 128;
                  c.l1.associativity = 1;
                },
                3},
        Variant{"divided", [](MemorySideConfig& c) { c.l1.unified_kib = 16; }, 1},
        Variant{"divided_write_back",
                [](MemorySideConfig& c) {
                  c.l1.write_policy = "write_back_allocate";
                  c.l1.unified_kib = 16;
                },
                2},
        Variant{"divided_write_back_on_fill",
                [](MemorySideConfig& c) {
                  c.l1.write_policy = "write_back_allocate";
                  c.l1.allocate = "on_fill";
                  c.l1.unified_kib = 16;
                }},
        Variant{"four_ports_one_mshr",
                [](MemorySideConfig& c) {
                  c.l1.transactions_per_cycle = 4;
                  c.l1.mshrs = 1;
                  c.constant.mshrs = 1;
                  c.instruction.mshrs = 1;
                }},
        Variant{"short_lines", [](MemorySideConfig& c) { c.l1.line_bytes = c.l1.sector_bytes = 32; }},
        Variant{"prefetch_next_lines",
                [](MemorySideConfig& c) {
                  c.l1.prefetcher = part_with("next_line", {{"degree", 4}});
                  c.l1.replacement = "srrip";
                },
                2},
        Variant{"prefetch_write_back_on_fill",
                [](MemorySideConfig& c) {
                  c.l1.prefetcher = "next_line";
                  c.l1.replacement = "plru";
                  c.l1.write_policy = "write_back_allocate";
                  c.l1.allocate = "on_fill";
                }},
        Variant{"prefetch_divided_write_back",
                [](MemorySideConfig& c) {
                  c.l1.prefetcher = part_with("stride", {{"confidence", 1}, {"degree", 3}});
                  c.l1.replacement = "random";
                  c.l1.write_policy = "write_back_allocate";
                  c.l1.unified_kib = 16;
                },
                1},
        Variant{"prefetch_write_evict",
                [](MemorySideConfig& c) {
                  c.l1.prefetcher = "next_line";
                  c.l1.replacement = "fifo";
                  c.l1.write_policy = "write_evict";
                }},
        Variant{"prefetch_write_through_allocate",
                [](MemorySideConfig& c) {
                  c.l1.prefetcher = "next_line";
                  c.l1.replacement = "way_partition";
                  c.l1.write_policy = "write_through_allocate";
                }},
        Variant{"no_l1", [](MemorySideConfig& c) { c.l1.size_kib = 0; }, 1}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::test
