#include "interconnect/clock_domain.h"

#include <algorithm>
#include <cmath>

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
}

unsigned ClockDomain::join(Clocked& block) {
  blocks_.push_back(&block);
  due_.push_back(kNever);
  later_.push_back(kNever);
  active_.reserve(blocks_.size());
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
  if (!ticking_ && cycle < scheduled_) schedule(cycle);
}

void ClockDomain::schedule(Cycle cycle) {
  scheduled_ = cycle;
  edge_.cancel();
  edge_.notify(sc_core::sc_time::from_value(cycle * period_ - sc_core::sc_time_stamp().value()));
}

void ClockDomain::run() {
  current_ = sc_core::sc_time_stamp().value() / period_;
  ticking_ = true;
  scheduled_ = kNever;
  active_.clear();
  const unsigned count = static_cast<unsigned>(blocks_.size());
  for (unsigned id = 0; id < count; ++id) {
    if (due_[id] <= current_) {
      due_[id] = later_[id];
      later_[id] = kNever;
      active_.push_back(id);
    }
  }
  for (unsigned id : active_) blocks_[id]->evaluate(current_);
  for (unsigned id : active_) {
    const Cycle next = blocks_[id]->commit(current_);
    if (next < due_[id]) due_[id] = std::max(next, current_ + 1);
  }
  ticking_ = false;
  Cycle earliest = kNever;
  for (unsigned id = 0; id < count; ++id) earliest = std::min(earliest, due_[id]);
  if (earliest != kNever) schedule(earliest);
}

}  // namespace warpvp
