#pragma once
// What the devices around the command processor's core have in common: a window of registers on the register
// bus, answered without time of their own.

#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "interconnect/register_block.h"

namespace warpvp {

class Device : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Device> registers;
  const RegisterBlock& register_block() const { return block_; }

 protected:
  /// `title`, `bytes` and `doc` as for RegisterBlock.
  Device(sc_core::sc_module_name name, const char* title, std::uint64_t bytes, const char* doc)
      : sc_module(name), registers("registers"), block_(title, bytes, doc) {
    registers.register_b_transport(this, &Device::b_transport);
    registers.register_transport_dbg(this, &Device::transport_dbg);
  }
  /// Called by a register's hook: the access under way fails with `status`.
  void refuse(tlm::tlm_response_status status) { status_ = status; }

  RegisterBlock block_;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    status_ = tlm::TLM_OK_RESPONSE;
    block_.transport(payload);
    if (status_ != tlm::TLM_OK_RESPONSE) payload.set_response_status(status_);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }

  tlm::tlm_response_status status_ = tlm::TLM_OK_RESPONSE;
};

}  // namespace warpvp
