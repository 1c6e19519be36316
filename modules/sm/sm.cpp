#include "modules/sm/sm.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpvp {

bool Sm::post(const SmServices& services, unsigned sm, std::uint64_t address, const Posted& record) {
  tlm::tlm_generic_payload& payload = payload_;
  sc_core::sc_time delay;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(record.data));
  payload.set_data_length(record.bytes);
  payload.set_streaming_width(record.bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  completion_socket()->b_transport(payload, delay);
  if (payload.is_response_ok()) return true;
  DeviceFault fault;
  fault.what = fmt::format("{}: write of a CTA's {} ({} bytes) answered {}", name(), record.what,
                           record.bytes, payload.get_response_string());
  fault.address = address;
  std::copy_n(record.cta, 3, fault.cta);
  fault.sm = static_cast<int>(sm);
  services.faults.raise(std::move(fault));
  return false;
}

}  // namespace warpvp
