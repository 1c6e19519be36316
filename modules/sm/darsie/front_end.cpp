// `sm.frontend.mode: darsie` and its variants: redundant instructions are skipped before they are fetched
// (Yeh's thesis, chapter 7; docs/darsie.md).
//
// Where the thesis has a warp become leader when it has decoded a redundant instruction, here it does when it
// fetches it: marks are taken to be known by then, and no second warp fetches what a first one is about to
// lead.

#include <cassert>
#include <vector>

#include "base/registry.h"
#include "modules/sm/darsie/sm_tables.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "modules/sm/issue/row_map.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

using darsie::EntryRows;
using darsie::Member;
using darsie::SmTables;

class DarsieFrontEnd final : public SeparateFrontEndOf<DarsieFrontEnd>,
                             private RowMap,
                             private darsie::Follower {
 public:
  static constexpr bool kTags = true, kSkips = true, kWakes = true, kLimits = true;

  explicit DarsieFrontEnd(const StageContext& context)
      : SeparateFrontEndOf(context), tables_(static_cast<SmTables&>(*context.shared)) {
    while (room_ < context.config.frontend.ibuffer_entries + 1) room_ *= 2;
    fetched_.resize(std::size_t{context.warps} * room_);
    renamed_.resize(fetched_.size());
    tables_.attach(context.sub_core, *this);
  }

  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    code_[warp] = program.code.data();
    members_[warp] = tables_.started(info, program, this->context().sub_core, warp);
    flags_[warp] = tables_.flags(members_[warp]).data();
    begin_[warp] = end_[warp] = 0;
    fresh_ |= WarpMask{1} << warp;
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  void warp_finished(unsigned warp) override {
    forget_fetched(warp);
    held |= WarpMask{1} << warp;
    timed_ &= ~(WarpMask{1} << warp);
    SeparateFrontEndOf::warp_finished(warp);
    tables_.ended(members_[warp], this->context().now());
  }
  void redirect(unsigned warp, ptx::Pc pc) override {
    if (fresh_ >> warp & 1) tables_.resumed(members_[warp]);
    fresh_ &= ~(WarpMask{1} << warp);
    forget_fetched(warp);
    tables_.redirected(members_[warp]);
    SeparateFrontEndOf::redirect(warp, pc);
  }

  const RowMap* row_map() const override { return this; }
  bool own_banks() const override { return !tables_.params().bank_conflicts; }
  bool follows_issue() const override { return true; }
  void issued(const IssuedEntry& entry) override {
    assert(entry.tag == begin_[entry.warp]);
    ++begin_[entry.warp];
    const bool renamed = renames(entry.warp, entry.tag);
    if (!renamed && flags_[entry.warp][entry.pc].plain() && entry.stream.pc() == entry.pc + 1) return;
    tables_.issued(members_[entry.warp], entry, renamed ? &at(entry.warp, entry.tag).rows : nullptr);
  }
  std::string skipped(unsigned warp, ptx::Pc pc, const ptx::InstructionStream& stream) override {
    return tables_.check(members_[warp], code_[warp][pc], stream);
  }

  /// An edge at which warps may skip.
  void woken(Cycle now) {
    for (WarpMask rest = timed_; rest; rest &= rest - 1) {
      const unsigned warp = lowest_warp(rest);
      if (waits_until_[warp] > now) {
        wake_at(waits_until_[warp]);
      } else {
        timed_ &= ~(WarpMask{1} << warp);
        set_fetchable(warp, can_go_on(warp) && look<true>(warp, now));
      }
    }
  }
  bool may_fetch(unsigned warp) {
    timed_ &= ~(WarpMask{1} << warp);
    return look<false>(warp, this->context().now());
  }
  unsigned limit(unsigned warp, ptx::Pc pc, unsigned most, Cycle now) {
    return tables_.limit(members_[warp], pc, most, code_[warp], now);
  }
  std::uint32_t fetched(unsigned warp, ptx::Pc pc, unsigned count) {
    fresh_ &= ~(WarpMask{1} << warp);
    const std::uint32_t first = end_[warp] - pc;
    for (unsigned i = 0; i < count; ++i) {
      Fetched& f = at(warp, end_[warp]++);
      f.pc = pc + i;
      tables_.fetched(members_[warp], f.pc, code_[warp][f.pc], this->context().now(), f.rows);
      renamed_[&f - fetched_.data()] = f.rows.any;
    }
    return first;
  }
  std::uint32_t tag(unsigned, ptx::Pc pc, std::uint32_t of_fetch) { return of_fetch + pc; }

  void stats(StatVisitor& v) const override {
    SeparateFrontEndOf::stats(v);
    // Of the SM: one of its sub-cores shows them.
    v.group(FrontEndType::kKind, this->context().sub_core == 0 ? tables_.counters() : darsie::Counters(),
            kFrontEndSentence);
  }

 private:
  struct Fetched {
    ptx::Pc pc = 0;
    EntryRows rows;
  };
  Fetched& at(unsigned warp, std::uint32_t tag) { return fetched_[warp * room_ + (tag & (room_ - 1))]; }
  const Fetched& at(unsigned warp, std::uint32_t tag) const {
    return fetched_[warp * room_ + (tag & (room_ - 1))];
  }
  /// Whether the warp, which can_go_on(), may fetch; if not, it is told or woken when to look again. With
  /// `kSkips` it goes past instructions whose results are there first, as far as the ports of this edge
  /// allow.
  template <bool kSkips>
  bool look(unsigned warp, Cycle now) {
    const WarpMask bit = WarpMask{1} << warp;
    do {
      if (held & bit) return false;
      if (copies(warp, now)) return wait_until(warp, tables_.busy_until(members_[warp]));
      const ptx::Pc pc = next(warp);
      if (!flags_[warp][pc].skip || !(on_path & bit)) return true;
      const ptx::Inst& inst = code_[warp][pc];
      darsie::SkipEntry* entry;
      switch (tables_.next(members_[warp], pc, inst, entry)) {
        case SmTables::Next::kFetch:
          return true;
        case SmTables::Next::kWait:
          return false;
        case SmTables::Next::kSkip:
          if (!kSkips || entry->written > now || !tables_.skip(members_[warp], *entry, inst, now))
            return wait_until(warp, std::max(entry->written, now + 1));
      }
      pass_over(warp, inst);
    } while (can_go_on(warp));
    return false;
  }
  bool copies(unsigned warp, Cycle now) {
    const WarpMask bit = WarpMask{1} << warp;
    if ((copying & bit) == 0) return false;
    if (tables_.busy_until(members_[warp]) > now) return true;
    copying &= ~bit;
    return false;
  }
  /// False.
  bool wait_until(unsigned warp, Cycle edge) {
    timed_ |= WarpMask{1} << warp;
    waits_until_[warp] = edge;
    wake_at(edge);
    return false;
  }
  /// What has been fetched and not issued never issues.
  void forget_fetched(unsigned warp) {
    while (begin_[warp] != end_[warp]) {
      const Fetched& f = at(warp, begin_[warp]++);
      tables_.dropped(members_[warp], f.pc, code_[warp][f.pc], f.rows);
    }
  }

  void look_again(unsigned position) override { update(position); }
  void look_again_at(unsigned position, ptx::Pc pc) override {
    if (next(position) == pc) update(position);
  }
  void wait_at(unsigned position, ptx::Pc pc) override {
    if (next(position) != pc) return;
    timed_ &= ~(WarpMask{1} << position);
    set_fetchable(position, false);
  }
  void written_at(unsigned position, ptx::Pc pc, Cycle at) override {
    if (next(position) != pc || !can_go_on(position)) return;
    const WarpMask bit = WarpMask{1} << position;
    if ((held | copying) & bit)
      update(position);
    else
      wait_until(position, std::max(at, this->context().now() + 1));
  }
  void wake_at(Cycle at) override { SeparateFrontEndOf::wake(at); }

  bool renames(unsigned warp, std::uint32_t tag) const override {
    return renamed_[warp * room_ + (tag & (room_ - 1))];
  }
  void rename(unsigned warp, std::uint32_t tag, const ptx::Inst& inst, RowNames& names) const override {
    const Fetched& f = at(warp, tag);
    const unsigned first = tables_.first_row(members_[warp]);
    for (unsigned i = 0; i < inst.read_rows; ++i)
      if (f.rows.reads[i] != EntryRows::kOwn)
        names.reads[i] = RowName::shared(first + static_cast<unsigned>(f.rows.reads[i]));
    for (unsigned i = 0; i < inst.written_rows; ++i)
      if (f.rows.writes[i] != EntryRows::kOwn)
        names.writes[i] = RowName::shared(first + static_cast<unsigned>(f.rows.writes[i]));
  }

  SmTables& tables_;
  std::uint32_t room_ = 1;
  std::vector<Fetched> fetched_;       // rings by warp, of what is fetched and has not issued
  std::vector<std::uint8_t> renamed_;  // Fetched::rows.any of each, which is asked more often
  std::uint32_t begin_[64] = {}, end_[64] = {};
  Cycle waits_until_[64] = {};  // of those in timed_
  Member members_[64] = {};
  const ptx::Inst* code_[64] = {};
  const darsie::Flags* flags_[64] = {};
  WarpMask timed_ = 0;  // wait until an edge that is known; others are told when to look again
  WarpMask fresh_ = 0;  // nothing has been fetched for them
};

