#include "modules/command_processor/devices/timer.h"

#include "interconnect/register_map.h"

namespace warpvp {

namespace timer = regmap::timer;

namespace {

std::uint64_t units_per_ns() {
  static const std::uint64_t units = sc_core::sc_time(1, sc_core::SC_NS).value();
  return units;
}
std::uint64_t now_ns() { return sc_core::sc_time_stamp().value() / units_per_ns(); }
/// The last nanosecond that simulated time can reach.
std::uint64_t last_ns() { return sc_core::sc_max_time().value() / units_per_ns(); }

}  // namespace

Timer::Timer(sc_core::sc_module_name name)
    : Device(name, "Timer", timer::kBytes, "Machine timer; its interrupt is MTIP of the core.") {
  block_.add(in_halves({"MTIME", timer::kTime, 8, 1, 0, RegisterAccess::kReadOnly, 0, "Simulated time in ns.",
                        [](unsigned) { return now_ns(); }}));
  compare_ = block_.add(in_halves({"MTIMECMP",
                                   timer::kCompare,
                                   8,
                                   1,
                                   0,
                                   RegisterAccess::kReadWrite,
                                   ~std::uint64_t{0},
                                   "The interrupt is raised while MTIME is at least this.",
                                   {},
                                   [this](unsigned, std::uint64_t) { compare(); }}));
  SC_HAS_PROCESS(Timer);
  SC_METHOD(compare);
  sensitive << due_;
  dont_initialize();
}

bool Timer::armed() const { return block_.get(compare_) <= last_ns(); }

void Timer::compare() {
  const std::uint64_t at = block_.get(compare_);
  const bool level = now_ns() >= at;
  due_.cancel();
  if (!level && at <= last_ns())
    due_.notify(sc_core::sc_time::from_value(at * units_per_ns()) - sc_core::sc_time_stamp());
  if (level == level_) return;
  level_ = level;
  if (on_level) on_level(level);
}

}  // namespace warpvp
