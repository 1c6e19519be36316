// What must hold whatever is spawned: no task is lost, none runs twice, shared memory and barriers are the thread block's
// own, results are right, and all entries are free at the end.
#include <gtest/gtest.h>

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
  for (unsigned t = 0; t < watch.tasks; ++t) EXPECT_EQ(runs[t], specs[t].threads * specs[t].blocks) << "task " << t;
}

class PagodaProperties : public ::testing::TestWithParam<unsigned> {};

TEST_P(PagodaProperties, RandomTasksOfOneThread) {
  run_program([&](rt::Runtime& device) {
    std::mt19937 random(GetParam());
    PagodaParams params;
    if (GetParam() % 2 == 1) params.mtbs_per_sm = 1;
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

INSTANTIATE_TEST_SUITE_P(Seeds, PagodaProperties, ::testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace warpvp::test
