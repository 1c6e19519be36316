// The DRAM controller's commands: refresh, page policy, direction, candidates, scheduling and their timing.

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/policy_contract.h"
#include "modules/dram/dram_controller.h"

namespace warpvp {

using Candidate = DramScheduler::Candidate;
using Command = DramScheduler::Command;

// ---- what lies before `now`

void DramController::catch_up(Cycle now) {
  while (next_refresh_ <= now) {
    if (next_close_ < next_refresh_) close_rows(next_refresh_, now);
    refresh(now);
  }
  if (next_close_ < now) close_rows(now, now);
}

// Rows of the refreshed banks are closed, then nothing is activated in them for the time of the refresh.
void DramController::refresh(Cycle now) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - banks_.size());
  const Cycle expected = next_refresh_;
  const auto [due, refreshed, cycles, count] = refresh_.call([&](DramRefreshPolicy& policy) {
    const DramRefreshPolicy::Refresh taken = policy.take(now, pending_[0] | pending_[1]);
    next_refresh_ = policy.next();
    return taken;
  });
  std::string rule;
  if (due < expected || due > now) {
    rule =
        fmt::format("it gave a refresh for cycle {}; allowed: from {}, when it said that one is due, to {}",
                    due, expected, now);
  } else if (refreshed == 0 || (refreshed & ~all) != 0 || cycles == 0) {
    rule = fmt::format("it refreshes the banks {:#x} for {} cycles; allowed: some of {:#x}, at least 1 cycle",
                       refreshed, cycles, all);
  } else if (next_refresh_ <= due) {
    rule =
        fmt::format("after the refresh of cycle {} it gave cycle {} for the next one; allowed: a later one",
                    due, next_refresh_);
  }
  if (!rule.empty())
    report_broken_contract(DramRefreshPolicy::kKind, config_.refresh.name, rule,
                           fmt::format("{}, DRAM cycle {}", name(), now));

  Cycle start = due;
  for (std::uint64_t bits = refreshed; bits; bits &= bits - 1) {
    const Bank& bank = banks_[static_cast<unsigned>(__builtin_ctzll(bits))];
    start = std::max(
        start, bank.row == kClosed ? bank.next_activate : std::max(bank.next_precharge, due) + timing_.t_rp);
  }
  for (std::uint64_t bits = refreshed; bits; bits &= bits - 1) {
    Bank& bank = banks_[static_cast<unsigned>(__builtin_ctzll(bits))];
    bank.set_row(kClosed);
    bank.next_activate = std::max(bank.next_activate, start + cycles);
    bank_changed(static_cast<unsigned>(__builtin_ctzll(bits)));
  }
  decided({now, Decision::Kind::kRefresh, {}, false, kNoSlot, count});
  CommandRecord command{start, CommandRecord::Kind::kRefresh,
                        static_cast<std::uint16_t>(__builtin_ctzll(refreshed)), 0, 0};
  command.refreshed = refreshed;
  record(command);
}

// Sends the precharges of the page policy that go before that cycle. At a cycle at which commands of accesses
// go, these have the bus.
void DramController::close_rows(Cycle before, Cycle now) {
  while (next_close_ < before) {
    Bank* first = nullptr;
    for (Bank& bank : banks_)
      if (bank.close_at != kNever && (!first || bank.close_at < first->close_at)) first = &bank;
    next_close_ = first ? first->close_at : kNever;
    if (!first) return;
    const Cycle at = std::max(first->close_at, row_bus_free_);
    if (at >= before) return;
    const auto bank = static_cast<std::uint16_t>(first - banks_.data());
    decided({now, Decision::Kind::kPrecharge});
    record({at, CommandRecord::Kind::kPrecharge, bank, first->row, 0});
    first->set_row(kClosed);
    first->next_activate = std::max(first->next_activate, at + timing_.t_rp);
    bank_changed(bank);
    row_bus_free_ = at + 1;
  }
}

// ---- decisions

