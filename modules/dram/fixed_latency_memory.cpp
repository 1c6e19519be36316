#include "modules/dram/fixed_latency_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/registry.h"
#include "interconnect/memory_access.h"
#include "interconnect/transaction.h"

namespace warpvp {

using tlm::tlm_generic_payload;

void FixedLatencyConfig::fields(FieldVisitor& v) {
  v.field("clock_mhz", clock_mhz, "MHz", "Clock that the latency counts.", Constraint::range(1, 100000));
  v.field("latency_cycles", latency_cycles, "cycles", "Request to response.", Constraint::range(1, 1000000));
  v.field("bytes_per_cycle", bytes_per_cycle, "B", "Bandwidth of the channel; 0: unlimited.",
          Constraint::range(0, 1 << 20));
  v.field("queue", queue, "requests", "Requests under way from each L2 bank.", Constraint::range(1, 1 << 16));
}

FixedLatencyMemory::FixedLatencyMemory(sc_core::sc_module_name name, const MemoryChannelPlace& place,
                                       const FixedLatencyConfig& config)
    : MemoryChannel(name),
      domain_(place.domain),
      memory_(place.memory),
      config_(config),
      id_(place.domain.join(*this)),
      pending_(place.ports) {
  TargetPort::Client& client = *this;
  for (unsigned port = 0; port < place.ports; ++port) {
    ports_.push_back(std::make_unique<TargetPort>(fmt::format("in_{}", port).c_str(), client, port));
    pending_[port].set_capacity(config.queue);
  }
}

bool FixedLatencyMemory::request(TargetPort& port, tlm_generic_payload& payload) {
  Ring<Pending>& pending = pending_[port.index()];
  if (pending.full()) return false;
  const Cycle now = domain_.now();
  Cycle ready = now + config_.latency_cycles;
  payload.set_response_status(check_request(memory_, payload));
  if (payload.is_response_ok()) {
    const auto* ext = MemExtension::find(payload);
    MemoryCounters& counters = launches_.of(ext ? ext->launch : 0xffffffffu);
    ++(payload.is_write() ? counters.writes : counters.reads);
    (payload.is_write() ? counters.written_bytes : counters.read_bytes) += payload.get_data_length();
    if (config_.bytes_per_cycle) {
      // The bus is handed out byte by byte; a transfer ends in the cycle of its last byte.
      bus_free_ = std::max(bus_free_, now * config_.bytes_per_cycle) + payload.get_data_length();
      ready += (bus_free_ - 1) / config_.bytes_per_cycle - now;
    }
  }
  pending.push({&payload, ready});
  domain_.wake(id_, ready);
  return true;
}

Cycle FixedLatencyMemory::commit(Cycle now) {
  Cycle next = kNever;
  for (auto& port : ports_) {
    Ring<Pending>& pending = pending_[port->index()];
    if (!pending.empty() && pending.front().ready <= now && port->response_ready()) {
      tlm_generic_payload& payload = *pending.front().payload;
      pending.pop();
      port->respond(payload);
      port->retry_request();
    }
    if (!pending.empty() && port->response_ready())
      next = std::min(next, std::max(pending.front().ready, now + 1));
  }
  return next;
}

// What is due and not taken waits for its requester.
Outlook FixedLatencyMemory::outlook() const {
  Outlook most = Outlook::kRests;
  for (const Ring<Pending>& pending : pending_)
    if (!pending.empty())
      most = std::max(most, pending.front().ready > domain_.now() ? Outlook::kActs : Outlook::kAwaits);
  return most;
}

void FixedLatencyMemory::stats(StatVisitor& v) const { launches_.total().stats(v); }

void FixedLatencyMemory::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_memory(memory_, payload);
  delay += config_.latency_cycles * domain_.period();
}

unsigned FixedLatencyMemory::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return access_memory_debug(memory_, payload);
}

bool FixedLatencyMemory::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return grant_dmi(memory_, payload, dmi, config_.latency_cycles * domain_.period());
}

namespace {

class FixedLatencyType : public MemoryChannelType {
 public:
  explicit FixedLatencyType(const FixedLatencyConfig& config) : config_(config) {}
  double clock_mhz() const override { return config_.clock_mhz; }
  double peak_bytes_per_second() const override { return config_.clock_mhz * 1e6 * config_.bytes_per_cycle; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    return std::make_unique<FixedLatencyMemory>(name, place, config_);
  }

 private:
  FixedLatencyConfig config_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryChannelType, FixedLatencyType, FixedLatencyConfig, "fixed_latency",
                                   "Answers after a fixed time, with an optional bandwidth limit.");

}  // namespace
}  // namespace warpvp
