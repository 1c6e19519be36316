// Policies that break their interface's contract, one for each rule: the run ends with exit status 3 and
// names policy, rule and place.

#include <gmock/gmock.h>

#include <algorithm>

#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"
#include "modules/dram/address_mapping.h"
#include "modules/dram/page_policy.h"
#include "modules/dram/refresh_policy.h"
#include "modules/dram/scheduler.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "modules/sm/issue/issue_stage.h"
#include "modules/sm/issue/row_map.h"
#include "modules/sm/memory/miss_queue.h"
#include "modules/sm/policies.h"
#include "modules/sm/stage_context.h"
#include "modules/sm/stage_signals.h"
#include "modules/work_distributor/policy.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

struct PicksAStalledWarp : WarpPolicy<PicksAStalledWarp> {
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView& view) override {
    const WarpMask stalled = view.resident & ~view.ready;
    return static_cast<unsigned>(__builtin_ctzll(stalled ? stalled : view.ready));
  }
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, PicksAStalledWarp, "picks_a_stalled_warp", "Wrong.");

struct PicksWarp64 : WarpPolicy<PicksWarp64> {
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView&) override { return 64; }
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, PicksWarp64, "picks_warp_64", "Wrong.");

/// An issue stage without a policy: issues every warp that is ready, or one that must not.
struct WrongIssue : IssueStage {
  WrongIssue(const StageContext& context, bool stalled) : signals(context.signals), of_stalled(stalled) {}
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  void issue(Cycle now, IssueClient& client) override {
    const WarpMask warps = of_stalled ? signals.resident & ~signals.ready : signals.ready;
    if (!warps) return;
    for (unsigned times = of_stalled ? 1 : 2; times > 0; --times)
      client.issue(static_cast<unsigned>(__builtin_ctzll(warps)), now);
  }
  StageSignals& signals;
  const bool of_stalled;
};
struct IssuesAStalledWarp : IssueStageType {
  std::unique_ptr<IssueStage> build(const StageContext& context, const FrontEnd&) const override {
    return std::make_unique<WrongIssue>(context, true);
  }
};
WARPVP_REGISTER_POLICY(IssueStageType, IssuesAStalledWarp, "issues_a_stalled_warp", "Wrong.");
struct IssuesTwice : IssueStageType {
  std::unique_ptr<IssueStage> build(const StageContext& context, const FrontEnd&) const override {
    return std::make_unique<WrongIssue>(context, false);
  }
};
WARPVP_REGISTER_POLICY(IssueStageType, IssuesTwice, "issues_twice", "Wrong.");

/// Front ends that leave out what they may not, after fetching it or before, and that name rows which there
/// are not.
template <unsigned kWrong>
struct WrongFrontEnd final : SeparateFrontEndOf<WrongFrontEnd<kWrong>>, RowMap {
  using Base = SeparateFrontEndOf<WrongFrontEnd<kWrong>>;
  static constexpr bool kDrops = kWrong == 0, kSkips = kWrong == 1;
  using Base::Base;
  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    code = program.code.data();
    Base::warp_started(warp, info, program, owner, counters);
  }
  bool drops(unsigned, ptx::Pc pc) { return code[pc].effect == ptx::Effect::kMemory && code[pc].is_store; }
  void skip(Cycle) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(this->signals_.fetchable));
    const ptx::Inst& next = code[this->next(warp)];
    if (next.effect == ptx::Effect::kExit) this->pass_over(warp, next);
  }
  const RowMap* row_map() const override { return kWrong == 2 ? this : nullptr; }
  void rename(unsigned, std::uint32_t, const ptx::Inst&, RowNames& names) const override {
    names.reads[0] = RowName::own(1 << 20);
  }
  const ptx::Inst* code = nullptr;
};
template <unsigned kWrong>
struct WrongFrontEndType : FrontEndType {
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<WrongFrontEnd<kWrong>>(context);
  }
};
using DropsStores = WrongFrontEndType<0>;
using SkipsTheExit = WrongFrontEndType<1>;
using NamesNoRow = WrongFrontEndType<2>;
WARPVP_REGISTER_POLICY(FrontEndType, DropsStores, "drops_stores", "Wrong.");
WARPVP_REGISTER_POLICY(FrontEndType, SkipsTheExit, "skips_the_exit", "Wrong.");
WARPVP_REGISTER_POLICY(FrontEndType, NamesNoRow, "names_no_row", "Wrong.");

