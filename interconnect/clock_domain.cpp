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

ClockDomain::ClockDomain(sc_core::sc_module_name name, double mhz) : sc_module(name), mhz_(mhz) {
  period_ = sc_core::sc_time(std::round(1e9 / mhz), sc_core::SC_FS).value();
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
  sensitive << edge_;
  dont_initialize();
  SC_THREAD(run_commits);
  sensitive << evaluated_;
  dont_initialize();
  set_stack_size(kStackBytes);
}

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

Cycle ClockDomain::now() const {
  return ticking_ ? current_ : sc_core::sc_time_stamp().value() / period_;
}

sc_core::sc_time ClockDomain::time_of(Cycle cycle) const { return sc_core::sc_time::from_value(cycle * period_); }

void ClockDomain::wake(unsigned id, Cycle cycle) {
  // A tick that is due at this very instant and not yet processed does not stand for one at a later edge: what
  // woke the block is seen at that later edge only, and a process of another clock may run before ours.
  const bool due_now = due_[id] != kNever && due_[id] * period_ <= sc_core::sc_time_stamp().value();
  if (due_[id] <= cycle && !due_now) return;
  cycle = std::max(cycle, now() + 1);
  if (due_now) {
    later_[id] = std::min(later_[id], cycle);
    return;
  }
  if (due_[id] <= cycle) return;
  due_[id] = cycle;
  place(id, cycle, now());
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
  edge_.notify(sc_core::sc_time::from_value(cycle * period_ - sc_core::sc_time_stamp().value()));
}

void ClockDomain::run() {
  current_ = sc_core::sc_time_stamp().value() / period_;
  ticking_ = true;
  scheduled_ = kNever;
  if (far_ <= current_ || far_ - current_ < kSpan) place_far_blocks();
  active_.clear();
  const Cycle slot = current_ % kSpan;
  occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  std::uint64_t* const mask = &wheel_[slot * words_];
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t bits = mask[w]; bits; bits &= bits - 1) {
      const unsigned id = static_cast<unsigned>(w * 64) + static_cast<unsigned>(__builtin_ctzll(bits));
      if (due_[id] == current_) active_.push_back(id);
    }
    mask[w] = 0;
  }
  for (unsigned id : active_) {
    due_[id] = later_[id];
    later_[id] = kNever;
    if (due_[id] != kNever) place(id, due_[id], current_);
  }
  if (evaluation_)
    evaluation_->run(blocks_, active_, current_);
  else
    for (unsigned id : active_) blocks_[id]->evaluate(current_);
  if (by_thread_.load(std::memory_order_relaxed)) {
    evaluated_.notify();  // the thread runs in this same evaluation phase; nothing is committed before
    return;
  }
  commit_blocks();
  end_edge();
}

void ClockDomain::run_commits() {
  for (;;) {
    by_thread_.store(false, std::memory_order_relaxed);
    const sc_core::sc_time began = sc_core::sc_time_stamp();
    commit_blocks();
    if (sc_core::sc_time_stamp() != began)
      SC_REPORT_ERROR(name(), "what a block called in its commit let time pass: it called wait()");
    end_edge();
    wait();
  }
}

void ClockDomain::commit_blocks() {
  for (unsigned id : active_) {
    const Cycle next = blocks_[id]->commit(current_);
    if (next < due_[id]) {
      due_[id] = std::max(next, current_ + 1);
      place(id, due_[id], current_);
    }
  }
}

void ClockDomain::end_edge() {
  ticking_ = false;
  const Cycle next = earliest();
  if (next != kNever) schedule(next);
}

}  // namespace warpvp
