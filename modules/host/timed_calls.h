#pragma once
// Calls at later times, for blocks that act on events far apart (links, engines) and have no clock: one
// SystemC thread, so that they may call b_transport, and one heap. Calls due at the same time run in the
// order in which they were made.

#include <sysc/kernel/sc_dynamic_processes.h>  // which <systemc> has only if asked for before the first time

#include <algorithm>
#include <functional>
#include <systemc>
#include <vector>

namespace warpvp {

class TimedCalls {
 public:
  /// Construct inside an sc_module's constructor.
  TimedCalls() {
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(&due_);
    sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("timed_calls"), &options);
  }
  TimedCalls(const TimedCalls&) = delete;

  void after(sc_core::sc_time delay, std::function<void()> call) {
    calls_.push_back({sc_core::sc_time_stamp() + delay, next_++, std::move(call)});
    std::push_heap(calls_.begin(), calls_.end());
    due_.notify(calls_.front().when - sc_core::sc_time_stamp());  // an earlier notification prevails
  }
  /// No call is to come.
  bool idle() const { return calls_.empty(); }

 private:
  struct Call {
    sc_core::sc_time when;
    std::uint64_t order;
    std::function<void()> call;
    bool operator<(const Call& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  void run() {
    for (;;) {
      while (!calls_.empty() && calls_.front().when <= sc_core::sc_time_stamp()) {
        std::pop_heap(calls_.begin(), calls_.end());
        const std::function<void()> call = std::move(calls_.back().call);
        calls_.pop_back();
        call();
      }
      if (!calls_.empty()) due_.notify(calls_.front().when - sc_core::sc_time_stamp());
      sc_core::wait();
    }
  }

  std::vector<Call> calls_;  // a heap, the next one in front
  std::uint64_t next_ = 0;
  sc_core::sc_event due_;
};

}  // namespace warpvp