struct FetchesForNobody : FetchPolicy {
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const FetchView& view, const std::uint8_t*) override {
    return static_cast<unsigned>(__builtin_ctzll(~view.resident));
  }
};
WARPVP_REGISTER_POLICY(FetchPolicy, FetchesForNobody, "fetches_for_nobody", "Wrong.");

/// A queue in order, and what goes wrong with it.
class WrongQueue : public MissQueue {
 public:
  void configure(unsigned entries) override { entries_ = entries; }
  bool can_push(unsigned, unsigned count) const override { return waiting_.size() + count <= entries_; }
  void push(Transaction& request, Cycle) override { waiting_.push_back(&request); }
  Transaction* pop(Cycle) override {
    if (waiting_.empty()) return nullptr;
    Transaction* request = waiting_.front();
    waiting_.erase(waiting_.begin());
    return request;
  }
  bool empty() const override { return waiting_.empty(); }
  Cycle next_issue(Cycle now) const override { return waiting_.empty() ? kNever : now + 1; }
  void response(const MemExtension&, bool, Cycle) override {}
  void stats(StatVisitor&) const override {}

 protected:
  unsigned entries_ = 0;
  std::vector<Transaction*> waiting_;
};
struct PopsTwice : WrongQueue {
  Transaction* pop(Cycle now) override {
    if (last_) return last_;
    return last_ = WrongQueue::pop(now);
  }
  Transaction* last_ = nullptr;
};
WARPVP_REGISTER_POLICY(MissQueue, PopsTwice, "pops_twice", "Wrong.");
struct IssuesInThePast : WrongQueue {
  Cycle next_issue(Cycle now) const override { return waiting_.empty() ? kNever : now; }
};
WARPVP_REGISTER_POLICY(MissQueue, IssuesInThePast, "issues_in_the_past", "Wrong.");

/// Sends each CTA to the first SM that has room, until the wrong choice is due.
class WrongDispatch : public CtaDispatchPolicy {
 public:
  std::optional<Choice> pick(const DispatchState& state) override {
    for (unsigned k = 0; k < state.kernels().size(); ++k) {
      if (const auto wrong = wrong_choice(state, k)) return wrong;
      for (unsigned sm = 0; sm < state.sm_count(); ++sm)
        if (state.fits(k, sm)) return Choice{k, sm};
    }
    return std::nullopt;
  }
  virtual std::optional<Choice> wrong_choice(const DispatchState& state, unsigned kernel) const = 0;
};
#define WRONG_DISPATCH(Class, name, condition, choice)                                          \
  struct Class : WrongDispatch {                                                                \
    std::optional<Choice> wrong_choice(const DispatchState& state, unsigned k) const override { \
      if (condition) return Choice choice;                                                      \
      return std::nullopt;                                                                      \
    }                                                                                           \
  };                                                                                            \
  WARPVP_REGISTER_POLICY(CtaDispatchPolicy, Class, name, "Wrong.")
WRONG_DISPATCH(NoSuchKernel, "no_such_kernel", k == 0, ({7, 0}));
WRONG_DISPATCH(NoSuchSm, "no_such_sm", k == 0, ({k, state.sm_count()}));
WRONG_DISPATCH(OneTooMany, "one_cta_too_many", !state.kernels()[k].waiting(), ({k, 0}));
WRONG_DISPATCH(TwiceACycle, "twice_a_cycle", state.sm(0).given_this_cycle, ({k, 0}));
WRONG_DISPATCH(FullSm, "full_sm", state.sm(0).free_warps == 0 && !state.sm(0).given_this_cycle, ({k, 0}));

struct DramOutOfRange : DramScheduler {
  int pick(const std::vector<Candidate>& candidates, Cycle) override {
    return static_cast<int>(candidates.size());
  }
};
WARPVP_REGISTER_POLICY(DramScheduler, DramOutOfRange, "dram_out_of_range", "Wrong.");
struct DramBelowNone : DramScheduler {
  int pick(const std::vector<Candidate>&, Cycle) override { return -2; }
};
WARPVP_REGISTER_POLICY(DramScheduler, DramBelowNone, "dram_below_none", "Wrong.");
struct DramTooEarly : DramScheduler {
  int pick(const std::vector<Candidate>& candidates, Cycle now) override {
    int legal = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].earliest > now) return static_cast<int>(i);
      legal = static_cast<int>(i);
    }
    return legal;
  }
};
WARPVP_REGISTER_POLICY(DramScheduler, DramTooEarly, "dram_too_early", "Wrong.");

