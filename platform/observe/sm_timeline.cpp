#include "platform/observe/sm_timeline.h"

#include <fmt/format.h>

#include "platform/observe/timeline.h"

namespace warpvp {

void SmTimeline::changed(const SmHandover& handover, std::uint64_t now_ps) {
  const auto it = sms_.find(handover.sm);
  if (it != sms_.end()) {
    // A drain does not change whose the SM is until it ends.
    write(it->second, now_ps);
    count(it->second.is, -1, now_ps);
    take_tokens(it->second.is, -1, now_ps);
    sms_.erase(it);
  }
  if (handover.state == SmState::kIdle) return;
  count(handover, 1, now_ps);
  take_tokens(handover, 1, now_ps);
  sms_[handover.sm] = {handover, now_ps, picoseconds(handover.ready_at)};
}

void SmTimeline::count(const SmHandover& handover, int change, std::uint64_t now_ps) {
  const unsigned sms = sms_of_[handover.context] += static_cast<unsigned>(change);
  counter("SMs of ", handover.context, 0, now_ps, sms);
}

void SmTimeline::take_tokens(const SmHandover& handover, int change, std::uint64_t now_ps) {
  if (!tokens_) return;
  const std::uint32_t context =
      handover.state == SmState::kReserved ? names_.context_of(handover.next_launch) : handover.context;
  const std::int64_t given = context >= 1 && context <= tokens_->size() ? (*tokens_)[context - 1] : 0;
  const std::int64_t left = tokens_left_.emplace(context, given).first->second -= change;
  counter("tokens of ", context, 1u << 15, now_ps, left);
}

void SmTimeline::counter(const std::string& what, std::uint32_t context, std::uint32_t order,
                         std::uint64_t now_ps, std::int64_t value) {
  const std::string name = what + names_.context(context);
  trace_.counter(trace_.track(group_, name, group_order_, order + context), name, now_ps,
                 static_cast<double>(value));
}

void SmTimeline::write(const Span& span, std::uint64_t end_ps) {
  constexpr std::uint32_t kAfterCounters = 1u << 16;
  const TraceWriter::Track track =
      trace_.track(group_, fmt::format("SM {}", span.is.sm), group_order_, kAfterCounters + span.is.sm);
  TraceWriter::Args args = {{"context", std::to_string(span.is.context)},
                            {"launch", std::to_string(span.is.launch)}};
  const std::string kernel = names_.launch(span.is.launch);
  if (span.is.state == SmState::kReserved) {
    args.emplace_back("next launch", std::to_string(span.is.next_launch));
    const char* const does = span.is.preemption == Preemption::kSwitch  ? "is saved for"
                             : span.is.preemption == Preemption::kFlush ? "is dropped for"
                                                                        : "drains for";
    trace_.slice(track, fmt::format("{} {} {}", kernel, does, names_.launch(span.is.next_launch)),
                 span.since_ps, end_ps, args);
    return;
  }
  const std::uint64_t ready = std::min(std::max(span.ready_ps, span.since_ps), end_ps);
  if (ready > span.since_ps) trace_.slice(track, "set-up for " + kernel, span.since_ps, ready, args);
  if (end_ps > ready) trace_.slice(track, kernel, ready, end_ps, args);
}

void SmTimeline::finish(std::uint64_t now_ps) {
  for (const auto& [sm, span] : sms_) write(span, now_ps);
  sms_.clear();
}

}  // namespace warpvp
