// Rows under other names: the plugin skewed_rows, worked out by hand, and rows that several warps share.

#include "modules/sm/issue/row_map.h"

#include <algorithm>

#include "base/registry.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "modules/sm/issue/shared_rows.h"
#include "modules/sm/policies/warp_age_order.h"
#include "tests/sm/sm_bench.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

constexpr unsigned kWidth = ptx::kWarpSize;

// Nine values that are all needed at the end; the first sum reads three rows that lie four apart.
const char* const kNineRows = R"(
  .reg .u32 %r<16>;
  mov.u32 %r0, 1;
  mov.u32 %r1, 2;
  mov.u32 %r2, 3;
  mov.u32 %r3, 4;
  mov.u32 %r4, 5;
  mov.u32 %r5, 6;
  mov.u32 %r6, 7;
  mov.u32 %r7, 8;
  mov.u32 %r8, 9;
  mov.u32 %r9, 10;
  mov.u32 %r10, 11;
  mov.u32 %r11, 12;
  mad.lo.u32 %r0, %r0, %r4, %r8;
  add.u32 %r0, %r0, %r1;
  add.u32 %r0, %r0, %r2;
  add.u32 %r0, %r0, %r3;
  add.u32 %r0, %r0, %r5;
  add.u32 %r0, %r0, %r6;
  add.u32 %r0, %r0, %r7;
  add.u32 %r0, %r0, %r9;
  add.u32 %r0, %r0, %r10;
  add.u32 %r0, %r0, %r11;
  ret;
)";

SmConfig four_banks(const PolicyChoice& mode) {
  SmConfig config = plain_sm();
  config.operands.banks = 4;
  config.latency.int_mul = 3;
  config.frontend.mode = mode;
  return config;
}

/// Edges between the issues of two instructions of the one warp.
Cycle between(const SmBench& bench, int from, int to) {
  const auto at = [&](int pc) {
    return std::find_if(bench.issues.begin(), bench.issues.end(), [&](const auto& i) { return i.pc == pc; })
        ->cycle;
  };
  return at(to) - at(from);
}

struct Skew {
  const char* name;
  PolicyChoice mode;
  unsigned conflicts, others;  // of the product, of the sums
};
class Skewed : public ::testing::TestWithParam<Skew> {};

// Rows 0, 4 and 8 lie in one of four banks and are read in three edges; skewed they are rows 0, 5 and 10, in
// three banks, and are read in one. So the sum that needs the product issues two edges earlier. Of the sums,
// those that read rows 7 and 10 lose an edge: skewed, these are rows 4 and 8, in the bank of row 0.
TEST_P(Skewed, RowsHaveOtherConflicts) {
  SmBench bench(four_banks(GetParam().mode));
  std::uint32_t sum = 0;
  bench.on_issue = [&](const SmBench::Issue& issue, const ptx::Warp& warp) {
    const ptx::Program& program = warp.cta().program();
    if (issue.pc == 22) sum = warp.registers()[kWidth * program.code[21].dst[0].index];
  };
  bench.load(kNineRows, 32);
  const ptx::Inst& mad = bench.program->code[12];
  ASSERT_EQ(mad.read_rows, 3);
  ASSERT_EQ((std::vector<unsigned>{mad.reads[0], mad.reads[1], mad.reads[2]}),
            (std::vector<unsigned>{0, 4, 8}));
  bench.run_again();
  EXPECT_EQ(sum, 1u * 5 + 9 + 2 + 3 + 4 + 6 + 7 + 8 + 10 + 11 + 12);
  EXPECT_EQ(bench.sm.counters().bank_conflict_cycles, GetParam().conflicts + GetParam().others);
  EXPECT_EQ(between(bench, 12, 13), 3u + GetParam().conflicts);
}
INSTANTIATE_TEST_SUITE_P(RowMap, Skewed,
                         ::testing::Values(Skew{"separate", "separate", 2, 0},
                                           Skew{"identity", part_with("skewed_rows", {{"shift", 0}}), 2, 0},
                                           Skew{"skewed", "skewed_rows", 0, 2}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RowMap, TheIdentityChangesNothing) {
  const char* const loop = R"(
  .reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p;
  mov.u64 %rd0, 4294967296;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd2, %rd0, %rd1;
  mov.u32 %r2, 0;
AGAIN:
  ld.global.u32 %r3, [%rd2];
  mad.lo.u32 %r4, %r3, %r1, %r2;
  st.global.u32 [%rd2], %r4;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra AGAIN;
  ret;
)";
  std::string texts[2];
  std::map<std::string, double> counters[2];
  const auto config = [](const PolicyChoice& mode) {
    SmConfig config = four_banks(mode);
    config.latency.address = 4;
    config.latency.special_operand = 2;
    config.latency.other_pipe = 3;
    config.latency.guard = 5;
    return config;
  };
  SmBench benches[] = {SmBench(config("separate"), 50, "plain"),
                       SmBench(config(part_with("skewed_rows", {{"shift", 0}})), 50, "renamed")};
  for (const bool renamed : {false, true}) {
    SmBench& bench = benches[renamed];
    bench.run(loop, 128);
    texts[renamed] = bench.text();
    StatMap stats;
    bench.sm.counters().stats(stats);
    counters[renamed] = stats.values;
  }
  EXPECT_GT(texts[0].size(), 200u);
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(counters[0], counters[1]);
}