struct ClosesInThePast : DramPagePolicy {
  Cycle close_at(const Access&, Cycle now) override { return now - 1; }
};
WARPVP_REGISTER_POLICY(DramPagePolicy, ClosesInThePast, "closes_in_the_past", "Wrong.");

/// Refreshes bank 0 every 500 cycles, but for what is wrong.
class WrongRefresh : public DramRefreshPolicy {
 public:
  void configure(const DramTiming&) override {}
  Cycle next() const override { return next_; }
  Refresh take(Cycle, std::uint64_t) override {
    const Cycle due = next_;
    next_ += 500;
    return {due, 1, 50};
  }

 protected:
  Cycle next_ = 500;
};
struct RefreshesTooEarly : WrongRefresh {
  Refresh take(Cycle now, std::uint64_t waiting) override {
    Refresh refresh = WrongRefresh::take(now, waiting);
    --refresh.due;
    return refresh;
  }
};
WARPVP_REGISTER_POLICY(DramRefreshPolicy, RefreshesTooEarly, "refreshes_too_early", "Wrong.");
struct RefreshesInTheFuture : WrongRefresh {
  Refresh take(Cycle now, std::uint64_t) override { return {now + 1, 1, 50}; }
};
WARPVP_REGISTER_POLICY(DramRefreshPolicy, RefreshesInTheFuture, "refreshes_in_the_future", "Wrong.");
struct RefreshesNoSuchBank : WrongRefresh {
  Refresh take(Cycle now, std::uint64_t waiting) override {
    Refresh refresh = WrongRefresh::take(now, waiting);
    refresh.banks = 1 << 16;
    return refresh;
  }
};
WARPVP_REGISTER_POLICY(DramRefreshPolicy, RefreshesNoSuchBank, "refreshes_no_such_bank", "Wrong.");
struct RefreshesNoBank : WrongRefresh {
  Refresh take(Cycle now, std::uint64_t waiting) override {
    Refresh refresh = WrongRefresh::take(now, waiting);
    refresh.banks = 0;
    return refresh;
  }
};
WARPVP_REGISTER_POLICY(DramRefreshPolicy, RefreshesNoBank, "refreshes_no_bank", "Wrong.");
struct RefreshesForNoTime : WrongRefresh {
  Refresh take(Cycle now, std::uint64_t waiting) override {
    Refresh refresh = WrongRefresh::take(now, waiting);
    refresh.cycles = 0;
    return refresh;
  }
};
WARPVP_REGISTER_POLICY(DramRefreshPolicy, RefreshesForNoTime, "refreshes_for_no_time", "Wrong.");
struct RefreshesForEver : WrongRefresh {
  Refresh take(Cycle, std::uint64_t) override { return {next_, 1, 50}; }
};
WARPVP_REGISTER_POLICY(DramRefreshPolicy, RefreshesForEver, "refreshes_for_ever", "Wrong.");

/// Row, column, bank, but for what is wrong.
struct WrongMapping : DramAddressMapping {
  void configure(const DramGeometry& geometry) override { geometry_ = geometry; }
  DramPlace place(std::uint64_t index) const override {
    DramIndexFields fields(index);
    const auto bank = static_cast<std::uint16_t>(fields.take(geometry_.group_bits + geometry_.bank_bits));
    const std::uint32_t column = fields.take(geometry_.column_bits);
    return {bank, fields.rest(), column};
  }
  DramGeometry geometry_;
};
#define WRONG_MAPPING(Class, name, field, wrong)          \
  struct Class : WrongMapping {                           \
    DramPlace place(std::uint64_t index) const override { \
      DramPlace place = WrongMapping::place(index);       \
      place.field = wrong;                                \
      return place;                                       \
    }                                                     \
  };                                                      \
  WARPVP_REGISTER_POLICY(DramAddressMapping, Class, name, "Wrong.")