// The first cycle after `now` at which bursts that are not queued yet may be.
Cycle DramController::horizon(Cycle now) const {
  Cycle cycle = now + config_.frontend_cycles;
  if (!arrivals_.empty()) cycle = std::min(cycle, arrivals_.front().due);
  if (staged_count_)
    for (const Arrival& staged : staged_)
      if (staged.payload) cycle = std::min(cycle, std::max(staged.due, now + 1));
  return cycle;
}

// Decides the commands of `now`, and of all cycles after it that nobody can influence any more.
void DramController::decide(Cycle now) {
  const Cycle end = horizon(now);
  Cycle cycle = now, next = 0;
  for (;;) {
    next = schedule(cycle);
    if (queued_bursts_[0] + queued_bursts_[1] == 0) {
      next = kNever;
      break;
    }
    next = std::min(next, std::max(next_refresh_, cycle + 1));
    if (next_close_ != kNever) next = std::min(next, std::max(next_close_, cycle) + 1);
    if (next >= end) break;
    cycle = next;
    if (next_refresh_ <= cycle || next_close_ < cycle) catch_up(cycle);
  }
  decided_ = cycle;
  next_decision_ = next;
}

void DramController::decided(const Decision& decision) {
  ++moves_;
  if (decision.at <= now_) {
    effect(decision);
  } else {
    decisions_.push_back(decision);
  }
}

// What was decided for cycles before that one happens.
void DramController::take_effect(Cycle before) {
  while (first_decision_ < decisions_.size() && decisions_[first_decision_].at < before)
    effect(decisions_[first_decision_++]);
  if (first_decision_ == decisions_.size()) {
    decisions_.clear();
    first_decision_ = 0;
  }
}

void DramController::effect(const Decision& decision) {
  count(decision, timing_, counters_);
  if (decision.ended == kNoSlot) return;
  slots_[decision.ended].sent = true;
  finish(decision.ended);
}

void DramController::count(const Decision& decision, const DramTiming& timing, DramCounters& counters) {
  using Kind = Decision::Kind;
  using Found = DramPagePolicy::Found;
  switch (decision.kind) {
    case Kind::kDrain:
      ++counters.write_drains;
      return;
    case Kind::kActivate:
      ++counters.activates;
      return;
    case Kind::kPrecharge:
      ++counters.precharges;
      return;
    case Kind::kRefresh:
      counters.refreshes += decision.count;
      return;
    case Kind::kRead:
      ++counters.read_bursts;
      break;
    case Kind::kWrite:
      ++counters.write_bursts;
      break;
  }
  counters.busy_cycles += timing.burst_cycles();
  counters.auto_precharges += decision.closes_row;
  ++(decision.found == Found::kConflict ? counters.row_conflicts
     : decision.found == Found::kClosed ? counters.row_misses
                                        : counters.row_hits);
}

DramCounters DramController::counters() const {
  DramCounters counters = counters_;
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  for (std::size_t i = first_decision_; i < decisions_.size() && domain_.time_of(decisions_[i].at) < now; ++i)
    count(decisions_[i], timing_, counters);
  return counters;
}

// ---- scheduling

void DramController::choose_direction(Cycle now) {
  const bool drain = wants_drain();
  if (drain && !draining_) {
    drained_ = 0;
    decided({now, Decision::Kind::kDrain});
  }
  draining_ = drain;
  direction_ = direction_for(draining_);
}

// Looks for the oldest burst to the open row from `first` on.
void DramController::Queue::find_hit(std::uint32_t row, std::size_t first) {
  hit = -1;
  if (row == kClosed) return;
  for (std::size_t i = first; i < size() && hit < 0; ++i)
    if ((*this)[i].row == row) hit = static_cast<int>(i);
}

