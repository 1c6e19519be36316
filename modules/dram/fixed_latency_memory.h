#pragma once
// A memory channel that answers every request after a fixed time, optionally no faster than a given
// bandwidth: a stand-in for the DRAM controller behind the same sockets, and the worked example of docs/ for
// swapping a module.

#include <memory>
#include <vector>

#include "base/fields.h"
#include "base/outlook.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "modules/dram/memory_channel.h"

namespace warpvp {

struct FixedLatencyConfig {
  double clock_mhz = 1000;
  std::uint32_t latency_cycles = 100;
  std::uint32_t bytes_per_cycle = 0;
  std::uint32_t queue = 64;

  void fields(FieldVisitor& v);
};

class FixedLatencyMemory : public MemoryChannel, public Foreseeing, private Clocked, private TargetPort::Client {
 public:
  FixedLatencyMemory(sc_core::sc_module_name name, const MemoryChannelPlace& place,
                     const FixedLatencyConfig& config);

  tlm::tlm_target_socket<>& in(unsigned port) override { return ports_[port]->socket; }
  const PerLaunch<MemoryCounters>& launches() const override { return launches_; }
  void stats(StatVisitor& v) const override;
  Outlook outlook() const override;

 private:
  struct Pending {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;
  };

  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  ClockDomain& domain_;
  DeviceMemory& memory_;
  FixedLatencyConfig config_;
  unsigned id_;
  std::vector<std::unique_ptr<TargetPort>> ports_;
  std::vector<Ring<Pending>> pending_;  // [port], in order
  Cycle bus_free_ = 0;                  // in units of 1/bytes_per_cycle of a cycle
  PerLaunch<MemoryCounters> launches_;
};

}  // namespace warpvp
