#pragma once
// The whole platform as a user writes it (`platform:` in a run file; configs/platforms/*.yaml).

#include "base/fields.h"
#include "interconnect/address_map.h"
#include "interconnect/crossbar.h"
#include "interconnect/register_bus.h"
#include "modules/command_processor/config.h"
#include "modules/host/dma_engine.h"
#include "modules/host/host_cpu.h"
#include "modules/host/memory_hub.h"
#include "modules/host/pcie_link.h"
#include "modules/l2/l2_bank.h"
#include "modules/sm/config.h"
#include "modules/work_distributor/work_distributor.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp {

struct DeviceMemoryConfig {
  std::uint32_t capacity_mib = 4096;
  std::uint32_t local_mib = 64;

  void fields(FieldVisitor& v) {
    v.field("capacity_mib", capacity_mib, "MiB", "Device memory.", Constraint::range(16, 262144));
    v.field("local_mib", local_mib, "MiB", "Part of it in which threads' local memory is timed.",
            Constraint::range(1, 65536));
    v.require(local_mib < capacity_mib, "local_mib", "must be less than capacity_mib");
  }
};

struct PlatformConfig {
  std::uint32_t sms = 2;
  double sm_clock_mhz = 1200;
  bool check_protocol = false;
  SmConfig sm;
  WorkDistributorConfig work_distributor;
  CommandProcessorConfig command_processor;
  CrossbarConfig crossbar;
  AddressMapConfig address_map;
  L2Config l2;
  PolicyChoice dram = "controller";
  DeviceMemoryConfig memory;
  HostConfig host;
  PcieConfig pcie;
  DmaConfig dma;
  MemoryHubConfig hub;
  RegisterBusConfig register_bus;
  rt::RuntimeConfig runtime;

  void fields(FieldVisitor& v);
};

}  // namespace warpvp
