// What the policies for jobs with deadlines start, reject and rank, on scripted registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sw/firmware/jobs/job_tables.h"
#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr std::uint64_t kUs = 1000;
const char* const kPolicies[] = {"mlfq", "sjf", "ljf", "sjf_measured", "ljf_measured", "srf", "prema", "lax"};

ScriptedPacket kernel(std::uint32_t name, std::uint32_t ctas, std::uint64_t run_ns, std::uint32_t expected_ns = 0) {
  ScriptedPacket p;
  p.kernel = name;
  p.ctas = ctas;
  p.run_ns = run_ns;
  p.expected_ns = expected_ns;
  return p;
}

/// A machine whose queues have rings, and jobs that arrive there.
class JobPolicies : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kRings = 0x1'0100'0000;
  explicit JobPolicies(unsigned slots = 1, unsigned queues = 16) : m(queues, slots) {
    for (unsigned q = 0; q < queues; ++q) m.set_ring(q, kRings + q * 0x10000, 64);
  }
  /// `kernels` of 10 us each by default.
  void arrive(std::uint64_t at_us, unsigned queue, std::uint64_t deadline_us, std::vector<ScriptedPacket> kernels,
              std::uint32_t number = 0, int priority = 0) {
    if (number == 0) number = queue + 1;
    for (ScriptedPacket& k : kernels) k.priority = priority;
    m.at(at_us * kUs, [this, at_us, queue, deadline_us, kernels = std::move(kernels), number] {
      m.push(queue, ScriptedMachine::job(number, at_us * kUs,
                                         deadline_us == 0 ? 0 : (at_us + deadline_us) * kUs, kernels));
    });
  }
  /// Kernels of 10 us that say so.
  static std::vector<ScriptedPacket> tens(unsigned n) {
    return std::vector<ScriptedPacket>(n, kernel(7, 10, 10 * kUs, 10 * kUs));
  }
  /// KSR_PRIORITY of slot 0, in the order written.
  std::vector<std::uint32_t> priorities() const {
    std::vector<std::uint32_t> out;
    for (const auto& [address, value] : m.slot_writes)
      if (address == WD_KSR_PRIORITY(0)) out.push_back(value);
    return out;
  }
  ScriptedMachine m;
};

// A job occupies the only slot until all others have come: of 5, 1 and 3 kernels.
struct JobOrderCase {
  const char* policy;
  std::vector<unsigned> order;  ///< of queues, after the first
};
class JobOrder : public JobPolicies, public ::testing::WithParamInterface<JobOrderCase> {};

