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

using darsie::Member;
using darsie::SmTables;

class DarsieFrontEnd final : public SeparateFrontEndOf<DarsieFrontEnd>,
                             private RowMap,
                             private darsie::Follower {
 public:
  static constexpr bool kSkips = true, kWakes = true, kLimits = true;

  explicit DarsieFrontEnd(const StageContext& context)
      : SeparateFrontEndOf(context), tables_(static_cast<SmTables&>(*context.shared)) {
    while (room_ < context.config.frontend.ibuffer_entries + 1) room_ *= 2;
    fetched_.resize(std::size_t{context.warps} * room_);
    warps_.resize(context.warps);
    tables_.attach(context.sub_core, *this);
  }

  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    Warp& w = warps_[warp];
    w.code = program.code.data();
    w.member = tables_.started(info, program, this->context().sub_core, warp);
    const darsie::AllFlags& flags = tables_.flags(w.member);
    w.flags = flags.data();
    w.size = static_cast<ptx::Pc>(flags.size());
    w.begin = w.end = 0;
    fresh_ |= WarpMask{1} << warp;
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  void warp_finished(unsigned warp) override {
    forget_fetched(warp);
    held |= WarpMask{1} << warp;
    timed_ &= ~(WarpMask{1} << warp);
    SeparateFrontEndOf::warp_finished(warp);
    tables_.ended(warps_[warp].member, this->context().now());
  }
  void redirect(unsigned warp, ptx::Pc pc) override {
    if (fresh_ >> warp & 1) tables_.resumed(warps_[warp].member);
    fresh_ &= ~(WarpMask{1} << warp);
    forget_fetched(warp);
    tables_.redirected(warps_[warp].member);
    SeparateFrontEndOf::redirect(warp, pc);
  }

  const RowMap* row_map() const override { return this; }
  bool own_banks() const override { return !tables_.params().bank_conflicts; }
  bool follows_issue() const override { return true; }
  void issued(const IssuedEntry& entry) override {
    Warp& w = warps_[entry.warp];
    assert(at(entry.warp, w.begin).pc == entry.pc);
    ++w.begin;
    if (!entry.names.any() && w.flags[entry.pc].plain() && entry.stream.pc() == entry.pc + 1) return;
    tables_.issued(w.member, entry);
  }
  std::string skipped(unsigned warp, ptx::Pc pc, const ptx::InstructionStream& stream) override {
    return tables_.check(warps_[warp].member, warps_[warp].code[pc], stream);
  }

  /// An edge at which warps may skip.
  void woken(Cycle now) {
    for (WarpMask rest = timed_; rest; rest &= rest - 1) {
      const unsigned warp = lowest_warp(rest);
      if (warps_[warp].waits_until > now) {
        wake_at(warps_[warp].waits_until);
      } else {
        timed_ &= ~(WarpMask{1} << warp);
        set_fetchable(warp, can_go_on(warp) && look<true>(warp, [now] { return now; }));
      }
    }
  }
  bool may_fetch(unsigned warp) {
    timed_ &= ~(WarpMask{1} << warp);
    return look<false>(warp, [this] { return this->context().now(); });
  }
  unsigned limit(unsigned warp, ptx::Pc pc, unsigned most, Cycle now) {
    const Warp& w = warps_[warp];
    most = std::min(most, w.size - pc);
    for (unsigned i = 0; i < most; ++i)
      if (w.flags[pc + i].limits()) return tables_.limit(w.member, pc, most, w.code, now);
    return most;
  }
  std::uint32_t fetched(unsigned warp, ptx::Pc pc, unsigned count) {
    fresh_ &= ~(WarpMask{1} << warp);
    Warp& w = warps_[warp];
    const Cycle now = this->context().now();
    for (unsigned i = 0; i < count; ++i) {
      Fetched& f = at(warp, w.end++);
      f.pc = pc + i;
      const ptx::Inst& inst = w.code[f.pc];
      darsie::EntryNames names(room_of(f, inst));
      tables_.fetched(w.member, f.pc, inst, now, names);
      f.reads = names.reads;
      f.writes = names.writes;
    }
    return 0;
  }

  void stats(StatVisitor& v) const override {
    SeparateFrontEndOf::stats(v);
    // Of the SM: one of its sub-cores shows them.
    v.group(FrontEndType::kKind, this->context().sub_core == 0 ? tables_.counters() : darsie::Counters(),
            kFrontEndSentence);
  }

 private:
  // Of a warp, what is looked at together.
  struct alignas(64) Warp {
    const ptx::Inst* code = nullptr;
    const darsie::Flags* flags = nullptr;
    Member member;
    ptx::Pc size = 0;                  // of the code
    std::uint32_t begin = 0, end = 0;  // of what is fetched and has not issued
    Cycle waits_until = 0;             // of those in timed_
  };
  /// What is fetched, with its names as OtherNames has them.
  struct Fetched {
    static constexpr unsigned kFew = 6;
    ptx::Pc pc = 0;
    std::uint16_t reads = 0, writes = 0;
    RowName names[kFew];  // of instructions of few rows
  };
  static constexpr std::size_t kMany = OtherNames::kMostReads + OtherNames::kMostWrites;
  static_assert(sizeof(Fetched) == 32);
  /// The i-th of what has been fetched for the warp.
  Fetched& at(unsigned warp, std::uint32_t i) { return fetched_[warp * room_ + (i & (room_ - 1))]; }
  const Fetched& at(unsigned warp, std::uint32_t i) const {
    return fetched_[warp * room_ + (i & (room_ - 1))];
  }
  /// Where its names lie.
  RowName* room_of(Fetched& f, const ptx::Inst& inst) {
    if (has_few(inst)) return f.names;
    if (many_.empty()) many_.resize(fetched_.size() * kMany);
    return &many_[place_of(f) * kMany];
  }
  OtherNames names_of(const Fetched& f, const ptx::Inst& inst) const {
    return {f.reads, f.writes, has_few(inst) ? f.names : &many_[place_of(f) * kMany]};
  }
  static bool has_few(const ptx::Inst& inst) { return inst.read_rows + inst.written_rows <= Fetched::kFew; }
  std::size_t place_of(const Fetched& f) const { return static_cast<std::size_t>(&f - fetched_.data()); }
  /// Whether the warp, which can_go_on(), may fetch at the edge `now()`; if not, it is told or woken when to
  /// look again. With `kSkips` it goes past instructions whose results are there first, as far as the ports
  /// of this edge allow.
  template <bool kSkips, class Now>
  bool look(unsigned warp, Now now) {
    const WarpMask bit = WarpMask{1} << warp;
    do {
      if (held & bit) return false;
      const Warp& w = warps_[warp];
      if (copies(warp, now)) return wait_until(warp, tables_.busy_until(w.member));
      const ptx::Pc pc = next(warp);
      if (!(on_path & bit) || !w.flags[pc].skip) return true;
      const ptx::Inst& inst = w.code[pc];
      darsie::SkipEntry* entry;
      switch (tables_.next(w.member, pc, inst, entry)) {
        case SmTables::Next::kFetch:
          return true;
        case SmTables::Next::kWait:
          return false;
        case SmTables::Next::kSkip:
          if (!kSkips || entry->written > now() || !tables_.skip(w.member, *entry, inst, now()))
            return wait_until(warp, std::max(entry->written, now() + 1));
      }
      pass_over(warp, inst);
    } while (can_go_on(warp));
    return false;
  }
  template <class Now>
  bool copies(unsigned warp, Now now) {
    const WarpMask bit = WarpMask{1} << warp;
    if ((copying & bit) == 0) return false;
    if (tables_.busy_until(warps_[warp].member) > now()) return true;
    copying &= ~bit;
    return false;
  }
  /// False.
  bool wait_until(unsigned warp, Cycle edge) {
    timed_ |= WarpMask{1} << warp;
    warps_[warp].waits_until = edge;
    wake_at(edge);
    return false;
  }
  /// What has been fetched and not issued never issues.
  void forget_fetched(unsigned warp) {
    Warp& w = warps_[warp];
    while (w.begin != w.end) {
      const Fetched& f = at(warp, w.begin++);
      const ptx::Inst& inst = w.code[f.pc];
      tables_.dropped(w.member, f.pc, inst, names_of(f, inst));
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

  /// Those of the warp's head.
  OtherNames names(unsigned warp, std::uint32_t, const ptx::Inst& inst, std::uint32_t,
                   RowName*) const override {
    return names_of(at(warp, warps_[warp].begin), inst);
  }
  bool keeps_names() const override { return true; }

  SmTables& tables_;
  std::uint32_t room_ = 1;
  std::vector<Fetched> fetched_;  // rings by warp, of what is fetched and has not issued
  std::vector<RowName> many_;     // kMany of each, for instructions of more rows; made when there is one
  std::vector<Warp> warps_;
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