void DramController::Queue::remove(std::size_t index) {
  if (index != 0) {
    bursts_.erase(bursts_.begin() + static_cast<std::ptrdiff_t>(gone_ + index));
  } else if (++gone_ == bursts_.size()) {
    bursts_.clear();
    gone_ = 0;
  } else if (gone_ >= kMostGone) {
    bursts_.erase(bursts_.begin(), bursts_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }
}

void DramController::Bank::set_row(std::uint32_t to) {
  row = to;
  close_at = kNever;
  for (Queue& q : queue) q.find_hit(to, 0);
}

void DramController::offer(unsigned bank_index, unsigned direction, unsigned index, Candidate& c) const {
  const Bank& bank = banks_[bank_index];
  const Burst& burst = bank.queue[direction][index];
  const Slot& slot = slots_[burst.slot];
  if (bank.row == burst.row) {
    c.command = Command::kColumn;
    c.bank_ready = direction == 1 ? bank.next_write : bank.next_read;
  } else if (bank.row == kClosed) {
    c.command = Command::kActivate;
    c.bank_ready = bank.next_activate;
  } else {
    c.command = Command::kPrecharge;
    c.bank_ready = bank.next_precharge;
  }
  c.write = direction == 1;
  c.bank_has_hits = bank.queue[direction].hit >= 0;
  c.bank = static_cast<std::uint16_t>(bank_index);
  c.age = burst.age;
  c.arrival = slot.arrival;
  c.launch = slot.launch;
  c.kernel_slot = slot.kernel_slot;
  c.context = slot.context;
  c.sm = slot.sm;
  c.index = index;
}

// The oldest burst of each kernel slot and its oldest one to the open row, oldest first: into firsts_.
void DramController::find_firsts_of_kernels(const Bank& bank, unsigned direction) {
  const auto is_first = [](std::vector<std::uint16_t>& seen, std::uint16_t slot) {
    if (std::find(seen.begin(), seen.end(), slot) != seen.end()) return false;
    seen.push_back(slot);
    return true;
  };
  const Queue& queue = bank.queue[direction];
  for (std::vector<std::uint16_t>& seen : seen_) seen.clear();
  firsts_.clear();
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint16_t slot = slots_[queue[i].slot].kernel_slot;
    const bool first = is_first(seen_[0], slot);
    const bool first_hit = queue[i].row == bank.row && is_first(seen_[1], slot);
    if (first || first_hit) firsts_.push_back(static_cast<unsigned>(i));
  }
}

// Brings the candidates of one direction up to date; returns the first cycle at which one of them is legal.
// A bank offers its oldest burst, and the oldest one to its open row if that is another.
Cycle DramController::update_candidates(unsigned direction) {
  CandidateList& candidates = candidates_[direction];
  const auto soonest = [&] { return std::min(candidates.soonest_column(), candidates.soonest_row()); };
  if (up_to_date_ == direction) return soonest();
  for (std::uint64_t bits = changed_[direction]; bits; bits &= bits - 1) {
    const auto bank = static_cast<unsigned>(__builtin_ctzll(bits));
    if (ranks_kernels_) {
      find_firsts_of_kernels(banks_[bank], direction);
      Candidate* const offered = candidates.replace(bank, static_cast<unsigned>(firsts_.size()));
      for (std::size_t i = 0; i < firsts_.size(); ++i) offer(bank, direction, firsts_[i], offered[i]);
      continue;
    }
    const Queue& queue = banks_[bank].queue[direction];
    const unsigned count = queue.empty() ? 0 : queue.hit > 0 ? 2 : 1;
    Candidate* const offered = candidates.replace(bank, count);
    if (count > 0) offer(bank, direction, 0, offered[0]);
    if (count > 1) offer(bank, direction, static_cast<unsigned>(queue.hit), offered[1]);
  }
  changed_[direction] = 0;
  up_to_date_ = direction;
  candidates.update({groups_.data(), direction == 1, direction == 1 ? next_write_ : next_read_,
                     std::max(next_activate_, activations_[oldest_activation_])});
  return soonest();
}

