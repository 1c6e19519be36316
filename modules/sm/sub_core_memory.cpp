// What a sub-core does with the answers of the memory side: results come, and warps go on.

#include <fmt/format.h>

#include <algorithm>

#include "modules/sm/sub_core.h"

namespace warpvp {

void SubCore::access_missed(const AccessInFlight& access) {
  WarpSlot& slot = *access.slot;
  set_result(access, Scoreboard::kPendingMiss);
  if (slot.state == WarpState::kRawHit) update_head(slot, sm_.now);
}

void SubCore::access_done(const AccessInFlight& access) {
  WarpSlot& slot = *access.slot;
  // What memory yields is in the register file at once.
  set_result(access, sm_.now - std::min<Cycle>(sm_.now, address_latency_));
  if (access.names != kNoNames) sm_.names_in_flight.give_back(access.names);
  if (access.signal != ptx::BulkSpans::kNoSignal) {
    slot.stream->copy_done(access.signal);
    --slot.copies_in_flight;
  }
  --slot.in_flight;
  if (access.async) --slot.async_in_flight;
  switch (slot.state) {
    case WarpState::kRawHit:
    case WarpState::kRawLong:
      update_head(slot, sm_.now);
      break;
    case WarpState::kFence:
      // Only a wait for asynchronous copies ends here; a fence ends with stores_drained.
      if (access.async && slot.async_in_flight == 0 &&
          (slot.awaits_reads || !sm_.memory->stores_outstanding(slot.owner.warp)))
        update_head(slot, sm_.now);
      break;
    case WarpState::kDrain:
      if (drained(slot)) owner_.warp_drained(slot);
      break;
    default:
      break;
  }
}

void SubCore::stores_drained(WarpSlot& slot) {
  if (slot.state == WarpState::kFence && slot.async_in_flight == 0) update_head(slot, sm_.now);
  if (slot.state == WarpState::kDrain && drained(slot)) owner_.warp_drained(slot);
}

void SubCore::line_filled(std::uint64_t line_address) {
  for (WarpMask resumed = front_end_->line_filled(line_address); resumed; resumed &= resumed - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(resumed));
    WarpSlot& slot = warps_[warp];
    if (slot.state == WarpState::kFetch) update_head(slot, sm_.now);
    if (observed_) issue_->excuse(warp, sm_.now);
  }
}

std::string SubCore::describe_fetch(const WarpSlot& slot) const {
  std::string text = "waits for instructions";
  if (!(front_end_->missing() >> slot.warp & 1)) return text;
  const auto line = front_end_->missing_line(slot.warp);
  if (!line) return text;
  return text + fmt::format(" (the line at {:#x} {})", *line, sm_.memory->line_whereabouts(index_, *line));
}

}  // namespace warpvp
