#pragma once
// Who of several transfers moves its next burst: the most urgent one, and among equals each in turn. Plain
// C++, so that a hand-worked sequence tests it.

#include <cstdint>
#include <map>
#include <optional>

namespace warpvp {

class BurstArbiter {
 public:
  /// A transfer that has bursts left joins; `id` is its channel.
  void join(unsigned id, int priority) { waiting_[id] = priority; }
  void leave(unsigned id) { waiting_.erase(id); }
  bool empty() const { return waiting_.empty(); }

  /// Grants a burst. Nothing: nobody waits.
  std::optional<unsigned> grant();
  /// Grants that went to another transfer although the one before had bursts left.
  std::uint64_t switches() const { return switches_; }

 private:
  std::map<unsigned, int> waiting_;  // priority by channel
  std::optional<unsigned> last_;
  std::uint64_t switches_ = 0;
};

}  // namespace warpvp
