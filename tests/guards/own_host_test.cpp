// A host that drives the device by itself: runs need no program and no workload.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/registry.h"
#include "interconnect/device_memory.h"
#include "modules/host/host_cpu.h"
#include "modules/host/threaded_host.h"
#include "modules/sm/sm.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

/// Writes a word to device memory and reads it.
class OwnHost final : public ThreadedHost {
 public:
  OwnHost(sc_core::sc_module_name name, FaultSink& faults) : ThreadedHost(name, HostConfig{}, faults) {
    add_program("own", [](HostInterface& host) {
      const unsigned there = 0x12345678;
      unsigned here = 0;
      host.write(DeviceMemory::kBase, &there, sizeof there);
      host.read(DeviceMemory::kBase, &here, sizeof here);
      if (here != there) throw std::runtime_error("the word is another one");
    });
  }
  bool has_own_program() const override { return true; }
};

class OwnHostType final : public HostType {
 public:
  std::unique_ptr<HostCpu> build(const char* name, FaultSink& faults) const override {
    return std::make_unique<OwnHost>(name, faults);
  }
};
WARPVP_REGISTER_POLICY(HostType, OwnHostType, "own", "Drives the device by itself.");

TEST(OwnHost, RunsWithoutAProgram) {
  const Folder folder;
  const RunOutcome run = run_yaml(folder, "platform: {extends: small, host: own}\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(run.result["verified"]);
  EXPECT_EQ(run.result["control"]["hub"]["host_reads"], 1);
}

/// Builds SMs as "cycle" does, and counts how many one type has built.
class CountingSmType final : public SmType {
 public:
  void visit_memory_stats(StatVisitor& v) const override { cycle_->visit_memory_stats(v); }
  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    most = std::max(most, ++built_);
    return cycle_->build(name, place);
  }
  static unsigned most;

 private:
  const std::unique_ptr<SmType> cycle_ = Registry<SmType>::instance().make("cycle");
  mutable unsigned built_ = 0;
};
unsigned CountingSmType::most = 0;
WARPVP_REGISTER_POLICY(SmType, CountingSmType, "counting", "As cycle with its defaults.");

// What a type holds its SMs share, as the memory of `profile`.
TEST(Blocks, OneTypeBuildsAllSms) {
  const Folder folder;
  const RunOutcome run =
      run_yaml(folder, "platform: {sms: 3, sm: {type: counting}}\nworkload: {app: vector_add}\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(CountingSmType::most, 3u);
}

}  // namespace
}  // namespace warpvp::test
