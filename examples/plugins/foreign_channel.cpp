// A memory channel made of a third party's memory with a single socket. The L2 banks of the channel take
// turns at that socket; addresses become those within the channel, from 0; values stay in DeviceMemory.
#include <fmt/format.h>

#include <algorithm>

#include "base/block.h"
#include "foreign_memory.h"
#include "interconnect/memory_access.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/dram/memory_channel.h"

namespace {

using tlm::tlm_generic_payload;
using warpvp::Cycle;

struct ForeignConfig {
  double clock_mhz = 1000;
  std::uint32_t latency_ns = 60;

  void fields(warpvp::FieldVisitor& v) {
    v.field("clock_mhz", clock_mhz, "MHz", "Requests that the memory is offered in a second.",
            warpvp::Constraint::range(1, 100000));
    v.field("latency_ns", latency_ns, "ns", "Of the memory.", warpvp::Constraint::range(1, 1000000));
  }
};

class ForeignChannel : public warpvp::MemoryChannel,
                       private warpvp::Clocked,
                       private warpvp::InitiatorPort::Client,
                       private warpvp::TargetPort::Client {
 public:
  ForeignChannel(sc_core::sc_module_name name, const warpvp::MemoryChannelPlace& place,
                 const ForeignConfig& config)
      : MemoryChannel(name),
        clock_(place.domain),
        memory_(place.memory),
        map_(place.map),
        id_(place.domain.join(*this)),
        row_(std::uint64_t{place.ports} * place.map.config().interleave_bytes),
        first_(place.map.channel_local(place.memory.base()) / row_ * row_),
        foreign_("memory", place.memory.size() / place.map.channels() + row_,
                 sc_core::sc_time(config.latency_ns, sc_core::SC_NS)),
        out_("out", *this) {
    out_.socket.bind(foreign_.socket);
    warpvp::TargetPort::Client& client = *this;
    for (unsigned port = 0; port < place.ports; ++port)
      banks_.push_back(std::make_unique<Bank>(fmt::format("in_{}", port).c_str(), client, port));
  }

  tlm::tlm_target_socket<>& in(unsigned port) override { return banks_[port]->port.socket; }
  const warpvp::PerLaunch<warpvp::MemoryCounters>& launches() const override { return launches_; }
  void stats(warpvp::StatVisitor& v) const override { launches_.total().stats(v); }

 private:
  struct Waiting {
    tlm_generic_payload* payload = nullptr;
    Cycle arrival = 0;
  };
  /// An L2 bank's end of the channel.
  struct Bank {
    Bank(const char* name, warpvp::TargetPort::Client& client, unsigned index)
        : port(name, client, index), requests(16), responses(16) {}
    warpvp::TargetPort port;
    warpvp::Ring<Waiting> requests, responses;
    unsigned under_way = 0;
  };

  bool request(warpvp::TargetPort& port, tlm_generic_payload& payload) override {
    Bank& bank = *banks_[port.index()];
    if (bank.under_way == bank.requests.capacity()) return false;
    ++bank.under_way;
    warpvp::MemoryCounters& counters = launches_.of(warpvp::MemExtension::of(payload).launch);
    ++(payload.is_write() ? counters.writes : counters.reads);
    (payload.is_write() ? counters.written_bytes : counters.read_bytes) += payload.get_data_length();
    bank.requests.push({&payload, clock_.next_edge()});
    clock_.wake(id_);
    return true;
  }
  bool response(warpvp::InitiatorPort&, tlm_generic_payload& payload) override {
    const auto& inner = static_cast<warpvp::Transaction&>(payload);
    auto* const original = reinterpret_cast<tlm_generic_payload*>(inner.ext.token);
    original->set_response_status(payload.get_response_status());
    Bank& bank = *banks_[map_.port_of_bank(map_.bank_of(original->get_address()))];
    bank.responses.push({original, clock_.next_edge()});
    payload.release();
    clock_.wake(id_);
    return true;
  }
  void link_free(warpvp::InitiatorPort&) override { clock_.wake(id_); }
  void response_link_free(warpvp::TargetPort&) override { clock_.wake(id_); }

  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override {
    for (auto& bank : banks_) {
      if (bank->responses.empty() || bank->responses.front().arrival > now || !bank->port.response_ready())
        continue;
      tlm_generic_payload& payload = *bank->responses.front().payload;
      bank->responses.pop();
      --bank->under_way;
      bank->port.respond(payload);
      bank->port.retry_request();
    }
    for (std::size_t i = 0; i < banks_.size() && out_.ready(); ++i) {
      Bank& bank = *banks_[(turn_ + i) % banks_.size()];
      if (bank.requests.empty() || bank.requests.front().arrival > now) continue;
      tlm_generic_payload& payload = *bank.requests.front().payload;
      bank.requests.pop();
      turn_ = (turn_ + i + 1) % banks_.size();
      // A payload of our own: it carries the address that the memory knows.
      warpvp::Transaction& inner =
          pool_.make(payload.get_command(), map_.channel_local(payload.get_address()) - first_,
                     payload.get_data_length());
      inner.ext.token = reinterpret_cast<std::uint64_t>(&payload);
      out_.send(inner);
      break;  // one an edge
    }
    const bool work = std::any_of(banks_.begin(), banks_.end(), [&](const auto& bank) {
      return (!bank->requests.empty() && out_.ready()) ||
             (!bank->responses.empty() && bank->port.response_ready());
    });
    return work ? now + 1 : warpvp::kNever;
  }

  // Values are the platform's: what the memory stores is never asked for.
  void b_transport(warpvp::TargetPort&, tlm_generic_payload& payload, sc_core::sc_time&) override {
    warpvp::access_memory(memory_, payload);
  }
  unsigned transport_dbg(warpvp::TargetPort&, tlm_generic_payload& payload) override {
    return warpvp::access_memory_debug(memory_, payload);
  }
  bool get_direct_mem_ptr(warpvp::TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return warpvp::grant_dmi(memory_, payload, dmi, sc_core::SC_ZERO_TIME);
  }

  warpvp::ClockDomain& clock_;
  warpvp::DeviceMemory& memory_;
  const warpvp::AddressMap& map_;
  unsigned id_;
  std::uint64_t row_;    // bytes of the channel that one chunk of each of its banks makes
  std::uint64_t first_;  // channel_local() of where device memory begins
  foreign::Memory foreign_;
  warpvp::InitiatorPort out_;
  warpvp::TransactionPool pool_;
  std::vector<std::unique_ptr<Bank>> banks_;
  std::size_t turn_ = 0;
  warpvp::PerLaunch<warpvp::MemoryCounters> launches_;
};

class ForeignChannelType : public warpvp::MemoryChannelType {
 public:
  explicit ForeignChannelType(const ForeignConfig& config) : config_(config) {}
  double clock_mhz() const override { return config_.clock_mhz; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<warpvp::MemoryChannel> build(const char* name,
                                               const warpvp::MemoryChannelPlace& place) const override {
    return std::make_unique<ForeignChannel>(name, place, config_);
  }

 private:
  ForeignConfig config_;
};

WARPVP_REGISTER_BLOCK(warpvp::MemoryChannelType, ForeignChannelType, ForeignConfig, "foreign",
                      "A third party's memory with one socket, shared by the L2 banks of a channel.");

}  // namespace
