#pragma once
// The two ends of a memory link under the TLM-2.0 base protocol, so that no block writes phases by hand.
//
// InitiatorPort and TargetPort speak every legal variant (early completion, four phases, annotated delays)
// and reduce it to: send, link free, response; request, respond. A request or response that its receiver
// cannot take is withheld by not ending its phase: that is the backpressure of the model.

#include <systemc>
#include <tlm>
#include <vector>

#include "interconnect/late_phases.h"

namespace warpvp {

/// The requesting end of a link.
class InitiatorPort : private tlm::tlm_bw_transport_if<> {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    /// END_REQ arrived after it had been withheld: the link can take the next request.
    virtual void link_free(InitiatorPort& port) = 0;
    /// A response arrived. True: taken (END_RESP is given at once). False: the client is full; it later takes
    /// the transaction itself and calls `accept_response()` on this port, once for each refused response and
    /// in their order. (A second one can come before that: a target may complete a request early at any
    /// time.)
    virtual bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) = 0;
    virtual void invalidate_dmi(InitiatorPort&, sc_dt::uint64, sc_dt::uint64) {}
  };

  /// `index` tells a client with many ports which one is calling.
  InitiatorPort(const char* name, Client& client, unsigned index = 0);

  tlm::tlm_initiator_socket<> socket;
  unsigned index() const { return index_; }

  /// No request is waiting for its END_REQ.
  bool idle() const { return requesting_ == nullptr; }
  /// As idle(), but a withheld END_REQ that arrived at this very instant does not count yet. Clocked blocks
  /// ask this one, so that it does not matter whether the far end of the link ran before them at a common
  /// edge.
  bool ready() const { return idle() && (freed_at_ == kLongAgo || !freed_now()); }
  /// Sends a request; requires idle(). The response comes to the client, possibly within this call.
  void send(tlm::tlm_generic_payload& payload);
  /// Ends the oldest response that `response()` refused.
  void accept_response();

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;
  void delayed(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void end_request(tlm::tlm_generic_payload& payload);
  bool deliver(tlm::tlm_generic_payload& payload, bool needs_end);
  void end_response(tlm::tlm_generic_payload& payload);
  class Sending;
  bool freed_now() const;

  Client& client_;
  unsigned index_;
  tlm::tlm_generic_payload* requesting_ = nullptr;  // waits for END_REQ
  static constexpr sc_dt::uint64 kLongAgo = ~sc_dt::uint64{0};
  mutable sc_dt::uint64 freed_at_ = kLongAgo;  // when a withheld END_REQ last arrived
  struct Refused {
    tlm::tlm_generic_payload* payload;
    bool needs_end;
  };
  std::vector<Refused> refused_;                    // responses the client could not take yet, oldest first
  tlm::tlm_generic_payload* completing_ = nullptr;  // TLM_COMPLETED with a delay still running
  tlm::tlm_generic_payload* ending_ = nullptr;      // END_REQ with a delay still running
  Sending* sending_ = nullptr;                      // the innermost call of send()
  LatePhases<InitiatorPort> later_;
};

/// The serving end of a link.
class TargetPort : private tlm::tlm_fw_transport_if<> {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    /// A request arrived. True: taken (END_REQ is given at once). False: full; the client must not keep it
    /// and calls `retry_request()` when it has room, upon which the request is offered again. The client must
    /// not respond to the request within this call: its END_REQ has not been given yet.
    virtual bool request(TargetPort& port, tlm::tlm_generic_payload& payload) = 0;
    /// END_RESP arrived after it had been withheld: the next response can be sent.
    virtual void response_link_free(TargetPort& port) = 0;
    /// Loosely timed access: perform it, add its time to `delay`. The default refuses.
    virtual void b_transport(TargetPort& port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    virtual unsigned transport_dbg(TargetPort& port, tlm::tlm_generic_payload& payload);
    virtual bool get_direct_mem_ptr(TargetPort& port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  };

  TargetPort(const char* name, Client& client, unsigned index = 0);

  tlm::tlm_target_socket<> socket;
  unsigned index() const { return index_; }

  /// A request was refused and waits.
  bool has_waiting_request() const { return waiting_ != nullptr; }
  /// Offers the waiting request, if any, to the client again; END_REQ is sent when it is taken.
  void retry_request();
  /// No response is waiting for its END_RESP.
  bool response_idle() const { return responding_ == nullptr; }
  /// As response_idle(), but a withheld END_RESP that arrived at this very instant does not count yet (see
  /// InitiatorPort::ready).
  bool response_ready() const { return response_idle() && (freed_at_ == kLongAgo || !freed_now()); }
  /// Sends a response; requires response_idle(). Sets an incomplete status to TLM_OK_RESPONSE.
  void respond(tlm::tlm_generic_payload& payload);

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  void delayed(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  bool freed_now() const;

  Client& client_;
  unsigned index_;
  tlm::tlm_generic_payload* waiting_ = nullptr;     // request the client could not take yet
  tlm::tlm_generic_payload* responding_ = nullptr;  // waits for END_RESP
  static constexpr sc_dt::uint64 kLongAgo = ~sc_dt::uint64{0};
  mutable sc_dt::uint64 freed_at_ = kLongAgo;  // when a withheld END_RESP last arrived
  LatePhases<TargetPort> later_;
};

}  // namespace warpvp
