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
    const Group& group = limits.groups[c.bank >> group_shift_];
    if (c.command == Command::kColumn) {
      const Cycle group_ready = limits.write ? group.next_write : group.next_read;
      c.earliest = std::max(std::max(c.bank_ready, group_ready), limits.next_column);
      column = std::min(column, c.earliest);
    } else {
      c.earliest = c.command == Command::kActivate
                       ? std::max(std::max(c.bank_ready, group.next_activate), limits.next_activate)
                       : c.bank_ready;
      row = std::min(row, c.earliest);
    }
  }
  soonest_column_ = column;
  soonest_row_ = row;
}

}  // namespace warpvp
