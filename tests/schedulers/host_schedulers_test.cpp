// Schedulers on the CPU, in scenes worked out by hand: what each asks for, and when.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "sw/schedulers/laxity.h"
#include "tests/apps/parameters.h"
#include "tests/schedulers/scripted_host.h"

namespace warpvp::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Parameters by name and value.
auto with(const std::map<std::string, std::string>& parameters) { return choose("", parameters).load; }

TEST(Device, GetsEachJobAsItArrives) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 1, 8, 10);
  host.add_job({k, k, k}, 100);
  host.use("device");
  host.arrive(0);
  EXPECT_THAT(host.turn(), ElementsAre("launch 0 x3 +0"));
  EXPECT_FALSE(host.next_call_us());
}

TEST(BatchMaker, LaunchesJobsAtTheSameKernelTogetherAndInStep) {
  ScriptedHost host;
  const unsigned a = host.add_kernel("a", 1, 8, 10), b = host.add_kernel("b", 1, 8, 10);
  for (int i = 0; i < 4; ++i) host.add_job({a, b}, 100);
  host.use("batchmaker", with({{"at_once", "1"}, {"batch", "3"}}));
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(), ElementsAre("batch 0 1 2 +4"));
  host.arrive(3);
  EXPECT_THAT(host.turn(5), IsEmpty());  // one batch at once
  host.finish(0, 10);
  host.finish(1, 10);
  EXPECT_THAT(host.turn(), IsEmpty());  // the batch ends with its last job
  host.finish(2, 10);
  EXPECT_THAT(host.turn(), ElementsAre("batch 0 1 2 +4"));  // three wait for b, one for a
  for (unsigned job = 0; job < 3; ++job) host.finish(job, 10);
  EXPECT_THAT(host.turn(), ElementsAre("batch 3 +4"));
}

TEST(BatchMaker, HasNoMoreJobsInABatchThanItMay) {
  ScriptedHost host;
  const unsigned a = host.add_kernel("a", 1, 8, 10);
  for (int i = 0; i < 5; ++i) host.add_job({a}, 100);
  host.use("batchmaker", with({{"batch", "2"}, {"at_once", "2"}, {"kernel_us", "1.5"}}));
  for (unsigned job = 0; job < 5; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(), ElementsAre("batch 0 1 +1.5", "batch 2 3 +1.5"));
}

TEST(Baymax, WaitsForItsPredictionAndTurnsDownWhatIsTooLate) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 1, 8, 25);
  host.add_job({k}, 40);
  host.add_job({k}, 79);
  host.add_job({k}, 78);
  host.use("baymax");
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(), IsEmpty());
  EXPECT_NEAR(host.next_call_us().value_or(0), 1050, 1e-6);
  EXPECT_THAT(host.turn(49), IsEmpty());
  // 50 us have passed; a job needs 25 and 4 for the communication, so 79 are enough and 78 are not.
  EXPECT_THAT(host.turn(1), ElementsAre("reject 0 code 1", "reject 2 code 1", "launch 1 x1 +4"));
  EXPECT_FALSE(host.next_call_us());
}

TEST(Baymax, StartsTheLeastHeadroomFirstAndKeepsThatOfAll) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 6, 8, 100);  // three quarters of the device
  host.add_job({k}, 400);
  host.add_job({k}, 170);
  host.add_job({k}, 200);
  host.use("baymax", with({{"prediction_us", "0"}, {"kernel_us", "0"}}));
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  // Two together want 1.5 of the device and take 150 us each: in time for 170 and 200. Three take 225.
  EXPECT_THAT(host.turn(), ElementsAre("launch 1 x1 +0", "launch 2 x1 +0"));
  EXPECT_THAT(host.turn(100), IsEmpty());
  host.finish(1, 100);
  EXPECT_THAT(host.turn(), IsEmpty());  // job 2 has 100 us left, and may need all of them
  host.finish(2, 100);
  EXPECT_THAT(host.turn(), ElementsAre("launch 0 x1 +0"));
}

