#include "modules/bandwidth/bus_master.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpvp {

BusMaster::BusMaster(const char* name, std::string owner, FaultSink& faults)
    : socket(name), owner_(std::move(owner)), faults_(faults) {}

void BusMaster::access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  longest_ = std::max(longest_, delay);
  if (payload.is_response_ok()) return;
  DeviceFault fault;
  fault.what =
      fmt::format("{}: {} of {} bytes answered {}", owner_,
                  command == tlm::TLM_READ_COMMAND ? "read" : "write", bytes, payload.get_response_string());
  fault.address = address;
  faults_.raise(std::move(fault));
}

void BusMaster::finish() { sc_core::wait(std::exchange(longest_, sc_core::SC_ZERO_TIME)); }

}  // namespace warpvp
