#include "interconnect/register_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace warpvp {

namespace {
DirectBinder direct_binder;
}  // namespace

RegisterBus::RegisterBus(sc_core::sc_module_name name, const RegisterBusConfig& config)
    : RegisterBus(name, config, direct_binder) {}

RegisterBus::RegisterBus(sc_core::sc_module_name name, const RegisterBusConfig& config, LinkBinder& binder)
    : sc_module(name), latency_(config.latency_ns, sc_core::SC_NS), binder_(binder) {}

RegisterBus::~RegisterBus() = default;

RegisterBus::TargetSocket& RegisterBus::add_initiator(const std::string& name) {
  const int tag = static_cast<int>(initiators_.size());
  initiators_.push_back(std::make_unique<TargetSocket>((std::string(basename()) + "_from_" + name).c_str()));
  initiators_.back()->register_b_transport(this, &RegisterBus::b_transport, tag);
  initiators_.back()->register_transport_dbg(this, &RegisterBus::transport_dbg, tag);
  return *initiators_.back();
}

RegisterBus::InitiatorSocket& RegisterBus::add_target(const std::string& name, std::uint64_t base,
                                                      std::uint64_t bytes, bool keep_address) {
  auto at = std::upper_bound(windows_.begin(), windows_.end(), base,
                             [](std::uint64_t b, const Window& w) { return b < w.base; });
  const bool clash = (at != windows_.end() && at->base - base < bytes) ||
                     (at != windows_.begin() && base - std::prev(at)->base < std::prev(at)->bytes);
  if (clash)
    throw std::logic_error(fmt::format("register bus: window {} at {:#x} overlaps another", name, base));
  at = windows_.insert(
      at, Window{base, bytes, keep_address,
                 std::make_unique<InitiatorSocket>((std::string(basename()) + "_to_" + name).c_str())});
  return *at->socket;
}

void RegisterBus::connect_initiator(const std::string& name, tlm::tlm_initiator_socket<>& socket) {
  binder_.bind("bus_from_" + name, LinkKind::kControl, socket, add_initiator(name));
}

void RegisterBus::connect_target(const std::string& name, std::uint64_t base, std::uint64_t bytes,
                                 tlm::tlm_target_socket<>& socket, bool keep_address) {
  binder_.bind("bus_to_" + name, LinkKind::kControl, add_target(name, base, bytes, keep_address), socket);
}

RegisterBus::Window* RegisterBus::window_of(std::uint64_t address) {
  if (last_ < windows_.size() && address - windows_[last_].base < windows_[last_].bytes)
    return &windows_[last_];
  auto at = std::upper_bound(windows_.begin(), windows_.end(), address,
                             [](std::uint64_t a, const Window& w) { return a < w.base; });
  if (at == windows_.begin()) return nullptr;
  --at;
  if (address - at->base >= at->bytes) return nullptr;
  last_ = static_cast<std::size_t>(at - windows_.begin());
  return &*at;
}

void RegisterBus::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  delay += latency_;
  const std::uint64_t address = payload.get_address();
  Window* window = window_of(address);
  if (window == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.get_data_length() > window->bytes - (address - window->base)) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);  // runs out of the window
    return;
  }
  if (!window->keep_address) payload.set_address(address - window->base);
  (*window->socket)->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned RegisterBus::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  Window* window = window_of(address);
  if (window == nullptr) return 0;
  if (!window->keep_address) payload.set_address(address - window->base);
  const unsigned done = (*window->socket)->transport_dbg(payload);
  payload.set_address(address);
  return done;
}

}  // namespace warpvp
