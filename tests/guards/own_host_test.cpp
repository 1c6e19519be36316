// A host that drives the device by itself: runs need no program and no workload.

#include <gtest/gtest.h>

#include "base/registry.h"
#include "interconnect/device_memory.h"
#include "modules/host/host_cpu.h"
#include "modules/host/threaded_host.h"
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

}  // namespace
}  // namespace warpvp::test
