// What must hold whatever is spawned: no task is lost, none runs twice, shared memory and barriers are the
// thread block's own, results are right, and all entries are free at the end.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "interconnect/host_interface.h"
#include "sw/kernels/pagoda/probe.h"
#include "tests/pagoda/session.h"

namespace warpvp::test {
namespace {

using pagoda::Pagoda;
using pagoda::PagodaParams;
using pagoda::PagodaSpawner;
using pagoda::TaskId;
using pagoda::TaskSpec;

struct Watched {
  unsigned threads, blocks;
  std::vector<unsigned> results;
};

/// Device memory that all tasks of a test share.
struct Watch {
  rt::DevicePtr runs, errors, owners;
  unsigned tasks;

  Watch(rt::Runtime& device, unsigned tasks_, unsigned mtbs) : tasks(tasks_) {
    runs = device.malloc(4 * tasks);
    errors = device.malloc(4);
    owners = device.malloc(64 * mtbs);
    device.memset_async(runs, 0, 4 * tasks, rt::Stream{0});
    device.memset_async(errors, 0, 4, rt::Stream{0});
    device.memset_async(owners, 0, 64 * mtbs, rt::Stream{0});
    device.synchronize(rt::Stream{0});
  }
};

/// A random task; its results come back with it.
TaskSpec random_task(rt::Runtime& device, std::mt19937& random, const Watch& watch, unsigned number,
                     std::vector<unsigned>& results) {
  TaskSpec spec;
  spec.function = "watched";
  spec.sync = random() % 3 == 0;
  spec.threads = spec.sync ? 32 * (1 + random() % 8) : 1 + random() % 300;
  if (random() % 16 == 0) spec.threads = 31 * 32;
  spec.blocks = random() % 4 == 0 ? 1 + random() % 4 : 1;
  spec.shared_bytes = random() % 2 == 0 ? 0 : 4 * (random() % (random() % 4 == 0 ? 4096 : 512));
  results.assign(spec.threads * spec.blocks, 0);
  const std::size_t bytes = 4 * results.size();
  const rt::DevicePtr at = device.malloc(bytes);
  WatchedArguments a{};
  a.runs = reinterpret_cast<unsigned*>(watch.runs);
  a.errors = reinterpret_cast<unsigned*>(watch.errors);
  a.barrier_owners = reinterpret_cast<unsigned*>(watch.owners);
  a.results = reinterpret_cast<unsigned*>(at);
  a.task = number;
  a.rounds = random() % 3;
  a.shared_bytes = spec.shared_bytes;
  a.sync = spec.sync ? 1 : 0;
  spec.arguments = bytes_of(a);
  spec.outputs.push_back({at, results.data(), bytes});
  return spec;
}

void expect_results(const TaskSpec& spec, unsigned number, const std::vector<unsigned>& results) {
  for (unsigned i = 0; i < results.size(); ++i)
    ASSERT_EQ(results[i], 3 * number + 7 * i + spec.shared_bytes) << "task " << number << ", thread " << i;
}

void expect_all_ran_once(rt::Runtime& device, const Watch& watch, const std::vector<TaskSpec>& specs) {
  std::vector<unsigned> runs(watch.tasks);
  unsigned errors = 0;
  device.copy_to_host(runs.data(), watch.runs, 4 * runs.size());
  device.copy_to_host(&errors, watch.errors, 4);
  EXPECT_EQ(errors, 0u);
  for (unsigned t = 0; t < watch.tasks; ++t)
    EXPECT_EQ(runs[t], specs[t].threads * specs[t].blocks) << "task " << t;
}

/// A task of one warp a thread block that has `blocks` of them.
TaskSpec many_blocks(rt::Runtime& device, const Watch& watch, unsigned number, unsigned blocks, bool sync,
                     unsigned shared_bytes, std::vector<unsigned>& results) {
  std::mt19937 random(1);
  TaskSpec spec = random_task(device, random, watch, number, results);
  spec.threads = 32;
  spec.blocks = blocks;
  spec.sync = sync;
  spec.shared_bytes = shared_bytes;
  WatchedArguments a{};
  std::memcpy(&a, spec.arguments.data(), sizeof a);
  results.assign(32 * blocks, 0);
  const rt::DevicePtr at = device.malloc(4 * results.size());
  a.results = reinterpret_cast<unsigned*>(at);
  a.rounds = 3;
  a.sync = sync ? 1 : 0;
  a.shared_bytes = shared_bytes;
  spec.arguments = bytes_of(a);
  spec.outputs = {{at, results.data(), 4 * results.size()}};
  return spec;
}

TEST(PagodaScarcity, BlocksWaitForBarriersMemoryAndWarps) {
  run_program([](rt::Runtime& device) {
    PagodaParams params;
    params.mtbs_per_sm = 1;
    params.task_limit_us = 2000;
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    const Watch watch(device, 3, pagoda.mtbs());
    std::vector<std::vector<unsigned>> results(3);
    const std::vector<TaskSpec> specs{
        many_blocks(device, watch, 0, 50, true, 0, results[0]),      // 16 barriers
        many_blocks(device, watch, 1, 9, false, 16384, results[1]),  // room for two
        many_blocks(device, watch, 2, 100, false, 0, results[2])};   // 31 warps
    for (const TaskSpec& spec : specs) pagoda.spawn(spec);
    pagoda.wait_all();
    for (unsigned t = 0; t < 3; ++t) expect_results(specs[t], t, results[t]);
    pagoda.close();
    expect_all_ran_once(device, watch, specs);
  });
}

/// Mean time until the next task's scheduler has released one, of 64 tasks on the 8 MTBs of `small`.
double release_us(rt::Runtime& device, unsigned chain_looks) {
  PagodaParams params;
  params.idle_sleep_ns = 1000;
  params.chain_looks = chain_looks;
  params.task_limit_us = 2000;  // a broken chain is said to be one soon
  params.steps = 64;
  Pagoda pagoda(params);
  pagoda.open(device, load_probe(device));
  const Watch watch(device, params.steps, pagoda.mtbs());
  std::vector<std::vector<unsigned>> results(params.steps);
  std::vector<TaskSpec> specs;
  for (unsigned t = 0; t < params.steps; ++t) {
    specs.push_back(many_blocks(device, watch, t, 1, false, 0, results[t]));
    pagoda.spawn(specs[t]);
  }
  pagoda.wait_all();
  for (unsigned t = 0; t < params.steps; ++t) expect_results(specs[t], t, results[t]);
  pagoda.close();
  for (const auto& [name, us] : pagoda.measured())
    if (name == "step_release_us") return us;
  return 0;
}

// 5.2.2: the scheduler of the next task waits until a task has been seen. Who goes round its rows instead
// comes back after half a round, on average, for every task that the chain has before it.
TEST(PagodaChain, ASchedulerWaitsForTheTaskBefore) {
  run_program([](rt::Runtime& device) {
    const double waiting = release_us(device, 256), going_on = release_us(device, 1);
    EXPECT_GT(waiting, 0);
    EXPECT_LT(waiting, 0.5 * going_on);
  });
}

// 5.4.6: nothing of a batch is spawned before the batch before is over.
TEST(PagodaBatch, SpawnsAfterTheBatchBefore) {
  run_program([](rt::Runtime& device) {
    PagodaParams params;
    params.batch = 4;
    params.mtbs_per_sm = 1;
    params.steps = 10;
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    const Watch watch(device, 10, pagoda.mtbs());
    std::vector<std::vector<unsigned>> results(10);
    std::vector<TaskSpec> specs;
    for (unsigned t = 0; t < 10; ++t) {
      specs.push_back(many_blocks(device, watch, t, 2, false, 0, results[t]));
      pagoda.spawn(specs[t]);
    }
    pagoda.wait_all();
    pagoda.close();
    expect_all_ran_once(device, watch, specs);
    const auto& times = pagoda.times();
    constexpr double kSignalUs = 0.002;  // times of signals are whole nanoseconds
    for (unsigned t = 4; t < 10; ++t)
      for (unsigned before = 0; before < t / 4 * 4; ++before)
        EXPECT_GE(times[t].spawned + kSignalUs, times[before].noticed);
    EXPECT_LT(times[1].spawned, times[0].noticed);

    // The pieces of a task's life follow each other, and add up to it.
    double sum = 0, mean = 0;
    ASSERT_EQ(pagoda.measured().size(), 7u);
    for (const auto& [name, us] : pagoda.measured()) {
      EXPECT_GE(us, 0) << name;
      sum += us;
    }
    for (const pagoda::TaskTimes& t : times) mean += (t.noticed - t.spawned) / 10;
    EXPECT_NEAR(sum, mean, 1e-6 * mean);
    const auto run = pagoda.measured()[5];
    EXPECT_EQ(run.first, "step_run_us");
    EXPECT_GT(run.second, 0.5);
  });
}

/// Entries that count as taken after one look at the first of eight tasks, all but the last of which are
/// over.
unsigned taken_after_a_look(const std::string& look) {
  unsigned taken = 0;
  run_program([&](rt::Runtime& device) {
    PagodaParams params;
    params.mtbs_per_sm = 1;
    params.look = look;
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    const Watch watch(device, 8, pagoda.mtbs());
    std::vector<std::vector<unsigned>> results(8);
    std::vector<TaskSpec> specs;
    std::vector<TaskId> ids;
    for (unsigned t = 0; t < 8; ++t) {
      specs.push_back(many_blocks(device, watch, t, 1, false, 0, results[t]));
      ids.push_back(pagoda.spawn(specs[t]));
    }
    device.host().sleep(SimTime::from_us(500));
    EXPECT_EQ(pagoda.taken(), 8u) << "nobody has looked";
    pagoda.check(ids[0]);
    taken = pagoda.taken();
    pagoda.wait_all();
    for (unsigned t = 0; t < 8; ++t) expect_results(specs[t], t, results[t]);
    pagoda.close();
    expect_all_ran_once(device, watch, specs);
  });
  return taken;
}

TEST(PagodaLook, AtAnEntryTellsOfOneTask) { EXPECT_EQ(taken_after_a_look("entry"), 7u); }
TEST(PagodaLook, AtTheTableTellsOfAllButTheLast) { EXPECT_EQ(taken_after_a_look("table"), 1u); }

class PagodaProperties : public ::testing::TestWithParam<unsigned> {};

TEST_P(PagodaProperties, RandomTasksOfOneThread) {
  run_program([&](rt::Runtime& device) {
    std::mt19937 random(GetParam());
    PagodaParams params;
    if (GetParam() % 2 == 1) params.mtbs_per_sm = 1;
    params.task_limit_us = 5000;  // a task that is lost is named soon
    if (GetParam() >= 2) params.idle_sleep_ns = 500;
    if (GetParam() >= 3) params.scan = "lanes";
    if (GetParam() >= 2) params.look = "table";
    params.chain_looks = std::array<unsigned, 4>{8, 1, 256, 100'000}[GetParam() % 4];
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    const unsigned count = pagoda.entries() + 40;  // more than the table holds
    const Watch watch(device, count, pagoda.mtbs());
    std::vector<std::vector<unsigned>> results(count);
    std::vector<TaskSpec> specs;
    std::vector<TaskId> ids;
    for (unsigned t = 0; t < count; ++t) {
      specs.push_back(random_task(device, random, watch, t, results[t]));
      ids.push_back(pagoda.spawn(specs[t]));
      if (random() % 32 == 0) {
        const unsigned which = random() % ids.size();
        pagoda.wait(ids[which]);
        EXPECT_TRUE(pagoda.check(ids[which]));
        expect_results(specs[which], which, results[which]);
      }
      if (random() % 32 == 0) device.host().sleep(SimTime::from_us(random() % 30));
    }
    pagoda.wait_all();
    EXPECT_EQ(pagoda.taken(), 0u);
    for (unsigned t = 0; t < count; ++t) expect_results(specs[t], t, results[t]);
    ASSERT_EQ(pagoda.times().size(), count);
    for (const pagoda::TaskTimes& t : pagoda.times()) EXPECT_GT(t.noticed, t.spawned);
    pagoda.close();
    expect_all_ran_once(device, watch, specs);
  });
}

TEST_P(PagodaProperties, RandomTasksOfSeveralThreads) {
  run_program([&](rt::Runtime& device) {
    constexpr unsigned kThreads = 3, kEach = 120;  // together more than the table of one SM holds
    PagodaParams params;
    params.mtbs_per_sm = 1;
    params.task_limit_us = 5000;  // a task that is lost is named soon
    if (GetParam() >= 2) params.idle_sleep_ns = 500;
    if (GetParam() >= 3) params.scan = "lanes";
    if (GetParam() >= 2) params.look = "table";
    params.chain_looks = std::array<unsigned, 4>{8, 1, 256, 100'000}[GetParam() % 4];
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    const Watch watch(device, kThreads * kEach, pagoda.mtbs());
    std::vector<std::vector<unsigned>> results(watch.tasks);
    std::vector<TaskSpec> specs(watch.tasks);
    std::vector<rt::HostThread> threads;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      threads.push_back(device.start_thread("spawner", [&, thread](rt::Runtime& own) {
        std::mt19937 random(100 * GetParam() + thread);
        const std::unique_ptr<PagodaSpawner> spawner = pagoda.spawner(own);
        for (unsigned i = 0; i < kEach; ++i) {
          const unsigned t = kThreads * i + thread;
          specs[t] = random_task(own, random, watch, t, results[t]);
          const TaskId id = spawner->spawn(specs[t]);
          if (random() % 16 == 0) {
            while (!spawner->check(id)) own.host().sleep(SimTime::from_us(2));
            expect_results(specs[t], t, results[t]);
          }
        }
        spawner->wait_all();
        for (unsigned i = 0; i < kEach; ++i) {
          const unsigned t = kThreads * i + thread;
          expect_results(specs[t], t, results[t]);
        }
      }));
    }
    for (rt::HostThread thread : threads) device.join(thread);
    EXPECT_EQ(pagoda.taken(), 0u);
    EXPECT_EQ(pagoda.times().size(), watch.tasks);
    pagoda.close();
    expect_all_ran_once(device, watch, specs);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, PagodaProperties, ::testing::Values(1u, 2u, 3u, 4u));

}  // namespace
}  // namespace warpvp::test
