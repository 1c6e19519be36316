#pragma once
// A monitor of links that does not only watch: it answers requests with an error, late (by 5 ms), soon, or
// never.

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <set>

#include "base/registry.h"
#include "interconnect/link_monitor.h"

namespace warpvp::test {

struct MeddlerConfig {
  std::string mode = "silent";  ///< silent, withhold (not even END_REQ), error, late
  std::string commands = "any";
  void fields(FieldVisitor& v) {
    v.field("mode", mode, "What becomes of requests.");
    v.field("commands", commands, "Of which: read, write, any.");
  }
};

class Meddler final : public LinkMonitor,
                      private tlm::tlm_fw_transport_if<>,
                      private tlm::tlm_bw_transport_if<> {
 public:
  Meddler(sc_core::sc_module_name name, MeddlerConfig config)
      : LinkMonitor(name), config_(std::move(config)), later_(this, &Meddler::answer) {
    target_.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator_.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  tlm::tlm_target_socket<>& target() override { return target_; }
  tlm::tlm_initiator_socket<>& initiator() override { return initiator_; }

 private:
  bool meddles(const tlm::tlm_generic_payload& payload) const {
    return config_.commands == "any" || (config_.commands == "write") == payload.is_write();
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP && late_.erase(&payload) != 0) {
      payload.release();
      return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ || !meddles(payload))
      return initiator_->nb_transport_fw(payload, phase, delay);
    if (config_.mode == "error") {
      payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    if (config_.mode == "withhold") return tlm::TLM_ACCEPTED;
    if (config_.mode == "late" || config_.mode == "soon") {
      late_.insert(&payload);
      later_.notify(payload, tlm::BEGIN_RESP,
                    config_.mode == "late" ? sc_core::sc_time(5, sc_core::SC_MS)
                                           : sc_core::sc_time(100, sc_core::SC_NS));
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer(tlm::tlm_generic_payload& payload, const tlm::tlm_phase&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    if (target_->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) return;
    late_.erase(&payload);
    payload.release();
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return target_->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    initiator_->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return initiator_->transport_dbg(payload);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator_->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 from, sc_dt::uint64 to) override {
    target_->invalidate_direct_mem_ptr(from, to);
  }

  const MeddlerConfig config_;
  tlm::tlm_target_socket<> target_;
  tlm::tlm_initiator_socket<> initiator_;
  std::set<tlm::tlm_generic_payload*> late_;
  tlm_utils::peq_with_cb_and_phase<Meddler> later_;
};

}  // namespace warpvp::test
