// `sm.frontend.mode: dac_ideal`: an idealised Decoupled Affine Computation (Yeh's thesis, section 7.6, of
// Wang and Lin, Decoupled Affine Computation for SIMT GPUs, ISCA 2017): what is affine is executed once for
// each CTA, by the warp that comes to it first, and skipped by the others before it is fetched. Nobody waits
// for anybody, nor for a result; tables have no end, and no ports.
//
// The thesis finds affine instructions at run time; here the marks tell them (ptx/redundancy.h). Each warp
// computes the values itself, in no time.
//
// A warp fetches nothing behind a branch until that has issued, as it never executes what a fetch brings from
// there if the branch goes elsewhere. This costs less than to let each warp execute for itself what it has
// fetched behind branches that are open; a branch that is taken costs the same as ever.

#include <array>
#include <memory>
#include <string>

#include "base/registry.h"
#include "modules/sm/darsie/dac_tables.h"
#include "modules/sm/darsie/ways.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

using darsie::DacTables;

class DacFrontEnd final : public SeparateFrontEndOf<DacFrontEnd> {
 public:
  static constexpr bool kTags = true, kSkips = true, kLimits = true;

  explicit DacFrontEnd(const StageContext& context)
      : SeparateFrontEndOf(context), tables_(static_cast<DacTables&>(*context.shared)) {}

  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    WarpState& w = warps_[warp];
    w.index = info.index;
    w.code = program.code.data();
    w.size = static_cast<ptx::Pc>(program.code.size());
    w.flags = tables_.flags(info, program).data();
    w.instances = nullptr;
    const bool full = darsie::full_warps(info) >> info.index & 1;
    w.way.start(full);
    if (full) {
      w.instances = &tables_.of(info);
      w.instances->started(info.index);
    }
    w.fresh = true;
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  void warp_finished(unsigned warp) override {
    leave(warps_[warp]);
    SeparateFrontEndOf::warp_finished(warp);
  }
  void redirect(unsigned warp, ptx::Pc pc) override {
    WarpState& w = warps_[warp];
    if (w.fresh) {  // its CTA has been preempted
      leave(w);
      w.way.resumed();
    }
    w.fresh = false;
    const std::uint64_t before = w.way.behind();
    w.way.redirected(pc);
    if (w.instances) w.instances->moved(w.index, before, w.way.behind(), false);
    SeparateFrontEndOf::redirect(warp, pc);
  }

  void skip(Cycle) {
    for (WarpMask rest = signals_.fetchable; rest; rest &= rest - 1) {
      const unsigned warp = lowest_warp(rest);
      WarpState& w = warps_[warp];
      while ((signals_.fetchable >> warp & 1) && has_been_executed(w, w.way, next(warp))) {
        w.fresh = false;
        pass_over(warp, w.code[next(warp)]);
      }
    }
  }
  // Warps that could be sent elsewhere wait.
  bool may_fetch(unsigned warp) { return warps_[warp].way.certain(); }
  unsigned limit(unsigned warp, ptx::Pc pc, unsigned most, Cycle) {
    const WarpState& w = warps_[warp];
    darsie::OwnWay way = w.way;
    for (ptx::Pc at = pc; at != pc + most && at < w.size; ++at) {
      if (at != pc && has_been_executed(w, way, at)) return at - pc;
      way.ahead(at, w.flags[at]);
      if (w.flags[at].transfer) return at + 1 - pc;
    }
    return most;
  }
  std::uint32_t fetched(unsigned warp, ptx::Pc pc, unsigned count) {
    WarpState& w = warps_[warp];
    w.fresh = false;
    for (const ptx::Pc end = pc + count; pc != end; ++pc) {
      if (w.flags[pc].skip && w.way.shares() && w.way.certain())
        w.instances->execute(w.index, w.way.ahead(), pc);
      w.way.ahead(pc, w.flags[pc]);
    }
    return 0;
  }

  bool follows_issue() const override { return true; }
  void issued(const IssuedEntry& entry) override {
    WarpState& w = warps_[entry.warp];
    const darsie::Flags& flags = w.flags[entry.pc];
    const std::uint64_t before = w.way.behind();
    if (flags.skip && w.way.shares())
      ++(w.instances->execute(w.index, before, entry.pc) ? tables_.counters.executed
                                                         : tables_.counters.again);
    w.way.issued(entry.pc, flags, entry.stream.active() == ~ptx::LaneMask{0});
    if (w.instances && w.way.behind() != before)
      w.instances->moved(w.index, before, w.way.behind(), flags.gathers);
    if (flags.transfer && !entry.stream.exited()) update(entry.warp);
  }
  std::string skipped(unsigned, ptx::Pc, const ptx::InstructionStream&) override {
    ++tables_.counters.skipped;
    return {};
  }

  void stats(StatVisitor& v) const override {
    SeparateFrontEndOf::stats(v);
    // Of the SM: one of its sub-cores shows them.
    v.group(FrontEndType::kKind, context().sub_core == 0 ? tables_.counters : darsie::DacCounters(),
            "What the front end counts.");
  }

 private:
  struct WarpState {
    unsigned index = 0;  // in its CTA
    const ptx::Inst* code = nullptr;
    ptx::Pc size = 0;
    const darsie::Flags* flags = nullptr;
    darsie::AffineInstances* instances = nullptr;  // nullptr: it shares nothing and never will
    darsie::OwnWay way;
    bool fresh = false;  // nothing has been fetched or skipped
  };

  static bool has_been_executed(const WarpState& w, const darsie::OwnWay& way, ptx::Pc pc) {
    return w.flags[pc].skip && way.shares() && w.instances->executed(way.ahead(), pc);
  }
  static void leave(WarpState& w) {
    if (w.instances) w.instances->ended(w.index, w.way.behind());
    w.instances = nullptr;
  }

  DacTables& tables_;
  std::array<WarpState, 64> warps_;
};

class DacIdeal : public FrontEndType {
 public:
  explicit DacIdeal(const darsie::DacParams& params) : params_(params) {}
  std::unique_ptr<SharedFrontEnd> build_shared(const SmContext& place, const SmConfig&) const override {
    return std::make_unique<DacTables>(place, params_);
  }
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<DacFrontEnd>(context);
  }
  void stats(StatVisitor& v) const override { darsie::DacCounters().stats(v); }

 private:
  const darsie::DacParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    FrontEndType, DacIdeal, darsie::DacParams, "dac_ideal",
    "As `separate`, but affine instructions are executed by the first warp of a CTA that comes to "
    "them and skipped by the others, whenever their results are there (idealised Decoupled Affine "
    "Computation).");

}  // namespace
}  // namespace warpvp
