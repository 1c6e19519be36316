#include "modules/host/interrupt_pulses.h"

namespace warpvp {

void InterruptPulses::raise(unsigned vector) {
  Vector& v = vectors_[vector];
  if (v.busy) {
    v.again = true;
    return;
  }
  if (ports_[vector].size() == 0) return;
  v.busy = true;
  calls_.after(sc_core::SC_ZERO_TIME, [this, vector] { pulse(vector); });
}

void InterruptPulses::pulse(unsigned vector) {
  const sc_core::sc_time high(kPulseNs, sc_core::SC_NS);
  ports_[vector]->write(true);
  calls_.after(high, [this, vector] { ports_[vector]->write(false); });
  calls_.after(2 * high, [this, vector] {
    Vector& v = vectors_[vector];
    v.busy = v.again;
    v.again = false;
    if (v.busy) pulse(vector);
  });
}

}  // namespace warpvp
