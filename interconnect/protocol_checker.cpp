#include "interconnect/protocol_checker.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_kernel_ids.h>

#include <cstring>

#include "interconnect/payload_hold.h"

namespace warpvp {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

const char* name_of(ProtocolRule rule) {
  switch (rule) {
    case ProtocolRule::kRequestExclusion:
      return "request exclusion rule";
    case ProtocolRule::kResponseExclusion:
      return "response exclusion rule";
    case ProtocolRule::kPhaseOrder:
      return "phase out of order";
    case ProtocolRule::kReturnValue:
      return "returned status does not fit the phase";
    case ProtocolRule::kTimeGoesBack:
      return "phase before the previous one";
    case ProtocolRule::kTransactionReused:
      return "transaction reused while under way";
    case ProtocolRule::kNoMemoryManager:
      return "no memory manager";
    case ProtocolRule::kReferenceCount:
      return "reference count is zero";
    case ProtocolRule::kNullData:
      return "null data pointer";
    case ProtocolRule::kZeroLength:
      return "zero data length or streaming width";
    case ProtocolRule::kByteEnableLength:
      return "byte enables of length zero";
    case ProtocolRule::kStatusNotIncomplete:
      return "request with a response status";
    case ProtocolRule::kStatusMissing:
      return "response without a response status";
    case ProtocolRule::kAttributeChanged:
      return "attribute changed after BEGIN_REQ";
    case ProtocolRule::kDataChanged:
      return "data of a write changed after BEGIN_REQ";
    case ProtocolRule::kCalledByMethod:
      return "b_transport called by a method";
    case ProtocolRule::kTargetWaits:
      return "b_transport called wait() where it may not";
  }
  return "unknown rule";
}

namespace {
std::vector<unsigned char> written_data(const tlm_generic_payload& p) {
  if (!p.is_write() || p.get_data_ptr() == nullptr) return {};
  return {p.get_data_ptr(), p.get_data_ptr() + p.get_data_length()};
}
}  // namespace

ProtocolChecker::Attributes::Attributes(const tlm_generic_payload& p)
    : command(p.get_command()),
      data(p.get_data_ptr()),
      length(p.get_data_length()),
      width(p.get_streaming_width()),
      enables(p.get_byte_enable_ptr()),
      enable_length(p.get_byte_enable_length()) {}

bool ProtocolChecker::Attributes::operator==(const Attributes& o) const {
  return command == o.command && data == o.data && length == o.length && width == o.width &&
         enables == o.enables && enable_length == o.enable_length;
}

ProtocolChecker::ProtocolChecker(sc_core::sc_module_name name)
    : sc_module(name), target("target"), initiator("initiator") {
  target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void ProtocolChecker::report(ProtocolRule rule, const tlm_generic_payload& payload) {
  ++count_;
  Violation v{rule, sc_core::sc_time_stamp(), payload.get_address(), {}};
  v.text = fmt::format("{}: {}, address {:#x}, at {}", v.time.to_string(), name_of(rule), v.address, name());
  if (violations_.size() < 1000) violations_.push_back(v);
  if (on_violation) on_violation(v);
}

ProtocolChecker::Record* ProtocolChecker::find(tlm_generic_payload& payload) {
  const auto it = transactions_.find(&payload);
  return it == transactions_.end() ? nullptr : &it->second;
}

void ProtocolChecker::check_payload(const tlm_generic_payload& payload) {
  if (!payload.get_data_ptr()) report(ProtocolRule::kNullData, payload);
  if (payload.get_data_length() == 0 || payload.get_streaming_width() == 0)
    report(ProtocolRule::kZeroLength, payload);
  if (payload.get_byte_enable_ptr() && payload.get_byte_enable_length() == 0)
    report(ProtocolRule::kByteEnableLength, payload);
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    report(ProtocolRule::kStatusNotIncomplete, payload);
}

void ProtocolChecker::check_under_way(Record& record, const tlm_generic_payload& payload, const sc_time& at) {
  if (payload.has_mm() && payload.get_ref_count() < 1) report(ProtocolRule::kReferenceCount, payload);
  if (at < record.last) report(ProtocolRule::kTimeGoesBack, payload);
  record.last = at;
  if (!(Attributes(payload) == record.attributes)) {
    report(ProtocolRule::kAttributeChanged, payload);
    record.attributes = Attributes(payload);  // one report a change
    record.data = written_data(payload);
  } else if (std::vector<unsigned char> data = written_data(payload); data != record.data) {
    report(ProtocolRule::kDataChanged, payload);
    record.data = std::move(data);
  }
}

void ProtocolChecker::begin_request(tlm_generic_payload& payload, const sc_time& at) {
  check_payload(payload);
  if (!payload.has_mm()) {
    report(ProtocolRule::kNoMemoryManager, payload);
  } else if (payload.get_ref_count() < 1) {
    report(ProtocolRule::kReferenceCount, payload);
  }
  if (find(payload)) report(ProtocolRule::kTransactionReused, payload);
  if (requesting_ || at < request_free_) report(ProtocolRule::kRequestExclusion, payload);
  transactions_.insert_or_assign(&payload,
                                 Record{State::kRequesting, at, Attributes(payload), written_data(payload)});
  requesting_ = &payload;
}

void ProtocolChecker::end_request(tlm_generic_payload& payload, const sc_time& at) {
  Record* record = find(payload);
  if (!record || record->state != State::kRequesting) return report(ProtocolRule::kPhaseOrder, payload);
  check_under_way(*record, payload, at);
  record->state = State::kRequested;
  if (requesting_ == &payload) requesting_ = nullptr;
  request_free_ = at;
}

void ProtocolChecker::begin_response(tlm_generic_payload& payload, const sc_time& at) {
  Record* record = find(payload);
  if (!record || record->state == State::kResponding) return report(ProtocolRule::kPhaseOrder, payload);
  check_under_way(*record, payload, at);
  if (record->state == State::kRequesting) {  // also means END_REQ
    if (requesting_ == &payload) requesting_ = nullptr;
    request_free_ = at;
  }
  if (responding_ || at < response_free_) report(ProtocolRule::kResponseExclusion, payload);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    report(ProtocolRule::kStatusMissing, payload);
  record->state = State::kResponding;
  responding_ = &payload;
}

void ProtocolChecker::end_response(tlm_generic_payload& payload, const sc_time& at) {
  Record* record = find(payload);
  if (!record || record->state != State::kResponding) return report(ProtocolRule::kPhaseOrder, payload);
  check_under_way(*record, payload, at);
  if (responding_ == &payload) responding_ = nullptr;
  response_free_ = at;
  transactions_.erase(&payload);
}

// TLM_COMPLETED on the forward path: all remaining phases at once.
void ProtocolChecker::completed_early(tlm_generic_payload& payload, const sc_time& at) {
  Record* record = find(payload);
  if (!record) return report(ProtocolRule::kReturnValue, payload);
  check_under_way(*record, payload, at);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    report(ProtocolRule::kStatusMissing, payload);
  if (requesting_ == &payload) {
    requesting_ = nullptr;
    request_free_ = at;
  }
  if (responding_ == &payload) {
    responding_ = nullptr;
    response_free_ = at;
  }
  transactions_.erase(&payload);
}

tlm_sync_enum ProtocolChecker::nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase,
                                               sc_time& delay) {
  const tlm_phase sent = phase;
  const sc_time now = sc_core::sc_time_stamp();
  if (sent > tlm::END_RESP) return initiator->nb_transport_fw(payload, phase, delay);  // ignorable phases
  if (sent == tlm::BEGIN_REQ) {
    begin_request(payload, now + delay);
  } else if (sent == tlm::END_RESP) {
    end_response(payload, now + delay);
    return initiator->nb_transport_fw(payload, phase, delay);  // whatever comes back means: over
  } else {
    report(ProtocolRule::kPhaseOrder, payload);
  }
  const PayloadHold hold(payload);
  const tlm_sync_enum status = initiator->nb_transport_fw(payload, phase, delay);
  switch (status) {
    case tlm::TLM_ACCEPTED:
      if (phase != sent) report(ProtocolRule::kReturnValue, payload);
      break;
    case tlm::TLM_UPDATED:
      if (phase == tlm::END_REQ) {
        end_request(payload, now + delay);
      } else if (phase == tlm::BEGIN_RESP) {
        begin_response(payload, now + delay);
      } else if (phase <= tlm::END_RESP) {
        report(ProtocolRule::kReturnValue, payload);
      }
      break;
    case tlm::TLM_COMPLETED:
      completed_early(payload, now + delay);
      break;
  }
  return status;
}

tlm_sync_enum ProtocolChecker::nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase,
                                               sc_time& delay) {
  const tlm_phase sent = phase;
  const sc_time now = sc_core::sc_time_stamp();
  if (sent > tlm::END_RESP) return target->nb_transport_bw(payload, phase, delay);  // ignorable phases
  if (sent == tlm::END_REQ) {
    end_request(payload, now + delay);
    return target->nb_transport_bw(payload, phase, delay);
  }
  if (sent == tlm::BEGIN_RESP) {
    begin_response(payload, now + delay);
  } else {
    report(ProtocolRule::kPhaseOrder, payload);
  }
  const PayloadHold hold(payload);
  const tlm_sync_enum status = target->nb_transport_bw(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) {
    if (phase != sent) report(ProtocolRule::kReturnValue, payload);
  } else if (status == tlm::TLM_COMPLETED || phase == tlm::END_RESP) {
    if (sent == tlm::BEGIN_RESP) end_response(payload, now + delay);
  } else if (phase <= tlm::END_RESP) {
    report(ProtocolRule::kReturnValue, payload);
  }
  return status;
}

