#pragma once
// Both ends of a memory link for tests: an initiator that sends a list of requests as fast as it is let, and
// a target with nothing but plain TLM in it, scripted to use any legal variant of the base protocol.

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <systemc>
#include <tlm>
#include <vector>

#include "interconnect/clock_domain.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"

namespace warpvp::test {

constexpr auto kRead = tlm::TLM_READ_COMMAND;
constexpr auto kWrite = tlm::TLM_WRITE_COMMAND;

/// Sends requests at the edges of its domain and keeps when each was sent and answered.
class Requester : public sc_core::sc_module, private Clocked, private InitiatorPort::Client {
 public:
  struct Request {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    std::uint64_t address = 0;
    unsigned bytes = 32;
    Cycle not_before = 0;
    AccessKind kind = AccessKind::kLoad;
    std::uint32_t launch = 0xffffffffu;
    std::uint8_t dram_accesses = 0;  ///< what the extension says before the request
    std::uint16_t context = 0;
    std::uint8_t in_turn = 0;
    std::uint16_t sm = MemExtension::kNone;
    bool kept = false;
    std::uint16_t kernel_slot = MemExtension::kNone;
  };
  struct Result {
    Cycle sent = kNever, answered = kNever;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    unsigned dram_accesses = 0;
    unsigned order = 0;      ///< place in the order of answers
    std::uint64_t data = 0;  ///< the first bytes of what a read of at least eight brought
  };

  Requester(sc_core::sc_module_name name, ClockDomain& domain)
      : sc_module(name), port("port", *this), domain_(domain), id_(domain.join(*this)) {}

  InitiatorPort port;
  std::vector<Request> requests;
  std::vector<Result> results;
  /// By context: roots of the page tables that its requests name; where there is none, none.
  std::map<unsigned, std::uint64_t> page_tables;
  /// How many responses to refuse before taking each (they are taken `hold_cycles` later).
  Cycle hold_cycles = 0;
  unsigned max_in_flight = 1u << 30;

  void start_of_simulation() override {
    results.resize(requests.size());
    if (!requests.empty()) domain_.wake(id_, requests[0].not_before);
  }
  unsigned answered() const { return answered_; }
  bool done() const { return answered_ == requests.size(); }
  std::size_t live_transactions() const { return pool_.in_flight(); }

 private:
  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override {
    while (!held_.empty() && held_.front().second <= now) {
      tlm::tlm_generic_payload& payload = *held_.front().first;
      held_.pop_front();
      take(payload);
      port.accept_response();
    }
    if (next_ < requests.size() && port.ready() && requests[next_].not_before <= now &&
        next_ - answered_ < max_in_flight) {
      const Request& r = requests[next_];
      Transaction& t = pool_.make(r.command, r.address, r.bytes);
      t.ext.token = next_;
      t.ext.kind = r.kind;
      t.ext.launch = r.launch;
      t.ext.context = r.context;
      if (const auto root = page_tables.find(r.context); root != page_tables.end())
        t.ext.page_table = root->second;
      t.ext.dram_accesses = r.dram_accesses;
      t.ext.in_turn = r.in_turn;
      t.ext.sm = r.sm;
      t.ext.kept = r.kept;
      t.ext.kernel_slot = r.kernel_slot;
      results[next_].sent = now;
      ++next_;
      port.send(t);
    }
    Cycle next = held_.empty() ? kNever : held_.front().second;
    if (next_ < requests.size() && port.ready() && next_ - answered_ < max_in_flight)
      next = std::min(next, std::max(requests[next_].not_before, now + 1));
    return next;
  }
  void link_free(InitiatorPort&) override { domain_.wake(id_); }
  bool response(InitiatorPort&, tlm::tlm_generic_payload& payload) override {
    if (hold_cycles) {
      held_.push_back({&payload, domain_.now() + hold_cycles});
      domain_.wake(id_, domain_.now() + hold_cycles);
      return false;
    }
    take(payload);
    domain_.wake(id_);
    return true;
  }
  void take(tlm::tlm_generic_payload& payload) {
    auto& t = static_cast<Transaction&>(payload);
    Result& r = results.at(t.ext.token);
    r.answered = domain_.now();
    r.status = t.get_response_status();
    r.dram_accesses = t.ext.dram_accesses;
    if (t.is_read() && t.get_data_length() >= sizeof r.data)
      std::memcpy(&r.data, t.get_data_ptr(), sizeof r.data);
    r.order = answered_++;
    t.release();
  }

