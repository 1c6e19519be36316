#pragma once
// A clock domain has the only per-cycle work of its clock done. Blocks join it and are ticked only at the
// edges at which they have something to do; when all sleep, the domain costs nothing. All domains of a
// simulation share one SystemC process (edge_process.h).
//
// Each edge has two halves. In `evaluate` a block reads what reached it before this edge and changes only its
// own state. In `commit` it hands over, through its sockets, what it decided to send. Because every evaluate
// of an edge precedes every commit of that edge, what is sent at an edge is seen at the next one and results
// do not depend on the order of blocks within a domain.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/cycle.h"
#include "interconnect/edge_process.h"
#include "interconnect/policy_contract.h"
#include "interconnect/systemc_context.h"
#include "interconnect/timing_wheel.h"

namespace warpvp {

class Evaluation;

/// A block driven by a ClockDomain.
class Clocked {
 public:
  virtual ~Clocked() = default;
  /// First half of edge `now`: take what arrived, update own state. No calls out of the block; blocks may be
  /// evaluated in any order, and by different threads.
  virtual void evaluate(Cycle now) = 0;
  /// Whether evaluate() at edge `now` may take as long as waking another thread of the host. Decides nothing
  /// but that.
  virtual bool worth_a_thread(Cycle /*now*/) const { return true; }
  /// Second half: send. A block that will call b_transport has said so in evaluate
  /// (`ClockDomain::commit_by_thread`). Returns the next edge at which the block has work (> now), or kNever
  /// to sleep until `ClockDomain::wake`.
  virtual Cycle commit(Cycle now) = 0;
  /// Goes up with each thing that moves in it: instructions, transactions, commands. An edge that leaves it
  /// as it was has found nothing to do. For profiles; a block that does not count has 0.
  virtual std::uint64_t progress() const { return 0; }
};

/// Calls a half of a block's edge; what it throws ends the simulation naming the block.
template <class Half>
auto at_edge_of(Clocked& block, Half&& half) {
  try {
    return half(block);
  } catch (...) {
    report_thrown_at_edge(block);
  }
}

class ClockDomain : public sc_core::sc_module {
 public:
  /// `mhz`: frequency; the period is rounded to a whole femtosecond (the resolution `configure_time` sets).
  /// Of domains whose edges fall together, the one made last ticks first; no result may depend on it.
  ClockDomain(sc_core::sc_module_name name, double mhz);

  /// Adds a block; blocks tick in joining order. Returns the id for `wake`. Before elaboration ends only.
  unsigned join(Clocked& block);
  /// Makes the block tick at edge `cycle`, or at the next edge if that one is past or under way.
  void wake(unsigned id, Cycle cycle);
  /// As above, at the next edge.
  void wake(unsigned id) { wake(id, 0); }

  /// Who runs the first half of edges; nullptr (the default): the domain itself, in joining order. Outlives
  /// the domain.
  void evaluate_by(Evaluation* evaluation) { evaluation_ = evaluation; }

  /// Within evaluate: a thread makes the commits of this edge, since one of them calls b_transport, which no
  /// method may do (IEEE 1666-2011, 11.1.1.4). Order and time stay the same; the call must not let time pass.
  /// Blocks that are evaluated at the same time may all ask.
  void commit_by_thread() { by_thread_.store(true, std::memory_order_relaxed); }

  /// No edge of it is processed any more, but for one that is under way: its device has stopped for good.
  void stop() { stopped_ = true; }
  /// What one of its edges reports as an SC_ERROR goes there and stops the domain; without that it leaves
  /// sc_start() and ends the simulation.
  void contain_errors(std::function<void(const sc_core::sc_report&)> to) { errors_to_ = std::move(to); }

  /// The last edge at or before the current time. During evaluate and commit: the edge being processed.
  Cycle now() const { return ticking_ ? current_ : process_->now() / period_; }
  /// First edge strictly after the current time (now() + 1).
  Cycle next_edge() const { return now() + 1; }
  /// First edge strictly after the current time plus `delay`: where something that is on its way for so long
  /// is seen.
  Cycle edge_after(const sc_core::sc_time& delay) const {
    return (process_->now() + delay.value()) / period_ + 1;
  }
  /// Edges of a block, and those of them at which it made no progress.
  struct Visits {
    std::uint64_t edges = 0, in_vain = 0;
    std::uint64_t progress = 0;  ///< behind the last of them
  };
  /// From now on edges are counted, for profiles.
  void count_visits() { visits_.resize(blocks_.size()); }
  /// Calls `f(block, visits)` for each block, if they are counted.
  template <class F>
  void for_each_visited(F&& f) const {
    for (std::size_t id = 0; id < visits_.size(); ++id) f(*blocks_[id], visits_[id]);
  }

  sc_core::sc_time time_of(Cycle cycle) const;
  sc_core::sc_time period() const { return sc_core::sc_time::from_value(period_); }
  double mhz() const { return mhz_; }

 private:
  friend class EdgeProcess;
  static constexpr unsigned kSpan = 256;  // edges the wheel covers

  /// The two halves of the scheduled edge. The first says whether the second has to be made by a thread.
  bool evaluate();
  void commit();
  void schedule(Cycle cycle);
  void place(unsigned id, Cycle cycle, Cycle now);
  void place_far_blocks();
  void place_later_blocks();
  void note_visits();
  /// The first edge after the current one at which a block may be due.
  Cycle earliest() const { return std::min(far_, wheel_.first(current_ + 1)); }

  double mhz_;
  std::uint64_t period_;  // in units of the time resolution
  std::vector<Clocked*> blocks_;
  std::vector<Cycle> due_;
  std::vector<Cycle> later_;  // asked for while an edge of this very instant has yet to be processed
  bool any_later_ = false;
  // The blocks that may be due at each of the next kSpan edges; `due_` decides. Blocks due beyond are found
  // by a scan when the earliest of them comes within reach.
  SetWheel wheel_{kSpan, 1};
  Cycle far_ = kNever;
  std::vector<unsigned> active_;
  std::vector<Visits> visits_;  // of each block; empty: nobody counts
  Evaluation* evaluation_ = nullptr;
  std::function<void(const sc_core::sc_report&)> errors_to_;
  bool ticking_ = false, stopped_ = false;
  std::atomic<bool> by_thread_{false};
  Cycle current_ = 0;         // edge being processed or last processed
  Cycle scheduled_ = kNever;  // edge that the process knows of
  std::shared_ptr<EdgeProcess> process_;
  unsigned number_;  // there
};

}  // namespace warpvp
