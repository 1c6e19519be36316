// Tasks that cannot run, and one that does not end: each is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sw/kernels/pagoda/probe.h"
#include "tests/pagoda/session.h"

namespace warpvp::test {
namespace {

using pagoda::Pagoda;
using pagoda::PagodaParams;
using pagoda::TaskSpec;
using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TaskSpec task() {
  TaskSpec spec;
  spec.function = "watched";
  return spec;
}

TEST(PagodaBadTask, IsRefusedByName) {
  run_program([](rt::Runtime& device) {
    Pagoda pagoda{PagodaParams{}};
    pagoda.open(device, load_probe(device));
    const auto spawn = [&](const TaskSpec& spec) { return refusal([&] { pagoda.spawn(spec); }); };
    TaskSpec wide = task();
    wide.threads = 32 * 31 + 1;
    EXPECT_EQ(spawn(wide),
              "pagoda: task 'watched': a thread block of 993 threads has 32 warps; allowed: at most 31, what "
              "a thread "
              "block of the MasterKernel has");
    TaskSpec large = task();
    large.shared_bytes = 32769;
    EXPECT_EQ(spawn(large), "pagoda: task 'watched': 32769 bytes of shared memory; allowed: at most 32768");
    TaskSpec odd = task();
    odd.threads = 40;
    odd.sync = true;
    EXPECT_THAT(spawn(odd), HasSubstr("task 'watched': 40 threads and a barrier; allowed: a multiple of 32"));
    TaskSpec empty = task();
    empty.blocks = 0;
    EXPECT_THAT(spawn(empty), HasSubstr("task 'watched': needs at least one thread block of one thread"));
    TaskSpec arguments = task();
    arguments.arguments.resize(65);
    EXPECT_THAT(spawn(arguments), HasSubstr("task 'watched': 65 bytes of arguments; allowed: at most 64"));
    TaskSpec unknown = task();
    unknown.function = "wached";
    EXPECT_THAT(spawn(unknown), HasSubstr("no variable 'wached_pagoda'"));
    EXPECT_THAT(spawn(unknown), HasSubstr("did you mean 'watched_pagoda'?"));
    TaskSpec nameless = task();
    nameless.function = "";
    EXPECT_THAT(spawn(nameless), HasSubstr("a task without a function"));
    TaskSpec null = task();
    null.function = "nothing";
    EXPECT_EQ(spawn(null), "pagoda: task 'nothing': its address in the module is null");
    EXPECT_EQ(pagoda.taken(), 0u);
    pagoda.close();
  });
}

/// Of watched tasks: memory of zeros for what they note.
WatchedArguments watched_arguments(rt::Runtime& device) {
  constexpr std::size_t kPart = 1 << 16;
  const rt::DevicePtr memory = device.malloc(4 * kPart);
  device.memset_async(memory, 0, 4 * kPart, rt::Stream{0});
  device.synchronize(rt::Stream{0});
  const auto part = [&](unsigned n) { return reinterpret_cast<unsigned*>(memory + n * kPart); };
  WatchedArguments a{};
  a.runs = part(0);
  a.errors = part(1);
  a.barrier_owners = part(2);
  a.results = part(3);
  return a;
}

// One that ends, one that does not, and many more behind that cannot be blamed: the run ends as a hang.
TEST(PagodaBadTask, ThatNeverEndsIsNamed) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("pagoda", [](rt::Runtime& device) {
    PagodaParams params;
    params.task_limit_us = 100;
    params.idle_sleep_ns = 500;
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    WatchedArguments a = watched_arguments(device);
    for (unsigned i = 0; i < 40; ++i) {
      TaskSpec spec = task();
      spec.threads = 32;
      a.task = i + 1;  // what an endless one looks at stays 0
      if (i == 7) spec.function = "endless";
      spec.arguments = bytes_of(a);
      pagoda.spawn(spec);
    }
    pagoda.wait_all();
    ADD_FAILURE() << "a task without end was waited for";
  });
  EXPECT_EQ(simulation.run(), Halt::kEnded) << "nothing is thrown";
  const Outcome& outcome = simulation.end();
  EXPECT_EQ(outcome.code, ExitCode::kDeviceFault);
  EXPECT_THAT(outcome.message,
              testing::MatchesRegex(
                  "pagoda: task 7 \\('endless'\\) does not end: spawned [0-9.]+ us ago, it has warps, "
                  "and of the [0-9]+ tasks under way none has ended for 100 us; .*"));
  EXPECT_THAT(outcome.detail, HasSubstr("kernel pagoda_master"));
}

// Spawning may take longer than any task: nobody has looked yet.
TEST(PagodaBadTask, OfAHostThatLooksLateIsBlamedForNothing) {
  run_program([](rt::Runtime& device) {
    PagodaParams params;
    params.task_limit_us = 50;
    Pagoda pagoda(params);
    pagoda.open(device, load_probe(device));
    const WatchedArguments a = watched_arguments(device);
    TaskSpec short_one = task();
    short_one.threads = 32;
    short_one.arguments = bytes_of(a);
    pagoda.spawn(short_one);
    device.host().sleep(SimTime::from_us(200));
    pagoda.wait_all();
    EXPECT_EQ(pagoda.taken(), 0u);
    pagoda.close();
  });
}

TEST(PagodaBadTask, AShapeThatDoesNotFitIsRefused) {
  run_program([](rt::Runtime& device) {
    const rt::ModuleHandle module = load_probe(device);
    PagodaParams params;
    params.mtbs_per_sm = 3;
    Pagoda pagoda(params);
    EXPECT_THAT(
        refusal([&] { pagoda.open(device, module); }),
        HasSubstr("3 thread blocks of 32 warps and 32768 bytes of shared memory do not fit on an SM; 2 do"));
  });
}

}  // namespace
}  // namespace warpvp::test
