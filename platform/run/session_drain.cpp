// The session: what is still unanswered when all host programs have ended. Their results and figures stand by
// then; the simulation runs on until the memory system has answered everything that was sent, which a run
// that is right shall have seen. What will not be answered is a deadlock, and an error that comes late is a
// fault.

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/outstanding.h"
#include "platform/guard/surroundings.h"
#include "platform/run/account.h"
#include "platform/run/session.h"

namespace warpvp {

namespace {
constexpr double kSliceMicroseconds = 2;
}  // namespace

/// After runs whose host programs have come to their ends; a debugger may hold the device for ever.
bool SimulationSession::worth_draining() const {
  return over() && outcome_->code != ExitCode::kDeviceFault && platform_->host().finished() &&
         !platform_->host().failure() && wants_watchdog() && sc_core::sc_get_status() != sc_core::SC_STOPPED;
}

void SimulationSession::drain() {
  const Running running(*this);
  const sc_core::sc_time end = sc_core::sc_time_stamp();
  const sc_core::sc_time patience(settings_.run.limits.progress_us, sc_core::SC_US);
  const auto fail = [&](ExitCode code, const std::string& message) {
    outcome_->code = code;
    outcome_->verified = false;
    outcome_->message = message;
  };
  std::size_t left = in_flight_since(end);
  sc_core::sc_time answered = end;
  // Posted writes on the PCIe link are no transactions until they have crossed it: one slice in any case.
  bool first = true;
  while (first || left != 0) {
    first = false;
    const sc_core::sc_time stamp = sc_core::sc_time_stamp();
    const sc_core::sc_time next =
        sc_core::sc_pending_activity() ? sc_core::sc_time_to_pending_activity() : sc_core::SC_ZERO_TIME;
    advance(std::max(sc_core::sc_time(kSliceMicroseconds, sc_core::SC_US), next));
    if (platform_->faults().faulted()) {
      fail(ExitCode::kDeviceFault, platform_->faults().fault()->summary());
      outcome_->detail = platform_->faults().fault()->detail;
      return;
    }
    const std::size_t before = left;
    left = in_flight_since(end);
    if (left < before || answer_is_due(*platform_) || transfer_is_due(*platform_))
      answered = sc_core::sc_time_stamp();
    if (left == 0) continue;
    const std::string waits = describe_unanswered(*platform_, sc_core::SC_ZERO_TIME);
    if (waits.empty()) return;  // all is answered, and somebody holds on to it
    const bool starved = !sc_core::sc_pending_activity() || sc_core::sc_time_stamp() == stamp;
    if (starved || (patience != sc_core::SC_ZERO_TIME && sc_core::sc_time_stamp() - answered > patience)) {
      fail(ExitCode::kDeviceFault, fmt::format("deadlock: the host programs have ended, and {}", waits));
      outcome_->detail = describe();
      return;
    }
    if (stop_asked_.exchange(false))
      return fail(ExitCode::kInterrupted, fmt::format("interrupted after the host programs' end: {}", waits));
    const double most = settings_.run.limits.wall_seconds;
    if (most > 0 && running.seconds() > most)
      return fail(ExitCode::kWallLimit,
                  fmt::format("the wall-clock limit of {} s (limits.wall_seconds) is reached after the host "
                              "programs' end: {}",
                              most, waits));
  }
}

}  // namespace warpvp