// What the policy chooses, found to be a command that may go.
int DramController::pick(const std::vector<Candidate>& candidates, Cycle now) {
  const int index = scheduler_.call([&](DramScheduler& policy) { return policy.pick(candidates, now); });
  if (index == -1) return index;
  if (index >= 0 && static_cast<std::size_t>(index) < candidates.size() &&
      candidates[static_cast<std::size_t>(index)].earliest <= now)
    return index;
  std::string rule;
  if (index < 0 || static_cast<std::size_t>(index) >= candidates.size()) {
    rule = fmt::format("it picked command {} of {}; allowed: 0 to {}, or -1 for none", index,
                       candidates.size(), candidates.size() - 1);
  } else {
    static constexpr const char* kCommands[] = {"activate", "precharge", "column access"};
    const Candidate& c = candidates[static_cast<std::size_t>(index)];
    rule = fmt::format("it picked the {} of bank {} before the earliest cycle at which that is legal, {}",
                       kCommands[static_cast<unsigned>(c.command)], c.bank, c.earliest);
  }
  report_broken_contract(DramScheduler::kKind, config_.scheduler.name, rule,
                         fmt::format("{}, DRAM cycle {}", name(), now));
}

// Decides what is sent at `now`; returns the next cycle at which a command can become legal.
Cycle DramController::schedule(Cycle now) {
  choose_direction(now);
  if (!queued_bursts_[direction_]) return kNever;
  const Cycle soonest = update_candidates(direction_);
  if (soonest > now) return soonest;
  const std::vector<Candidate>& candidates = candidates_[direction_].all();
  const int first = pick(candidates, now);
  declined_ = first < 0;
  if (declined_) {
    // Nothing goes now. A candidate that is legal but not wanted waits for the others.
    Cycle next = kNever;
    for (const Candidate& c : candidates)
      if (c.earliest > now) next = std::min(next, c.earliest);
    return next == kNever ? now + 1 : next;
  }
  // The candidates stay as they are until they are updated.
  const Candidate& chosen = candidates[static_cast<std::size_t>(first)];
  issue(chosen, now);
  if (timing_.dual_command_bus) issue_on_other_bus(chosen, now);
  const unsigned direction = direction_for(wants_drain());
  return queued_bursts_[direction] ? std::max(update_candidates(direction), now + 1) : now + 1;
}

// Row and column commands have a bus each.
void DramController::issue_on_other_bus(const Candidate& chosen, Cycle now) {
  const CandidateList& candidates = candidates_[direction_];
  const bool column = chosen.command != Command::kColumn;
  if ((column ? candidates.soonest_column() : candidates.soonest_row()) > now) return;
  other_bus_.clear();
  bool legal = false;
  for (const Candidate& c : candidates.all()) {
    if ((c.command == Command::kColumn) != column || c.bank == chosen.bank) continue;
    other_bus_.push_back(c);
    legal |= c.earliest <= now;
  }
  if (!legal) return;
  const int second = pick(other_bus_, now);
  if (second >= 0) issue(other_bus_[static_cast<std::size_t>(second)], now);
}

void DramController::issue(const Candidate& c, Cycle now) {
  scheduler_.call([&](DramScheduler& policy) { policy.issued(c, now); });
  bank_changed(c.bank);
  if (c.command != Command::kColumn || !timing_.dual_command_bus) row_bus_free_ = now + 1;
  if (c.command == Command::kColumn) {
    issue_column(c, now);
    return;
  }
  Bank& bank = banks_[c.bank];
  Burst& burst = bank.queue[direction_][c.index];
  if (c.command == Command::kPrecharge) {
    decided({now, Decision::Kind::kPrecharge});
    record({now, CommandRecord::Kind::kPrecharge, c.bank, bank.row, 0});
    bank.set_row(kClosed);
    burst.conflicted = true;
    bank.next_activate = std::max(bank.next_activate, now + timing_.t_rp);
    return;
  }
  Group& group = groups_[c.bank >> group_shift_];
  const auto raise = [](Cycle& limit, Cycle to) { limit = std::max(limit, to); };
  bank.set_row(burst.row);
  burst.activated = true;
  raise(bank.next_activate, now + timing_.t_rc);
  raise(bank.next_precharge, now + timing_.t_ras);
  raise(bank.next_read, now + timing_.t_rcd);
  raise(bank.next_write, now + timing_.t_rcd);
  raise(group.next_activate, now + timing_.t_rrd_l);
  raise(next_activate_, now + timing_.t_rrd_s);
  activations_[oldest_activation_] = now + timing_.t_faw;
  oldest_activation_ = (oldest_activation_ + 1) % 4;
  decided({now, Decision::Kind::kActivate});
  record({now, CommandRecord::Kind::kActivate, c.bank, burst.row, burst.column});
}