// ---- one warp of a CTA executes, the others skip and read its row

/// By CTA slot and instruction: the row that its leader writes.
struct Leaders : SharedFrontEnd, private SmListener {
  explicit Leaders(const SmContext& place, unsigned warps) : shared(16, warps) {
    place.listen(*this, {SmEvent::kCtas, SmEvent::kBarriers, SmEvent::kBranches});
  }
  SharedRows* rows() override { return &shared; }
  void row_written(unsigned row, Cycle) override { written.push_back(row); }
  void cta_ended(const CtaHere& cta, Cycle) override {
    row_of.erase(row_of.lower_bound({cta.slot, 0}), row_of.lower_bound({cta.slot + 1, 0}));
    note("end " + std::to_string(cta.slot));
  }
  void barrier_arrived(const BarrierArrived& a, Cycle) override {
    note((a.waits ? "waits " : "last ") + std::to_string(a.warp.index));
  }
  void barrier_released(const WarpHere& warp, Cycle) override { note("go " + std::to_string(warp.index)); }
  void branched(const WarpBranched& b, Cycle) override {
    note((b.diverged() ? "diverges " : "branch ") + std::to_string(b.warp.index) + " to " +
         std::to_string(b.to));
  }
  static void note(const std::string& line) { diary().push_back(line); }
  static std::vector<std::string>& diary() {
    static std::vector<std::string> lines;
    return lines;
  }
  static std::vector<ptx::Pc>& redundant() {
    static std::vector<ptx::Pc> pcs;
    return pcs;
  }

  SharedRows shared;
  std::map<std::pair<unsigned, ptx::Pc>, unsigned> row_of;
  unsigned next_row = 0;
  std::vector<unsigned> written;
};

class LeaderFrontEnd final : public SeparateFrontEndOf<LeaderFrontEnd>, private RowMap {
 public:
  static constexpr bool kTags = true, kSkips = true;
  explicit LeaderFrontEnd(const StageContext& context)
      : SeparateFrontEndOf(context), leaders_(static_cast<Leaders&>(*context.shared)) {}

  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    code_[warp] = program.code.data();
    cta_[warp] = info.cta;
    log_[warp].clear();
    EXPECT_EQ(info.cta_warps, 4u);
    Leaders::note("warp " + std::to_string(info.index));
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  const RowMap* row_map() const override { return this; }
  bool follows_issue() const override { return true; }
  void issued(const IssuedEntry& entry) override {
    EXPECT_EQ(&entry.inst, code_[entry.warp] + entry.pc);
    EXPECT_EQ(entry.active, ~0u);
    tags_.push_back(entry.tag);
  }

  void skip(Cycle) {
    for (WarpMask rest = signals_.fetchable; rest; rest &= rest - 1) {
      const unsigned warp = lowest_warp(rest);
      while (is_redundant(next(warp))) {
        const auto row = leaders_.row_of.find({cta_[warp], next(warp)});
        if (row == leaders_.row_of.end()) break;
        const ptx::Inst& inst = code_[warp][next(warp)];
        log_[warp].push_back({&inst, inst.writes[0], RowName::shared(row->second)});
        pass_over(warp, inst);
      }
    }
  }
  std::uint32_t fetched(unsigned warp, ptx::Pc pc, unsigned count) {
    EXPECT_EQ(count, 1u);
    if (is_redundant(pc)) {
      const unsigned row = leaders_.next_row++;
      leaders_.shared.expect(row);
      leaders_.row_of[{cta_[warp], pc}] = row;
      const ptx::Inst& inst = code_[warp][pc];
      log_[warp].push_back({&inst, inst.writes[0], RowName::shared(row)});
    }
    return static_cast<std::uint32_t>(log_[warp].size());
  }

