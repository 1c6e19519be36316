// Lines of the L1 data cache that come and go by policies: replacement, prefetching, and recalls by an L2
// that includes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "interconnect/address_map.h"
#include "tests/sm_memory/harness.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

using Log = std::vector<std::string>;

// ---- replacement: four ways, sets of every eighth line

struct ReplacementRow {
  const char* policy;
  bool first_stays, second_stays;  ///< after the first was used again and a fifth line came
};
class L1Replacement : public ::testing::TestWithParam<ReplacementRow> {};
TEST_P(L1Replacement, OneOfFourGoes) {
  MemorySideConfig config = small_config();
  config.l1.replacement = GetParam().policy;
  Bench b(config);
  for (unsigned i = 0; i < 4; ++i) b.at(10 + 200 * i, load_line(8 * i));
  b.at(1000, load_line(0));
  b.at(1200, load_line(8 * 4));
  const auto second = b.at(1400, load_line(8));
  const auto first = b.at(1600, load_line(0));
  b.run();
  EXPECT_EQ(b.missed[first] == kNever, GetParam().first_stays);
  EXPECT_EQ(b.missed[second] == kNever, GetParam().second_stays);
}
INSTANTIATE_TEST_SUITE_P(Table, L1Replacement,
                         ::testing::Values(ReplacementRow{"lru", true, false},
                                           ReplacementRow{"fifo", false, true},
                                           ReplacementRow{"srrip", true, false},
                                           ReplacementRow{"plru", true, true}),
                         [](const auto& info) { return info.param.policy; });

TEST(L1WayPartition, AKernelReplacesItsOwnLines) {
  MemorySideConfig config = small_config();
  config.l1.replacement = "way_partition";
  config.l1.replacement.load = [](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set({});
    set.lists["ways"] = {2, 2};
    fields(set);
  };
  Bench b(config);
  const auto at = [&](Cycle cycle, unsigned line, std::uint32_t slot) {
    return b.at(cycle, load_line(8 * line), 0, slot);  // slots are those of launches
  };
  at(10, 0, 0);
  at(200, 1, 0);
  for (unsigned i = 0; i < 6; ++i) at(400 + 200 * i, 2 + i, 1);
  const auto first = at(2000, 0, 0), second = at(2000, 1, 0);
  b.run();
  EXPECT_EQ(b.missed[first], kNever);
  EXPECT_EQ(b.missed[second], kNever);
  const std::uint64_t window = regmap::sm::policy_window("l1_replacement", 0).base;
  EXPECT_EQ(b.registers.name_of(window + 4), "L1_REPLACEMENT_WAYS[1]");
  EXPECT_EQ(b.stats()["l1_replacement.taken_from_others"], 0);
}

// ---- prefetching

MemorySideConfig prefetching(const PolicyChoice& prefetcher) {
  MemorySideConfig config = small_config();
  config.l1.prefetcher = prefetcher;
  return config;
}

TEST(L1Prefetch, TheNextLineComesWhenTheTagsAreFree) {
  Bench b(prefetching("next_line"));
  b.at(10, load_line(0));
  const auto next = b.at(400, load_line(1));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128", "12 R 80+128", "402 R 100+128"}));
  EXPECT_EQ(b.missed[next], kNever);
  EXPECT_EQ(b.stats()["l1_prefetch.issued"], 2);
  EXPECT_EQ(b.stats()["l1_prefetch.useful"], 1);
  EXPECT_EQ(b.stats()["l1_miss_latency"], 101) << "of the fill that a load waited for";
  EXPECT_TRUE(b.memory->idle());
}

TEST(L1Prefetch, ALoadJoinsWhatIsOnItsWay) {
  Bench b(prefetching("next_line"));
  b.at(10, load_line(0));
  const auto next = b.at(50, load_line(1));
  b.run();
  EXPECT_EQ(b.done[next], 12u + 101);
  EXPECT_EQ(b.stats()["l1_prefetch.late"], 1);
  EXPECT_EQ(b.stats()["l1_prefetch.useful"], 0);
}

TEST(L1Prefetch, JoinsWhereWaysAreTakenByFills) {
  MemorySideConfig config = prefetching("next_line");
  config.l1.allocate = "on_fill";
  Bench b(config);
  b.at(10, load_line(0));
  const auto next = b.at(50, load_line(1));
  const auto later = b.at(600, load_line(2));
  b.run();
  EXPECT_EQ(b.done[next], 12u + 101);
  EXPECT_EQ(b.stats()["l1_prefetch.late"], 1);
  EXPECT_EQ(b.missed[later], kNever);
  EXPECT_EQ(b.stats()["l1_prefetch.useful"], 1);
}

TEST(L1Prefetch, StaysInItsPage) {
  SmBacking backing;
  backing.page_bytes = 256;
  Bench b(prefetching("next_line"), 100, "bench", backing);
  b.at(10, load_line(1));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 80+128"}));
  EXPECT_EQ(b.stats()["l1_prefetch.outside"], 1);
}

TEST(L1Prefetch, LeavesRoomForLoads) {
  MemorySideConfig config = prefetching(part_with("next_line", {{"degree", 16}}));
  config.l1.mshrs = 8;
  Bench b(config, 1000);
  b.at(10, load_line(0));
  b.run(500);
  EXPECT_EQ(b.stats()["l1_prefetch.issued"], 5) << "with the load's own 6 of 8";
  EXPECT_EQ(b.stats()["l1_prefetch.dropped"], 11);
}

