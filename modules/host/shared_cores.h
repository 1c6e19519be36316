#pragma once
// CPU cores that host programs share. Whoever computes has a core of its own while there are enough; else all
// get equal shares of the cores at any time (processor sharing: what a fair scheduler with short time slices
// comes to).

#include <cstdint>
#include <map>

#include "base/sim_time.h"

namespace warpvp {

class SharedCores {
 public:
  using Computation = std::uint64_t;

  /// At least one core.
  explicit SharedCores(unsigned cores) : cores_(cores) {}

  /// Work that takes `work` on a core of its own begins at `now`. Times of calls never go back.
  Computation begin(SimTime now, SimTime work);
  /// When it will be done if no other begins or ends before; `now` at the earliest.
  SimTime done_at(Computation computation, SimTime now);
  /// It is done, or given up.
  void end(Computation computation, SimTime now);

 private:
  /// What all have got since the last call is taken off what is left of them.
  void serve_until(SimTime now);

  const unsigned cores_;
  SimTime served_until_;
  std::map<Computation, SimTime> left_;  ///< of those under way, on a core of its own
  Computation next_ = 0;
};

}  // namespace warpvp
