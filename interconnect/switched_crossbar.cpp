#include "interconnect/switched_crossbar.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/part_mark.h"
#include "interconnect/prefetch.h"
#include "interconnect/transaction.h"

namespace warpvp {

using tlm::tlm_generic_payload;

void SwitchedCrossbarConfig::fields(FieldVisitor& v) {
  v.field("flit_bytes", flit_bytes, "B", "Bytes of a flit; a port moves one in a cycle.",
          Constraint::pow2(8, 1024));
  v.field("request_latency_cycles", request_latency_cycles, "cycles",
          "Traversal of the request crossbar by a packet of one flit.",
          Constraint::range(1, CrossbarSwitch::kMaxLatency));
  v.field("reply_latency_cycles", reply_latency_cycles, "cycles",
          "Traversal of the reply crossbar by a packet of one flit.",
          Constraint::range(1, CrossbarSwitch::kMaxLatency));
  v.field("input_queue_packets", input_queue_packets, "packets", "Depth of each input queue.",
          Constraint::range(1, 4096));
  v.field("output_queue_packets", output_queue_packets, "packets",
          "Packets an output holds beside those in flight while its receiver is busy.",
          Constraint::range(1, 4096));
  v.field("ports_per_input", ports_per_input, "", "SMs that share one crossbar port (the SMs of a cluster).",
          Constraint::range(1, 64));
  v.field("header_flit", header_flit,
          "Whether the header of a packet takes a flit of its own; if not, it travels beside the data.");
  v.field(
      "requester_flits", requester_flits, "flits",
      "What the port of a requester (SM, copy engine, hub) moves in a cycle each way; that of a bank moves "
      "one.",
      Constraint::pow2(1, 16));
  v.field("shared_replies", shared_replies,
          "Whether SMs that share a port share it for replies too, or have a port each for these.");
  v.field(
      "groups", groups, "",
      "Groups over which the SMs' ports are spread evenly (the GPCs of a chip), each with one link behind "
      "its ports; 0: no such links.",
      Constraint::range(0, 64));
  v.field("group_flits", group_flits, "flits", "What the link of a group moves in a cycle each way.",
          Constraint::range(1, 1024));
}

namespace {
unsigned inputs_for(const SwitchedCrossbarConfig& config, unsigned sharing, unsigned own) {
  return (sharing + config.ports_per_input - 1) / config.ports_per_input + own;
}
unsigned outputs_for(const SwitchedCrossbarConfig& config, unsigned sharing, unsigned own) {
  return config.shared_replies ? inputs_for(config, sharing, own) : sharing + own;
}
CrossbarSwitch::Config switch_config(const SwitchedCrossbarConfig& config, unsigned inputs, unsigned outputs,
                                     unsigned latency) {
  CrossbarSwitch::Config c;
  c.inputs = inputs;
  c.outputs = outputs;
  c.latency = latency;
  c.input_packets = config.input_queue_packets;
  c.output_packets = config.output_queue_packets;
  c.group_flits = config.group_flits;
  return c;
}
/// The groups of ports of `sms_a_port` SMs each, and of the last `own`, which have none. An SM is in the same
/// one both ways, with those that it shares its input with.
std::vector<unsigned> groups_of(const SwitchedCrossbarConfig& config, unsigned ports, unsigned own,
                                unsigned sms_a_port) {
  if (config.groups == 0) return {};
  const unsigned inputs = inputs_for(config, (ports - own) * sms_a_port, 0);
  std::vector<unsigned> groups(ports, CrossbarSwitch::kNoGroup);
  for (unsigned port = 0; port < ports - own; ++port)
    groups[port] = port * sms_a_port / config.ports_per_input * config.groups / inputs;
  return groups;
}
CrossbarSwitch::Config request_config(const SwitchedCrossbarConfig& config, unsigned banks, unsigned sharing,
                                      unsigned own) {
  const unsigned inputs = inputs_for(config, sharing, own);
  CrossbarSwitch::Config c = switch_config(config, inputs, banks, config.request_latency_cycles);
  c.input_flits = config.requester_flits;
  c.input_groups = groups_of(config, inputs, own, config.ports_per_input);
  return c;
}
CrossbarSwitch::Config reply_config(const SwitchedCrossbarConfig& config, unsigned banks, unsigned sharing,
                                    unsigned own) {
  const unsigned outputs = outputs_for(config, sharing, own);
  CrossbarSwitch::Config c = switch_config(config, banks, outputs, config.reply_latency_cycles);
  c.output_flits = config.requester_flits;
  c.output_groups = groups_of(config, outputs, own, config.shared_replies ? config.ports_per_input : 1);
  return c;
}
}  // namespace

SwitchedCrossbar::SwitchedCrossbar(sc_core::sc_module_name name, ClockDomain& domain,
                                   const SwitchedCrossbarConfig& config, const AddressMap& map,
                                   unsigned sharing_ports, unsigned own_ports)
    : Crossbar(name),
      domain_(domain),
      map_(map),
      config_(config),
      id_(domain.join(*this)),
      request_{inputs_for(config, sharing_ports, own_ports),
               CrossbarSwitch(request_config(config, map.banks(), sharing_ports, own_ports))},
      reply_{map.banks(), CrossbarSwitch(reply_config(config, map.banks(), sharing_ports, own_ports))} {
  TargetPort::Client& as_target = *this;
  InitiatorPort::Client& as_initiator = *this;
  const unsigned shared_inputs = request_.inputs - own_ports;
  ports_of_input_.resize(request_.inputs);
  next_port_.assign(request_.inputs, 0);
  staged_.resize(sharing_ports + own_ports);
  staged_of_input_.assign(request_.inputs, 0);
  staged_inputs_.assign((request_.inputs + 63) / 64, 0);
  moved_.reserve(sharing_ports + own_ports);
  for (unsigned port = 0; port < sharing_ports + own_ports; ++port) {
    const unsigned input =
        port < sharing_ports ? port / config.ports_per_input : shared_inputs + (port - sharing_ports);
    input_of_port_.push_back(input);
    reply_of_port_.push_back(config.shared_replies ? input : port);
    ports_of_input_[input].push_back(port);
    in_.push_back(std::make_unique<TargetPort>(fmt::format("in_{}", port).c_str(), as_target, port));
  }
  for (unsigned bank = 0; bank < map.banks(); ++bank)
    out_.push_back(std::make_unique<InitiatorPort>(fmt::format("out_{}", bank).c_str(), as_initiator, bank));
  refused_.resize(map.banks());
}

bool SwitchedCrossbar::request(TargetPort& port, tlm_generic_payload& payload) {
  const unsigned input = input_of_port_[port.index()];
  Staged& staged = staged_[port.index()];
  if (staged.visible != kNever) return false;
  MemExtension& ext = MemExtension::of(payload);
  ext.push_port(port.index());
  CrossbarSwitch::Packet& packet = staged.packet;
  packet.output = map_.bank_of(payload.get_address());
  packet.flits = request_flits(payload, config_.flit_bytes, config_.header_flit);
  packet.port = port.index();
  packet.launch = ext.launch;
  packet.cargo = &payload;
  staged.visible = domain_.now() + 1;
  ++staged_of_input_[input];
  staged_inputs_[input / 64] |= std::uint64_t{1} << (input % 64);
  // Where the queue is full, the edge that makes room knows of what waits.
  if (request_.fabric.can_push(input)) domain_.wake(id_, staged.visible);
  return true;
}

// Requests that arrived before this edge enter their input queue, the ports of an input in turn.
void SwitchedCrossbar::take_staged(Cycle now) {
  moved_.clear();
  for (unsigned w = 0; w < staged_inputs_.size(); ++w) {
    for (std::uint64_t bits = staged_inputs_[w]; bits; bits &= bits - 1) {
      const unsigned input = w * 64 + __builtin_ctzll(bits);
      const auto& ports = ports_of_input_[input];
      const unsigned count = static_cast<unsigned>(ports.size());
      unsigned place = next_port_[input];
      for (unsigned i = 0; i < count && request_.fabric.can_push(input); ++i) {
        const unsigned port = ports[place];
        place = place + 1 == count ? 0 : place + 1;
        Staged& staged = staged_[port];
        if (staged.visible > now) continue;  // empty, or seen at a later edge
        staged.visible = kNever;
        request_.fabric.push(input, staged.packet, now);
        next_port_[input] = place;
        moved_.push_back(port);
        ++moves_;
        if (--staged_of_input_[input] == 0) staged_inputs_[w] &= ~(std::uint64_t{1} << (input % 64));
      }
    }
  }
}

void SwitchedCrossbar::push_reply(unsigned bank, tlm_generic_payload& payload) {
  MemExtension& ext = MemExtension::of(payload);
  CrossbarSwitch::Packet packet;
  packet.port = ext.pop_port();
  packet.output = reply_of_port_[packet.port];
  packet.flits = reply_flits(payload, config_.flit_bytes, config_.header_flit);
  packet.launch = ext.launch;
  packet.cargo = &payload;
  const Cycle visible = domain_.now() + 1;
  reply_.fabric.push(bank, packet, visible);
  domain_.wake(id_, visible);
}

bool SwitchedCrossbar::response(InitiatorPort& port, tlm_generic_payload& payload) {
  if (!refused_[port.index()].empty() || !reply_.fabric.can_push(port.index())) {
    refused_[port.index()].push_back(&payload);
    return false;
  }
  push_reply(port.index(), payload);
  return true;
}

namespace {
// The packets that the coming commit sends where the link is free.
void prefetch_deliverable(const CrossbarSwitch& fabric) {
  const auto& deliverable = fabric.deliverable();
  for (unsigned w = 0; w < deliverable.size(); ++w)
    for (std::uint64_t bits = deliverable[w]; bits; bits &= bits - 1)
      prefetch(*static_cast<tlm_generic_payload*>(fabric.front(w * 64 + __builtin_ctzll(bits)).cargo));
}
}  // namespace

void SwitchedCrossbar::evaluate(Cycle now) {
  const PartMark mark("crossbar");
  take_staged(now);
  for (CrossbarSwitch* fabric : {&request_.fabric, &reply_.fabric}) {
    if (fabric->idle()) continue;
    fabric->evaluate(now);
    prefetch_deliverable(*fabric);
  }
}

// Sends what is ready where the link is; returns the next edge at which there is more to send. What waits for
// a link is woken by that link.
Cycle SwitchedCrossbar::send_requests(Cycle now) {
  Cycle next = kNever;
  const auto& deliverable = request_.fabric.deliverable();
  for (unsigned w = 0; w < deliverable.size(); ++w) {
    for (std::uint64_t bits = deliverable[w]; bits; bits &= bits - 1) {
      const unsigned bank = w * 64 + __builtin_ctzll(bits);
      InitiatorPort& link = *out_[bank];
      if (!link.ready()) continue;
      auto& payload = take(request_.fabric, bank, now, &CrossbarLaunchCounters::request);
      link.send(payload);
      if ((deliverable[w] & bits & -bits) && link.ready()) next = now + 1;
    }
  }
  return next;
}

Cycle SwitchedCrossbar::send_replies(Cycle now) {
  Cycle next = kNever;
  const auto& deliverable = reply_.fabric.deliverable();
  for (unsigned w = 0; w < deliverable.size(); ++w) {
    for (std::uint64_t bits = deliverable[w]; bits; bits &= bits - 1) {
      const unsigned output = w * 64 + __builtin_ctzll(bits);
      TargetPort& link = *in_[reply_.fabric.front(output).port];
      if (!link.response_ready()) continue;
      auto& payload = take(reply_.fabric, output, now, &CrossbarLaunchCounters::reply);
      link.respond(payload);
      if ((deliverable[w] & bits & -bits) && in_[reply_.fabric.front(output).port]->response_ready())
        next = now + 1;
    }
  }
  return next;
}

// The oldest packet of a deliverable output, counted.
tlm_generic_payload& SwitchedCrossbar::take(CrossbarSwitch& fabric, unsigned output, Cycle now,
                                            CrossbarCounters CrossbarLaunchCounters::*direction) {
  const CrossbarSwitch::Packet& packet = fabric.front(output);
  CrossbarCounters& counters = launches_.of(packet.launch).*direction;
  ++moves_;
  counters.packets += 1;
  counters.flits += packet.flits;
  counters.queueing_cycles += packet.granted - packet.visible;
  auto& payload = *static_cast<tlm_generic_payload*>(packet.cargo);
  fabric.pop(output, now);
  return payload;
}

// What was withheld for want of room is taken where room was made.
void SwitchedCrossbar::retry(Cycle now) {
  for (unsigned port : moved_) in_[port]->retry_request();
  if (!reply_.fabric.any_drained()) return;
  const auto& replies = reply_.fabric.drained_inputs();
  for (unsigned w = 0; w < replies.size(); ++w) {
    for (std::uint64_t bits = replies[w]; bits; bits &= bits - 1) {
      const unsigned bank = w * 64 + __builtin_ctzll(bits);
      auto& refused = refused_[bank];
      while (!refused.empty() && reply_.fabric.can_push(bank)) {
        push_reply(bank, *refused.front());
        refused.erase(refused.begin());
        out_[bank]->accept_response();
      }
    }
  }
}

Cycle SwitchedCrossbar::commit(Cycle now) {
  const PartMark mark("crossbar");
  Cycle next = kNever;
  if (!reply_.fabric.idle()) next = send_replies(now);
  if (!request_.fabric.idle()) next = std::min(next, send_requests(now));
  retry(now);
  for (const CrossbarSwitch* fabric : {&request_.fabric, &reply_.fabric})
    if (!fabric->idle()) next = std::min(next, fabric->next_event(now));
  // A request that found its input queue full, or arrives later than now.
  for (unsigned w = 0; w < staged_inputs_.size() && next > now + 1; ++w)
    for (std::uint64_t bits = staged_inputs_[w]; bits; bits &= bits - 1)
      if (request_.fabric.can_push(w * 64 + __builtin_ctzll(bits))) next = now + 1;
  return next;
}

void SwitchedCrossbar::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const unsigned there =
      config_.request_latency_cycles + request_flits(payload, config_.flit_bytes, config_.header_flit) - 1;
  const unsigned back =
      config_.reply_latency_cycles + reply_flits(payload, config_.flit_bytes, config_.header_flit) - 1;
  delay += (there + back) * domain_.period();
  out_[map_.bank_of(payload.get_address())]->socket->b_transport(payload, delay);
}

