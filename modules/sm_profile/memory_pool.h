#pragma once
// The memory bandwidth that all SMs of `sm.type: profile` share: divided max-min fairly over them, by what
// their CTAs ask for.
//
// All that is divided is one number, the level: the most that any SM gets. It is computed anew at most every
// `interval` cycles, while the SMs together ask for more than there is, and told only to SMs that it binds.
// An SM states its demand in `commit`; the level is told in the pool's own `commit` and acts from that edge
// on.

#include <functional>
#include <vector>

#include "interconnect/clock_domain.h"
#include "modules/sm_profile/max_min.h"

namespace warpvp {

class MemoryPool : private Clocked {
 public:
  /// An SM.
  class Claimant {
   public:
    virtual ~Claimant() = default;
    /// From edge `from` on the SM gets at most `level` bytes a cycle. Called in the pool's commit.
    virtual void memory_level(Cycle from, double level, bool binds) = 0;
  };

  /// `bytes_per_cycle`: what there is; kNoLevel: no limit. Made, and claimants added, before elaboration
  /// ends; the pool before its claimants join the clock.
  MemoryPool(ClockDomain& clock, double bytes_per_cycle, Cycle interval);
  /// Returns the number of the claimant, which outlives the pool's last edge.
  unsigned add(Claimant& claimant);

  /// In the commit of edge `now`: what a claimant asks for from there on, in bytes a cycle.
  void ask(unsigned claimant, double demand, Cycle now);

 private:
  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;

  ClockDomain& clock_;
  unsigned clock_id_;
  double capacity_;
  Cycle interval_;
  std::vector<Claimant*> claimants_;
  std::vector<double> demands_;
  // Whole numbers of 2^-16, so that the sum does not drift.
  std::vector<std::uint64_t> counted_;
  std::uint64_t total_ = 0;
  double level_ = kNoLevel, next_level_ = kNoLevel;
  Cycle computed_ = 0;
  bool ever_ = false;
  bool due_ = false;
  std::vector<Claim> claims_;
};

}  // namespace warpvp
