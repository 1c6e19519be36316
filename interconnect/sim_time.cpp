#include "interconnect/sim_time.h"

#include <cmath>

namespace warpvp {
namespace {

std::uint64_t femtoseconds_a_unit() {
  static const std::uint64_t value = std::llround(sc_core::sc_get_time_resolution().to_seconds() * 1e15);
  return value;
}

}  // namespace

SimTime to_sim_time(const sc_core::sc_time& time) {
  return SimTime::from_fs(time.value() * femtoseconds_a_unit());
}

sc_core::sc_time to_sc_time(SimTime time) {
  const std::uint64_t unit = femtoseconds_a_unit();
  const std::uint64_t left_over = time.fs() % unit;
  return sc_core::sc_time::from_value(time.fs() / unit + (left_over >= unit - left_over ? 1 : 0));
}

}  // namespace warpvp
