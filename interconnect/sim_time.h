#pragma once
// Between SimTime and SystemC's time. Exact in both directions at the resolution of the simulation, 1 fs
// (configure_time()); where a design has a coarser one, to_sc_time() rounds to the nearest unit.

#include <systemc>

#include "base/sim_time.h"

namespace warpvp {

SimTime to_sim_time(const sc_core::sc_time& time);
sc_core::sc_time to_sc_time(SimTime time);

}  // namespace warpvp
