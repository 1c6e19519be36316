// Threads of a host program: they run beside each other, share device memory, and can be waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/host_interface.h"
#include "sw/runtime/forwarding_runtime.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

void run_host_program(const std::function<void(rt::Runtime&)>& program) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("threads", [&](rt::Runtime& device) { program(device); });
  run_at_once(simulation);
  EXPECT_EQ(simulation.outcome().code, ExitCode::kOk) << simulation.outcome().message;
}

TEST(HostThreads, RunBesideEachOtherAndShareTheDevice) {
  run_host_program([](rt::Runtime& device) {
    const SimTime begin = device.host().now();
    std::vector<rt::HostThread> threads;
    std::vector<double> ended(3, 0);
    const rt::DevicePtr words = device.malloc(12);
    for (unsigned t = 0; t < 3; ++t) {
      threads.push_back(device.start_thread("worker", [&, t](rt::Runtime& own) {
        own.host().sleep(SimTime::from_us(20.0 * (3 - t)));
        const std::uint32_t value = 100 + t;
        own.copy_to_device(words + 4 * t, &value, 4);
        ended[t] = (own.host().now() - begin).to_seconds() * 1e6;
      }));
    }
    for (rt::HostThread thread : threads) device.join(thread);
    EXPECT_GT(ended[0], ended[1]);
    EXPECT_GT(ended[1], ended[2]);
    EXPECT_LT((device.host().now() - begin).to_seconds() * 1e6, 90);  // not 20 + 40 + 60
    std::vector<std::uint32_t> got(3);
    device.copy_to_host(got.data(), words, 12);
    EXPECT_EQ(got, (std::vector<std::uint32_t>{100, 101, 102}));
    device.join(threads[0]);  // it has ended: nothing to wait for
  });
}

TEST(HostThreads, WhatAThreadHasPutIntoStreamsIsWaitedFor) {
  run_host_program([](rt::Runtime& device) {
    const rt::DevicePtr bytes = device.malloc(1 << 20);
    std::vector<std::uint8_t> source(1 << 20, 7), got(1 << 20);
    device.join(device.start_thread("copies", [&](rt::Runtime& own) {
      own.copy_to_device_async(bytes, source.data(), source.size(), rt::Stream{0});
    }));
    device.copy_to_host(got.data(), bytes, got.size());
    EXPECT_EQ(got, source);
  });
}

TEST(HostThreads, AnErrorInOneEndsTheRun) {
  EXPECT_THROW(run_host_program([](rt::Runtime& device) {
                 device.join(device.start_thread("fails", [](rt::Runtime& own) {
                   own.host().sleep(SimTime::from_us(3));
                   throw InputError("no more");
                 }));
               }),
               InputError);
}

TEST(HostThreads, AThreadThatWasNotStartedCannotBeWaitedFor) {
  run_host_program([](rt::Runtime& device) { EXPECT_THROW(device.join(rt::HostThread{4}), InputError); });
}

TEST(HostThreads, AreRefusedWhereCallsAreHandedOn) {
  run_host_program([](rt::Runtime& device) {
    rt::ForwardingRuntime other(device);  // what a process and a recorded program have
    EXPECT_THROW(other.start_thread("worker", [](rt::Runtime&) {}), InputError);
  });
}

}  // namespace
}  // namespace warpvp::test
