#include "interconnect/clock_domain.h"

#include <algorithm>
#include <cmath>

#include "interconnect/evaluation.h"

namespace warpvp {

ClockDomain::ClockDomain(sc_core::sc_module_name name, double mhz)
    : sc_module(name),
      mhz_(mhz),
      period_(sc_core::sc_time(std::round(1e9 / mhz), sc_core::SC_FS).value()),
      process_(EdgeProcess::of_simulation()),
      number_(process_->join(*this)) {}

unsigned ClockDomain::join(Clocked& block) {
  blocks_.push_back(&block);
  due_.push_back(kNever);
  later_.push_back(kNever);
  active_.reserve(blocks_.size());
  const auto words = static_cast<unsigned>((blocks_.size() + 63) / 64);
  if (words != wheel_.words()) {
    wheel_ = SetWheel(kSpan, words);
    for (unsigned id = 0; id < due_.size(); ++id)
      if (due_[id] != kNever) far_ = std::min(far_, due_[id]);  // found again by the scan
  }
  return static_cast<unsigned>(blocks_.size() - 1);
}

sc_core::sc_time ClockDomain::time_of(Cycle cycle) const {
  return sc_core::sc_time::from_value(cycle * period_);
}

// Every entry of the wheel lies at or after `now`, so the next kSpan edges have a mask each.
inline void ClockDomain::place(unsigned id, Cycle cycle, Cycle now) {
  if (cycle - now >= kSpan) {
    far_ = std::min(far_, cycle);
    return;
  }
  wheel_.add(cycle, id);
}

void ClockDomain::wake(unsigned id, Cycle cycle) {
  const Cycle now = this->now();
  cycle = std::max(cycle, now + 1);
  Cycle& due = due_[id];
  if (due <= now) {
    // A tick that is due at this very instant and not yet processed does not stand for one at a later edge:
    // what woke the block is seen at that later edge only, and another domain may tick before ours.
    later_[id] = std::min(later_[id], cycle);
    any_later_ = true;
    return;
  }
  if (due <= cycle) return;
  due = cycle;
  place(id, cycle, now);
  if (!ticking_ && cycle < scheduled_) schedule(cycle);
}

void ClockDomain::place_far_blocks() {
  far_ = kNever;
  for (unsigned id = 0; id < due_.size(); ++id)
    if (due_[id] != kNever) place(id, due_[id], current_);
}

void ClockDomain::schedule(Cycle cycle) {
  scheduled_ = cycle;
  process_->set_edge(number_, cycle * period_);
}

bool ClockDomain::evaluate() {
  const Cycle now = current_ = scheduled_;
  ticking_ = true;
  scheduled_ = kNever;
  if (far_ <= now || far_ - now < kSpan) place_far_blocks();
  std::uint64_t* const mask = wheel_.take(now);
  active_.clear();
  for (unsigned w = 0; w < wheel_.words(); ++w) {
    for (std::uint64_t bits = mask[w]; bits; bits &= bits - 1) {
      const unsigned id = w * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
      if (due_[id] != now) continue;
      due_[id] = kNever;
      __builtin_prefetch(blocks_[id]);  // more blocks than the host's near cache holds
      active_.push_back(id);
    }
    mask[w] = 0;
  }
  if (any_later_) place_later_blocks();
  if (evaluation_) {
    evaluation_->run(blocks_, active_, now);
  } else {
    for (unsigned id : active_) at_edge_of(*blocks_[id], [&](Clocked& block) { block.evaluate(now); });
  }
  // A load and a store, since an exchange locks the host's bus: nobody asks after the evaluations.
  const bool by_thread = by_thread_.load(std::memory_order_relaxed);
  if (by_thread) by_thread_.store(false, std::memory_order_relaxed);
  return by_thread;
}

void ClockDomain::commit() {
  const Cycle now = current_;
  for (unsigned id : active_) {
    const Cycle next = at_edge_of(*blocks_[id], [&](Clocked& block) { return block.commit(now); });
    if (next >= due_[id]) continue;
    due_[id] = std::max(next, now + 1);
    place(id, due_[id], now);
  }
  if (!visits_.empty()) note_visits();
  ticking_ = false;
  if (const Cycle next = earliest(); next != kNever) schedule(next);
}

void ClockDomain::note_visits() {
  for (unsigned id : active_) {
    Visits& v = visits_[id];
    const std::uint64_t progress = blocks_[id]->progress();
    ++v.edges;
    v.in_vain += progress == v.progress;
    v.progress = progress;
  }
}

void ClockDomain::place_later_blocks() {
  any_later_ = false;
  for (unsigned id = 0; id < later_.size(); ++id) {
    if (later_[id] == kNever) continue;
    due_[id] = later_[id];
    later_[id] = kNever;
    place(id, due_[id], current_);
  }
}

}  // namespace warpvp
