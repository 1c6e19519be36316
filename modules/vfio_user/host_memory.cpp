// The host of clients outside: what the device does to them, by DMA, interrupts and faults.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "interconnect/no_bytes.h"
#include "interconnect/register_map.h"
#include "modules/vfio_user/served_client.h"

namespace warpvp {

namespace ep = regmap::ep;

tlm::tlm_response_status VfioUserHost::access_memory(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const bool write = payload.is_write();
  if (regmap::is_interrupt(address)) {
    if (write) interrupt((address - regmap::kInterruptBase) / 4);
    return tlm::TLM_OK_RESPONSE;
  }
  for (const auto& client : clients_) {
    const EndpointPart& part = client->part;
    if (!within(address, payload.get_data_length(), part.dma_base, part.dma_bytes)) continue;
    if (moves_no_bytes(payload)) return tlm::TLM_OK_RESPONSE;
    if (client->session.access_memory(write, address - part.dma_base, payload.get_data_ptr(),
                                      payload.get_data_length(), static_cast<int>(config_.reply_ms))) {
      if (write) device_wrote(*client);
      return tlm::TLM_OK_RESPONSE;
    }
    note(*client, ep::kDmaRefused, address - part.dma_base,
         fmt::format("{} of {} bytes at a DMA address that is not open", write ? "write" : "read",
                     payload.get_data_length()));
    // A posted write is lost without a word to the device, as on the bus.
    return write ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  const tlm::tlm_response_status answer = ThreadedHost::access_memory(payload);
  // Of a client that has gone, or nobody's.
  return write ? tlm::TLM_OK_RESPONSE : answer;
}

void VfioUserHost::interrupt(std::uint64_t number) {
  for (const auto& client : clients_) {
    if (number < client->part.first_interrupt ||
        number - client->part.first_interrupt >= client->part.vectors)
      continue;
    client->session.interrupts().raise(static_cast<unsigned>(number - client->part.first_interrupt));
    return device_wrote(*client);
  }
  // Of several clients each names its own, and what comes for one that has gone is nobody's.
  if (shared()) return;
  for (const auto& client : clients_)
    note(*client, ep::kDmaRefused, regmap::kInterruptBase + 4 * number,
         fmt::format("interrupt {} of {}", number, client->part.vectors));
}

void VfioUserHost::device_wrote(Client& client) {
  client.written = true;
  client.woken.notify(sc_core::SC_ZERO_TIME);
}

void VfioUserHost::note(Client& client, std::uint32_t error, std::uint64_t address, const std::string& text) {
  client.registers.note(error, address, text);
  client.session.interrupts().raise(0);
  if (!faulted_) device_wrote(client);
}

/// Whose it was the link does not say.
bool VfioUserHost::refused_write(const DeviceFault& fault) {
  for (const auto& client : clients_) note(*client, ep::kWriteRefused, fault.address.value_or(0), fault.what);
  return true;
}

/// Of several clients one alone ends: its queues and its context are killed, and it is told.
bool VfioUserHost::contain(const DeviceFault& fault) {
  for (const auto& client : clients_) {
    if (!shared() || client->part.context != *fault.context) continue;
    if (!client->ended) {
      client->ended = true;
      add_program(fmt::format("fault_of_client_{}", client->number),
                  [this, context = *fault.context, first = client->part.first_queue,
                   count = client->part.queues](HostInterface&) {
                    kill_queues(first, count);
                    end_context(context, true);
                  });
      note(*client, ep::kContextEnded, fault.address.value_or(0), fault.summary());
    }
    return true;
  }
  return false;
}

// The simulation is over, and no thread of it runs any more. Clients can still read what happened.
void VfioUserHost::outlive_fault(const std::string& what, const std::function<bool()>& stop) {
  faulted_ = true;
  for (const auto& client : clients_) {
    if (client->session.over()) continue;
    note(*client, ep::kDeviceFault, 0, what);
    client->session.fail_current(EIO);
  }
  const auto some_stay = [&] {
    return std::any_of(clients_.begin(), clients_.end(),
                       [](const auto& client) { return !client->session.over(); });
  };
  while (some_stay() && !stop()) {
    wait_for_sockets(kPauseMs);
    hear_clients();
    for (const auto& client : clients_)
      while (!client->session.over() && client->session.connection().has_command())
        client->session.handle_next();
  }
}

}  // namespace warpvp