  ClockDomain& domain_;
  unsigned id_;
  TransactionPool pool_;
  std::size_t next_ = 0;
  unsigned answered_ = 0;
  std::deque<std::pair<tlm::tlm_generic_payload*, Cycle>> held_;
};

/// How a ScriptedTarget carries a transaction through its phases.
enum class Variant {
  kCompleted,           ///< TLM_COMPLETED at once
  kCompletedDelay,      ///< TLM_COMPLETED with a delay
  kUpdatedEndReq,       ///< TLM_UPDATED/END_REQ, then BEGIN_RESP
  kUpdatedEndReqDelay,  ///< the same, END_REQ and BEGIN_RESP with annotated delays
  kUpdatedBeginResp,    ///< TLM_UPDATED/BEGIN_RESP with no delay
  kFourPhases,          ///< TLM_ACCEPTED, END_REQ later, BEGIN_RESP later
  kImplicitEndReq,      ///< TLM_ACCEPTED, then BEGIN_RESP which means END_REQ too
  kEndReqMeetsResp,     ///< END_REQ annotated for the very time at which BEGIN_RESP is called
};

/// A target written with plain TLM only, one response at a time.
class ScriptedTarget : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  ScriptedTarget(sc_core::sc_module_name name, Variant variant)
      : sc_module(name), socket("socket"), variant_(variant), later_(this, &ScriptedTarget::due) {
    socket.bind(*this);
  }
  tlm::tlm_target_socket<> socket;
  sc_core::sc_time accept_delay{3, sc_core::SC_NS};
  sc_core::sc_time latency{20, sc_core::SC_NS};
  unsigned requests = 0, end_responses = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      ++end_responses;
      finished(delay);
      return tlm::TLM_COMPLETED;
    }
    ++requests;
    switch (variant_) {
      case Variant::kCompleted:
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
      case Variant::kCompletedDelay:
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += accept_delay;
        return tlm::TLM_COMPLETED;
      case Variant::kUpdatedEndReq:
        later_.notify(p, tlm::BEGIN_RESP, latency + delay);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
      case Variant::kUpdatedEndReqDelay:
        later_.notify(p, tlm::BEGIN_RESP, latency + delay);
        phase = tlm::END_REQ;
        delay += accept_delay;
        return tlm::TLM_UPDATED;
      case Variant::kUpdatedBeginResp:
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        if (busy_) {  // the response channel is taken
          later_.notify(p, tlm::END_REQ, accept_delay);
          later_.notify(p, tlm::BEGIN_RESP, latency);
          return tlm::TLM_ACCEPTED;
        }
        busy_ = &p;
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      case Variant::kFourPhases:
        later_.notify(p, tlm::END_REQ, accept_delay + delay);
        later_.notify(p, tlm::BEGIN_RESP, latency + delay);
        return tlm::TLM_ACCEPTED;
      case Variant::kImplicitEndReq:
        later_.notify(p, tlm::BEGIN_RESP, latency + delay);
        return tlm::TLM_ACCEPTED;
      case Variant::kEndReqMeetsResp:
        later_.notify(p, tlm::BEGIN_RESP, accept_delay + delay);
        phase = tlm::END_REQ;
        delay += accept_delay;
        return tlm::TLM_UPDATED;
    }
    return tlm::TLM_ACCEPTED;
  }
  void due(tlm::tlm_generic_payload& p, const tlm::tlm_phase& due_phase) {
    tlm::tlm_phase phase = due_phase;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (phase == tlm::END_REQ) {
      socket->nb_transport_bw(p, phase, delay);
      return;
    }
    if (phase == tlm::END_RESP) {
      finished(sc_core::SC_ZERO_TIME);
      return;
    }
    queue_.push_back(&p);
    if (!busy_) respond();
  }
  void respond() {
    while (!busy_ && !queue_.empty()) {
      tlm::tlm_generic_payload& p = *queue_.front();
      queue_.pop_front();
      p.set_response_status(tlm::TLM_OK_RESPONSE);
      busy_ = &p;
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay =
          variant_ == Variant::kUpdatedEndReqDelay ? accept_delay : sc_core::SC_ZERO_TIME;
      const auto status = socket->nb_transport_bw(p, phase, delay);
      if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP))
        busy_ = nullptr;
    }
  }
  void finished(const sc_core::sc_time&) {
    busy_ = nullptr;
    respond();
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override {
    delay += latency;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  Variant variant_;
  tlm::tlm_generic_payload* busy_ = nullptr;
  std::deque<tlm::tlm_generic_payload*> queue_;
  tlm_utils::peq_with_cb_and_phase<ScriptedTarget> later_;
};

}  // namespace warpvp::test
