// LAX's tables, and its Algorithms 3 and 4 on tables that were worked out by hand. All times in ns.
#include <gtest/gtest.h>

#include <vector>

#include "jobs/job_tables.h"

namespace warpvp::test {
namespace {

constexpr std::uint32_t kNs = 256;  // of the kernel table's unit

/// Kernels 0 and 1, whose CTAs take 10 and 100 ns, and what tests put there.
class JobTables : public ::testing::Test {
 protected:
  JobTables() {
    fw_tables_reset(&tables);
    tables.kernels[0] = {0xa0, 10 * kNs};
    tables.kernels[1] = {0xb0, 100 * kNs};
  }
  struct Part {
    unsigned kernel;
    std::uint32_t ctas;
  };
  fw_job& job(unsigned entry, std::uint32_t start, std::uint32_t deadline, const std::vector<Part>& parts) {
    fw_job& j = tables.jobs[entry];
    fw_job_begin(&j, entry, start, deadline);
    for (const Part& part : parts) {
      unsigned kernel = part.kernel;
      EXPECT_EQ(fw_job_add(&j, &kernel, part.ctas), part.ctas);
    }
    return j;
  }
  void admit(fw_job& j) {
    j.state = FW_JOB_READY;
    for (unsigned i = 0; i < FW_JOB_KERNELS && j.kernel[i] != FW_NO_KERNEL; ++i)
      work.ctas[j.kernel[i]] += j.ctas[i];
  }
  fw_job_tables tables;
  fw_work work{};
};

TEST_F(JobTables, TakeTheThesissMemory) { EXPECT_EQ(sizeof(fw_job_tables), 4240u); }

TEST_F(JobTables, TimeIsTheSumOverTheListOfWork) {
  EXPECT_EQ(fw_job_time(&tables, &job(0, 0, 0, {})), 0u);
  EXPECT_EQ(fw_job_time(&tables, &job(0, 0, 0, {{0, 7}})), 70u);
  EXPECT_EQ(fw_job_time(&tables, &job(0, 0, 0, {{0, 7}, {1, 3}, {0, 1}})), 380u);
  tables.kernels[0].cta_time = 128;  // half a ns: halves add up before they are rounded
  tables.kernels[1].cta_time = 128;
  EXPECT_EQ(fw_job_time(&tables, &job(0, 0, 0, {{0, 3}, {1, 3}})), 3u);
  tables.kernels[0].cta_time = 0xffffffff;
  EXPECT_EQ(fw_job_time(&tables, &job(0, 0, 0, {{0, 65535}})), 0xffffffffu);
}

TEST_F(JobTables, WorkThatIsDoneIsTaken) {
  fw_job& j = job(0, 0, 0, {{0, 7}, {1, 3}});
  unsigned kernel = 1;
  EXPECT_EQ(fw_job_take(&j, &kernel, 2), 2u);
  EXPECT_EQ(fw_job_time(&tables, &j), 170u);
  EXPECT_EQ(fw_job_take(&j, &kernel, 2), 1u) << "no more than there is";
  EXPECT_EQ(fw_job_time(&tables, &j), 70u);
}

TEST_F(JobTables, AJobOfManyKernelsCountsTheLastOnesTogether) {
  fw_job& j = job(0, 0, 0, {});
  for (unsigned k = 0; k < 8; ++k) {
    unsigned kernel = k;
    fw_job_add(&j, &kernel, 1);
    EXPECT_EQ(kernel, std::min(k, 5u));
  }
  EXPECT_EQ(j.ctas[5], 3);
  unsigned kernel = 7;
  EXPECT_EQ(fw_job_take(&j, &kernel, 2), 2u);
  EXPECT_EQ(kernel, 5u);
}

TEST_F(JobTables, CountsOfCtasHaveAnEnd) {
  fw_job& j = job(0, 0, 0, {{0, 65000}});
  unsigned kernel = 0;
  EXPECT_EQ(fw_job_add(&j, &kernel, 1000), 535u);
  EXPECT_EQ(fw_job_add(&j, &kernel, 1), 0u);
}

// ---- Algorithm 3

TEST_F(JobTables, AJobAloneIsAdmittedIfItsOwnTimeFits) {
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &job(0, 1000, 381, {{0, 8}, {1, 3}}), 1000));
  EXPECT_FALSE(fw_job_admitted(&tables, &work, &job(0, 1000, 380, {{0, 8}, {1, 3}}), 1000));
}

TEST_F(JobTables, TimeSinceTheArrivalCounts) {
  fw_job& j = job(0, 1000, 381, {{0, 8}, {1, 3}});
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &j, 1000));
  EXPECT_FALSE(fw_job_admitted(&tables, &work, &j, 1001));
  j.start_ns = 0xffffff00;  // the clock's lower half wraps
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &j, 0xffffff00));
  EXPECT_FALSE(fw_job_admitted(&tables, &work, &j, 0x00000040));
}

