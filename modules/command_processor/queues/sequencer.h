#pragma once
// What stands between the queue controller and whoever decides which packet starts next: hardware beside it
// (hardware/), or a core that runs firmware (behind queues/scheduler_port.h).

#include <cstdint>

#include "base/cycle.h"

namespace warpvp {

/// Told by the queue controller what happened, and asked each edge. Calls come from within the controller's
/// commit, except `queue_changed` and `signals_changed`, which may also come while the sequencer itself calls
/// the controller.
class Sequencer {
 public:
  virtual ~Sequencer() = default;
  /// The queue's next packet is parsed and can be started.
  virtual void head_ready(unsigned queue) = 0;
  /// A doorbell of a mapped, healthy queue; possibly with the same index, to have signals looked at again.
  virtual void doorbell(unsigned queue) = 0;
  /// What ran in a destination that was taken is done.
  virtual void kernel_done(unsigned slot) = 0;
  virtual void copy_done(unsigned engine, bool failed) = 0;
  /// The completion signal at that address has its new value from edge `due` on.
  virtual void signals_changed(std::uint64_t signal, Cycle due) = 0;
  /// Mapped, unmapped or stopped.
  virtual void queue_changed(unsigned queue) = 0;
  /// The host has written the priority of all that is in the queue: of the head, too, if there is one.
  virtual void priority_changed(unsigned /*queue*/) {}
  /// Whether parsers may take up packets of this queue.
  virtual bool may_parse(unsigned /*queue*/) const { return true; }
  /// Whether step() accesses registers or memory by b_transport.
  virtual bool accesses_in_step() const { return false; }
  /// Edge `now`, when all that arrived has been told. Returns the next edge at which to be called at the
  /// latest, or kNever; the controller may come earlier.
  virtual Cycle step(Cycle now) = 0;
};

}  // namespace warpvp
