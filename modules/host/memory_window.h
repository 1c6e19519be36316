#pragma once
// Device memory as the control path sees it: a target that moves values at once and answers with a fixed
// latency. Host loads and stores, the command processor and DMA engines reach device memory through it; their
// bandwidth is accounted for where they are modelled. Kernels' own traffic takes the timed path.

#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "base/fields.h"
#include "interconnect/device_memory.h"
#include "interconnect/memory_access.h"

namespace warpvp {

struct MemoryWindowConfig {
  double latency_ns = 150;
  void fields(FieldVisitor& v) {
    v.field("latency_ns", latency_ns, "ns", "Time an access of the control path to device memory takes.",
            Constraint::at_least(0));
  }
};

class MemoryWindow : public sc_core::sc_module {
 public:
  MemoryWindow(sc_core::sc_module_name name, const MemoryWindowConfig& config, DeviceMemory& memory)
      : sc_module(name), socket("socket"), latency_(config.latency_ns, sc_core::SC_NS), memory_(memory) {
    socket.register_b_transport(this, &MemoryWindow::b_transport);
    socket.register_transport_dbg(this, &MemoryWindow::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &MemoryWindow::get_direct_mem_ptr);
  }

  tlm_utils::simple_target_socket<MemoryWindow> socket;  ///< absolute device addresses

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    access_memory(memory_, payload);
    delay += latency_;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return access_memory_debug(memory_, payload); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return grant_dmi(memory_, payload, dmi, latency_);
  }

  sc_core::sc_time latency_;
  DeviceMemory& memory_;
};

}  // namespace warpvp
