#include "modules/host/socket_host.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "interconnect/no_bytes.h"
#include "interconnect/register_map.h"
#include "modules/host/interrupt_registers.h"

namespace warpvp {

using tlm::tlm_generic_payload;

namespace {

constexpr unsigned kRegisters = 0, kMemory = 1;

/// Where a BAR begins on the device.
std::uint64_t base_of(const TargetPort& bar) { return bar.index() == kMemory ? regmap::kMemoryBase : 0; }

void make_access(tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                 unsigned char* data, unsigned bytes) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

SocketHost::SocketHost(sc_core::sc_module_name name, std::uint64_t memory_bytes, FaultSink& faults)
    : HostCpu(name),
      registers_bar("registers_bar", *this, kRegisters),
      memory_bar("memory_bar", *this, kMemory),
      dma("dma"),
      interrupt("interrupt"),
      memory_bytes_(memory_bytes),
      faults_(faults),
      pcie_("pcie", *this),
      memory_("memory"),
      interrupt_registers_("interrupt_registers"),
      interrupts_({[this](bool level) {
                     line_ = level;
                     line_changed_.notify(sc_core::SC_ZERO_TIME);
                   },
                   [this](std::uint64_t address, std::uint32_t data) {
                     messages_.after(sc_core::SC_ZERO_TIME,
                                     [this, address, data] { send_message(address, data); });
                   }}) {
  memory_.register_b_transport(this, &SocketHost::memory_transport);
  memory_.register_transport_dbg(this, &SocketHost::memory_debug);
  interrupt_registers_.register_b_transport(this, &SocketHost::interrupt_transport);
  interrupt_registers_.register_transport_dbg(this, &SocketHost::interrupt_debug);
  SC_HAS_PROCESS(SocketHost);
  SC_METHOD(drive_line);
  sensitive << line_changed_;
  dont_initialize();
}

void SocketHost::add_program(const std::string& name, std::function<void(HostInterface&)>) {
  throw std::logic_error("program '" + name + "': the host is somebody else's platform");
}

// ---- The platform's accesses to the device

tlm::tlm_response_status SocketHost::check(const TargetPort& bar, const tlm_generic_payload& payload) const {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint64_t bytes = payload.get_data_length();
  if (bytes == 0 || payload.get_data_ptr() == nullptr || payload.get_streaming_width() < bytes)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t room = bar.index() == kMemory ? memory_bytes_ : regmap::kRegisterBytes;
  if (bytes > room || payload.get_address() > room - bytes) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_INCOMPLETE_RESPONSE;
}

bool SocketHost::request(TargetPort& bar, tlm_generic_payload& payload) {
  const Access access{&payload, &bar, nullptr};
  const tlm::tlm_response_status refusal = check(bar, payload);
  if (refusal == tlm::TLM_INCOMPLETE_RESPONSE) {
    start(access, base_of(bar) + payload.get_address());
  } else {
    end(access, refusal);
  }
  return true;
}

void SocketHost::b_transport(TargetPort& bar, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_response_status refusal = check(bar, payload);
  if (refusal != tlm::TLM_INCOMPLETE_RESPONSE) return payload.set_response_status(refusal);
  sc_core::sc_event done;
  start({&payload, nullptr, &done}, base_of(bar) + payload.get_address());
  sc_core::wait(done);
}

unsigned SocketHost::transport_dbg(TargetPort& bar, tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= (bar.index() == kMemory ? memory_bytes_ : regmap::kRegisterBytes)) return 0;
  payload.set_address(base_of(bar) + address);
  const unsigned done = pcie_.socket->transport_dbg(payload);
  payload.set_address(address);
  return done;
}

void SocketHost::start(const Access& access, std::uint64_t address) {
  if (free_places_.empty()) {
    free_places_.push_back(under_way_.size());
    under_way_.emplace_back();
  }
  const std::size_t place = free_places_.back();
  free_places_.pop_back();
  under_way_[place] = access;
  const tlm_generic_payload& payload = *access.payload;
  Transaction& t = pool_.make(payload.get_command(), address, 0);
  t.set_data_ptr(payload.get_data_ptr());
  t.set_data_length(payload.get_data_length());
  t.set_streaming_width(payload.get_data_length());
  t.ext.kind = AccessKind::kCommand;
  t.ext.token = place;
  waiting_.push_back(&t);
  send_waiting();
}

void SocketHost::send_waiting() {
  while (!waiting_.empty() && pcie_.idle()) {
    Transaction* const next = waiting_.front();
    waiting_.pop_front();
    pcie_.send(*next);
  }
}

bool SocketHost::response(InitiatorPort&, tlm_generic_payload& payload) {
  const std::size_t place = MemExtension::of(payload).token;
  end(under_way_[place], payload.get_response_status());
  free_places_.push_back(place);
  payload.release();
  return true;
}

/// An answer under the base protocol must not be given while its request is being taken: it follows.
void SocketHost::end(const Access& access, tlm::tlm_response_status status) {
  ++activity_;
  access.payload->set_response_status(status);
  if (access.done != nullptr) {
    access.done->notify(sc_core::SC_ZERO_TIME);
  } else {
    responses_[access.port->index()].push_back(access.payload);
    later_.after(sc_core::SC_ZERO_TIME, [this, port = access.port] { send_responses(*port); });
  }
}

void SocketHost::send_responses(TargetPort& port) {
  auto& waiting = responses_[port.index()];
  while (!waiting.empty() && port.response_idle()) {
    tlm_generic_payload* const next = waiting.front();
    waiting.pop_front();
    port.respond(*next);
  }
}

// ---- The device's accesses to the platform

void SocketHost::memory_transport(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!regmap::is_host_bus(payload.get_address()))
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (moves_no_bytes(payload)) return payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const bool by_processor = MemExtension::of(payload).kind == AccessKind::kCommand;
  tlm_generic_payload access;
  make_access(access, payload.get_command(), payload.get_address() - regmap::kHostBusBase,
              payload.get_data_ptr(), payload.get_data_length());
  dma->b_transport(access, delay);
  const tlm::tlm_response_status status = access.get_response_status();
  payload.set_response_status(status == tlm::TLM_INCOMPLETE_RESPONSE ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                                     : status);
  if (payload.is_response_ok() && payload.is_write() && by_processor)
    later_.after(delay, [this] { interrupts_.raise(); });
}

unsigned SocketHost::memory_debug(tlm_generic_payload& payload) {
  if (!regmap::is_host_bus(payload.get_address())) return 0;
  tlm_generic_payload access;
  make_access(access, payload.get_command(), payload.get_address() - regmap::kHostBusBase,
              payload.get_data_ptr(), payload.get_data_length());
  return dma->transport_dbg(access);
}

// ---- Interrupts

void SocketHost::drive_line() {
  if (interrupt.size() != 0) interrupt->write(line_);
}

void SocketHost::send_message(std::uint64_t address, std::uint32_t data) {
  unsigned char bytes[4];
  std::memcpy(bytes, &data, sizeof bytes);
  tlm_generic_payload message;
  make_access(message, tlm::TLM_WRITE_COMMAND, address, bytes, sizeof bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  dma->b_transport(message, delay);
  if (message.is_response_ok()) return;
  DeviceFault fault;
  fault.what =
      fmt::format("an interrupt's message to the host was answered {}", message.get_response_string());
  fault.address = address;
  faults_.raise(std::move(fault));
}

}  // namespace warpvp
