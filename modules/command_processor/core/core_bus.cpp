#include "modules/command_processor/core/core_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interconnect/device_memory.h"

namespace warpvp {

namespace {

void fill(tlm::tlm_generic_payload& payload, bool write, std::uint64_t address, void* data, unsigned bytes) {
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

CoreBus::CoreBus(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
  for (unsigned i = 0; i < apertures_.size(); ++i)
    apertures_[i] = DeviceMemory::kBase + std::uint64_t{i} * regmap::core::kApertureBytes;
}

bool CoreBus::translate(std::uint32_t address, std::uint64_t& bus_address) const {
  if (address >= regmap::core::kApertureBase) {
    const std::uint32_t offset = address - regmap::core::kApertureBase;
    bus_address = apertures_[offset / regmap::core::kApertureBytes] + offset % regmap::core::kApertureBytes;
    return true;
  }
  bus_address = address;
  return address >= regmap::core::kBusBase && address < regmap::core::kBusEnd;
}

tlm::tlm_response_status CoreBus::access(bool write, std::uint32_t address, void* data, unsigned bytes,
                                         sc_core::sc_time& delay) {
  std::uint64_t bus_address = 0;
  std::uint64_t last = 0;
  if (!translate(address, bus_address) || !translate(address + bytes - 1, last) || last - bus_address != bytes - 1)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  ++accesses_;
  // A payload of its own for each access: the target may itself use the bus before it answers.
  tlm::tlm_generic_payload payload;
  fill(payload, write, bus_address, data, bytes);
  socket->b_transport(payload, delay);
  // The console says itself what went over it; a panic's text must not push out what led to it.
  const bool console = address >= regmap::uart::kBase && address - regmap::uart::kBase < regmap::uart::kBytes;
  if (address < regmap::core::kApertureBase && !console) {
    Access& entry = recent_[remembered_++ % kRemembered];
    entry = {address, bus_address, 0, write, payload.is_response_ok(), sc_core::sc_time_stamp()};
    if (write || entry.ok) std::memcpy(&entry.value, data, std::min<std::size_t>(bytes, sizeof entry.value));
  }
  return payload.get_response_status();
}

unsigned CoreBus::debug(bool write, std::uint32_t address, void* data, unsigned bytes) {
  std::uint64_t bus_address = 0;
  if (!translate(address, bus_address)) return 0;
  tlm::tlm_generic_payload payload;
  fill(payload, write, bus_address, data, bytes);
  return socket->transport_dbg(payload);
}

std::vector<CoreBus::Access> CoreBus::recent() const {
  std::vector<Access> out;
  const std::uint64_t first = remembered_ > kRemembered ? remembered_ - kRemembered : 0;
  for (std::uint64_t i = first; i < remembered_; ++i) out.push_back(recent_[i % kRemembered]);
  return out;
}

std::string CoreBus::describe_recent() const {
  std::string out;
  for (const Access& a : recent())
    out += fmt::format("  {:.0f} ns: {} {} {} {:#x}{}\n", a.at.to_seconds() * 1e9, a.write ? "write" : "read",
                       name_of ? name_of(a.bus_address) : fmt::format("{:#x}", a.bus_address),
                       a.write ? "<-" : "->", a.value, a.ok ? "" : " (refused)");
  return out;
}

}  // namespace warpvp
