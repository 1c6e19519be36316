#include "interconnect/clock_domain.h"

#include <algorithm>
#include <cmath>

#include "interconnect/evaluation.h"

namespace warpvp {

void configure_time() {
  static bool done = false;
  if (!done) sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  done = true;
}

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
  const std::size_t words = (blocks_.size() + 63) / 64;
  if (words != words_) {
    words_ = words;
    wheel_.assign(kSpan * words, 0);
    for (unsigned id = 0; id < due_.size(); ++id)
      if (due_[id] != kNever) far_ = std::min(far_, due_[id]);  // found again by the scan
  }
  return static_cast<unsigned>(blocks_.size() - 1);
}

sc_core::sc_time ClockDomain::time_of(Cycle cycle) const {
  return sc_core::sc_time::from_value(cycle * period_);
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

// Every entry of the wheel lies at or after `now`, so the next kSpan edges have a mask each.
void ClockDomain::place(unsigned id, Cycle cycle, Cycle now) {
  if (cycle - now >= kSpan) {
    far_ = std::min(far_, cycle);
    return;
  }
  const Cycle slot = cycle % kSpan;
  wheel_[slot * words_ + id / 64] |= std::uint64_t{1} << (id % 64);
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void ClockDomain::place_far_blocks() {
  far_ = kNever;
  for (unsigned id = 0; id < due_.size(); ++id)
    if (due_[id] != kNever) place(id, due_[id], current_);
}

// The first edge after the current one at which a block may be due.
Cycle ClockDomain::earliest() const {
  const Cycle from = current_ + 1;
  std::size_t word = from % kSpan / 64;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (from % 64));
  for (std::size_t looked = 0; looked <= kSpan / 64; ++looked) {
    if (bits) {
      const Cycle slot = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
      return std::min(far_, from + (slot - from) % kSpan);
    }
    word = (word + 1) % (kSpan / 64);
    bits = occupied_[word];
  }
  return far_;
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
  const Cycle slot = now % kSpan;
  occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  std::uint64_t* const mask = &wheel_[slot * words_];
  active_.clear();
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t bits = mask[w]; bits; bits &= bits - 1) {
      const unsigned id = static_cast<unsigned>(w * 64) + static_cast<unsigned>(__builtin_ctzll(bits));
      if (due_[id] != now) continue;
      due_[id] = kNever;
      active_.push_back(id);
    }
    mask[w] = 0;
  }
  if (any_later_) place_later_blocks();
  if (evaluation_) {
    evaluation_->run(blocks_, active_, now);
  } else {
    for (unsigned id : active_) blocks_[id]->evaluate(now);
  }
  return by_thread_.exchange(false, std::memory_order_relaxed);
}

void ClockDomain::commit() {
  const Cycle now = current_;
  for (unsigned id : active_) {
    const Cycle next = blocks_[id]->commit(now);
    if (next >= due_[id]) continue;
    due_[id] = std::max(next, now + 1);
    place(id, due_[id], now);
  }
  ticking_ = false;
  if (const Cycle next = earliest(); next != kNever) schedule(next);
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
