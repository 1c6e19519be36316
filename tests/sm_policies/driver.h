#pragma once
// Calls a warp scheduler edge by edge, as an SM does, and makes up histories to call it with.

#include <gtest/gtest.h>

#include <random>

#include "tests/sm_policies/policy_maker.h"

namespace warpvp::test {

/// A scheduler and the warps it knows. It is not called at all when nothing is ready.
class Driver {
 public:
  explicit Driver(std::unique_ptr<WarpSchedulerPolicy> policy) : policy_(std::move(policy)) {}
  void start(unsigned warp, const WarpInfo& info) {
    resident_ |= WarpMask{1} << warp;
    policy_->warp_started(warp, info);
  }
  void finish(unsigned warp) {
    resident_ &= ~(WarpMask{1} << warp);
    policy_->warp_finished(warp);
  }
  /// The warp that issues at the next edge, when these are ready.
  unsigned edge(WarpMask ready, WarpMask long_stalled = 0, const std::uint8_t* buffered = kNothingBuffered,
                WarpMask held = 0) {
    const Cycle now = cycle_++;
    if (ready == 0) return kNoWarp;
    return policy_->pick({now, resident_, ready, long_stalled, buffered, held});
  }
  /// The same with instructions buffered for the first warps.
  unsigned edge_buffered(WarpMask ready, std::vector<std::uint8_t> buffered) {
    buffered.resize(64);
    return edge(ready, 0, buffered.data());
  }
  void sleep(unsigned edges) { cycle_ += edges; }
  WarpMask resident() const { return resident_; }
  const WarpSchedulerPolicy& policy() const { return *policy_; }
  Cycle now() const { return cycle_; }

 private:
  std::unique_ptr<WarpSchedulerPolicy> policy_;
  WarpMask resident_ = 0;
  Cycle cycle_ = 0;
};

inline Driver four_warps(const std::string& policy, std::map<std::string, std::string> values = {}) {
  Driver driver(make_scheduler(policy, std::move(values)));
  for (unsigned warp = 0; warp < 4; ++warp) driver.start(warp, warp_info(warp));
  return driver;
}

/// A random history of starts, stalls and ends. `before(ready)` comes before each edge, `check(ready,
/// picked)` after it.
template <class Before, class Check>
void random_history(Driver& d, unsigned warps, unsigned seed, Before&& before, Check&& check,
                    int steps = 200000) {
  std::mt19937 rng(seed);
  std::uint64_t age = 0;
  for (unsigned warp = 0; warp < warps; ++warp, ++age) d.start(warp, warp_info(age, warp % 3, 1 + warp % 3));
  for (int step = 0; step < steps; ++step) {
    if (rng() % 64 == 0) {
      const unsigned warp = rng() % warps;
      if (d.resident() >> warp & 1) {
        d.finish(warp);
      } else {
        d.start(warp, warp_info(age++, warp % 3, 1 + warp % 3));
      }
    }
    WarpMask ready = d.resident() & (WarpMask{rng()} << 32 | rng());
    if (rng() % 2) ready &= rng() & (WarpMask{rng()} << 16);
    before(ready);
    check(ready, d.edge(ready));
    if (testing::Test::HasFatalFailure()) return;
  }
}
template <class Check>
void random_history(Driver& d, unsigned warps, unsigned seed, Check&& check, int steps = 200000) {
  random_history(
      d, warps, seed, [](WarpMask) {}, check, steps);
}

}  // namespace warpvp::test
