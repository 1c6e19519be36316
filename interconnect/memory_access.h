#pragma once
// Functional access to device memory by TLM transactions: what every target's b_transport, transport_dbg and
// DMI come down to.

#include <tlm>

#include "interconnect/device_memory.h"

namespace warpvp {

/// Reads or writes the store as the payload says (byte enables and streaming width included) and sets its
/// response status: TLM_OK_RESPONSE, or the error that applies with nothing changed.
void access_memory(DeviceMemory& memory, tlm::tlm_generic_payload& payload);
/// Debug access: moves the bytes that lie within memory, returns their number.
unsigned access_memory_debug(DeviceMemory& memory, tlm::tlm_generic_payload& payload);
/// Grants DMI on the whole store with the given latencies; false (and a refusal) outside it.
bool grant_dmi(DeviceMemory& memory, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi,
               const sc_core::sc_time& latency);
/// Checks a timed request: command, length, and that it lies within memory. TLM_OK_RESPONSE or the error.
tlm::tlm_response_status check_request(const DeviceMemory& memory, const tlm::tlm_generic_payload& payload);

}  // namespace warpvp