 private:
  struct Renamed {
    const ptx::Inst* inst;
    unsigned row;
    RowName name;
  };
  static bool is_redundant(ptx::Pc pc) {
    const auto& all = Leaders::redundant();
    return std::find(all.begin(), all.end(), pc) != all.end();
  }
  // The tag is how much of the log was written when the entry was fetched.
  void rename(unsigned warp, std::uint32_t tag, const ptx::Inst& inst, RowNames& names) const override {
    for (std::uint32_t i = 0; i < tag; ++i) {
      const Renamed& renamed = log_[warp][i];
      for (unsigned r = 0; r < inst.read_rows; ++r)
        if (renamed.inst != &inst && inst.reads[r] == renamed.row) names.reads[r] = renamed.name;
      if (renamed.inst == &inst) names.writes[0] = renamed.name;
    }
  }

  Leaders& leaders_;
  const ptx::Inst* code_[64] = {};
  unsigned cta_[64] = {};
  std::vector<Renamed> log_[64];
  std::vector<std::uint32_t> tags_;
};
struct LeaderType : FrontEndType {
  std::unique_ptr<SharedFrontEnd> build_shared(const SmContext& place,
                                               const SmConfig& config) const override {
    EXPECT_EQ(place.sub_core, SmContext::kAllSubCores);
    return std::make_unique<Leaders>(place, config.resources.warps);
  }
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<LeaderFrontEnd>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, LeaderType, "test_leader", "For tests.");

SmConfig leaders_of_two_sub_cores(std::vector<ptx::Pc> redundant) {
  Leaders::redundant() = std::move(redundant);
  Leaders::diary().clear();
  SmConfig config = plain_sm();
  config.schedulers = 2;
  config.frontend.mode = "test_leader";
  return config;
}

/// Issues as text, in the order of warps, and the value of instruction `pc` in lane 1 of each.
std::string by_warp(const SmBench& bench) {
  std::string text;
  for (unsigned warp = 0; warp < 4; ++warp) {
    text += (warp ? " | " : "") + std::to_string(warp) + ":";
    for (const SmBench::Issue& i : bench.issues)
      if (i.warp == warp) text += " " + std::to_string(i.cycle) + "." + std::to_string(i.pc);
  }
  return text;
}
void expect_values(SmBench& bench, unsigned pc, std::vector<std::uint32_t> expected) {
  bench.on_issue = [&bench, pc, expected](const SmBench::Issue& issue, const ptx::Warp& warp) {
    if (static_cast<std::size_t>(issue.pc) + 1 != bench.program->code.size()) return;
    EXPECT_EQ(warp.registers()[kWidth * bench.program->code[pc].dst[0].index + 1], expected[warp.index()]);
  };
}

// Warp 1 leads, as its sub-core has the first turn, and its mov takes seven cycles. The others, two of them
// in the other sub-core, skip it, and their sums wait for warp 1's row. From then on each sub-core issues one
// an edge, in turn: warp 3 follows on warp 1.
TEST(RowMap, FollowersWaitForTheLeadersRow) {
  SmConfig config = leaders_of_two_sub_cores({0});
  config.latency.move = 7;
  SmBench bench(config);
  bench.load(".reg .u32 %r<4>;\n mov.u32 %r1, 7;\n add.u32 %r2, %r1, 1;\n ret;\n", 128);
  expect_values(bench, 1, {8, 8, 8, 8});
  bench.run_again();
  EXPECT_EQ(by_warp(bench), "0: 7.1 9.2 | 1: 0.0 8.1 10.2 | 2: 8.1 10.2 | 3: 7.1 9.2");
  EXPECT_EQ(bench.sm.counters().fetch.skipped, 3u);
  EXPECT_EQ(bench.sm.counters().issued, 9u);
  EXPECT_EQ(Leaders::diary(), (std::vector<std::string>{"warp 0", "warp 1", "warp 2", "warp 3", "end 0"}));
}

// The same of a load: all four may go on at the edge at which its data comes.
TEST(RowMap, FollowersWaitForTheLeadersLoad) {
  SmConfig config = leaders_of_two_sub_cores({1});
  SmBench bench(config, 100);
  bench.load(R"(
  .reg .u32 %r<4>; .reg .u64 %rd<2>;
  mov.u64 %rd1, 4294967296;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, 1;
  ret;
)",
             128);
  const std::uint32_t value = 41;
  std::memcpy(bench.memory.at(DeviceMemory::kBase), &value, sizeof value);
  expect_values(bench, 2, {42, 42, 42, 42});
  bench.run_again();
  const auto sums = [&] {
    std::vector<Cycle> at;
    for (const SmBench::Issue& i : bench.issues)
      if (i.pc == 2) at.push_back(i.cycle);
    return at;
  }();
  ASSERT_EQ(sums.size(), 4u);
  EXPECT_GT(sums[0], 100u);
  EXPECT_EQ(sums, (std::vector<Cycle>{sums[0], sums[0], sums[0] + 1, sums[0] + 1}))
      << "one a sub-core and edge";
  EXPECT_EQ(
      bench.sm.memory_counters(0)->l1_read_hit_sectors + bench.sm.memory_counters(0)->l1_read_miss_sectors,
      1u);
  EXPECT_EQ(bench.sm.counters().fetch.skipped, 3u);
}

