// `sm.frontend.mode: coordinated` (SWaS paper, section IV-B): no fetch scheduler. The warp that issue selects
// fetches one instruction at the same edge, and its I-buffer is a FIFO that is always full.
//
// The FIFO holds as many entries as edges pass from an instruction's fetch to its earliest issue. Each time
// the warp is selected its head leaves and one entry joins, so the new one cannot become the head before it
// has arrived, and nobody waits for an arrival. An entry is an instruction or a NOP. A miss suspends the
// warp: from the next edge on it has no head, until the line is there and its next selection fetches the same
// instruction again. An instruction past a taken branch is fetched before the branch takes effect, and thrown
// away with the rest.

#include "base/registry.h"
#include "modules/sm/config.h"
#include "modules/sm/frontend/fetch_unit.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/stage_context.h"

namespace warpvp {
namespace {

class alignas(64) CoordinatedFrontEnd final : public FrontEnd {
 public:
  explicit CoordinatedFrontEnd(const StageContext& context)
      : FrontEnd(context.signals, context.warps, context.config.frontend.depth()),
        depth_(context.config.frontend.depth()),
        unit_(context) {}

  void warp_started(unsigned warp, const WarpInfo&, const ptx::Program& program, const AccessOwner& owner,
                    FetchCounters& counters) override {
    unit_.start(warp, program, owner, counters);
    fill_with_nops(warp);
  }

  void warp_finished(unsigned warp) override {
    signals_.heads &= ~warp_bit(warp);
    unit_.stop(warp);
  }

  void selected(unsigned warp, Cycle now) override {
    if (ibuffers_.head(warp) != IBuffers::kNop) --buffered_[warp];
    ibuffers_.pop(warp);
    const ptx::Pc pc = unit_.next(warp);
    if (unit_.more(warp) && unit_.request(warp, 1, now) != 0) {
      ibuffers_.push(warp, pc);
      ++buffered_[warp];
    } else {
      ibuffers_.push(warp, IBuffers::kNop);
    }
    update(warp);
  }

  void redirect(unsigned warp, ptx::Pc pc) override {
    unit_.redirect(warp, pc, buffered_[warp]);
    fill_with_nops(warp);
  }

  WarpMask line_filled(std::uint64_t line_address) override {
    const WarpMask resumed = unit_.line_filled(line_address);
    signals_.heads |= resumed;
    return resumed;
  }

  WarpMask deliver(Cycle) override { return 0; }
  void fetch(Cycle) override {}
  WarpMask missing() const override { return unit_.missing(); }
  std::optional<std::uint64_t> missing_line(unsigned warp) const override { return unit_.missing_line(warp); }
  /// I-buffers are never empty: these are suspended by a miss, with a head that could issue.
  WarpMask starved(WarpMask without_head, WarpMask could_issue) const override {
    WarpMask starved = without_head & could_issue;
    for (WarpMask rest = without_head & ~could_issue; rest; rest &= rest - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctzll(rest));
      if (ibuffers_.head(warp) == IBuffers::kNop) starved |= warp_bit(warp);
    }
    return starved;
  }

 private:
  void fill_with_nops(unsigned warp) {
    ibuffers_.clear(warp);
    for (unsigned i = 0; i < depth_; ++i) ibuffers_.push(warp, IBuffers::kNop);
    buffered_[warp] = 0;
    update(warp);
  }
  void update(unsigned warp) {
    signals_.heads =
        unit_.missing() >> warp & 1 ? signals_.heads & ~warp_bit(warp) : signals_.heads | warp_bit(warp);
  }

  const unsigned depth_;
  FetchUnit unit_;
};

class Coordinated : public FrontEndType {
 public:
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<CoordinatedFrontEnd>(context);
  }
};
WARPVP_REGISTER_POLICY(
    FrontEndType, Coordinated, "coordinated",
    "The warp scheduler chooses one warp for fetch and issue, and I-buffers are kept full with NOPs "
    "(SWaS), so that the issue order follows from the policy alone.");

}  // namespace
}  // namespace warpvp
