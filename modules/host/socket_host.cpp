#include "modules/host/socket_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "interconnect/device_memory.h"
#include "interconnect/no_bytes.h"
#include "interconnect/register_map.h"
#include "interconnect/sim_time.h"

namespace warpvp {

using tlm::tlm_generic_payload;
namespace ep = regmap::ep;

namespace {

constexpr unsigned kRegisters = 0, kMemory = 1;

/// Where a BAR begins on the device.
std::uint64_t base_of(const TargetPort& bar) { return bar.index() == kMemory ? regmap::kMemoryBase : 0; }

bool is_of_endpoint(const TargetPort& bar, const tlm_generic_payload& payload) {
  return bar.index() == kRegisters && payload.get_address() < ep::kBase + ep::kBytes;
}

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

SocketHost::SocketHost(sc_core::sc_module_name name, FaultSink& faults)
    : HostCpu(name),
      registers_bar("registers_bar", *this, kRegisters),
      memory_bar("memory_bar", *this, kMemory),
      dma("dma"),
      interrupts("interrupts", kEndpointVectors),
      pcie_("pcie", *this),
      memory_("memory"),
      pulses_(interrupts, later_) {
  memory_.register_b_transport(this, &SocketHost::memory_transport);
  memory_.register_transport_dbg(this, &SocketHost::memory_debug);
  // A posted write of the platform's that nobody takes is told, and changes nothing.
  faults.forgive = [this](const DeviceFault& fault) {
    note(ep::kWriteRefused, fault.address.value_or(0), fault.what);
    return true;
  };
}

void SocketHost::see_device(const DeviceView& view) {
  memory_bytes_ = view.memory->size();
  EndpointPart part;
  part.dma_base = regmap::kHostBusBase;
  part.dma_bytes = regmap::kHostBusBytes - regmap::kInterruptBytes;
  part.memory_bytes = memory_bytes_;
  part.queues = view.queues;
  part.vectors = kEndpointVectors;
  part.properties = view.properties;
  EndpointActions actions;
  actions.now_fs = [] { return to_sim_time(sc_core::sc_time_stamp()).fs(); };
  actions.burst = [this](std::uint32_t offset, std::uint32_t bytes) {
    if (offset >= ep::kBase + ep::kBytes) burst(offset, bytes, false);
  };
  actions.memory_burst = [this](std::uint64_t offset, std::uint32_t bytes, bool untimed) {
    burst(regmap::kMemoryBase + offset, bytes, untimed);
  };
  endpoint_ = std::make_unique<EndpointRegisters>(part, std::move(actions));
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

/// What needs no device: a refusal, or the endpoint's answer. Nothing: the access has to cross the link, or
/// what burst_ asks for.
std::optional<tlm::tlm_response_status> SocketHost::answer(const TargetPort& bar,
                                                           tlm_generic_payload& payload) {
  burst_.reset();
  const tlm::tlm_response_status refusal = check(bar, payload);
  if (refusal != tlm::TLM_INCOMPLETE_RESPONSE) return refusal;
  if (is_of_endpoint(bar, payload)) {
    endpoint_->block().transport(payload);
    if (!burst_) return payload.get_response_status();
  }
  if (stopped_) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  return std::nullopt;
}

void SocketHost::burst(std::uint64_t address, std::uint32_t bytes, bool untimed) {
  if (bytes > ep::kBurstBytes) return;
  const std::uint8_t* const data = endpoint_->burst_data();
  Burst asked{address, std::vector<unsigned char>(data, data + bytes)};
  if (!untimed) {
    burst_ = std::move(asked);
    return;
  }
  tlm_generic_payload access;
  make_access(access, tlm::TLM_WRITE_COMMAND, address, asked.data.data(), bytes);
  pcie_.socket->transport_dbg(access);
}

bool SocketHost::request(TargetPort& bar, tlm_generic_payload& payload) {
  Access access{&payload, &bar, nullptr};
  if (const auto status = answer(bar, payload)) {
    end(access, *status);
  } else {
    start(std::move(access), base_of(bar) + payload.get_address());
  }
  return true;
}

void SocketHost::b_transport(TargetPort& bar, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  if (const auto status = answer(bar, payload)) return payload.set_response_status(*status);
  sc_core::sc_event done;
  start({&payload, nullptr, &done}, base_of(bar) + payload.get_address());
  sc_core::wait(done);
}

unsigned SocketHost::transport_dbg(TargetPort& bar, tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= (bar.index() == kMemory ? memory_bytes_ : regmap::kRegisterBytes)) return 0;
  if (is_of_endpoint(bar, payload)) return endpoint_->block().transport_dbg(payload);
  payload.set_address(base_of(bar) + address);
  const unsigned done = pcie_.socket->transport_dbg(payload);
  payload.set_address(address);
  return done;
}

/// Sends the access over the link, or in its place the burst that it has asked for.
void SocketHost::start(Access access, std::uint64_t address) {
  tlm::tlm_command command = access.payload->get_command();
  if (burst_) {
    access.burst = std::move(burst_->data);
    address = burst_->address;
    command = tlm::TLM_WRITE_COMMAND;
    burst_.reset();
  }
  if (free_places_.empty()) {
    free_places_.push_back(under_way_.size());
    under_way_.emplace_back();
  }
  const std::size_t place = free_places_.back();
  free_places_.pop_back();
  Access& kept = under_way_[place] = std::move(access);
  const bool own = !kept.burst.empty();
  const auto bytes = own ? static_cast<unsigned>(kept.burst.size()) : kept.payload->get_data_length();
  Transaction& t = pool_.make(command, address, 0);
  t.set_data_ptr(own ? kept.burst.data() : kept.payload->get_data_ptr());
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  t.ext.kind = AccessKind::kCommand;
  t.ext.token = place;
  waiting_.push_back(&t);
  send_waiting();
}

void SocketHost::send_waiting() {
  while (!stopped_ && !waiting_.empty() && pcie_.idle()) {
    Transaction* const next = waiting_.front();
    waiting_.pop_front();
    pcie_.send(*next);
  }
}

bool SocketHost::response(InitiatorPort&, tlm_generic_payload& payload) {
  if (stopped_) return true;  // it was answered, and its transaction is the stopped device's
  const std::size_t place = MemExtension::of(payload).token;
  end(under_way_[place], payload.get_response_status());
  under_way_[place] = {};
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
  go_nowhere_if_stopped();
  payload.set_dmi_allowed(false);
  const std::uint64_t address = payload.get_address();
  if (regmap::is_interrupt(address) && payload.is_write()) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    later_.after(std::max(now + delay, written_at_) - now,
                 [this, number = (address - regmap::kInterruptBase) / 4] { interrupt(number); });
    return;
  }
  if (!regmap::is_host_bus(address) || regmap::is_interrupt(address))
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (moves_no_bytes(payload)) return payload.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm_generic_payload access;
  make_access(access, payload.get_command(), address - regmap::kHostBusBase, payload.get_data_ptr(),
              payload.get_data_length());
  call_platform(access, delay);
  payload.set_response_status(access.is_response_ok() ? tlm::TLM_OK_RESPONSE
                                                      : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (access.is_write()) written_at_ = std::max(written_at_, sc_core::sc_time_stamp() + delay);
  if (access.is_response_ok()) return;
  note(ep::kDmaRefused, access.get_address(),
       fmt::format("{} of {} bytes was answered {} by the platform", access.is_write() ? "write" : "read",
                   access.get_data_length(), access.get_response_string()));
  // A posted write is lost without a word to the device, as on the bus.
  if (access.is_write()) payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// The platform may let time pass, hold locks, and be in the middle of an access when the device stops.
void SocketHost::call_platform(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_process_handle caller = sc_core::sc_get_current_process_handle();
  platform_calls_.push_back(caller);
  dma->b_transport(payload, delay);
  platform_calls_.erase(std::find(platform_calls_.begin(), platform_calls_.end(), caller));
  go_nowhere_if_stopped();
}

void SocketHost::go_nowhere_if_stopped() {
  while (stopped_) sc_core::wait(never_);
}

unsigned SocketHost::memory_debug(tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (!regmap::is_host_bus(address) || regmap::is_interrupt(address)) return 0;
  tlm_generic_payload access;
  make_access(access, payload.get_command(), address - regmap::kHostBusBase, payload.get_data_ptr(),
              payload.get_data_length());
  return dma->transport_dbg(access);
}

// ---- Interrupts and errors

void SocketHost::interrupt(std::uint64_t number) {
  if (number < kEndpointVectors) return pulses_.raise(static_cast<unsigned>(number));
  note(ep::kDmaRefused, regmap::kInterruptBase + 4 * number,
       fmt::format("interrupt {} of {}", number, kEndpointVectors));
}

void SocketHost::note(std::uint32_t error, std::uint64_t address, const std::string& text) {
  endpoint_->note(error, address, text);
  pulses_.raise(0);
}

void SocketHost::stop(const std::string& why) {
  stopped_ = true;
  waiting_.clear();
  note(ep::kDeviceFault, 0, why);
  for (Access& access : under_way_) {
    if (access.payload != nullptr) end(access, tlm::TLM_GENERIC_ERROR_RESPONSE);
    access.payload = nullptr;
  }
}

}  // namespace warpvp
