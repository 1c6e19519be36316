#include "modules/host/burst_arbiter.h"

#include <algorithm>

namespace warpvp {

std::optional<unsigned> BurstArbiter::grant() {
  if (waiting_.empty()) return {};
  int most = waiting_.begin()->second.priority;
  for (const auto& [id, transfer] : waiting_) most = std::max(most, transfer.priority);
  // The next one after the last granted, going round.
  std::optional<unsigned> first, next;
  overtaken_.clear();
  for (auto& [id, transfer] : waiting_) {
    if (transfer.priority != most) {
      if (!transfer.begun || transfer.overtaken) continue;
      transfer.overtaken = true;
      overtaken_.push_back(id);
      continue;
    }
    if (!first) first = id;
    if (!next && last_ && id > *last_) next = id;
  }
  const unsigned chosen = next ? *next : *first;
  if (last_ && *last_ != chosen && waiting_.count(*last_) != 0) ++switches_;
  last_ = chosen;
  overtakings_ += overtaken_.size();
  Waiting& granted = waiting_[chosen];
  goes_on_ = granted.overtaken;
  granted.begun = true;
  granted.overtaken = false;
  return chosen;
}

}  // namespace warpvp
