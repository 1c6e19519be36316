#pragma once
// Ends runs that would go on for ever: looks, between slices of simulated time, whether anything of use has
// happened. It counts in simulated time only, so a run ends at the same cycle on every host.
//
// Progress is: an instruction that issues; a kernel, CTA, copy or packet that starts or ends; a byte that is
// copied; an access or a sleep of a host program. What the firmware does to registers is none. Two rules
// (docs/architecture.md, "Runs that would not end"):
// - nothing of the kind for limits.progress_us, and nothing that the model knows to be going to happen;
// - instructions issue, and nothing else, and it is proven that nothing else ever will: SpinProbe finds the
//   warps stuck, and all around them rests. It is asked after a fiftieth of limits.progress_us, then each
//   time the pause has doubled.
// What is not proven goes on. While a host program sleeps, or one transfer takes its time on the PCIe link,
// the device may wait for it.

#include <memory>
#include <string>
#include <systemc>

#include "base/outlook.h"
#include "platform/config/run_config.h"
#include "platform/guard/spin_probe.h"

namespace warpvp {

class Platform;

class Watchdog {
 public:
  Watchdog(Platform& platform, const LimitsConfig& limits);

  /// To be called every few microseconds of simulated time. Why the run must end; empty: it may go on.
  std::string look();
  /// After look() has given a reason: the lines that prove it, if it was proven.
  const std::string& proof() const { return proof_; }
  /// Somebody outside of the simulation has changed the device, which counts as progress.
  void note_change() { changed_ = true; }

 private:
  /// What has happened so far. Instructions are counted apart from the rest.
  struct Counts {
    std::uint64_t instructions = 0, events = 0, transfers = 0;
  };
  Counts count() const;
  bool something_is_due() const;
  std::string nothing_moves(const sc_core::sc_time& now) const;
  std::string probe(const sc_core::sc_time& now);
  std::string stuck(const sc_core::sc_time& now);

  Platform& platform_;
  const sc_core::sc_time progress_;  // zero: never
  Counts last_;
  bool changed_ = false;
  sc_core::sc_time looked_at_;
  sc_core::sc_time issued_at_, event_at_;  // of the last instruction, of the last other event
  sc_core::sc_time next_probe_,
      probe_began_;  // pause after which the next probe begins; when the present one did
  std::uint64_t budget_;
  std::unique_ptr<SpinProbe> probe_;
  std::string proof_;
};

}  // namespace warpvp
