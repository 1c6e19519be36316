// Streams of jobs are drawn as their plan says, and the same each time.
#include "sw/apps/job_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace warpvp::apps {
namespace {

TraceStep launch(const std::string& kernel) {
  TraceStep step;
  step.kind = TraceStep::Kind::kLaunch;
  step.launch.kernel = kernel;
  return step;
}

TraceStep repeat(std::uint64_t times, std::vector<TraceStep> body) {
  TraceStep step;
  step.kind = TraceStep::Kind::kRepeat;
  step.times = times;
  step.body = std::move(body);
  return step;
}

JobBenchmark benchmark(const std::string& name, double rate) {
  JobBenchmark b;
  b.name = name;
  b.deadline_us = 500;
  b.jobs_per_second = rate;
  b.length = {16, 0.5, 4, 50};
  b.kinds = {{name, 1, {launch("begin"), repeat(0, {launch("a"), repeat(2, {launch("b")})})}}};
  return b;
}

double us(SimTime time) { return time.to_seconds() * 1e6; }

TEST(JobStream, HasTheKernelsOfItsSteps) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 1000)};
  plan.jobs = 500;
  const JobStream stream = draw_jobs(plan, 3);
  ASSERT_EQ(stream.kernels.size(), 3u);
  double lengths = 0;
  std::set<std::size_t> seen;
  for (const StreamJob& job : stream.jobs) {
    ASSERT_EQ((job.kernels.size() - 1) % 3, 0u);
    const std::size_t length = (job.kernels.size() - 1) / 3;
    EXPECT_GE(length, 4u);
    EXPECT_LE(length, 50u);
    lengths += static_cast<double>(length);
    seen.insert(length);
    EXPECT_EQ(job.kernels[0], 0u);
    for (std::size_t i = 1; i < job.kernels.size(); ++i) EXPECT_EQ(job.kernels[i], i % 3 == 1 ? 1u : 2u);
  }
  EXPECT_NEAR(lengths / 500, 16, 5 * 8 / std::sqrt(500.0));  // five standard errors
  EXPECT_GT(seen.size(), 15u);
  EXPECT_EQ(stream.jobs[0].name, "x1");
  EXPECT_EQ(stream.jobs[499].name, "x500");
}

TEST(JobStream, KernelsAreCountedWithoutMakingThem) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 1000), benchmark("y", 500)};
  plan.benchmarks[1].kinds.push_back({"z", 2, {launch("c")}});
  plan.jobs = 300;
  std::uint64_t kernels = 0;
  for (const StreamJob& job : draw_jobs(plan, 5).jobs) kernels += job.kernels.size();
  EXPECT_EQ(count_kernels(plan, 5, 1'000'000), kernels);
  EXPECT_EQ(count_kernels(plan, 5, kernels), kernels);
  EXPECT_GT(count_kernels(plan, 5, kernels - 1), kernels - 1);
  const std::uint64_t most = ~std::uint64_t{0} >> 1;
  plan.benchmarks[0].kinds = {{"x", 1, {repeat(most, {repeat(most, {launch("a")})})}}};
  EXPECT_GT(count_kernels(plan, 5, 1'000'000), 1'000'000u);
}

TEST(JobStream, RatesScaleArrivalsAndNothingElse) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 1000)};
  const JobStream slow = draw_jobs(plan, 7), again = draw_jobs(plan, 7), other = draw_jobs(plan, 8);
  plan.benchmarks[0].jobs_per_second = 4000;
  const JobStream fast = draw_jobs(plan, 7);
  bool differs = false;
  for (std::size_t i = 0; i < slow.jobs.size(); ++i) {
    EXPECT_EQ(slow.jobs[i].arrival, again.jobs[i].arrival);
    EXPECT_NEAR(us(slow.jobs[i].arrival), 4 * us(fast.jobs[i].arrival), 1e-3);
    EXPECT_EQ(slow.jobs[i].kernels, fast.jobs[i].kernels);
    differs = differs || slow.jobs[i].kernels != other.jobs[i].kernels;
  }
  EXPECT_TRUE(differs);
}

TEST(JobStream, ArrivalsHaveTheirRate) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 8000)};
  plan.jobs = 10000;
  const double last = us(draw_jobs(plan, 1).jobs.back().arrival);
  EXPECT_NEAR(last, 10000 * 125, 5 * 125 * 100);  // five standard deviations of the sum
  plan.even = true;
  plan.jobs = 8;
  plan.burst = 4;
  const JobStream bursts = draw_jobs(plan, 1);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(us(bursts.jobs[i].arrival), i < 4 ? 500 : 1000, 1e-6);
}

TEST(JobStream, SeveralBenchmarksShareTheStreamByTheirRates) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 8000), benchmark("y", 24000)};
  plan.jobs = 4000;
  const JobStream stream = draw_jobs(plan, 5);
  unsigned x = 0;
  for (const StreamJob& job : stream.jobs) x += job.name[0] == 'x';
  EXPECT_NEAR(x, 1000, 5 * std::sqrt(4000 * 0.25 * 0.75));
  // Each at half of its rate: 16000 jobs a second together.
  EXPECT_NEAR(us(stream.jobs.back().arrival), 4000 / 0.016, 5 * 62.5 * std::sqrt(4000.0));
  EXPECT_EQ(stream.kernels.size(), 3u);  // the same launches are one kernel
}

TEST(JobStream, ToldDeadlinesMayBeWrong) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 8000)};
  plan.told_deadline = 0.5;
  for (const StreamJob& job : draw_jobs(plan, 1).jobs) {
    EXPECT_EQ(job.deadline_us, 500);
    EXPECT_EQ(job.told_deadline_us, 250);
  }
  plan.told_deadline_spread = 0.3;
  std::set<double> told;
  for (const StreamJob& job : draw_jobs(plan, 1).jobs) told.insert(job.told_deadline_us);
  EXPECT_GT(told.size(), 100u);
}

TEST(JobStream, RefusesAKindWithoutKernels) {
  JobStreamPlan plan;
  plan.benchmarks = {benchmark("x", 8000)};
  plan.benchmarks[0].kinds[0].steps.clear();
  EXPECT_THROW(draw_jobs(plan, 1), InputError);
}

}  // namespace
}  // namespace warpvp::apps
