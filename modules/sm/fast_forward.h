#pragma once
// Functional fast-forwarding: the CTAs of a sampled kernel (docs/sampling.md) that an SM of `sm.type: cycle`
// computes beside those in its pipeline. They take no cycles and nothing that others could notice but what
// they store: no slot, register or shared memory of the SM, no traffic.
//
// They execute in commits, SM after SM, a slice of instructions at each edge, so that CTAs that wait for each
// other go on.

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/sm/functional_ctas.h"
#include "modules/sm/sm.h"

namespace warpvp {

class FastForward : private FunctionalCtas::Client {
 public:
  /// What is referred to outlives it.
  FastForward(std::unique_ptr<InstructionSource> source, unsigned sm, const SmResources& resources,
              const SmServices& services);

  /// `record`, which comes before edge `at`, begins at the next slice with room for it.
  void accept(const CtaLaunch& record, Cycle at) {
    waiting_.push_back(record);
    next_ = std::min(next_, at);
  }
  void set_address_space(std::uint64_t page_table, std::uint64_t texture_table) {
    ctas_.source().set_address_space(page_table, texture_table);
  }
  /// CTAs that have begun or wait.
  bool busy() const { return running_ != 0 || !waiting_.empty(); }
  unsigned waiting() const { return static_cast<unsigned>(waiting_.size()); }
  unsigned running() const { return running_; }

  /// At edge `now`: executes a slice. Fills `done` with the CTAs that have ended.
  void run(Cycle now, std::vector<CtaDone>& done);
  /// The edge of the next slice; kNever: there is nothing to execute.
  Cycle next() const { return next_; }
  /// What the last slice found.
  std::optional<DeviceFault> take_fault() { return std::exchange(fault_, {}); }
  /// All CTAs leave, without what they have computed.
  void drop(std::vector<CtaPreempted>& gone);

  /// Instructions and CTAs of a launch; nullptr: it had none here.
  const SmLaunchCounters* counters(std::uint32_t launch) const;
  std::string describe_waiting(unsigned& lines) const { return ctas_.describe_waiting(sm_, lines); }

 private:
  bool start(const CtaLaunch& record);
  std::uint64_t cta_ended(unsigned slot, std::uint64_t executed) override;
  void cta_failed(unsigned slot, DeviceFault fault) override;

  const unsigned sm_;
  const SmServices& services_;
  FunctionalCtas ctas_;
  std::deque<CtaLaunch> waiting_;
  unsigned running_ = 0;
  std::unordered_map<std::uint32_t, SmLaunchCounters> counters_;  // by launch id; CTAs refer to them
  std::vector<CtaDone>* done_ = nullptr;                          // of the slice under way
  std::optional<DeviceFault> fault_;
  unsigned fruitless_ = 0;  // slices since a CTA ended
  Cycle next_ = kNever;
};

}  // namespace warpvp