TEST(Baymax, MakesOnePredictionAtATimeWithOnePredictor) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 1, 8, 25);
  for (int i = 0; i < 3; ++i) host.add_job({k}, 1000);
  host.use("baymax", with({{"predictors", "1"}}));
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(50), ElementsAre("launch 0 x1 +4"));
  EXPECT_NEAR(host.next_call_us().value_or(0), 1100, 1e-6);
  EXPECT_THAT(host.turn(49), IsEmpty());
  EXPECT_THAT(host.turn(1), ElementsAre("launch 1 x1 +4"));
  EXPECT_THAT(host.turn(50), ElementsAre("launch 2 x1 +4"));
}

TEST(Baymax, StartsWhatIsLateFirstIfItTurnsNothingDown) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 8, 8, 25);
  host.add_job({k}, 1000);
  host.add_job({k}, 40);
  host.use("baymax", with({{"late", "run"}}));
  host.arrive(0);
  host.arrive(1);
  EXPECT_THAT(host.turn(50), ElementsAre("launch 1 x1 +4", "launch 0 x1 +4"));
}

TEST(Prophet, RunsWhatIsLateInItsTurnIfItTurnsNothingDown) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 4, 8, 25);
  host.add_job({k}, 20);
  host.add_job({k}, 100);
  host.add_job({k}, 20);
  host.use("prophet", with({{"late", "run"}}));
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(), ElementsAre("launch 0 x1 +4", "launch 1 x1 +4"));
  host.finish(0, 25);
  EXPECT_THAT(host.turn(25), ElementsAre("launch 2 x1 +4"));
}

TEST(Prophet, PairsJobsThatComplementEachOther) {
  ScriptedHost host;
  // Half of the device each; `wide` takes 0.8 of the memory bandwidth of 450 GB/s, `dense` nothing.
  const unsigned wide = host.add_kernel("wide", 4, 8, 100, 450e3 * 100 * 0.8 / 4);
  const unsigned dense = host.add_kernel("dense", 4, 8, 100);
  host.add_job({wide}, 1000);
  host.add_job({wide}, 1000);
  host.add_job({dense}, 1000);
  host.use("prophet", with({{"kernel_us", "0"}}));
  host.arrive(0);
  EXPECT_THAT(host.turn(), ElementsAre("launch 0 x1 +0"));
  host.arrive(1);
  host.arrive(2);
  EXPECT_THAT(host.turn(), ElementsAre("launch 2 x1 +0"));  // two wide ones would want 1.6 of the bandwidth
  host.finish(2, 100);
  EXPECT_THAT(host.turn(100), ElementsAre("launch 1 x1 +0"));
}

TEST(Prophet, TurnsDownWhatCannotBeInTime) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 8, 8, 100);
  for (int i = 0; i < 3; ++i) host.add_job({k}, 190);
  host.use("prophet", with({{"kernel_us", "0"}}));
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(), ElementsAre("launch 0 x1 +0"));  // two would take 200 us each
  EXPECT_THAT(host.turn(91), ElementsAre("reject 1 code 1", "reject 2 code 1"));
}

// Four CTAs at once need twice the bandwidth of the model: 200 us instead of the 100 that each takes by
// itself. With nothing under way no event would ever call again, so a job that waits now would wait for ever.
TEST(Prophet, TakesWhatWantsMoreBandwidthThanThereIsForLate) {
  for (const bool run : {false, true}) {
    ScriptedHost host;
    const unsigned k = host.add_kernel("k", 4, 8, 100, 2 * 450e3 * 100 / 4);
    host.add_job({k}, 150);
    host.add_job({k}, 200);
    host.use("prophet", with({{"kernel_us", "0"}, {"at_once", "1"}, {"late", run ? "run" : "reject"}}));
    host.arrive(0);
    EXPECT_THAT(host.turn(), ElementsAre(run ? "launch 0 x1 +0" : "reject 0 code 1"));
    if (run) host.finish(0, 100);
    host.arrive(1);
    EXPECT_THAT(host.turn(), ElementsAre("launch 1 x1 +0")) << "200 us are enough";
  }
}

TEST(LaxSw, AdmitsWhatCanBeInTimeBehindTheOthers) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 8, 8, 100);  // the whole device
  host.add_job({k, k}, 300);
  host.add_job({k}, 301);
  host.add_job({k}, 300);
  host.use("lax_sw");
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  // 200 us of job 0 and 100 of their own; then 300 and 100.
  EXPECT_THAT(host.turn(), ElementsAre("reject 2 code 1", "launch 0 x1 +4"));
}

