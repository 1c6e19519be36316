#pragma once
// CTAs on their way off an SM or back onto it: their states move through the memory side one after the other,
// in the order in which they were handed over.

#include <deque>
#include <memory>
#include <utility>

#include "interconnect/launch.h"
#include "modules/sm/context_switch_config.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/saved_ctas.h"
#include "modules/sm/statistics.h"

namespace warpvp {

class StateMoves {
 public:
  StateMoves(const ContextSwitchConfig& config, MemorySide& memory) : config_(config), memory_(memory) {}

  void save(const CtaPreempted& record, std::unique_ptr<SavedCta> state, const AccessOwner& owner) {
    moves_.push_back({true, record, {}, std::move(state), owner});
  }
  void restore(const CtaLaunch& record, std::unique_ptr<SavedCta> state) {
    moves_.push_back(
        {false, {}, record, std::move(state), {record.launch_id, record.kernel_slot, record.context, 0}});
  }
  bool empty() const { return moves_.empty(); }
  /// CTAs that come, in order: calls `f(record)`.
  template <class F>
  void each_coming(F&& f) const {
    for (const Move& move : moves_)
      if (!move.leaves) f(move.launch);
  }

  /// At edge `now`, after the memory side: calls `saved(record, state)` and `restored(record, state)` for
  /// those that have arrived, and lets the next one begin.
  template <class Saved, class Restored>
  void update(Cycle now, ContextSwitchCounters& counters, Saved&& saved, Restored&& restored) {
    while (!moves_.empty() && memory_.state_moved()) {
      Move& move = moves_.front();
      if (!begun_) {
        begun_ = true;
        since_ = now;
        memory_.move_state(
            {move.leaves, move.state->address, move.state->bytes, move.owner, config_.requests}, now);
        continue;
      }
      begun_ = false;
      (move.leaves ? counters.saved_bytes : counters.restored_bytes) += move.state->bytes;
      (move.leaves ? counters.save_cycles : counters.restore_cycles) += now - since_;
      ++(move.leaves ? counters.saved : counters.restored);
      Move done = std::move(move);
      moves_.pop_front();
      if (done.leaves) {
        saved(done.record, std::move(done.state));
      } else {
        restored(done.launch, *done.state);
      }
    }
  }

 private:
  struct Move {
    bool leaves;
    CtaPreempted record;  // of one that leaves
    CtaLaunch launch;     // of one that comes
    std::unique_ptr<SavedCta> state;
    AccessOwner owner;
  };

  const ContextSwitchConfig& config_;
  MemorySide& memory_;
  std::deque<Move> moves_;
  bool begun_ = false;  // the first one is under way
  Cycle since_ = 0;     // it is
};

}  // namespace warpvp
