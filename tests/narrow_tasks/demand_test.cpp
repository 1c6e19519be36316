// Arrivals and deadlines as they are drawn, and the guard that finds rejected tasks which have run.

#include "sw/pagoda/demand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/apps/parameters.h"
#include "tests/narrow_tasks/clocked_device.h"

namespace warpvp::pagoda {
namespace {

TaskDemand demand(double arrival_us, double deadline_us, double spread) {
  TaskDemand d;
  d.arrival_us = arrival_us;
  d.deadline_us = deadline_us;
  d.deadline_spread = spread;
  return d;
}

TEST(Demand, ArrivalsAreExponential) {
  constexpr std::uint32_t kTasks = 20000;
  const std::vector<TaskWish> wishes = draw_wishes(demand(30, 0, 0), kTasks, 7);
  ASSERT_EQ(wishes.size(), kTasks);
  double last = 0, sum = 0, squares = 0;
  for (const TaskWish& w : wishes) {
    const double between = w.arrival_us - last;
    EXPECT_GT(between, 0);
    EXPECT_EQ(w.deadline_us, 0);
    sum += between;
    squares += between * between;
    last = w.arrival_us;
  }
  const double mean = sum / kTasks;
  EXPECT_NEAR(mean, 30, 0.6);
  EXPECT_NEAR(std::sqrt(squares / kTasks - mean * mean), 30, 0.9) << "as wide as the mean";
}

TEST(Demand, AnotherRateScalesArrivalsAndNothingElse) {
  const auto slow = draw_wishes(demand(40, 300, 0.5), 100, 3),
             fast = draw_wishes(demand(10, 300, 0.5), 100, 3);
  const auto other = draw_wishes(demand(10, 300, 0.5), 100, 4);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(slow[i].arrival_us, 4 * fast[i].arrival_us, 1e-6);
    EXPECT_EQ(slow[i].deadline_us, fast[i].deadline_us);
    EXPECT_NE(other[i].deadline_us, fast[i].deadline_us) << "another seed";
  }
}

TEST(Demand, DeadlinesAreEvenWithinTheirSpread) {
  const auto wishes = draw_wishes(demand(0, 200, 0.25), 5000, 1);
  unsigned below = 0;
  for (const TaskWish& w : wishes) {
    EXPECT_EQ(w.arrival_us, 0) << "no rate: all are there";
    EXPECT_GE(w.deadline_us, 150);
    EXPECT_LE(w.deadline_us, 250);
    below += w.deadline_us < 175;
  }
  EXPECT_NEAR(below, 1250, 100) << "a quarter of them in a quarter of the span";
}

TEST(Demand, TheGuardFindsWhoHasRun) {
  const auto workload =
      Registry<TaskWorkload>::instance().make(test::choose("filter_bank", {{"width", "96"}, {"taps", "5"}}));
  TaskPlan plan;
  plan.tasks = 3;
  test::ClockedDevice device;
  workload->make(plan);
  workload->place(device);
  const auto runtime = Registry<TaskRuntime>::instance().make(test::choose("hyperq", {}));
  runtime->open(device, device.load_module("sw/kernels/" + workload->module(), 0));
  const OutputGuard guard;
  guard.fill(device, *workload);
  runtime->spawn(workload->task(1));
  runtime->wait_all();
  EXPECT_TRUE(guard.untouched(device, *workload, 0));
  EXPECT_FALSE(guard.untouched(device, *workload, 1));
  EXPECT_TRUE(guard.untouched(device, *workload, 2));
  const apps::AppResult one = verify(*workload, {true, false, true});
  EXPECT_TRUE(one.verified) << "the others are left out: " << one.message;
  EXPECT_FALSE(verify(*workload).verified);
  workload->release(device);
}

}  // namespace
}  // namespace warpvp::pagoda
