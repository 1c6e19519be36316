#include "modules/host/burst_arbiter.h"

#include <algorithm>

namespace warpvp {

BurstArbiter::Places::iterator BurstArbiter::place_of(unsigned id) {
  return std::lower_bound(waiting_.begin(), waiting_.end(), id,
                          [](const Waiting& w, unsigned other) { return w.id < other; });
}

void BurstArbiter::join(unsigned id, int priority) {
  const auto place = place_of(id);
  if (place != waiting_.end() && place->id == id) {
    *place = {id, priority};
  } else {
    waiting_.insert(place, {id, priority});
  }
}

void BurstArbiter::leave(unsigned id) {
  const auto place = place_of(id);
  if (place != waiting_.end() && place->id == id) waiting_.erase(place);
}

std::optional<unsigned> BurstArbiter::grant() {
  if (waiting_.empty()) return {};
  int most = waiting_.front().priority;
  for (const Waiting& transfer : waiting_) most = std::max(most, transfer.priority);
  // The next one after the last granted, going round.
  Waiting *first = nullptr, *next = nullptr, *last = nullptr;
  overtaken_.clear();
  for (Waiting& transfer : waiting_) {
    if (last_ == transfer.id) last = &transfer;
    if (transfer.priority != most) {
      if (!transfer.begun || transfer.overtaken) continue;
      transfer.overtaken = true;
      overtaken_.push_back(transfer.id);
      continue;
    }
    if (first == nullptr) first = &transfer;
    if (next == nullptr && last_ && transfer.id > *last_) next = &transfer;
  }
  Waiting& granted = next != nullptr ? *next : *first;
  if (last != nullptr && last != &granted) ++switches_;
  last_ = granted.id;
  overtakings_ += overtaken_.size();
  goes_on_ = granted.overtaken;
  granted.begun = true;
  granted.overtaken = false;
  return granted.id;
}

}  // namespace warpvp