/// `Variant` sets what its name promises; the rest is as configured.
template <class Variant>
class DarsieType : public FrontEndType {
 public:
  explicit DarsieType(const darsie::Params& params) : params_(params) { Variant::set(params_); }
  std::unique_ptr<SharedFrontEnd> build_shared(const SmContext& place,
                                               const SmConfig& config) const override {
    return std::make_unique<SmTables>(place, config, params_);
  }
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<DarsieFrontEnd>(context);
  }
  void stats(StatVisitor& v) const override { darsie::Counters().stats(v); }

 private:
  darsie::Params params_;
};

struct AsItIs {
  static void set(darsie::Params&) {}
};
struct IgnoreStore {
  static void set(darsie::Params& p) { p.ignore_stores = true; }
};
struct NoCfSync {
  static void set(darsie::Params& p) { p.branch_sync = false; }
};
struct NoBankConflicts {
  static void set(darsie::Params& p) { p.bank_conflicts = false; }
};
struct SiliconSync {
  static void set(darsie::Params& p) { p.skip = false; }
};

using Darsie = DarsieType<AsItIs>;
using DarsieIgnoreStore = DarsieType<IgnoreStore>;
using DarsieNoCfSync = DarsieType<NoCfSync>;
using DarsieNoBankConflicts = DarsieType<NoBankConflicts>;
using DarsieSiliconSync = DarsieType<SiliconSync>;

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    FrontEndType, Darsie, darsie::Params, "darsie",
    "As `separate`, but instructions that yield the same in all warps of a CTA are "
    "executed by one and skipped by the others (DARSIE).");
WARPVP_REGISTER_POLICY_WITH_PARAMS(FrontEndType, DarsieIgnoreStore, darsie::Params, "darsie_ignore_store",
                                   "`darsie` with `ignore_stores: true`.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(FrontEndType, DarsieNoCfSync, darsie::Params, "darsie_no_cf_sync",
                                   "`darsie` with `branch_sync: false`.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(FrontEndType, DarsieNoBankConflicts, darsie::Params,
                                   "darsie_no_bank_conflicts", "`darsie` with `bank_conflicts: false`.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(
    FrontEndType, DarsieSiliconSync, darsie::Params, "silicon_sync",
    "`darsie` with `skip: false`: the warps of a CTA wait for each other at branches, "
    "and nothing else.");

}  // namespace
}  // namespace warpvp
