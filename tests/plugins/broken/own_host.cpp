// A host of a foreign type that drives the device by itself: a run needs no program and no workload.
#include <stdexcept>

#include "base/registry.h"
#include "interconnect/device_memory.h"
#include "modules/host/host_cpu.h"
#include "modules/host/threaded_host.h"

namespace {

/// Writes a word to device memory and reads it.
class OwnHost final : public warpvp::ThreadedHost {
 public:
  OwnHost(sc_core::sc_module_name name, warpvp::FaultSink& faults)
      : ThreadedHost(name, warpvp::HostConfig{}, faults) {
    add_program("own", [](warpvp::HostInterface& host) {
      const unsigned there = 0x12345678;
      unsigned here = 0;
      host.write(warpvp::DeviceMemory::kBase, &there, sizeof there);
      host.read(warpvp::DeviceMemory::kBase, &here, sizeof here);
      if (here != there) throw std::runtime_error("the word is another one");
    });
  }
  bool has_own_program() const override { return true; }
};

class OwnHostType final : public warpvp::HostType {
 public:
  std::unique_ptr<warpvp::HostCpu> build(const char* name, warpvp::FaultSink& faults) const override {
    return std::make_unique<OwnHost>(name, faults);
  }
};
WARPVP_REGISTER_POLICY(warpvp::HostType, OwnHostType, "own_host", "Drives the device by itself.");

}  // namespace
