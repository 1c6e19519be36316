#include "modules/dram/candidate_list.h"

#include <algorithm>

namespace warpvp {

using Command = DramScheduler::Command;

DramScheduler::Candidate* CandidateList::replace(unsigned bank, unsigned count) {
  const unsigned first = begin_[bank], before = begin_[bank + 1] - first;
  if (count != before) {
    const auto place = all_.begin() + first;
    if (count > before) {
      all_.insert(place, count - before, {});
    } else {
      all_.erase(place, place + (before - count));
    }
    for (std::size_t b = bank + 1; b < begin_.size(); ++b) begin_[b] = begin_[b] + count - before;
  }
  return all_.data() + first;
}

void CandidateList::update(const Limits& limits) {
  Cycle column = kNever, row = kNever;
  for (Candidate& c : all_) {
    const unsigned group = c.bank >> group_shift_;
    if (c.command == Command::kColumn) {
      c.earliest = std::max(c.bank_ready, limits.column[group]);
      column = std::min(column, c.earliest);
    } else {
      c.earliest =
          c.command == Command::kActivate ? std::max(c.bank_ready, limits.activate[group]) : c.bank_ready;
      row = std::min(row, c.earliest);
    }
  }
  soonest_column_ = column;
  soonest_row_ = row;
}

}  // namespace warpvp