TEST(LaxSw, LaunchesTheLeastLaxityFirstAndNoMoreThanFits) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 4, 8, 100);  // half of the device
  host.add_job({k, k}, 1000);
  host.add_job({k, k}, 600);
  host.add_job({k, k}, 700);
  host.use("lax_sw", with({{"kernel_us", "0"}}));
  for (unsigned job = 0; job < 3; ++job) host.arrive(job);
  EXPECT_THAT(host.turn(), ElementsAre("launch 1 x1 +0", "launch 2 x1 +0"));
  host.finish(2, 100);
  EXPECT_THAT(host.turn(90), ElementsAre("launch 2 x1 +0"));
  host.finish(1, 110);
  EXPECT_THAT(host.turn(10), ElementsAre("launch 1 x1 +0"));
  EXPECT_NEAR(host.next_call_us().value_or(0), 1200, 1e-6);
}

TEST(LaxCpu, WritesPrioritiesAtAdmissionAndEachPeriod) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 1, 8, 100);
  host.add_job({k, k, k}, 1000);
  host.use("lax_cpu");
  host.arrive(0);
  EXPECT_THAT(host.turn(), ElementsAre("priority 0 -700", "launch 0 x3 +4"));
  EXPECT_NEAR(host.next_call_us().value_or(0), 1100, 1e-6);
  EXPECT_THAT(host.turn(50), IsEmpty());
  host.finish(0, 60);  // kernels take 60 us now: two are left, 100 us have passed
  EXPECT_THAT(host.turn(50), ElementsAre("priority 0 -780"));
  EXPECT_THAT(host.turn(900), ElementsAre("priority 0 -1120"));  // expected at 1120, after its deadline
  EXPECT_THAT(host.turn(100), ElementsAre("priority 0 -1000000000"));
  EXPECT_THAT(host.turn(100), IsEmpty());  // as before
  host.finish(0, 60);
  host.finish(0, 60);
  EXPECT_FALSE(host.next_call_us());
}

// Whoever is late stays so: a device that has lost a job is found by who watches for progress, not kept
// alive.
TEST(LaxCpu, StopsLookingWhenTimeAloneChangesNothing) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 1, 8, 100);
  host.add_job({k}, 250);
  host.add_job({k}, 2000);
  host.add_job({k}, 0);
  host.use("lax_cpu");
  host.arrive(0);
  host.turn(100);
  EXPECT_NEAR(host.next_call_us().value_or(0), 1200, 1e-6);
  host.turn(100);
  EXPECT_NEAR(host.next_call_us().value_or(0), 1300, 1e-6) << "its laxity still shrinks";
  EXPECT_THAT(host.turn(100), ElementsAre("priority 0 -1000000000"));
  EXPECT_FALSE(host.next_call_us());
  host.arrive(1);
  EXPECT_TRUE(host.next_call_us()) << "a deadline lies ahead again";
  host.finish(1, 100);
  host.turn(100);
  EXPECT_FALSE(host.next_call_us());
  host.arrive(2);
  host.turn(100);
  EXPECT_FALSE(host.next_call_us()) << "no deadline";
  host.finish(0, 100);
  EXPECT_THAT(host.turn(100), IsEmpty()) << "a job without a deadline has its priority already";
}

TEST(LaxCpu, GoesByTheDeadlineThatItIsTold) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 1, 8, 100);
  host.add_job({k}, 1000);
  host.set_told_deadline(0, 90);
  host.use("lax_cpu");
  host.arrive(0);
  EXPECT_THAT(host.turn(), ElementsAre("reject 0 code 1"));
}

TEST(Laxity, IsAlgorithmFour) {
  EXPECT_EQ(sched::priority_of(1000, 300, 200), 500);   // laxity
  EXPECT_EQ(sched::priority_of(1000, 800, 200), 1000);  // just not in time: when it will be done
  EXPECT_EQ(sched::priority_of(1000, 900, 200), 1100);  // later than any that is in time
  EXPECT_EQ(sched::priority_of(1000, 0, 1001), sched::kHopeless);
  // The less laxity, the more urgent; whoever is in time before whoever is not.
  double before = 0;
  for (double remaining = 799; remaining >= 0; remaining -= 17) {
    const double priority = sched::priority_of(1000, remaining, 200);
    EXPECT_GT(priority, before);
    EXPECT_LT(priority, sched::priority_of(1000, 801, 200));
    before = priority;
  }
}

