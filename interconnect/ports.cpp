#include "interconnect/ports.h"

#include <cassert>

#include "interconnect/payload_hold.h"
#include "interconnect/transaction.h"

namespace warpvp {

using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {
// Whether the present instant is `time`; one that has passed becomes `long_ago`, so that it is asked about
// once.
bool is_now(sc_dt::uint64& time, sc_dt::uint64 long_ago) {
  if (time == sc_core::sc_time_stamp().value()) return true;
  time = long_ago;
  return false;
}
}  // namespace

// ---- InitiatorPort

InitiatorPort::InitiatorPort(const char* name, Client& client, unsigned index)
    : socket(name), client_(client), index_(index), later_(*this, &InitiatorPort::delayed) {
  socket.bind(*this);
}

// A call of send(). Its payload leaves with the references of its owner alone, as a request shall; one is
// added when the response comes within the call, which the owner answers by letting go.
class InitiatorPort::Sending {
 public:
  Sending(InitiatorPort& port, tlm_generic_payload& payload)
      : port_(port), payload_(payload), outer_(port.sending_) {
    port_.sending_ = this;
  }
  ~Sending() {
    port_.sending_ = outer_;
    if (held_) payload_.release();
  }
  Sending(const Sending&) = delete;
  void hold() {
    if (held_ || !payload_.has_mm()) return;
    held_ = true;
    payload_.acquire();
  }
  void answered(const tlm_generic_payload& payload) {
    for (Sending* call = this; call != nullptr; call = call->outer_)
      if (&call->payload_ == &payload) call->hold();
  }

