#include "interconnect/memory_access.h"

#include <algorithm>
#include <cstring>

namespace warpvp {

tlm::tlm_response_status check_request(const DeviceMemory& memory, const tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_data_length() == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!memory.contains(payload.get_address(), payload.get_data_length()))
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

void access_memory(DeviceMemory& memory, tlm::tlm_generic_payload& payload) {
  const bool write = payload.is_write();
  const unsigned length = payload.get_data_length();
  const unsigned width = std::min(payload.get_streaming_width(), length);
  unsigned char* data = payload.get_data_ptr();
  if (!write && !payload.is_read()) return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  if (length == 0 || width == 0 || !data) return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  if (!memory.contains(payload.get_address(), width))
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const unsigned char* enable = payload.get_byte_enable_ptr();
  const unsigned enables = payload.get_byte_enable_length();
  if (enable && enables == 0) return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  std::byte* store = memory.at(payload.get_address());
  if (!enable && width == length) {
    if (write) {
      std::memcpy(store, data, length);
    } else {
      std::memcpy(data, store, length);
    }
  } else {
    for (unsigned i = 0; i < length; ++i) {
      if (enable && enable[i % enables] == TLM_BYTE_DISABLED) continue;
      if (write) {
        std::memcpy(store + i % width, data + i, 1);
      } else {
        std::memcpy(data + i, store + i % width, 1);
      }
    }
  }
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned access_memory_debug(DeviceMemory& memory, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (!memory.contains(address, 1) || !payload.get_data_ptr()) return 0;
  const std::uint64_t room = memory.base() + memory.size() - address;
  const unsigned bytes = static_cast<unsigned>(std::min<std::uint64_t>(room, payload.get_data_length()));
  if (payload.is_write()) {
    std::memcpy(memory.at(address), payload.get_data_ptr(), bytes);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), memory.at(address), bytes);
  } else {
    return 0;
  }
  return bytes;
}

bool grant_dmi(DeviceMemory& memory, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi,
               const sc_core::sc_time& latency) {
  if (!memory.contains(payload.get_address(), 1)) {
    dmi.set_start_address(payload.get_address());
    dmi.set_end_address(payload.get_address());
    return false;
  }
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(memory.host_base()));
  dmi.set_start_address(memory.base());
  dmi.set_end_address(memory.base() + memory.size() - 1);
  dmi.set_read_latency(latency);
  dmi.set_write_latency(latency);
  dmi.allow_read_write();
  return true;
}

}  // namespace warpvp
