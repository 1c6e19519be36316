// CTAs that follow one another on an SM without the work distributor's doing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/control/distributor_bench.h"

namespace warpvp::test {
namespace {

constexpr unsigned kPlaces = 8;  // of two SMs, for CTAs of 64 threads

struct Bench : DistributorBench {
  explicit Bench(std::uint32_t most_followers)
      : DistributorBench("bench", 2, {}, small(), 20, 0, {}, nullptr, most_followers) {
    sms.cycles = [](const CtaLaunch&) { return Cycle{30}; };
  }
  /// How often each CTA of the launch was handed over, by its number.
  std::map<std::uint64_t, unsigned> handed_over(std::uint32_t launch) const {
    std::map<std::uint64_t, unsigned> times;
    for (const auto& l : sms.launches) {
      if (l.record.launch_id != launch) continue;
      CtaLaunch r = l.record;
      for (std::uint32_t n = 0; n <= l.record.followers; ++n) {
        for (int axis = 0; axis < 3; ++axis) EXPECT_LT(r.cta[axis], r.grid[axis]);
        ++times[r.cta[0] + r.grid[0] * (r.cta[1] + std::uint64_t{r.grid[1]} * r.cta[2])];
        go_to_next_cta(r.cta, r.grid);
      }
    }
    return times;
  }
  std::vector<std::uint32_t> followers() const {
    std::vector<std::uint32_t> all;
    for (const auto& l : sms.launches) all.push_back(l.record.followers);
    return all;
  }
  void expect_each_once(std::uint32_t launch, unsigned ctas) {
    const auto times = handed_over(launch);
    EXPECT_EQ(times.size(), ctas);
    for (const auto& [cta, count] : times) EXPECT_EQ(count, 1u) << cta;
  }
};

TEST(DistributorFollowers, EachCtaComesOnceAndFewAreSent) {
  Bench b(5);
  wd::KernelSlotImage k = DistributorBench::kernel(7, 10, 64);
  k.grid[1] = 5;
  k.grid[2] = 4;
  b.start(3, k);
  b.run(5000);
  b.expect_each_once(7, 200);
  const auto followers = b.followers();
  EXPECT_EQ(followers.front(), 5u);
  EXPECT_LT(followers.size(), 70u);
  // As many as are left for each place, so that no place has one to go when others have nothing to do.
  std::uint64_t left = 200;
  for (const std::uint32_t f : followers) {
    --left;
    EXPECT_EQ(f, std::min<std::uint64_t>(left / kPlaces, 5));
    left -= f;
  }
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_EQ(b.distributor.records()[0].ctas_done, 200u);
  EXPECT_EQ(b.distributor.statistics().ctas_issued, 200u);
  EXPECT_EQ(b.distributor.statistics().ctas_done, 200u);
  EXPECT_FALSE(b.faults.faulted());
}

TEST(DistributorFollowers, AreNoneWhereSmsTakeNone) {
  Bench b(0);
  b.start(0, DistributorBench::kernel(1, 100, 64));
  b.run(3000);
  b.expect_each_once(1, 100);
  EXPECT_EQ(b.sms.launches.size(), 100u);
}

// Which would wait for places.
TEST(DistributorFollowers, AreNoneBesideAnotherKernel) {
  Bench b(5);
  b.start(0, DistributorBench::kernel(1, 200, 64));
  b.start(1, DistributorBench::kernel(2, 200, 64));
  b.run(20);
  const auto early = static_cast<std::ptrdiff_t>(b.sms.launches.size());
  b.run(9000);
  b.expect_each_once(1, 200);
  b.expect_each_once(2, 200);
  const auto all = b.followers();
  EXPECT_EQ(std::accumulate(all.begin() + early, all.begin() + early + 100, 0u), 0u);
}

// Which shows single CTAs.
TEST(DistributorFollowers, AreNoneForATimeline) {
  Bench b(5);
  DispatchObserver timeline;
  b.distributor.set_observer(&timeline);
  b.start(0, DistributorBench::kernel(1, 200, 64));
  b.run(9000);
  b.expect_each_once(1, 200);
  EXPECT_EQ(b.sms.launches.size(), 200u);
}

TEST(DistributorFollowers, ThatAnSmDeclinesComeOneByOne) {
  Bench b(5);
  b.sms.decline_followers = true;
  b.start(0, DistributorBench::kernel(1, 150, 64));
  b.run(9000);
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_EQ(b.distributor.records()[0].ctas_done, 150u);
  EXPECT_EQ(b.distributor.statistics().ctas_issued, 150u);
  EXPECT_EQ(b.distributor.statistics().ctas_dropped, 0u);
  // What was declined was sent again, by itself, and nothing else twice.
  const auto followers = b.followers();
  const auto declined = std::accumulate(followers.begin(), followers.end(), 0u);
  EXPECT_GT(declined, 0u);
  EXPECT_LE(std::count_if(followers.begin(), followers.end(), [](unsigned f) { return f != 0; }), kPlaces);
  EXPECT_EQ(b.sms.launches.size(), 150u);
  EXPECT_FALSE(b.faults.faulted());
}

// Of six CTAs two have ended when the third leaves; it comes again, and so do those behind it.
TEST(DistributorFollowers, ThatHaveNotBegunComeAgainWhenACtaLeaves) {
  Bench b(5);
  bool left = false;
  b.sms.leave_after = [&](const CtaLaunch& record) -> std::optional<unsigned> {
    if (left || record.followers != 5) return std::nullopt;
    left = true;
    return 2;
  };
  b.start(0, DistributorBench::kernel(1, 100, 64));
  b.run(9000);
  const auto times = b.handed_over(1);
  EXPECT_EQ(times.size(), 100u);
  for (const auto& [cta, count] : times) EXPECT_EQ(count, cta >= 2 && cta <= 5 ? 2u : 1u) << cta;
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_EQ(b.distributor.records()[0].ctas_done, 100u);
  EXPECT_EQ(b.distributor.statistics().ctas_done, 100u);
  EXPECT_EQ(b.distributor.statistics().ctas_dropped, 4u);
  EXPECT_FALSE(b.faults.faulted());
}

}  // namespace
}  // namespace warpvp::test
