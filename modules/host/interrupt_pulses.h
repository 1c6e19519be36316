#pragma once
// Interrupts of a PCI function at ports of a SystemC design: each vector has one, at which an interrupt is a
// pulse. Pulses of a vector do not run together: an interrupt that is raised while its port is high, or has
// just been, is another pulse behind it. So a rising edge follows each, and several may become one, as
// messages do in an interrupt controller.

#include <systemc>
#include <vector>

#include "modules/host/timed_calls.h"

namespace warpvp {

using InterruptPort = sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

class InterruptPulses {
 public:
  /// How long a pulse is high, and low at least behind it.
  static constexpr double kPulseNs = 10;

  /// `ports` outlive it; those that nobody has bound are left out. The signals are written by `calls` alone,
  /// as a signal has one writer.
  InterruptPulses(sc_core::sc_vector<InterruptPort>& ports, TimedCalls& calls)
      : ports_(ports), calls_(calls), vectors_(ports.size()) {}

  /// `vector`: less than the number of ports. The port rises at this very time, one delta later.
  void raise(unsigned vector);

 private:
  struct Vector {
    bool busy = false, again = false;
  };
  void pulse(unsigned vector);

  sc_core::sc_vector<InterruptPort>& ports_;
  TimedCalls& calls_;
  std::vector<Vector> vectors_;
};

}  // namespace warpvp