// Jobs of 400 and 150 ns are there; one of 200 comes. Little's law: it is through after 750.
TEST_F(JobTables, WorkAdmittedBeforeDelaysANewJob) {
  admit(job(0, 0, 10000, {{1, 4}}));
  admit(job(1, 0, 10000, {{0, 5}, {1, 1}}));
  EXPECT_FALSE(fw_job_admitted(&tables, &work, &job(2, 0, 750, {{0, 10}, {1, 1}}), 0));
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &job(2, 0, 751, {{0, 10}, {1, 1}}), 0));
  // The next one waits for that one, too; but not for one that was not admitted.
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &job(3, 0, 561, {{0, 1}}), 0));
  admit(tables.jobs[2]);
  EXPECT_FALSE(fw_job_admitted(&tables, &work, &job(3, 0, 760, {{0, 1}}), 0));
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &job(3, 0, 761, {{0, 1}}), 0));
}

TEST_F(JobTables, WhatHasNoDeadlineIsAdmitted) {
  admit(job(0, 0, 0, {{1, 60000}}));
  EXPECT_TRUE(fw_job_admitted(&tables, &work, &job(1, 0, 0, {{1, 60000}}), 5000));
}

// ---- Algorithm 4

struct Laxity {
  const char* name;
  std::uint32_t deadline, duration, ctas;  ///< of 100 ns
  std::uint32_t priority;
};
class Priority : public JobTables, public ::testing::WithParamInterface<Laxity> {};

TEST_P(Priority, IsAsWorkedOutByHand) {
  const Laxity& c = GetParam();
  const std::uint32_t start = 0xfffffff0;
  EXPECT_EQ(fw_job_priority(&tables, &job(0, start, c.deadline, {{1, c.ctas}}), start + c.duration), c.priority);
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, Priority,
    ::testing::Values(Laxity{"AmpleLaxity", 1000, 100, 2, 700},             // 1000 - (200 + 100)
                      Laxity{"LittleLaxity", 1000, 799, 2, 1},              // 1000 - 999
                      Laxity{"JustMissed", 1000, 800, 2, 1000},             // completion: not before the deadline
                      Laxity{"FarBehind", 1000, 900, 50, 5900},             // completion
                      Laxity{"NothingLeft", 1000, 400, 0, 600},             // laxity alone
                      Laxity{"AtTheDeadline", 1000, 1000, 2, 1200},         // not yet overrun
                      Laxity{"Overrun", 1000, 1001, 2, FW_PRIORITY_HOPELESS},
                      Laxity{"NoDeadline", 0, 1001, 2, FW_PRIORITY_NO_DEADLINE},
                      Laxity{"LongDeadline", 0xffffffff, 0, 0, FW_PRIORITY_MOST}),
    [](const auto& info) { return info.param.name; });

// What can meet its deadline goes by laxity; what cannot goes behind all that can and have a deadline as long.
TEST_F(JobTables, PrioritiesAreMonotoneInLaxity) {
  std::uint32_t before = 0;
  for (std::uint32_t duration = 900; duration <= 900; --duration) {
    const std::uint32_t priority = fw_job_priority(&tables, &job(0, 0, 1000, {{0, 5}}), duration);
    EXPECT_GT(priority, before) << duration;
    EXPECT_LT(priority, fw_job_priority(&tables, &job(1, 0, 1000, {{0, 50}}), 900)) << "than one that misses";
    before = priority;
    if (duration == 0) break;
  }
}

// ---- The kernel table

TEST_F(JobTables, KernelsAreFoundAgain) {
  EXPECT_EQ(fw_tables_kernel(&tables, &work, 0xa0), 0u);
  EXPECT_EQ(fw_tables_kernel(&tables, &work, 0xb0), 1u);
  const unsigned third = fw_tables_kernel(&tables, &work, 0xc0);
  EXPECT_EQ(third, 2u);
  EXPECT_EQ(tables.kernels[third].cta_time, 0u);
  EXPECT_EQ(fw_tables_kernel(&tables, &work, 0xc0), third);
}

TEST_F(JobTables, AFullTableDropsAKernelWithoutWork) {
  for (unsigned k = 0; k < FW_KERNELS; ++k) {
    tables.kernels[k] = {k + 1, kNs};
    work.ctas[k] = k == 7 ? 0 : 5;
  }
  EXPECT_EQ(fw_tables_kernel(&tables, &work, 99), 7u);
  EXPECT_EQ(tables.kernels[7].name, 99u);
  EXPECT_EQ(tables.kernels[7].cta_time, 0u);
  work.ctas[7] = 5;
  EXPECT_EQ(fw_tables_kernel(&tables, &work, 100), FW_KERNELS - 1) << "counts as the last one";
  EXPECT_EQ(tables.kernels[FW_KERNELS - 1].name, FW_KERNELS);
}

TEST_F(JobTables, MeasurementsAreRatesOfCompletion) {
  fw_kernel_entry kernel{0xc0, 0};
  fw_tables_measured(&kernel, 100000, 0);
  EXPECT_EQ(kernel.cta_time, 0u) << "nothing ended";
  fw_tables_measured(&kernel, 100000, 400);
  EXPECT_EQ(kernel.cta_time, 250 * kNs);
  fw_tables_measured(&kernel, 1, 1000);
  EXPECT_EQ(kernel.cta_time, 1u) << "0 would mean that it is not known";
  fw_tables_measured(&kernel, 0x8000'0000, 2);
  EXPECT_EQ(kernel.cta_time, 0xffffffffu);
}

}  // namespace
}  // namespace warpvp::test