TEST(Laxity, RatesAreThoseOfTheLastFullInterval) {
  ScriptedHost host;
  const unsigned a = host.add_kernel("a", 2, 8, 100), b = host.add_kernel("b", 8, 8, 50);
  host.add_job({a, b}, 1000);
  const sched::Knowledge known(host);
  EXPECT_EQ(known.alone_us(b), 50);
  EXPECT_EQ(known.share(a), 0.25);
  sched::CompletionRates rates(host, known);
  EXPECT_DOUBLE_EQ(rates.device_rate(), 150 / (100 * 0.25 + 50));  // what fits beside each other
  EXPECT_EQ(rates.kernel_us(a), 100);
  rates.completed(a, 0, 120);
  rates.completed(a, 0, 140);
  rates.refresh(100, false);  // the device had room: its rate stays
  EXPECT_DOUBLE_EQ(rates.device_rate(), 2);
  EXPECT_EQ(rates.kernel_us(a), 130);
  rates.refresh(100, true);  // nothing came to its end; counts for the next interval
  rates.completed(a, 0, 150);
  rates.completed(b, 0, 70);
  rates.refresh(50, true);
  EXPECT_DOUBLE_EQ(rates.device_rate(), (100 + 50) / 150.0);
  EXPECT_EQ(rates.kernel_us(a), 150);
  EXPECT_EQ(rates.kernel_us(b), 70);
}

TEST(Laxity, ARateOfEachKernelIsTheTimeInWhichSomeRanOverTheirNumber) {
  ScriptedHost host;
  const unsigned a = host.add_kernel("a", 2, 8, 100), b = host.add_kernel("b", 8, 8, 50);
  host.add_job({a, b}, 1000);
  sched::CompletionRates rates(host, sched::Knowledge(host), sched::Estimate::kKernels);
  EXPECT_EQ(rates.kernel_us(a), 100);
  EXPECT_EQ(rates.work_us(b), 50);
  EXPECT_EQ(rates.rate(), 1);
  rates.completed(a, 20, 100);
  rates.completed(a, 0, 120);    // around the one before
  rates.completed(a, 200, 260);  // apart
  rates.completed(b, 100, 160);  // another kind
  rates.refresh(300, true);
  EXPECT_DOUBLE_EQ(rates.kernel_us(a), (120 + 60) / 3.0);
  EXPECT_DOUBLE_EQ(rates.work_us(a), rates.kernel_us(a));
  EXPECT_DOUBLE_EQ(rates.kernel_us(b), 60);
  rates.refresh(100, true);  // nothing came to its end
  EXPECT_DOUBLE_EQ(rates.kernel_us(a), 60);
  rates.completed(a, 210, 300);  // 50 us of it count in the time before
  rates.completed(a, 290, 310);
  rates.refresh(100, true);
  EXPECT_DOUBLE_EQ(rates.kernel_us(a), (310 - 260) / 2.0);
}

TEST(LaxCpu, AddsUpTimesAloneAsTheCommandProcessorDoesIfItHasARateOfEachKernel) {
  for (const bool kernels : {false, true}) {
    ScriptedHost host;
    const unsigned k = host.add_kernel("k", 2, 8, 100);  // four go side by side
    host.add_job({k}, 190);
    host.add_job({k}, 190);
    host.use("lax_cpu", with({{"estimate", kernels ? "kernels" : "device"}}));
    host.arrive(0);
    host.arrive(1);
    // 100 us alone behind 25 of the device, or behind 100 of the kernel.
    if (kernels) {
      EXPECT_THAT(host.turn(), ElementsAre("priority 0 -90", "launch 0 x1 +4", "reject 1 code 1"));
    } else {
      EXPECT_THAT(host.turn(),
                  ElementsAre("priority 0 -90", "launch 0 x1 +4", "priority 1 -90", "launch 1 x1 +4"));
    }
  }
}

TEST(Knowledge, KernelsThatDoNotFitAtOnceTakeSeveralRounds) {
  ScriptedHost host;
  const unsigned k = host.add_kernel("k", 17, 8, 10);
  const sched::Knowledge known(host);
  EXPECT_EQ(known.alone_us(k), 30);
  EXPECT_EQ(known.share(k), 1);
}

}  // namespace
}  // namespace warpvp::test