void DramController::issue_column(const Candidate& c, Cycle now) {
  Bank& bank = banks_[c.bank];
  Group& group = groups_[c.bank >> group_shift_];
  Queue& queue = bank.queue[direction_];
  const Burst burst = queue[c.index];
  const auto raise = [](Cycle& limit, Cycle to) { limit = std::max(limit, to); };
  const std::uint32_t data = timing_.burst_cycles();
  Cycle data_end;
  if (c.write) {
    data_end = now + timing_.t_cwl + data;
    raise(bank.next_precharge, data_end + timing_.t_wr);
    raise(group.next_read, data_end + timing_.t_wtr_l);
    raise(next_read_, data_end + timing_.t_wtr_s);
    raise(group.next_write, now + timing_.t_ccd_l);
    raise(next_write_, now + timing_.t_ccd_s);
  } else {
    data_end = now + timing_.t_cl + data;
    raise(bank.next_precharge, now + timing_.t_rtp);
    raise(group.next_read, now + timing_.t_ccd_l);
    raise(next_read_, now + timing_.t_ccd_s);
    raise(next_write_, now + timing_.t_rtw());
  }
  using Found = DramPagePolicy::Found;
  const Found found = burst.conflicted ? Found::kConflict : burst.activated ? Found::kClosed : Found::kOpen;
  const bool oldest_hit = queue.hit == static_cast<int>(c.index);
  queue.remove(c.index);
  if (oldest_hit) queue.find_hit(bank.row, c.index);  // none older than the one that went
  if (queue.empty()) pending_[direction_] &= ~(std::uint64_t{1} << c.bank);
  --queued_bursts_[direction_];
  const bool row_waiting = bank.queue[0].hit >= 0 || bank.queue[1].hit >= 0;
  const Cycle close_at = page_policy_.call([&](DramPagePolicy& policy) {
    return policy.close_at({c.bank, c.write, row_waiting, found, burst.row, burst.column}, now);
  });
  const bool closed = close_at != kNever && close_row(c.bank, row_waiting, close_at, now);
  record({now, c.write ? CommandRecord::Kind::kWrite : CommandRecord::Kind::kRead, c.bank, burst.row,
          burst.column, closed});

  Slot& slot = slots_[burst.slot];
  slot.data_end = std::max(slot.data_end, data_end);
  const bool last = --slot.bursts_left == 0;
  if (last && slot.write) {
    --queued_writes_;
    ++drained_;
  } else if (last) {
    answer(burst.slot, slot.data_end + config_.backend_cycles);
  }
  decided({now, c.write ? Decision::Kind::kWrite : Decision::Kind::kRead, found, closed,
           last ? burst.slot : kNoSlot});
}

// What the page policy wants done about the row of an access that is sent now; whether the access closes it.
bool DramController::close_row(unsigned index, bool row_waiting, Cycle when, Cycle now) {
  if (when < now)
    report_broken_contract(
        DramPagePolicy::kKind, config_.page_policy.name,
        fmt::format(
            "it wants the row of bank {} closed at cycle {}; allowed: the present cycle or a later one",
            index, when),
        fmt::format("{}, DRAM cycle {}", name(), now));
  Bank& bank = banks_[index];
  if (when == now) {
    bank.set_row(kClosed);
    bank.next_activate = std::max(bank.next_activate, bank.next_precharge + timing_.t_rp);
    return true;
  }
  if (!row_waiting) {
    bank.close_at = std::max(when, bank.next_precharge);
    next_close_ = std::min(next_close_, bank.close_at);
  }
  return false;
}

}  // namespace warpvp
