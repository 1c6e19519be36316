// An L2 bank without a cache: every request goes on to memory, and its response comes back, each a fixed time
// later. Shows both ends of a link: a target port towards the crossbar, an initiator port towards the memory.
#include <algorithm>

#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/l2/l2_bank.h"

namespace {

using tlm::tlm_generic_payload;
using warpvp::Cycle;

struct PassThroughConfig {
  std::uint32_t latency_cycles = 10;
  std::uint32_t requests = 64;

  void fields(warpvp::FieldVisitor& v) {
    v.field("latency_cycles", latency_cycles, "cycles", "Through the bank, on each way.",
            warpvp::Constraint::range(1, 100000));
    v.field("requests", requests, "requests", "Requests under way.", warpvp::Constraint::range(1, 65536));
  }
};

class PassThroughBank : public warpvp::L2Bank,
                        private warpvp::Clocked,
                        private warpvp::InitiatorPort::Client,
                        private warpvp::TargetPort::Client {
 public:
  PassThroughBank(sc_core::sc_module_name name, const warpvp::L2Place& place, const PassThroughConfig& config)
      : L2Bank(name),
        clock_(place.clock),
        config_(config),
        id_(place.clock.join(*this)),
        in_("in", *this),
        out_("out", *this),
        requests_(config.requests),
        responses_(config.requests) {}

  tlm::tlm_target_socket<>& in() override { return in_.socket; }
  tlm::tlm_initiator_socket<>& out() override { return out_.socket; }
  const warpvp::PerLaunch<warpvp::L2Counters>& launches() const override { return launches_; }

 private:
  struct Passing {
    tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;
  };

  bool request(warpvp::TargetPort&, tlm_generic_payload& payload) override {
    if (under_way_ == config_.requests) return false;
    ++under_way_;
    warpvp::MemExtension& ext = warpvp::MemExtension::of(payload);
    ext.dram_accesses = 1;
    warpvp::L2Counters& counters = launches_.of(ext.launch);
    ++counters.accesses;
    ++counters.misses;
    const unsigned sectors =
        warpvp::L2Counters::sectors_touched(payload.get_address(), payload.get_data_length());
    counters.count_sectors(payload, ext.kind, sectors);
    ++(ext.kind == warpvp::AccessKind::kAtomic ? counters.atomics
       : payload.is_write()                    ? counters.writes
                                               : counters.reads);
    if (!payload.is_write()) ++counters.fill_reads;
    put(requests_, payload);
    return true;
  }
  bool response(warpvp::InitiatorPort&, tlm_generic_payload& payload) override {
    put(responses_, payload);
    return true;
  }
  void link_free(warpvp::InitiatorPort&) override { clock_.wake(id_); }
  void response_link_free(warpvp::TargetPort&) override { clock_.wake(id_); }

  void put(warpvp::Ring<Passing>& queue, tlm_generic_payload& payload) {
    const Cycle ready = clock_.now() + config_.latency_cycles;
    queue.push({&payload, ready});
    clock_.wake(id_, ready);
  }

  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override {
    if (!requests_.empty() && requests_.front().ready <= now && out_.ready()) {
      tlm_generic_payload& payload = *requests_.front().payload;
      requests_.pop();
      out_.send(payload);
    }
    if (!responses_.empty() && responses_.front().ready <= now && in_.response_ready()) {
      tlm_generic_payload& payload = *responses_.front().payload;
      responses_.pop();
      --under_way_;
      in_.respond(payload);
      in_.retry_request();
    }
    Cycle next = warpvp::kNever;
    if (!requests_.empty() && out_.ready()) next = std::max(requests_.front().ready, now + 1);
    if (!responses_.empty() && in_.response_ready())
      next = std::min(next, std::max(responses_.front().ready, now + 1));
    return next;
  }

  void b_transport(warpvp::TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    delay += 2 * config_.latency_cycles * clock_.period();
    out_.socket->b_transport(payload, delay);
  }
  unsigned transport_dbg(warpvp::TargetPort&, tlm_generic_payload& payload) override {
    return out_.socket->transport_dbg(payload);
  }
  bool get_direct_mem_ptr(warpvp::TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return out_.socket->get_direct_mem_ptr(payload, dmi);
  }

  warpvp::ClockDomain& clock_;
  PassThroughConfig config_;
  unsigned id_;
  warpvp::TargetPort in_;
  warpvp::InitiatorPort out_;
  warpvp::Ring<Passing> requests_, responses_;
  std::uint32_t under_way_ = 0;
  warpvp::PerLaunch<warpvp::L2Counters> launches_;
};

class PassThroughL2 : public warpvp::L2Type {
 public:
  explicit PassThroughL2(const PassThroughConfig& config) : config_(config) {}
  std::unique_ptr<warpvp::L2Bank> build(const char* name, const warpvp::L2Place& place) const override {
    return std::make_unique<PassThroughBank>(name, place, config_);
  }

 private:
  PassThroughConfig config_;
};

WARPVP_REGISTER_BLOCK(warpvp::L2Type, PassThroughL2, PassThroughConfig, "pass_through",
                      "No cache: every request goes on to memory.");

}  // namespace