// A row may be written again, under the same name of the program: readers before it see the row of the first.
TEST(RowMap, EachEntryKeepsTheNamesOfItsTag) {
  SmConfig config = leaders_of_two_sub_cores({0, 2});
  config.latency.move = 5;
  SmBench bench(config);
  bench.load(R"(
  .reg .u32 %r<4>;
  mov.u32 %r1, 7;
  add.u32 %r2, %r1, 1;
  mov.u32 %r1, 9;
  add.u32 %r3, %r1, %r2;
  ret;
)",
             128);
  expect_values(bench, 3, {17, 17, 17, 17});
  bench.run_again();
  // Warp 1 leads at 0, whose row is there at 5, and warp 0 at 2, which it issues at 7: another row, there
  // at 12. When the first sums issue, at 5 and 6, all warps have fetched beyond 2, and the second row is
  // expected: they read the first one all the same.
  EXPECT_EQ(by_warp(bench),
            "0: 5.1 7.2 13.3 15.4 | 1: 0.0 6.1 13.3 15.4 | 2: 6.1 12.3 14.4 | 3: 5.1 12.3 14.4");
  EXPECT_EQ(bench.sm.counters().fetch.skipped, 6u);
}

TEST(RowMap, BarriersAndBranchesAreTold) {
  SmBench bench(leaders_of_two_sub_cores({}));
  bench.run(R"(
  .reg .u32 %r<4>; .reg .pred %p, %q;
  bar.sync 0;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 1000;
  setp.lt.u32 %q, %r1, 1000;
  @%p bra NEXT;
NEXT:
  ret;
)",
            128);
  std::vector<std::string> told = Leaders::diary();
  const auto count = [&](const std::string& line) { return std::count(told.begin(), told.end(), line); };
  for (unsigned warp = 0; warp < 4; ++warp) {
    const std::string w = std::to_string(warp);
    EXPECT_EQ(count("waits " + w) + count("last " + w), 1);
    EXPECT_EQ(count("go " + w), count("waits " + w));
    EXPECT_EQ(count("branch " + w + " to 5"), 1);
  }
  EXPECT_EQ(count("last 0") + count("last 1") + count("last 2") + count("last 3"), 1);
}

TEST(RowMap, ABranchThatDivergesIsToldAsOne) {
  EXPECT_TRUE((WarpBranched{{}, 1, 2, 0xffff, 0xff}).diverged());
  EXPECT_FALSE((WarpBranched{{}, 1, 7, 0xffff, 0xffff}).diverged());
  EXPECT_FALSE((WarpBranched{{}, 1, 7, 0xff, 0xff00}).diverged()) << "another path goes on";
  EXPECT_FALSE((WarpBranched{{}, 1, 7, 0xff, 0xffff}).diverged()) << "paths met";
}

/// Names a row that there is not.
class Beyond final : public SeparateFrontEndOf<Beyond>, private RowMap {
 public:
  using SeparateFrontEndOf::SeparateFrontEndOf;
  const RowMap* row_map() const override { return this; }

 private:
  void rename(unsigned, std::uint32_t, const ptx::Inst&, RowNames& names) const override {
    names.writes[0] = RowName::shared(3);
  }
};
struct BeyondType : FrontEndType {
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<Beyond>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, BeyondType, "test_beyond", "For tests.");

TEST(RowMap, RowsThatThereAreNotAreRefused) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_beyond";
  SmBench bench(config);
  const std::string what = bench.complaint(".reg .u32 %r<4>;\n mov.u32 %r1, 7;\n ret;\n", 32);
  EXPECT_NE(what.find("front_end policy 'test_beyond' broke its contract: it named shared row 3 for warp 0; "
                      "allowed: own rows below "),
            std::string::npos)
      << what;
  EXPECT_NE(what.find(", shared rows below 0; SM 0, scheduler 0, SM cycle "), std::string::npos) << what;
}

}  // namespace
}  // namespace warpvp::test