void ProtocolChecker::b_transport(tlm_generic_payload& payload, sc_time& delay) {
  check_payload(payload);
  if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_)
    report(ProtocolRule::kCalledByMethod, payload);
  const Attributes before(payload);
  const std::vector<unsigned char> data = written_data(payload);
  const sc_time called = sc_core::sc_time_stamp();
  try {
    initiator->b_transport(payload, delay);
  } catch (const sc_core::sc_report& error) {
    if (std::strcmp(error.get_msg_type(), sc_core::SC_ID_WAIT_NOT_ALLOWED_) == 0)
      report(ProtocolRule::kTargetWaits, payload);
    throw;
  }
  if (forbid_waiting && sc_core::sc_time_stamp() != called) report(ProtocolRule::kTargetWaits, payload);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    report(ProtocolRule::kStatusMissing, payload);
  if (!(Attributes(payload) == before)) {
    report(ProtocolRule::kAttributeChanged, payload);
  } else if (written_data(payload) != data) {
    report(ProtocolRule::kDataChanged, payload);
  }
}

unsigned ProtocolChecker::transport_dbg(tlm_generic_payload& payload) {
  return initiator->transport_dbg(payload);
}

bool ProtocolChecker::get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return initiator->get_direct_mem_ptr(payload, dmi);
}

void ProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  target->invalidate_direct_mem_ptr(start, end);
}

}  // namespace warpvp
