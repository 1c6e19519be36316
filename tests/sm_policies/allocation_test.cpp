// No scheduling policy allocates once it is made: they are asked for every instruction.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>

#include "base/sanitizers.h"
#include "tests/sm_policies/policy_maker.h"

namespace {
std::uint64_t allocations = 0;
}

#if WARPVP_HAS_TSAN  // clang's has these operators itself, and calls this
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t) { ++allocations; }
#else
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace warpvp::test {
namespace {

/// Warps of three kernels come, stall and go.
template <class Policy, class Pick>
std::uint64_t allocations_of(Policy& policy, Pick&& pick) {
  std::mt19937 rng(6);
  WarpMask resident = 0;
  const std::uint64_t before = allocations;
  for (Cycle cycle = 0; cycle < 50000; cycle += 1 + rng() % 8 / 7) {
    if (rng() % 16 == 0) {
      const unsigned warp = rng() % 64;
      if (resident >> warp & 1) {
        policy.warp_finished(warp);
      } else {
        policy.warp_started(warp, warp_info(cycle, warp % 3, 1 + warp % 3));
      }
      resident ^= WarpMask{1} << warp;
    }
    const WarpMask ready = resident & (WarpMask{rng()} << 32 | rng());
    if (ready) pick(cycle, resident, ready, resident & ~ready & rng());
  }
  return allocations - before;
}

const std::vector<std::map<std::string, std::string>> kModes = {
    {{"mode", "strict"}}, {{"mode", "adaptive"}}, {{"mode", "greedy"}, {"selection", "icount"}}};

/// Every registered policy as it is by default, and `select` in other modes.
template <class Interface, class Check>
void each_policy(Check&& check) {
  for (const std::string& name : Registry<Interface>::instance().names())
    check(name, *make_policy<Interface>(name));
  for (const auto& values : kModes)
    check("select " + values.at("mode"), *make_policy<Interface>("select", values));
}

TEST(NoAllocation, TheCounterCounts) {
  const std::uint64_t before = allocations;
  const auto policy = make_policy<WarpSchedulerPolicy>("lrr");
  const std::uint64_t after = allocations;
  EXPECT_GT(after, before);
}

TEST(NoAllocation, InWarpSchedulers) {
  each_policy<WarpSchedulerPolicy>([](const std::string& name, WarpSchedulerPolicy& policy) {
    EXPECT_EQ(allocations_of(policy,
                             [&](Cycle cycle, WarpMask resident, WarpMask ready, WarpMask stalled) {
                               policy.pick({cycle, resident, ready, stalled});
                             }),
              0u)
        << name;
  });
}

TEST(NoAllocation, InFetchSchedulers) {
  each_policy<FetchPolicy>([](const std::string& name, FetchPolicy& policy) {
    EXPECT_EQ(allocations_of(policy,
                             [&](Cycle cycle, WarpMask resident, WarpMask ready, WarpMask missing) {
                               policy.pick({cycle, resident, ready, missing}, kNothingBuffered);
                             }),
              0u)
        << name;
  });
}

}  // namespace
}  // namespace warpvp::test
