#include "modules/host/burst_arbiter.h"

#include <algorithm>

namespace warpvp {

std::optional<unsigned> BurstArbiter::grant() {
  if (waiting_.empty()) return {};
  int most = waiting_.begin()->second;
  for (const auto& [id, priority] : waiting_) most = std::max(most, priority);
  // The next one after the last granted, going round.
  std::optional<unsigned> first, next;
  for (const auto& [id, priority] : waiting_) {
    if (priority != most) continue;
    if (!first) first = id;
    if (!next && last_ && id > *last_) next = id;
  }
  const unsigned chosen = next ? *next : *first;
  if (last_ && *last_ != chosen && waiting_.count(*last_) != 0) ++switches_;
  last_ = chosen;
  return chosen;
}

}  // namespace warpvp