TEST_P(JobOrder, OneSlotShowsIt) {
  arrive(2, 0, 5000, tens(1));
  arrive(3, 1, 5000, tens(5));
  arrive(4, 2, 4000, tens(1));
  arrive(5, 3, 4500, tens(3));
  m.run(policy(GetParam().policy));
  std::vector<unsigned> expected = {0};
  expected.insert(expected.end(), GetParam().order.begin(), GetParam().order.end());
  EXPECT_THAT(m.starts, ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(Policies, JobOrder,
                         ::testing::Values(JobOrderCase{"sjf", {2, 3, 3, 3, 1, 1, 1, 1, 1}},
                                           JobOrderCase{"ljf", {1, 1, 1, 1, 1, 3, 3, 3, 2}},
                                           JobOrderCase{"sjf_measured", {2, 3, 3, 3, 1, 1, 1, 1, 1}},
                                           JobOrderCase{"ljf_measured", {1, 1, 1, 1, 1, 3, 3, 3, 2}},
                                           JobOrderCase{"srf", {2, 3, 3, 3, 1, 1, 1, 1, 1}},
                                           JobOrderCase{"mlfq", {1, 2, 3, 1, 3, 1, 3, 1, 1}},
                                           JobOrderCase{"prema", {2, 3, 3, 3, 1, 1, 1, 1, 1}},
                                           JobOrderCase{"lax", {2, 3, 3, 3, 1, 1, 1, 1, 1}}),
                         [](const auto& info) { return std::string(info.param.policy); });

// Of two kernels of 10 CTAs the host says 10 and 20 us; the first takes 300. Who measures learns that before both are
// there again, and who does not goes on by what was said (LAX Table 6.2: static).
TEST_F(JobPolicies, SjfAndLjfGoByWhatTheHostSaysAndTheirMeasuredFormsByWhatWasSeen) {
  const ScriptedPacket slow = kernel(7, 10, 300 * kUs, 10 * kUs), fast = kernel(8, 10, 20 * kUs, 20 * kUs);
  for (const auto& [name, first] : {std::pair("sjf", 2u), {"ljf", 3u}, {"sjf_measured", 3u}, {"ljf_measured", 2u}}) {
    ScriptedMachine machine(8, 1);
    for (unsigned q = 0; q < 8; ++q) machine.set_ring(q, kRings + q * 0x10000, 64);
    const auto arrive = [&](std::uint64_t us, unsigned queue, const ScriptedPacket& packet) {
      machine.at(us * kUs, [&machine, us, queue, packet] {
        machine.push(queue, ScriptedMachine::job(queue + 1, us * kUs, 0, {packet}));
      });
    };
    arrive(2, 0, slow);
    arrive(500, 1, fast);
    arrive(700, 4, kernel(9, 10, 50 * kUs, 50 * kUs));  // has the slot while these two come
    arrive(710, 2, slow);
    arrive(711, 3, fast);
    machine.run(policy(name));
    ASSERT_EQ(machine.starts.size(), 5u) << name;
    EXPECT_EQ(machine.starts[3], first) << name;
  }
}

// Jobs of equal work go as they came, however long those before them turned out (section 6.6.1).
TEST_F(JobPolicies, SjfAndLjfTakeEqualJobsInTheOrderOfTheirArrival) {
  for (const char* name : {"sjf", "ljf"}) {
    ScriptedMachine machine(16, 1);
    for (unsigned q = 0; q < 16; ++q) machine.set_ring(q, kRings + q * 0x10000, 64);
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned queue = 15 - i;
      machine.at((2 + 30 * i) * kUs, [&machine, queue, i] {
        machine.push(queue, ScriptedMachine::job(queue + 1, (2 + 30 * i) * kUs, 0,
                                                 {kernel(7, 10, (200 - 10 * i) * kUs, 25 * kUs)}));
      });
    }
    machine.run(policy(name));
    EXPECT_THAT(machine.starts, ElementsAre(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)) << name;
  }
}

// As IPV6 of the thesis, whose CTAs all end together: 25 us, and 40 us for them. A period ends in the middle of the second job, whose time until
// then counts over the first one: 45 us of a kernel of 25. With that, all later jobs are turned down, and as none
// runs nothing is measured any more.
TEST_F(JobPolicies, LaxTrapsItselfByAPeriodThatCutsAKernelInTwoUnlessToldHowToCount) {
  const ScriptedPacket look_up = kernel(7, 1, 25 * kUs, 25 * kUs);
  const auto met = [&](std::vector<std::uint32_t> parameters) {
    ScriptedMachine machine(16, 1);
    std::copy(parameters.begin(), parameters.end(), machine.parameters);
    for (unsigned q = 0; q < 16; ++q) machine.set_ring(q, kRings + q * 0x10000, 64);
    for (unsigned i = 0; i < 12; ++i) {
      const std::uint64_t us = i == 0 ? 30 : i == 1 ? 80 : 200 * i;
      machine.at(us * kUs, [&machine, us, i, look_up] {
        machine.push(i, ScriptedMachine::job(i + 1, us * kUs, (us + 40) * kUs, {look_up}));
      });
    }
    machine.run(policy("lax"));
    return machine.job_ends.size();
  };
  EXPECT_EQ(met({0, 0}), 2u);
  EXPECT_EQ(met({1, 0}), 12u) << "the 20 us count with the next period";
  EXPECT_EQ(met({0, 1}), 12u) << "a period without the kernel gives back what the host said";
  EXPECT_EQ(met({1, 1}), 12u);
}

// The longer job has less laxity although its deadline is later: what edf gets wrong.
TEST_F(JobPolicies, LaxGoesByLaxityNotByDeadline) {
  arrive(2, 0, 5000, tens(1));
  arrive(3, 1, 200, tens(2));   // laxity 180
  arrive(4, 2, 250, tens(15));  // laxity 100
  m.run(policy("lax"));
  EXPECT_EQ(m.starts[1], 2u);
  EXPECT_TRUE(m.rejected.empty());
  EXPECT_LE(m.job_ends[2], 203 * kUs);
  EXPECT_LE(m.job_ends[3], 254 * kUs);
}

TEST_F(JobPolicies, LaxRejectsWhatWouldMissItsDeadline) {
  arrive(2, 0, 100, tens(5));
  arrive(3, 1, 100, tens(4));   // 50 + 40 < 100
  arrive(4, 2, 100, tens(4));   // 50 + 40 + 40 > 100
  arrive(5, 3, 1000, tens(4));  // fits
  m.run(policy("lax"));
  EXPECT_EQ(m.rejected.size(), 4u);
  EXPECT_EQ(m.rejected[0], (std::pair<std::uint32_t, std::uint32_t>(3, 1)));
  EXPECT_EQ(m.job_ends.count(3), 0u);
  EXPECT_LE(m.job_ends.at(1), 102 * kUs);
  EXPECT_LE(m.job_ends.at(2), 103 * kUs);
}

TEST_F(JobPolicies, LaxLearnsHowLongKernelsTake) {
  // Nobody says how long they take: 10 CTAs in 50 us. The first job is admitted on trust.
  const ScriptedPacket slow = kernel(9, 10, 50 * kUs);
  arrive(2, 0, 10, {slow, slow});
  arrive(300, 1, 90, {slow, slow});   // takes 100, by now that is known
  arrive(350, 2, 130, {slow, slow});
  m.run(policy("lax"));
  EXPECT_EQ(m.job_ends.count(1), 1u);
  EXPECT_EQ(m.job_ends.count(2), 0u);
  EXPECT_EQ(m.job_ends.count(3), 1u);
}

TEST_F(JobPolicies, LaxDecidesWhenAllOfTheJobIsAnnounced) {
  std::vector<ScriptedPacket> packets = ScriptedMachine::job(1, 2 * kUs, 102 * kUs, tens(4));
  m.at(2 * kUs, [&] { m.push(0, {packets[0]}); });
  m.at(20 * kUs, [&] { m.push(0, {packets[1], packets[2]}); });
  m.at(30 * kUs, [&] { m.push(0, {packets[3]}); });
  m.run(policy("lax"), 29 * kUs);
  EXPECT_TRUE(m.starts.empty());
  m.resume();
  EXPECT_EQ(m.starts.size(), 4u);
}

TEST_F(JobPolicies, AJobThatDoesNotFitItsRingIsNotWaitedFor) {
  m.set_ring(0, kRings, 4);
  std::vector<ScriptedPacket> packets = ScriptedMachine::job(1, 2 * kUs, 900 * kUs, tens(6));
  m.at(2 * kUs, [&] { m.push(0, {packets.begin(), packets.begin() + 4}); });
  m.at(30 * kUs, [&] { m.push(0, {packets[4], packets[5]}); });
  m.run(policy("lax"));
  EXPECT_EQ(m.starts.size(), 6u);
}

/// 256 queues with rings, so that more jobs can come than the tables hold.
class MoreJobsThanTables : public JobPolicies {
 protected:
  MoreJobsThanTables() : JobPolicies(4, 256) {}
};

TEST_F(MoreJobsThanTables, TheOthersWaitForAnEntry) {
  for (unsigned q = 0; q < FW_JOBS + 40; ++q) arrive(2, q, 0, tens(2));
  m.run(policy("lax"));
  EXPECT_EQ(m.job_ends.size(), FW_JOBS + 40);
  EXPECT_TRUE(m.rejected.empty());
}

// All of the table waits for kernels to be announced, and then is turned down: nothing runs whose end would call the rest.
TEST_F(MoreJobsThanTables, ARejectionMakesRoomToo) {
  const ScriptedPacket hopeless = kernel(8, 10, 10 * kUs, 900 * kUs);
  for (unsigned q = 0; q < FW_JOBS; ++q) {
    std::vector<ScriptedPacket> packets = ScriptedMachine::job(q + 1, 2 * kUs, 600 * kUs, {hopeless, hopeless});
    m.at(2 * kUs, [this, q, first = packets[0]] { m.push(q, {first}); });
    m.at(400 * kUs, [this, q, second = packets[1]] { m.push(q, {second}); });
  }
  for (unsigned q = FW_JOBS; q < FW_JOBS + 3; ++q) arrive(300, q, 5000, tens(2));
  m.run(policy("lax"));
  EXPECT_EQ(m.rejected.size(), 2 * FW_JOBS);
  EXPECT_EQ(m.job_ends.size(), 3u);
}

TEST_F(MoreJobsThanTables, AQueueThatIsUnmappedMakesRoomToo) {
  for (unsigned q = 0; q < FW_JOBS; ++q) {
    std::vector<ScriptedPacket> packets = ScriptedMachine::job(q + 1, 2 * kUs, 0, tens(2));
    m.at(2 * kUs, [this, q, first = packets[0]] { m.push(q, {first}); });  // the other one never comes
  }
  arrive(300, FW_JOBS, 5000, tens(2));
  m.at(400 * kUs, [this] { m.unmap(5); });
  m.run(policy("lax"));
  EXPECT_EQ(m.job_ends.count(FW_JOBS + 1), 1u);
}

TEST_F(JobPolicies, LaxRaisesThePriorityOfARunningKernelAsItsLaxityShrinks) {
  arrive(2, 0, 2000, {kernel(7, 1, 900 * kUs, 950 * kUs)});
  m.run(policy("lax"));
  const std::vector<std::uint32_t> written = priorities();
  ASSERT_GE(written.size(), 8u) << "one at the start, and one a period";
  for (std::size_t i = 1; i < written.size(); ++i) EXPECT_GT(written[i], written[i - 1]);
}

TEST_F(JobPolicies, LaxPutsTheHopelessLast) {
  arrive(2, 0, 150, {kernel(7, 1, 900 * kUs)});  // nothing is known of it: admitted
  m.run(policy("lax"));
  EXPECT_EQ(priorities().back(), 0u) << "KSR_PRIORITY of the last rank";
}

TEST_F(JobPolicies, MlfqDemotesAfterAThirdAndPromotesAfterTwo) {
  // The first job is in the lower level from 300 on, and in the upper one again from 600 on.
  arrive(0, 0, 900, std::vector<ScriptedPacket>(5, kernel(7, 1, 150 * kUs)));
  arrive(1, 1, 9000, std::vector<ScriptedPacket>(4, kernel(7, 1, 150 * kUs)));
  m.run(policy("mlfq"));
  EXPECT_THAT(m.starts, ElementsAre(0, 1, 1, 1, 0, 1, 0, 0, 0));
}

TEST_F(JobPolicies, PremaGivesWhatWaitsTokens) {
  // A long job of high priority that waits collects tokens, and then no stream of short ones holds it back.
  arrive(2, 0, 0, tens(1));
  arrive(3, 1, 0, tens(4), 100, -1);
  for (unsigned i = 0; i < 60; ++i) arrive(4 + 10 * i, 2 + i % 8, 0, tens(1), 200 + i, -1);
  m.run(policy("prema"));
  EXPECT_EQ(m.job_ends.size(), 62u);
  EXPECT_LT(m.job_ends[100], 500 * kUs);
}

// At the tick of 400 us the longer job has 3 + 3 * 395 / 150 tokens, the shorter one 3 + 3 * 10 / 20: with 9 and more it
// is alone above the threshold. At one token a time alone both would be below, and the shorter one would go first.
TEST_F(JobPolicies, PremaGivesTokensByPriority) {
  arrive(2, 0, 0, {kernel(8, 10, 450 * kUs, 450 * kUs)});
  arrive(5, 1, 0, tens(15));
  arrive(390, 2, 0, tens(2));
  m.run(policy("prema"));
  ASSERT_EQ(m.starts.size(), 18u);
  EXPECT_EQ(m.starts[1], 1u);
}

TEST_F(JobPolicies, PacketsOfNoJobGoWhenNoJobsCan) {
  for (const char* name : kPolicies) {
    ScriptedMachine machine(8, 1);
    for (unsigned q = 0; q < 8; ++q) machine.set_ring(q, kRings + q * 0x10000, 64);
    machine.push(0, {kernel(7, 10, 10 * kUs)});
    machine.at(2 * kUs, [&] { machine.push(1, {kernel(7, 10, 10 * kUs), kernel(7, 10, 10 * kUs)}); });
    machine.at(3 * kUs, [&] {
      machine.push(2, ScriptedMachine::job(1, 3 * kUs, 900 * kUs, std::vector<ScriptedPacket>(3, tens(1)[0])));
    });
    machine.run(policy(name));
    EXPECT_THAT(machine.starts, ElementsAre(0, 2, 2, 2, 1, 1)) << name;
  }
}

TEST_F(JobPolicies, JobsMayFollowOneAnotherInAQueue) {
  for (const char* name : kPolicies) {
    ScriptedMachine machine(8, 2);
    machine.set_ring(0, kRings, 16);
    for (std::uint32_t j = 1; j <= 20; ++j)
      machine.at(j * 50 * kUs, [&machine, j] {
        machine.push(0, ScriptedMachine::job(j, j * 50 * kUs, (j * 50 + 400) * kUs, tens(1 + j % 3)));
      });
    machine.run(policy(name));
    EXPECT_EQ(machine.job_ends.size(), 20u) << name;
    EXPECT_TRUE(machine.rejected.empty()) << name;
  }
}

TEST_F(JobPolicies, LateTicksAreCounted) {
  m.period_ns = 100;  // less than what a tick takes
  arrive(2, 0, 900, tens(3));
  m.run(policy("lax"), 100 * kUs);
  EXPECT_GT(m.late_ticks, 0u);
  ScriptedMachine idle(16, 1);
  for (unsigned q = 0; q < 16; ++q) idle.set_ring(q, kRings + q * 0x10000, 64);
  idle.push(0, ScriptedMachine::job(1, 1 * kUs, 900 * kUs, tens(3)));
  idle.run(policy("lax"));
  EXPECT_EQ(idle.late_ticks, 0u);
}

// ---- Ageing

TEST(Ageing, LetsTheLeastUrgentPacketThrough) {
  for (const std::uint32_t ageing : {0u, 1000u}) {
    ScriptedMachine m(8, 1);
    m.ageing_ns = ageing;
    ScriptedPacket low, high;
    high.priority = 10;
    m.push(0, {low});
    for (unsigned i = 0; i < 100; ++i) m.at(1000 + 900 * i, [&] { m.push(1, {high}); });  // one always waits
    m.run(policy("priority"));
    const auto at = std::find(m.starts.begin(), m.starts.end(), 0u) - m.starts.begin();
    if (ageing == 0) {
      EXPECT_GT(at, 50);
    } else {
      EXPECT_LT(at, 25) << "it waits for 10 us to make up for 10";
    }
  }
}

TEST(Ageing, GreaterPrioritiesStillGoFirst) {
  ScriptedMachine m(8, 1);
  m.ageing_ns = 100000;
  ScriptedPacket first;
  first.run_ns = 20000;
  m.push(7, {first});
  m.at(5000, [&] {
    for (int q = 0; q < 4; ++q) {
      ScriptedPacket p;
      p.priority = q;
      m.push(static_cast<unsigned>(q), {p});
    }
  });
  m.run(policy("priority"));
  EXPECT_THAT(m.starts, ElementsAre(7, 3, 2, 1, 0));
}

TEST(Ageing, ExtremesDoNotOverflow) {
  ScriptedMachine m(8, 1);
  m.ageing_ns = 1'000'000'000;
  ScriptedPacket first, most, least;
  first.run_ns = 20000;
  most.priority = 0x7fffffff;
  least.priority = -0x7fffffff - 1;
  m.push(7, {first});
  m.at(5000, [&] {
    m.push(0, {least});
    m.push(1, {ScriptedPacket{}});
    m.push(2, {most});
  });
  m.run(policy("priority"));
  EXPECT_THAT(m.starts, ElementsAre(7, 2, 1, 0));
}

// ---- Whatever comes

TEST(RandomJobs, AreEitherRejectedOrRunToTheirEnd) {
  for (const char* name : kPolicies) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      std::mt19937 random(seed);
      const auto up_to = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
      ScriptedMachine m(16, 1 + up_to(4));
      m.period_ns = 20'000 + up_to(100'000);
      for (unsigned q = 0; q < 16; ++q) m.set_ring(q, 0x1'0100'0000 + q * 0x10000, 32);
      std::map<std::uint32_t, std::size_t> kernels;
      std::set<unsigned> busy;
      constexpr unsigned kJobs = 60;
      for (std::uint32_t j = 1; j <= kJobs; ++j) {
        std::vector<ScriptedPacket> packets;
        const unsigned n = 1 + up_to(6);
        for (unsigned k = 0; k < n; ++k) {
          const std::uint32_t kind = 1 + up_to(30), ctas = 1 + up_to(40);
          packets.push_back(kernel(kind, ctas, 1000 * (1 + kind % 7), up_to(2) ? 1000 * (1 + kind % 7) : 0));
          if (k + 1 < n && up_to(8) == 0) packets.back().type = FW_COPY;
        }
        kernels[j] = n;
        const std::uint64_t at = 5000 + up_to(400'000);
        const std::uint64_t deadline = up_to(5) == 0 ? 0 : at + 5000 + up_to(150'000);
        const unsigned queue = up_to(16);
        m.at(at, [&m, queue, j, at, deadline, packets] {
          m.push(queue, ScriptedMachine::job(j, at, deadline, packets));
        });
      }
      std::map<std::uint32_t, std::size_t> run;
      m.on_job_start = [&](std::uint32_t job) {
        ++run[job];
        for (const auto& [rejected, code] : m.rejected)
          if (code != 0) {
            EXPECT_NE(rejected, job) << name << " seed " << seed << ": starts what it rejected";
          }
      };
      m.run(policy(name));
      ASSERT_EQ(m.halted, 0) << m.console;
      std::set<std::uint32_t> rejected;
      for (const auto& [job, code] : m.rejected) rejected.insert(job);
      for (std::uint32_t j = 1; j <= kJobs; ++j)
        EXPECT_EQ(run[j], rejected.count(j) ? 0u : kernels[j]) << name << " seed " << seed << " job " << j;
      EXPECT_TRUE(rejected.empty() || std::string(name) == "lax");
    }
  }
}

}  // namespace
}  // namespace warpvp::test
