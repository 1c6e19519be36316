#pragma once
// What tests of crossbars put at the outputs.

#include <deque>
#include <utility>
#include <vector>

#include "interconnect/address_map.h"
#include "interconnect/device_memory.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"

namespace warpvp::test {

inline AddressMapConfig map_config(unsigned banks) {
  AddressMapConfig c;
  c.banks = c.channels = banks;
  c.hash = "none";
  return c;
}

// A bank that answers after `latency` edges, at most `room` at a time; keeps what it saw.
class Bank : public sc_core::sc_module, private Clocked, private TargetPort::Client {
 public:
  Bank(sc_core::sc_module_name name, ClockDomain& domain, Cycle latency, unsigned room)
      : sc_module(name),
        port("port", *this),
        domain_(domain),
        id_(domain.join(*this)),
        latency_(latency),
        room_(room) {}
  TargetPort port;
  std::vector<std::pair<Cycle, std::uint64_t>> seen;  // arrival, address
  struct Kind {
    unsigned bytes;
    AccessKind kind;
    std::uint32_t launch;
    std::uint16_t context;
  };
  std::vector<Kind> kinds;  // of what was seen

 private:
  bool request(TargetPort&, tlm::tlm_generic_payload& p) override {
    if (pending_.size() >= room_) return false;
    seen.push_back({domain_.now(), p.get_address()});
    if (const MemExtension* const ext = MemExtension::find(p))
      kinds.push_back({p.get_data_length(), ext->kind, ext->launch, ext->context});
    pending_.push_back({domain_.now() + latency_, &p});
    domain_.wake(id_, domain_.now() + latency_);
    return true;
  }
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override {
    if (!pending_.empty() && pending_.front().first <= now && port.response_ready()) {
      tlm::tlm_generic_payload& p = *pending_.front().second;
      pending_.pop_front();
      port.respond(p);
      port.retry_request();
    }
    if (pending_.empty() || !port.response_ready()) return kNever;
    return std::max(pending_.front().first, now + 1);
  }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time(7, sc_core::SC_NS);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    last_blocking = p.get_address();
  }
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& p) override {
    return p.get_address() >> 8 & 0xff;
  }

  ClockDomain& domain_;
  unsigned id_;
  Cycle latency_;
  unsigned room_;
  std::deque<std::pair<Cycle, tlm::tlm_generic_payload*>> pending_;

 public:
  std::uint64_t last_blocking = 0;
};

}  // namespace warpvp::test
