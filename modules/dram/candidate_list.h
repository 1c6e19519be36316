#pragma once
// The commands that a DRAM controller offers to its scheduler in one direction, of all banks, in the order of
// the banks. A bank's part is made anew only when its queue, its row or its timing has changed; of the others
// only the cycles at which they become legal move, with what all banks share.

#include <vector>

#include "modules/dram/scheduler.h"

namespace warpvp {

class CandidateList {
 public:
  using Candidate = DramScheduler::Candidate;

  /// First cycles at which commands can go as far as a bank group is concerned.
  struct Group {
    Cycle next_activate = 0, next_read = 0, next_write = 0;
  };
  /// The same of the bank groups and, beside them, of the channel.
  struct Limits {
    const Group* groups;
    bool write;  ///< the column commands are writes
    Cycle next_column, next_activate;
  };

  /// `group_shift`: a bank's number shifted by it is that of its group.
  CandidateList(unsigned banks, unsigned group_shift) : group_shift_(group_shift), begin_(banks + 1, 0) {}

  /// Makes room for the `count` commands that `bank` offers from now on. Returns the first; all fields of all
  /// of them are the caller's to set, but for `earliest`.
  Candidate* replace(unsigned bank, unsigned count);
  /// Works out when each command becomes legal.
  void update(const Limits& limits);
  /// The first cycle at which a column command was legal at the last update; kNever if there was none.
  Cycle soonest_column() const { return soonest_column_; }
  /// As above, for activates and precharges.
  Cycle soonest_row() const { return soonest_row_; }
  const std::vector<Candidate>& all() const { return all_; }

 private:
  unsigned group_shift_;
  std::vector<Candidate> all_;
  Cycle soonest_column_ = kNever, soonest_row_ = kNever;
  std::vector<unsigned> begin_;  // [bank]: its first candidate; its last stands before that of the next bank
};

}  // namespace warpvp
