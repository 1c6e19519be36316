#include "platform/watchdog.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/platform.h"

namespace warpvp {

using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

namespace {
constexpr double kProbesInProgress = 50;      // the first probe comes after this part of limits.progress_us
constexpr double kPatienceInProgress = 10;    // a probe is patient after this part
constexpr std::uint64_t kFirstBudget = 2048;  // instructions of one warp
constexpr std::uint64_t kLargestBudget = 1 << 20;

sc_time microseconds(double us) { return sc_time(us, sc_core::SC_US); }
double in_us(const sc_time& time) { return time.to_seconds() * 1e6; }
}  // namespace

Watchdog::Watchdog(Platform& platform, const LimitsConfig& limits)
    : platform_(platform),
      progress_(microseconds(limits.progress_us)),
      effect_(microseconds(limits.effect_us)),
      next_probe_(microseconds(limits.progress_us / kProbesInProgress)),
      budget_(kFirstBudget) {}

Watchdog::Counts Watchdog::count() const {
  Counts c;
  for (const auto& sm : platform_.sms()) c.instructions += sm->counters().issued;
  const WorkDistributorStats& distributor = platform_.distributor().statistics();
  const QueueStats& queues = platform_.command_processor().statistics();
  c.events = distributor.ctas_issued + distributor.ctas_done + distributor.kernels + distributor.refused +
             platform_.distributor().records().size() + queues.kernels + queues.copies + queues.barriers +
             queues.errors + platform_.host().activity();
  for (const auto& engine : platform_.dma()) c.events += engine->activity();
  c.transfers = platform_.pcie().statistics().transfers;
  return c;
}

std::string Watchdog::look() {
  const sc_time now = sc_core::sc_time_stamp();
  const Counts counts = count();
  // One transfer that takes long is waited for; many that change nothing are not.
  const bool transferring = platform_.pcie().sending() && counts.transfers == last_.transfers;
  const auto& sms = platform_.sms();
  const bool ends_by_itself =
      std::any_of(sms.begin(), sms.end(), [](const auto& sm) { return sm->ends_by_itself(); });
  const bool event = counts.events != last_.events || platform_.host().sleeping() || transferring ||
                     changed_ || ends_by_itself;
  changed_ = false;
  if (event) {
    event_at_ = now;
    probe_.reset();
    next_probe_ = progress_ / kProbesInProgress;
    budget_ = kFirstBudget;
  }
  if (event || counts.instructions != last_.instructions) issued_at_ = now;
  last_ = counts;
  if (event) return {};

  if (progress_ != SC_ZERO_TIME && now - issued_at_ > progress_)
    return fmt::format(
        "no progress for {:.0f} us (limits.progress_us): no instruction issued, and no kernel, CTA, copy or "
        "host "
        "program moved",
        in_us(now - issued_at_));
  if (std::string why = probe(now); !why.empty()) return why;
  if (effect_ != SC_ZERO_TIME && now - std::max(event_at_, moved_at_) > effect_)
    return fmt::format(
        "no effect for {:.0f} us (limits.effect_us): instructions issued, but no kernel, CTA, copy or host "
        "program "
        "moved and no store was seen to change a value",
        in_us(now - std::max(event_at_, moved_at_)));
  return {};
}

std::string Watchdog::probe(const sc_time& now) {
  if (progress_ == SC_ZERO_TIME) return {};
  if (!probe_) {
    if (now - event_at_ < next_probe_ || issued_at_ != now) return {};
    if (!SpinProbe::can_watch(platform_.sms())) return {};
    probe_ = std::make_unique<SpinProbe>(platform_.sms(), platform_.memory(), budget_);
    probe_began_ = now;
    return {};
  }
  const bool patient = now - probe_began_ > progress_ / kPatienceInProgress;
  const SpinProbe::Finding finding = probe_->finding(patient);
  if (finding == SpinProbe::Finding::kLooking) return {};
  probe_.reset();
  if (finding == SpinProbe::Finding::kSpins)
    return fmt::format(
        "no progress: for {:.0f} us the warps have only gone round in loops that nothing will end: no "
        "register "
        "that they look at and no value in memory changes (limits.progress_us)",
        in_us(now - event_at_));
  // A store that changes a value is an effect; but the next probe comes no sooner for it.
  const sc_time pause = now - event_at_;
  next_probe_ = 2 * pause;
  // Often enough to see the stores of a kernel that has only these to show for limits.effect_us.
  if (effect_ != SC_ZERO_TIME) next_probe_ = std::min(next_probe_, pause + effect_ / 4);
  if (budget_ < kLargestBudget) budget_ *= 2;
  if (finding == SpinProbe::Finding::kMoves) moved_at_ = now;
  return {};
}

}  // namespace warpvp