 private:
  InitiatorPort& port_;
  tlm_generic_payload& payload_;
  Sending* outer_;
  bool held_ = false;
};

void InitiatorPort::send(tlm_generic_payload& payload) {
  assert(idle());
  requesting_ = &payload;
  if (Transaction* const ours = Transaction::find(payload)) ours->left_over(socket);
  Sending call(*this, payload);
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = SC_ZERO_TIME;
  switch (socket->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      break;
    case tlm::TLM_UPDATED:
      if (delay != SC_ZERO_TIME) {
        if (phase == tlm::END_REQ) ending_ = &payload;
        later_.notify(payload, phase, delay);
      } else if (phase == tlm::END_REQ) {
        requesting_ = nullptr;
      } else if (phase == tlm::BEGIN_RESP) {
        requesting_ = nullptr;
        call.hold();
        if (deliver(payload, true)) end_response(payload);
      }
      break;
    case tlm::TLM_COMPLETED:
      if (delay != SC_ZERO_TIME) {
        completing_ = &payload;
        later_.notify(payload, tlm::BEGIN_RESP, delay);
      } else {
        requesting_ = nullptr;
        deliver(payload, false);
      }
      break;
  }
}

bool InitiatorPort::deliver(tlm_generic_payload& payload, bool needs_end) {
  if (Transaction* const ours = Transaction::find(payload)) ours->came_back_over(socket);
  if (client_.response(*this, payload)) return true;
  refused_.push_back({&payload, needs_end});
  if (payload.has_mm()) payload.acquire();
  return false;
}

void InitiatorPort::end_response(tlm_generic_payload& payload) {
  tlm_phase phase = tlm::END_RESP;
  sc_time delay = SC_ZERO_TIME;
  socket->nb_transport_fw(payload, phase, delay);
}

void InitiatorPort::accept_response() {
  assert(!refused_.empty());
  const Refused oldest = refused_.front();
  tlm_generic_payload& payload = *oldest.payload;
  refused_.erase(refused_.begin());
  if (oldest.needs_end) end_response(payload);
  if (payload.has_mm()) payload.release();
}

void InitiatorPort::end_request(tlm_generic_payload& payload) {
  if (requesting_ != &payload) return;
  requesting_ = nullptr;
  freed_at_ = sc_core::sc_time_stamp().value();
  client_.link_free(*this);
}

tlm_sync_enum InitiatorPort::nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase, sc_time& delay) {
  // A base-protocol component ignores phases it does not know.
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  // A response that overtakes the END_REQ of its own request within one instant is put behind it.
  if (delay != SC_ZERO_TIME || ending_ == &payload) {
    if (phase == tlm::END_REQ) ending_ = &payload;
    later_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_REQ) {
    end_request(payload);
    return tlm::TLM_ACCEPTED;
  }
  // BEGIN_RESP; for the request still on the link it also means END_REQ.
  const PayloadHold hold(payload);
  if (sending_ != nullptr) sending_->answered(payload);
  end_request(payload);
  if (!deliver(payload, true)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void InitiatorPort::delayed(tlm_generic_payload& payload, const tlm_phase& phase) {
  if (phase == tlm::END_REQ) {
    ending_ = nullptr;
    end_request(payload);
    return;
  }
  const PayloadHold hold(payload);
  const bool needs_end = completing_ != &payload;
  if (!needs_end) completing_ = nullptr;
  end_request(payload);
  if (deliver(payload, needs_end) && needs_end) end_response(payload);
}

bool InitiatorPort::freed_now() const { return is_now(freed_at_, kLongAgo); }

void InitiatorPort::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  client_.invalidate_dmi(*this, start, end);
}

// ---- TargetPort

TargetPort::TargetPort(const char* name, Client& client, unsigned index)
    : socket(name), client_(client), index_(index), later_(*this, &TargetPort::delayed) {
  socket.bind(*this);
}

tlm_sync_enum TargetPort::nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase, sc_time& delay) {
  // A base-protocol component ignores phases it does not know.
  if (phase != tlm::BEGIN_REQ && phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;
  if (delay != SC_ZERO_TIME) {
    later_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_RESP) {
    responding_ = nullptr;
    freed_at_ = sc_core::sc_time_stamp().value();
    client_.response_link_free(*this);
    return tlm::TLM_COMPLETED;
  }
  if (!client_.request(*this, payload)) {
    waiting_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void TargetPort::retry_request() {
  if (!waiting_) return;
  tlm_generic_payload& payload = *waiting_;
  if (!client_.request(*this, payload)) return;
  waiting_ = nullptr;
  tlm_phase phase = tlm::END_REQ;
  sc_time delay = SC_ZERO_TIME;
  socket->nb_transport_bw(payload, phase, delay);
}

void TargetPort::respond(tlm_generic_payload& payload) {
  assert(response_idle());
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  responding_ = &payload;
  const PayloadHold hold(payload);
  tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = SC_ZERO_TIME;
  switch (socket->nb_transport_bw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      break;
    case tlm::TLM_UPDATED:
    case tlm::TLM_COMPLETED:
      if (delay != SC_ZERO_TIME) {
        later_.notify(payload, tlm::END_RESP, delay);
      } else {
        responding_ = nullptr;
      }
      break;
  }
}

bool TargetPort::freed_now() const { return is_now(freed_at_, kLongAgo); }

void TargetPort::delayed(tlm_generic_payload& payload, const tlm_phase& phase) {
  if (phase == tlm::END_RESP) {
    responding_ = nullptr;
    freed_at_ = sc_core::sc_time_stamp().value();
    client_.response_link_free(*this);
    return;
  }
  waiting_ = &payload;
  retry_request();
}

void TargetPort::b_transport(tlm_generic_payload& payload, sc_time& delay) {
  client_.b_transport(*this, payload, delay);
}
unsigned TargetPort::transport_dbg(tlm_generic_payload& payload) {
  return client_.transport_dbg(*this, payload);
}
bool TargetPort::get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return client_.get_direct_mem_ptr(*this, payload, dmi);
}

void TargetPort::Client::b_transport(TargetPort&, tlm_generic_payload& payload, sc_time&) {
  payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
}
unsigned TargetPort::Client::transport_dbg(TargetPort&, tlm_generic_payload&) { return 0; }
bool TargetPort::Client::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(payload.get_address());
  dmi.set_end_address(payload.get_address());
  return false;
}

}  // namespace warpvp
