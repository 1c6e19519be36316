#include "interconnect/direct_crossbar.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/transaction.h"

namespace warpvp {

using tlm::tlm_generic_payload;

void DirectCrossbarConfig::fields(FieldVisitor& v) {
  v.field("request_latency_cycles", request_latency_cycles, "cycles", "From a requester to a bank.",
          Constraint::range(0, 100000));
  v.field("reply_latency_cycles", reply_latency_cycles, "cycles", "From a bank to a requester.",
          Constraint::range(0, 100000));
  v.field("flit_bytes", flit_bytes, "B", "Unit in which traffic is counted; a packet has one header flit.",
          Constraint::pow2(8, 1024));
}

DirectCrossbar::DirectCrossbar(sc_core::sc_module_name name, const CrossbarPlace& place,
                               const DirectCrossbarConfig& config)
    : Crossbar(name),
      clock_(place.clock),
      map_(place.map),
      config_(config),
      id_(place.clock.join(*this)),
      requests_(place.map.banks()),
      replies_(place.sharing_ports + place.own_ports) {
  TargetPort::Client& as_target = *this;
  InitiatorPort::Client& as_initiator = *this;
  for (unsigned port = 0; port < replies_.queues.size(); ++port)
    in_.push_back(std::make_unique<TargetPort>(fmt::format("in_{}", port).c_str(), as_target, port));
  for (unsigned bank = 0; bank < requests_.queues.size(); ++bank)
    out_.push_back(std::make_unique<InitiatorPort>(fmt::format("out_{}", bank).c_str(), as_initiator, bank));
}

// Latencies are equal, so packets come in the order in which they are due; those of one edge are put in the
// order of the ports that they came from.
void DirectCrossbar::put(Side& side, unsigned to, tlm_generic_payload& payload, unsigned from,
                         Cycle latency) {
  Queue& queue = side.queues[to];
  side.waiting[to / 64] |= std::uint64_t{1} << (to % 64);
  const Cycle due = clock_.next_edge() + latency;
  auto at = queue.end();
  while (at != queue.begin() && std::prev(at)->due == due && std::prev(at)->from > from) --at;
  queue.insert(at, {&payload, from, due});
  clock_.wake(id_, due);
}

bool DirectCrossbar::request(TargetPort& port, tlm_generic_payload& payload) {
  MemExtension::of(payload).push_port(port.index());
  put(requests_, map_.bank_of(payload.get_address()), payload, port.index(), config_.request_latency_cycles);
  return true;
}

bool DirectCrossbar::response(InitiatorPort& port, tlm_generic_payload& payload) {
  put(replies_, MemExtension::of(payload).pop_port(), payload, port.index(), config_.reply_latency_cycles);
  return true;
}

template <class Ready, class Send>
Cycle DirectCrossbar::pass_on(Side& side, Cycle now, Ready&& ready, Send&& send) {
  Cycle next = kNever;
  for (unsigned w = 0; w < side.waiting.size(); ++w) {
    for (std::uint64_t bits = side.waiting[w]; bits; bits &= bits - 1) {
      const unsigned end = w * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
      Queue& queue = side.queues[end];
      while (!queue.empty() && queue.front().due <= now && ready(end)) {
        const Packet packet = queue.front();
        queue.pop_front();
        send(end, packet);
      }
      if (queue.empty()) {
        side.waiting[w] &= ~(bits & -bits);
      } else if (queue.front().due > now) {
        next = std::min(next, queue.front().due);
      }
    }
  }
  return next;
}

Cycle DirectCrossbar::commit(Cycle now) {
  const auto count = [now](CrossbarCounters& counters, const Packet& packet, unsigned flits) {
    counters.packets += 1;
    counters.flits += flits;
    counters.queueing_cycles += now - packet.due;
  };
  const Cycle reply = pass_on(
      replies_, now, [this](unsigned port) { return in_[port]->response_ready(); },
      [&](unsigned port, const Packet& packet) {
        count(launches_.of(MemExtension::of(*packet.payload).launch).reply, packet,
              reply_flits(*packet.payload, config_.flit_bytes));
        in_[port]->respond(*packet.payload);
      });
  const Cycle request = pass_on(
      requests_, now, [this](unsigned bank) { return out_[bank]->ready(); },
      [&](unsigned bank, const Packet& packet) {
        count(launches_.of(MemExtension::of(*packet.payload).launch).request, packet,
              request_flits(*packet.payload, config_.flit_bytes));
        out_[bank]->send(*packet.payload);
      });
  return std::min(reply, request);
}

void DirectCrossbar::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += (config_.request_latency_cycles + config_.reply_latency_cycles) * clock_.period();
  out_[map_.bank_of(payload.get_address())]->socket->b_transport(payload, delay);
}

unsigned DirectCrossbar::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return out_[map_.bank_of(payload.get_address())]->socket->transport_dbg(payload);
}

bool DirectCrossbar::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return out_[map_.bank_of(payload.get_address())]->socket->get_direct_mem_ptr(payload, dmi);
}

namespace {

class FixedLatencyCrossbar : public CrossbarType {
 public:
  explicit FixedLatencyCrossbar(const DirectCrossbarConfig& config) : config_(config) {}
  ReplyPeak reply_peak(unsigned, unsigned) const override { return {config_.flit_bytes}; }
  std::unique_ptr<Crossbar> build(const char* name, const CrossbarPlace& place) const override {
    return std::make_unique<DirectCrossbar>(name, place, config_);
  }

 private:
  DirectCrossbarConfig config_;
};

class IdealCrossbar : public CrossbarType {
 public:
  ReplyPeak reply_peak(unsigned, unsigned) const override { return {DirectCrossbarConfig().flit_bytes}; }
  std::unique_ptr<Crossbar> build(const char* name, const CrossbarPlace& place) const override {
    DirectCrossbarConfig config;
    config.request_latency_cycles = config.reply_latency_cycles = 0;
    return std::make_unique<DirectCrossbar>(name, place, config);
  }
};

WARPVP_REGISTER_BLOCK(CrossbarType, FixedLatencyCrossbar, DirectCrossbarConfig, "fixed_latency",
                      "Every packet takes the same time, whatever else travels.");
WARPVP_REGISTER_POLICY(CrossbarType, IdealCrossbar, "ideal",
                       "A packet is at its end one edge after it was sent, whatever else travels.");

}  // namespace
}  // namespace warpvp
