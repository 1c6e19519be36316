#pragma once
// Local memory of a core: a target for its two sockets that grants direct access.

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <systemc>
#include <vector>

namespace warpvp {

class LocalMemory : public sc_core::sc_module {
 public:
  LocalMemory(sc_core::sc_module_name name, std::uint32_t base, std::uint32_t bytes)
      : sc_module(name), instructions("instructions"), data("data"), base_(base), bytes_(bytes) {
    for (auto* socket : {&instructions, &data}) {
      socket->register_b_transport(this, &LocalMemory::b_transport);
      socket->register_transport_dbg(this, &LocalMemory::transport_dbg);
      socket->register_get_direct_mem_ptr(this, &LocalMemory::get_direct_mem_ptr);
    }
  }

  tlm_utils::simple_target_socket<LocalMemory> instructions, data;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (payload.get_byte_enable_ptr() != nullptr) {
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (payload.get_streaming_width() < payload.get_data_length()) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else {
      payload.set_response_status(transport_dbg(payload) == payload.get_data_length()
                                      ? tlm::TLM_OK_RESPONSE
                                      : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::uint64_t offset = payload.get_address() - base_;
    const unsigned length = payload.get_data_length();
    if (offset >= bytes_.size() || length > bytes_.size() - offset) return 0;
    if (payload.is_write()) {
      std::memcpy(&bytes_[offset], payload.get_data_ptr(), length);
    } else if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), &bytes_[offset], length);
    }
    return length;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (payload.get_address() - base_ >= bytes_.size()) return false;
    dmi.set_dmi_ptr(bytes_.data());
    dmi.set_start_address(base_);
    dmi.set_end_address(base_ + bytes_.size() - 1);
    dmi.allow_read_write();
    return true;
  }

  const std::uint64_t base_;
  std::vector<unsigned char> bytes_;
};

}  // namespace warpvp
