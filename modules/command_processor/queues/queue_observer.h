#pragma once
// Watching the queues without influence on them: timelines, the decision log.

#include <cstdint>
#include <systemc>

namespace warpvp {

/// One thing that a sequencer, or the parser for it, decided.
struct SchedulingDecision {
  enum Kind : std::uint8_t { kForward, kTake, kStop, kComplete, kReject } kind;
  sc_core::sc_time at;
  unsigned queue = 0;
  std::uint64_t packet = 0;  ///< index in its queue; not known for kComplete
  /// kForward, kTake: destination as in regmap::qc. kStop: the QueueError. kComplete: the signal. kReject:
  /// the code.
  std::uint64_t detail = 0;
};

/// All calls at the time of the event.
class QueueObserver {
 public:
  virtual ~QueueObserver() = default;
  /// A doorbell, obeyed or not; it announced the packets before `write_index`.
  virtual void doorbell(unsigned /*queue*/, std::uint64_t /*write_index*/) {}
  /// Packets announced by doorbells and not started.
  virtual void queue_depth(unsigned /*queue*/, std::uint64_t /*packets*/) {}
  virtual void decision(const SchedulingDecision&) {}
};

}  // namespace warpvp
