#include "interconnect/edge_process.h"

#include <algorithm>

#include "interconnect/clock_domain.h"

namespace warpvp {

std::shared_ptr<EdgeProcess> EdgeProcess::of_simulation() {
  static std::weak_ptr<EdgeProcess> present;
  std::shared_ptr<EdgeProcess> process = present.lock();
  if (!process) {
    process.reset(new EdgeProcess(sc_core::sc_gen_unique_name("edges")));
    present = process;
  }
  return process;
}

EdgeProcess::EdgeProcess(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(EdgeProcess);
  SC_METHOD(run);
  sensitive << event_;
  dont_initialize();
  SC_THREAD(run_by_thread);
  sensitive << to_thread_;
  dont_initialize();
  set_stack_size(kStackBytes);
}

unsigned EdgeProcess::join(ClockDomain& domain) {
  domains_.push_back(&domain);
  edges_.push_back(kNoEdge);
  return static_cast<unsigned>(domains_.size() - 1);
}

void EdgeProcess::notify(std::uint64_t time) {
  event_.notify(sc_core::sc_time::from_value(time - now()));
  notified_ = time;
}

void EdgeProcess::run() {
  time_ = notified_;
  notified_ = kNoEdge;
  running_ = true;
  tick(domains_.size(), false);
}

void EdgeProcess::run_by_thread() {
  while (true) {
    commit_by_thread(*domains_[handed_over_]);
    tick(handed_over_, true);
    wait();
  }
}

void EdgeProcess::commit_by_thread(ClockDomain& domain) {
  try {
    domain.commit();
  } catch (const sc_core::sc_report& error) {
    return contain(domain, error);
  }
  if (sc_core::sc_time_stamp().value() != time_)
    SC_REPORT_ERROR(domain.name(), "what a block called in its commit let time pass: it called wait()");
}

/// Within a catch clause.
void EdgeProcess::contain(ClockDomain& domain, const sc_core::sc_report& error) {
  if (!domain.errors_to_) throw;
  domain.stop();
  domain.errors_to_(error);
}

/// Ticks the domains made before number `end` that are due, the last first, and ends the instant: or hands
/// over to the thread, which does the rest.
void EdgeProcess::tick(std::size_t end, bool in_thread) {
  for (std::size_t number = end; number-- > 0;) {
    if (edges_[number] != time_) {
      notified_ = std::min(notified_, edges_[number]);
      continue;
    }
    edges_[number] = kNoEdge;
    ClockDomain& domain = *domains_[number];
    if (domain.stopped_) continue;
    bool by_thread = false;
    try {
      by_thread = domain.evaluate();
      if (!by_thread) domain.commit();
    } catch (const sc_core::sc_report& error) {
      contain(domain, error);
      continue;
    }
    if (!by_thread) continue;
    if (!in_thread) {
      handed_over_ = number;
      to_thread_.notify();  // it runs in this same evaluation phase; nothing is committed before
      return;
    }
    commit_by_thread(domain);
  }
  if (notified_ != kNoEdge) event_.notify(sc_core::sc_time::from_value(notified_ - time_));
  running_ = false;
}

}  // namespace warpvp
