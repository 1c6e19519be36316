#include "platform/guard/watchdog.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/build/platform.h"
#include "platform/guard/surroundings.h"

namespace warpvp {

using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

namespace {
constexpr double kProbesInProgress = 50;      // the first probe comes after this part of limits.progress_us
constexpr std::uint64_t kFirstBudget = 2048;  // instructions of one warp
constexpr std::uint64_t kLargestBudget = 1 << 20;
constexpr unsigned kProofLines = 8;  // of a kind

sc_time from_us(double us) { return sc_time(us, sc_core::SC_US); }
double in_us(const sc_time& time) { return time.to_seconds() * 1e6; }
}  // namespace

Watchdog::Watchdog(Platform& platform, const LimitsConfig& limits)
    : platform_(platform),
      progress_(from_us(limits.progress_us)),
      next_probe_(from_us(limits.progress_us / kProbesInProgress)),
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
  // Looks lie far apart where nothing happened in between because nothing was due: what was, comes now.
  const bool waited = now - looked_at_ > progress_ / 2;
  looked_at_ = now;
  if (event || waited || counts.instructions != last_.instructions) issued_at_ = now;
  last_ = counts;
  if (event || progress_ == SC_ZERO_TIME) return {};

  if (now - issued_at_ > progress_) {
    if (!something_is_due()) return nothing_moves(now);
    issued_at_ = now;
  }
  return probe(now);
}

/// A warp sleeps or computes for long, or an answer comes at a time that is settled.
bool Watchdog::something_is_due() const {
  if (platform_.distributor().adds_time()) return true;
  for (const auto& sm : platform_.sms()) {
    if (sm->warps() == nullptr) continue;
    const std::vector<WarpSlot*>& slots = sm->warps()->slots();
    if (std::any_of(slots.begin(), slots.end(),
                    [](const WarpSlot* slot) { return slot->state == WarpState::kRawShort; }))
      return true;
  }
  return answer_is_due(platform_);
}

std::string Watchdog::nothing_moves(const sc_time& now) const {
  return fmt::format(
      "no progress for {:.0f} us (limits.progress_us): no instruction issued, and no kernel, CTA, copy or "
      "host program moved",
      in_us(now - issued_at_));
}

std::string Watchdog::probe(const sc_time& now) {
  if (!probe_) {
    if (now - event_at_ < next_probe_ || issued_at_ != now) return {};
    if (!SpinProbe::can_watch(platform_.sms())) return {};
    probe_ = std::make_unique<SpinProbe>(platform_.sms(), platform_.memory(), budget_);
    probe_began_ = now;
    return {};
  }
  // Whoever holds an answer for longer than the limit, and cannot say when it comes, is not waited for.
  const bool patient = now - probe_began_ > progress_ && !answer_is_due(platform_);
  const ClockDomain& clock = platform_.sm_clock();
  const Cycle limit = static_cast<Cycle>(progress_ / clock.period());
  switch (probe_->finding(patient && clock.now() > limit ? clock.now() - limit : 0)) {
    case SpinProbe::Finding::kLooking:
      return {};
    case SpinProbe::Finding::kSpins: {
      const Outlook around = outlook_around_warps(platform_);
      if (around == Outlook::kRests || (around == Outlook::kAwaits && patient)) return stuck(now);
      if (around == Outlook::kAwaits) return {};
      break;
    }
    default:
      break;
  }
  probe_.reset();
  next_probe_ = 2 * (now - event_at_);
  if (budget_ < kLargestBudget) budget_ *= 2;
  return {};
}

std::string Watchdog::stuck(const sc_time& now) {
  proof_ = probe_->proof(kProofLines) + describe_missing_ctas(platform_);
  probe_.reset();
  return fmt::format(
      "no progress: for {:.0f} us the warps have only gone round in loops that nothing will end: no "
      "register that they look at and no value in memory changes (limits.progress_us)",
      in_us(now - event_at_));
}

}  // namespace warpvp
