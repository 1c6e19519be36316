#include "base/sim_time.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warpvp {
namespace {

SimTime rounded(double value, const char* unit, double femtoseconds_a_unit) {
  const double fs = value * femtoseconds_a_unit + 0.5;
  if (!(value >= 0 && fs < 0x1p63))
    throw InputError(
        fmt::format("{} {} is no simulated time: it must be at least 0 and less than 9,223 s", value, unit));
  return SimTime::from_fs(static_cast<std::uint64_t>(fs));
}

}  // namespace

SimTime SimTime::from_ns(double nanoseconds) { return rounded(nanoseconds, "ns", 1e6); }
SimTime SimTime::from_us(double microseconds) { return rounded(microseconds, "us", 1e9); }

}  // namespace warpvp