WRONG_MAPPING(MapsToNoBank, "maps_to_no_bank", bank, 16);
WRONG_MAPPING(MapsToNoColumn, "maps_to_no_column", column, geometry_.columns());
WRONG_MAPPING(MapsToNoRow, "maps_to_no_row", row, 0xffffffffu);

struct WrongReplacement : ReplacementPolicy {
  void configure(const Cache&) override {}
  Place allocated(std::uint32_t, std::uint32_t, const CacheUser&) override { return Place::kNewest; }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override {}
};
struct NoSuchWay : WrongReplacement {
  std::uint32_t victim(const Full& full) override { return full.takeable.ways(); }
};
WARPVP_REGISTER_POLICY(ReplacementPolicy, NoSuchWay, "no_such_way", "Wrong.");
struct WayUnderFill : WrongReplacement {
  std::uint32_t victim(const Full& full) override {
    for (std::uint32_t way = 0; way < full.takeable.ways(); ++way)
      if (!full.takeable.has(way)) return way;
    return full.oldest;
  }
};
WARPVP_REGISTER_POLICY(ReplacementPolicy, WayUnderFill, "way_under_fill", "Wrong.");

struct BreachCase {
  const char* policy;
  const char* setting;  ///< where it goes, below `platform`
  const char* message;  ///< regular expression
};
void PrintTo(const BreachCase& c, std::ostream* out) { *out << c.policy; }

class BrokenContract : public ::testing::TestWithParam<BreachCase> {};