unsigned SwitchedCrossbar::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return out_[map_.bank_of(payload.get_address())]->socket->transport_dbg(payload);
}

bool SwitchedCrossbar::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return out_[map_.bank_of(payload.get_address())]->socket->get_direct_mem_ptr(payload, dmi);
}

namespace {

class SwitchedCrossbarType : public CrossbarType {
 public:
  explicit SwitchedCrossbarType(const SwitchedCrossbarConfig& config) : config_(config) {}
  ReplyPeak reply_peak(unsigned banks, unsigned sms) const override {
    const unsigned flit = config_.flit_bytes;
    ReplyPeak peak{flit, banks, 1, "L2 bank ports"};
    const auto narrower = [&](const ReplyPeak& other) {
      if (other.bytes_per_cycle() < peak.bytes_per_cycle()) peak = other;
    };
    narrower({flit, outputs_for(config_, sms, 0), config_.requester_flits, "SM ports"});
    if (config_.groups != 0) narrower({flit, config_.groups, config_.group_flits, "links of groups"});
    return peak;
  }
  unsigned reply_header_bytes() const override { return config_.header_flit ? config_.flit_bytes : 0; }
  std::unique_ptr<Crossbar> build(const char* name, const CrossbarPlace& place) const override {
    return std::make_unique<SwitchedCrossbar>(name, place.clock, config_, place.map, place.sharing_ports,
                                              place.own_ports);
  }

 private:
  SwitchedCrossbarConfig config_;
};

WARPVP_REGISTER_BLOCK(CrossbarType, SwitchedCrossbarType, SwitchedCrossbarConfig, "switched",
                      "An input-queued switch each way, with head-of-line blocking and round-robin outputs.");

}  // namespace
}  // namespace warpvp