TEST(L1Prefetch, StridesOfInstructionsAreToldApart) {
  MemorySideConfig config = prefetching("stride");
  config.l1.prefetcher.load = [](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set({});
    set.words["by"] = "pc_and_warp";
    fields(set);
  };
  Bench b(config);
  std::uint32_t last[2] = {};
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned instruction = 0; instruction < 2; ++instruction) {
      b.pc = 10 + instruction;
      last[instruction] =
          b.at(10 + 400 * i + 200 * instruction, load_line(100 * instruction + (3 + instruction) * i));
    }
  }
  b.run();
  EXPECT_EQ(b.missed[last[0]], kNever);
  EXPECT_EQ(b.missed[last[1]], kNever);
  EXPECT_EQ(b.stats()["l1_prefetch.useful"], 2);
}

TEST(L1Prefetch, WhatIsDroppedOnItsWayCountsAsUnused) {
  MemorySideConfig config = prefetching("next_line");
  config.l1.unified_kib = 16;
  Bench b(config);
  b.at(10, load_line(0));
  b.call_at(50, [&](Cycle) { b.memory->resize_l1(1024); });
  b.at(60, as_store(load_line(64)));
  b.at(500, as_atomic(load_word(128), false));  // the prefetched line leaves
  b.run();
  EXPECT_EQ(b.stats()["l1_prefetch.issued"], 1);
  EXPECT_EQ(b.stats()["l1_prefetch.unused"], 1);
}

// A page may be unmapped while a prefetch into it is on its way. A load that joins it hears of it.
TEST(L1Prefetch, AnErrorConcernsThoseWhoAskAlone) {
  Bench b(prefetching("next_line"));
  b.target.unmapped = kBase + 128;
  b.at(10, load_line(0));
  b.run(1000);
  EXPECT_TRUE(b.memory->idle());
  EXPECT_EQ(b.stats()["l1_prefetch.unused"], 1);
  const auto asked = b.at(2000, load_line(1));
  EXPECT_THROW(b.run(2000), sc_core::sc_report);
  EXPECT_EQ(b.missed[asked], 2001u) << "it has not been kept";
}

TEST(L1Prefetch, WithoutAnL1ThereIsNone) {
  MemorySideConfig config = prefetching("next_line");
  config.l1.size_kib = 0;
  Bench b(config);
  b.at(10, load_line(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128"}));
}

// ---- recalls

/// The memory side before one bank of an L2 that recalls line 0 at cycle 300 or so.
struct RecallBench {
  explicit RecallBench(const MemorySideConfig& config, unsigned at_once = 2)
      : map(one_bank()), b(config, 100, "bench", backing(at_once)) {
    b.target.latency_of = [this](const tlm::tlm_generic_payload& p) -> Cycle {
      if (MemExtension::find(p)->kind != AccessKind::kRecall) return 100;
      ++opened;
      const std::uint64_t line = kBase;
      std::memcpy(p.get_data_ptr(), &line, sizeof line);
      return opened == 1 ? 300 : 1'000'000;
    };
  }
  static AddressMapConfig one_bank() {
    AddressMapConfig c;
    c.banks = c.channels = 1;
    return c;
  }
  SmBacking backing(unsigned at_once) const {
    SmBacking s;
    s.recalls_at_once = at_once;
    s.map = &map;
    return s;
  }
  AddressMap map;
  Bench b;
  unsigned opened = 0;
};

TEST(L1Recalls, TheLineIsDroppedAndOneMoreMayCome) {
  RecallBench r(small_config());
  r.b.at(10, load_line(0));
  r.b.at(20, load_line(1));
  const auto kept = r.b.at(250, load_line(0));
  const auto dropped = r.b.at(500, load_line(0));
  const auto other = r.b.at(700, load_line(1));
  r.b.run(2000);
  EXPECT_EQ(r.opened, 3u) << "two with the first line of the bank, one when a recall had come";
  EXPECT_EQ(r.b.target.log()[0], "11 R 0+8") << "before the line itself";
  EXPECT_EQ(r.b.missed[kept], kNever);
  EXPECT_EQ(r.b.missed[dropped], 501u);
  EXPECT_EQ(r.b.missed[other], kNever);
  EXPECT_EQ(r.b.stats()["l1_recalls"], 1);
  EXPECT_EQ(r.b.stats()["l1_recalled_lines"], 1);
  EXPECT_TRUE(r.b.memory->idle()) << "reads that stay open are no work";
}

TEST(L1Recalls, WhatIsDirtyIsWrittenFirst) {
  MemorySideConfig config = small_config();
  config.l1.write_policy = "write_back_allocate";
  RecallBench r(config, 1);
  r.b.at(10, load_line(0));
  r.b.at(200, as_store(load_word(32)));
  r.b.run(2000);
  const Log log = r.b.target.log();
  EXPECT_EQ(std::count_if(log.begin(), log.end(),
                          [](const std::string& s) { return s.find("W 20+32") != std::string::npos; }),
            1);
  EXPECT_EQ(r.b.stats()["l1_recalled_lines"], 1);
}

TEST(L1Recalls, OneOfALineThatHasLeftChangesNothing) {
  MemorySideConfig config = small_config();
  config.l1.write_policy = "write_evict";
  RecallBench r(config, 1);
  r.b.at(10, load_line(0));
  r.b.at(200, as_store(load_word(0)));
  r.b.run(2000);
  EXPECT_EQ(r.b.stats()["l1_recalls"], 1);
  EXPECT_EQ(r.b.stats()["l1_recalled_lines"], 0);
}

TEST(L1Recalls, OnlyWhatIsKeptIsMarkedSo) {
  RecallBench r(small_config(), 1);
  r.b.at(10, with_cache_op(load_line(0), ptx::CacheOp::cg));
  r.b.at(200, as_store(load_line(1)));
  r.b.run(500);
  EXPECT_EQ(r.opened, 0u);
  for (const auto& request : r.b.target.requests) EXPECT_FALSE(request.ext.kept);
}

}  // namespace
}  // namespace warpvp::test
