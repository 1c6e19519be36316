#pragma once
// Stands for a third party's memory: it knows TLM-2.0 and nothing of warpvp. One socket, addresses from 0,
// data of its own, blocking calls only, which take as long as a request takes.

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <vector>

namespace foreign {

class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket;

  Memory(sc_core::sc_module_name name, std::size_t bytes, const sc_core::sc_time& latency)
      : sc_module(name), socket("socket"), data_(bytes), latency_(latency) {
    socket.register_b_transport(this, &Memory::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::size_t at = payload.get_address(), length = payload.get_data_length();
    if (at >= data_.size() || length > data_.size() - at) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write()) {
      std::memcpy(&data_[at], payload.get_data_ptr(), length);
    } else {
      std::memcpy(payload.get_data_ptr(), &data_[at], length);
    }
    delay += latency_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::vector<unsigned char> data_;
  sc_core::sc_time latency_;
};

}  // namespace foreign
