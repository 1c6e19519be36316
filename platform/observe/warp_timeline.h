#pragma once
// The warps of an SM on the timeline: a track for each warp slot, on it the warps that have been there, and
// within them, cycle by cycle, the instructions that they issued and why they did not issue in between. Every
// cycle of a resident warp is one or the other, as in result.json.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/clock_domain.h"
#include "modules/sm/issue/issue_observer.h"
#include "modules/sm/sm.h"
#include "platform/results/trace_writer.h"

namespace warpvp {

class WarpTimeline : public PassingObserver {
 public:
  /// Watches SM number `index` from now on, beside an observer that may be there. All outlive it.
  WarpTimeline(TraceWriter& trace, WarpView& sm, unsigned index, const ClockDomain& clock);
  ~WarpTimeline() override;
  WarpTimeline(const WarpTimeline&) = delete;

  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override;
  void cta_finished(Cycle now, const CtaLaunch& cta) override;
  void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) override;
  bool wants_stalls() const override { return true; }
  void stalled(std::uint16_t slot, Stall reason, Cycle from, Cycle to) override;
  void blocked(Cycle now, unsigned sub_core, WarpMask warps, Stall reason) override;

  /// Shows what has not ended. When the simulation is over and all waits have been counted.
  void finish();

 private:
  /// An instruction as it is shown.
  struct Label {
    std::string mnemonic, place;
  };
  using Labels = std::vector<Label>;
  /// Cycles [from, to) for one reason.
  struct Span {
    Stall reason;
    Cycle from, to;
  };
  struct Place {
    TraceWriter::Track track;
    bool occupied = false;
    std::uint32_t launch = 0, cta[3] = {0, 0, 0};
    const Labels* labels = nullptr;
    Cycle end = 0;              // of what is known of the warp
    std::vector<Span> blocked;  // edges while ready, not yet shown
    std::vector<Span> stalled;  // at most one: not yet shown, as it may go on
  };

  const Labels* labels_of(const ptx::Program& program);
  void add(Place& place, const Span& span);
  void show_stall(Place& place);
  void leave(Place& place);
  std::uint64_t ps(Cycle cycle) const { return cycle * period_fs_ / 1000; }

  TraceWriter& trace_;
  WarpView& sm_;
  const unsigned index_;
  const std::uint64_t period_fs_;
  unsigned sub_cores_ = 1;
  std::vector<Place> places_;                              // by warp slot
  std::map<std::string, std::unique_ptr<Labels>> labels_;  // by place and name of the program
};

}  // namespace warpvp