TEST_P(BrokenContract, EndsTheRunNamingPolicyRuleAndPlace) {
  const Folder folder;
  const RunOutcome run = run_yaml(folder, "platform: small\nworkload: {app: vector_add}\n",
                                  {std::string("platform.") + GetParam().setting + "=" + GetParam().policy,
                                   "platform.work_distributor.ctas_per_cycle=4"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.result["message"].get<std::string>(), MatchesRegex(GetParam().message));
  EXPECT_THAT(run.err, HasSubstr(std::string("policy '") + GetParam().policy + "' broke its contract"));
}

INSTANTIATE_TEST_SUITE_P(
    Interfaces, BrokenContract,
    ::testing::Values(
        BreachCase{
            "picks_a_stalled_warp", "sm.warp_scheduler",
            "warp_scheduler policy 'picks_a_stalled_warp' broke its contract: it picked warp [0-9]+, which "
            "is "
            "not ready; allowed: a warp of the set 0x[0-9a-f]+, or none; SM [0-9]+, scheduler [0-9]+, SM "
            "cycle "
            "[0-9]+"},
        BreachCase{"picks_warp_64", "sm.warp_scheduler", ".*it picked warp 64, which is not ready.*"},
        BreachCase{
            "issues_a_stalled_warp", "sm.issue",
            "issue_stage policy .*it issued a warp that is not ready, or for the second time at an edge; SM "
            "[0-9]+, scheduler [0-9]+, SM cycle [0-9]+"},
        BreachCase{"issues_twice", "sm.issue",
                   "issue_stage policy .*it issued a warp that is not ready, or for .*"},
        BreachCase{
            "drops_stores", "sm.frontend.mode",
            "front_end policy 'drops_stores' broke its contract: instruction [0-9]+ is at the head of warp "
            "[0-9]+, "
            "whose next one is [0-9]+ and does more than yield values; allowed: to skip what yields values; "
            "SM [0-9]+, scheduler [0-9]+, SM cycle [0-9]+"},
        BreachCase{
            "skips_the_exit", "sm.frontend.mode",
            "front_end policy .*it skipped instruction [0-9]+ of warp [0-9]+, which does more than yield "
            "values; "
            "SM.*"},
        BreachCase{
            "names_no_row", "sm.frontend.mode",
            "front_end policy .*it named own row 1048576 for warp [0-9]+; allowed: own rows below [0-9]+, "
            "shared "
            "rows below 0; SM [0-9]+, scheduler [0-9]+, SM cycle [0-9]+"},
        BreachCase{
            "fetches_for_nobody", "sm.frontend.fetch_scheduler",
            "fetch_scheduler policy 'fetches_for_nobody' broke its contract: it picked warp [0-9]+, which "
            "is not "
            "fetchable.*SM [0-9]+, scheduler [0-9]+, SM cycle [0-9]+"},
        BreachCase{
            "pops_twice", "sm.memory.l1.miss_queue",
            "miss_queue policy .*pop.. gave a request that is not in the queue.*SM [0-9]+, SM cycle [0-9]+"},
        BreachCase{
            "issues_in_the_past", "sm.memory.l1.miss_queue",
            "miss_queue policy .*next_issue.. gave edge [0-9]+; allowed: one after the present edge; SM.*"},
        BreachCase{
            "no_such_kernel", "work_distributor.policy",
            "cta_dispatch policy .*it sent a CTA of kernel 7 to SM 0, but the number of resident kernels is "
            "1; "
            "work distributor, SM cycle [0-9]+"},
        BreachCase{"no_such_sm", "work_distributor.policy", ".*to SM 4, but the number of SMs is 4; .*"},
        BreachCase{"one_cta_too_many", "work_distributor.policy",
                   ".*but all CTAs of the kernel have been issued, or it is held; .*"},
        BreachCase{"twice_a_cycle", "work_distributor.policy",
                   ".*but the SM has been given a CTA in this cycle; .*"},
        BreachCase{"full_sm", "work_distributor.policy", ".*to SM 0, but the SM has no room for it; .*"},
        BreachCase{
            "dram_out_of_range", "dram.scheduler",
            "dram_scheduler policy .*it picked command ([0-9]+) of [0-9]+; allowed: 0 to [0-9]+, or -1 for "
            "none; "
            ".*, DRAM cycle [0-9]+"},
        BreachCase{"dram_below_none", "dram.scheduler", ".*it picked command -2 of [0-9]+; allowed: 0 to .*"},
        BreachCase{"dram_too_early", "dram.scheduler",
                   ".*it picked the [a-z ]+ of bank [0-9]+ before the earliest cycle at which that is legal, "
                   "[0-9]+; "
                   ".*"},
        BreachCase{
            "no_such_way", "l2.replacement",
            "replacement policy 'no_such_way' broke its contract: victim.. gave way [0-9]+, which is not in "
            "use; allowed: one of the [0-9]+ ways of the set that may be taken, such as [0-9]+; "
            "platform.l2_[0-9]+, set [0-9]+"},
        BreachCase{"way_under_fill", "l2.replacement",
                   ".*victim.. gave way [0-9]+, which is under fill; allowed: one of the [0-9]+ ways .*"},
        BreachCase{
            "closes_in_the_past", "dram.page_policy",
            "dram_page_policy policy .*it wants the row of bank [0-9]+ closed at cycle [0-9]+; allowed: the "
            "present cycle or a later one; .*dram_[0-9]+, DRAM cycle [0-9]+"},
        BreachCase{
            "refreshes_too_early", "dram.refresh",
            "dram_refresh policy .*it gave a refresh for cycle 499; allowed: from 500, when it said that "
            "one is "
            "due, to [0-9]+; .*dram_[0-9]+, DRAM cycle [0-9]+"},
        BreachCase{"refreshes_in_the_future", "dram.refresh",
                   ".*it gave a refresh for cycle [0-9]+; allowed: from 500, .*"},
        BreachCase{
            "refreshes_no_such_bank", "dram.refresh",
            ".*it refreshes the banks 0x10000 for 50 cycles; allowed: some of 0xffff, at least 1 cycle; .*"},
        BreachCase{"refreshes_no_bank", "dram.refresh", ".*it refreshes the banks 0x0 for 50 cycles; .*"},
        BreachCase{"refreshes_for_no_time", "dram.refresh", ".*it refreshes the banks 0x1 for 0 cycles; .*"},
        BreachCase{
            "refreshes_for_ever", "dram.refresh",
            ".*after the refresh of cycle 500 it gave cycle 500 for the next one; allowed: a later one; .*"},
        BreachCase{
            "maps_to_no_bank", "dram.address_mapping",
            "dram_address_mapping policy .*it put address 0x[0-9a-f]+ of the channel into bank 16, row "
            "[0-9]+, "
            "column [0-9]+; allowed: banks below 16, rows below 4294967295, columns below 64; .*dram_[0-9]+"},
        BreachCase{"maps_to_no_column", "dram.address_mapping", ".*, column 64; allowed: .*"},
        BreachCase{"maps_to_no_row", "dram.address_mapping", ".*, row 4294967295, .*"}),
    [](const auto& info) { return info.param.policy; });

}  // namespace
}  // namespace warpvp::test
