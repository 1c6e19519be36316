#include "modules/mmu/tlb.h"

#include <algorithm>
#include <cstring>

#include "interconnect/outstanding.h"

namespace warpvp {

using tlm::tlm_generic_payload;

Tlb::Tlb(sc_core::sc_module_name name, unsigned sm, ClockDomain& clock, const PageTables& tables,
         const PagedMmuConfig& config)
    : sc_module(name),
      clock_(clock),
      tables_(tables),
      config_(config.tlb),
      cold_kernels_(config.invalidate == "kernel_start"),
      sm_(sm),
      id_(clock.join(*this)),
      in_("in", *this),
      out_("out", *this, 0),
      miss_("miss", *this, 1),
      pages_(config.tlb.entries, config.tlb.associativity),
      translated_(config.tlb.waiting) {
  misses_.reserve(config.tlb.misses);
}

void Tlb::translate(tlm_generic_payload& payload, std::uint64_t entry) const {
  payload.set_address((entry & PageTables::kAddressMask) |
                      (payload.get_address() & (tables_.page_bytes() - 1)));
}

// Called in the commit half of an edge, before or after this block's own: what it decides depends on neither.
bool Tlb::request(TargetPort&, tlm_generic_payload& payload) {
  if (!translated_.empty() || releasing_at_ == clock_.now()) {
    clock_.wake(id_);  // this block's half of the edge may be over, and was the last for which it had work
    return false;
  }
  const MemExtension& ext = MemExtension::of(payload);
  if (ext.kind == AccessKind::kRecall) return pass(payload);  // its address only names a bank of the L2
  if (cold_kernels_ && new_kernel_.shown(ext.launch)) pages_.clear();
  const std::uint64_t page = tables_.page_of(payload.get_address());
  const unsigned context = ext.context;
  const bool asked = std::any_of(misses_.begin(), misses_.end(), [&](const Miss& miss) {
    return miss.page == page && miss.context == context;
  });
  const std::uint64_t* const entry = asked ? nullptr : pages_.find(context, page);
  if (!entry) return hold(payload, context, page);
  if (!out_.ready()) return false;
  ++launches_.of(ext.launch).hits;
  translate(payload, *entry);
  return pass(payload);
}

bool Tlb::pass(tlm_generic_payload& payload) {
  if (!out_.ready()) return false;
  passing_ = &payload;
  out_.send(payload);
  passing_ = nullptr;
  return true;
}

bool Tlb::hold(tlm_generic_payload& payload, unsigned context, std::uint64_t page) {
  if (waiting_ == config_.waiting) return false;
  auto miss = std::find_if(misses_.begin(), misses_.end(),
                           [&](const Miss& m) { return m.page == page && m.context == context; });
  if (miss == misses_.end()) {
    if (misses_.size() == config_.misses) return false;
    const MemExtension& ext = MemExtension::of(payload);
    misses_.push_back({context, page, ext.page_table, ext.launch, false, {}});
    miss = misses_.end() - 1;
    ++launches_.of(ext.launch).page_misses;
    clock_.wake(id_);
  }
  miss->waiting.push_back({&payload, clock_.now()});
  ++waiting_;
  ++launches_.of(MemExtension::of(payload).launch).misses;
  return true;
}

bool Tlb::response(InitiatorPort& port, tlm_generic_payload& payload) {
  if (&port == &miss_) {
    require_answer_ok(payload, miss_.socket, "translation");
    answers_.put(clock_.next_edge(), &payload);
    clock_.wake(id_);
    return true;
  }
  if (in_.response_idle() && replies_.empty() && passing_ != &payload) {
    in_.respond(payload);
    return true;
  }
  replies_.push(&payload);
  clock_.wake(id_);
  return true;
}

// An answer of the shared TLB: its page becomes known, and the requests that waited for it leave in their
// order.
void Tlb::take(tlm_generic_payload& answer, Cycle now) {
  std::uint64_t entry = 0;
  std::memcpy(&entry, answer.get_data_ptr(), sizeof entry);
  const MemExtension& ext = MemExtension::of(answer);
  const std::uint64_t page = tables_.page_of(answer.get_address());
  const auto miss = std::find_if(misses_.begin(), misses_.end(),
                                 [&](const Miss& m) { return m.page == page && m.context == ext.context; });
  const bool mapped = entry & PageTables::kValid;
  if (mapped) pages_.insert(ext.context, page, entry);
  for (const Waiting& waiting : miss->waiting) {
    launches_.of(MemExtension::of(*waiting.payload).launch).waiting_cycles += now - waiting.since;
    if (mapped) {
      translate(*waiting.payload, entry);
      translated_.push(waiting.payload);
    } else {
      waiting.payload->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      replies_.push(waiting.payload);
    }
  }
  waiting_ -= static_cast<unsigned>(miss->waiting.size());
  misses_.erase(miss);
  answer.release();
}

void Tlb::evaluate(Cycle now) {
  answers_.take(now, [&](tlm_generic_payload* answer) { take(*answer, now); });
  if (!translated_.empty()) releasing_at_ = now;
}

bool Tlb::send_miss() {
  const auto miss = std::find_if(misses_.begin(), misses_.end(), [](const Miss& m) { return !m.sent; });
  if (miss == misses_.end()) return false;
  if (!miss_.ready()) return true;
  Transaction& t = pool_.make(tlm::TLM_READ_COMMAND, miss->page * tables_.page_bytes(), 8);
  t.ext.context = static_cast<std::uint16_t>(miss->context);
  t.ext.page_table = miss->page_table;
  t.ext.sm = static_cast<std::uint16_t>(sm_);
  t.ext.launch = miss->launch;
  t.ext.kind = AccessKind::kTranslation;
  miss->sent = true;
  miss_.send(t);
  return std::any_of(misses_.begin(), misses_.end(), [](const Miss& m) { return !m.sent; });
}

Cycle Tlb::commit(Cycle now) {
  bool again = send_miss() && miss_.idle();
  if (!replies_.empty() && in_.response_ready()) {
    tlm_generic_payload& reply = *replies_.front();
    replies_.pop();
    in_.respond(reply);
  }
  again |= !replies_.empty() && in_.response_idle();
  if (releasing_at_ == now) {
    if (out_.ready()) {
      tlm_generic_payload& request = *translated_.front();
      translated_.pop();
      out_.send(request);
    }
  } else if (in_.has_waiting_request()) {
    in_.retry_request();
  }
  again |= (!translated_.empty() || in_.has_waiting_request()) && out_.idle() &&
           (releasing_at_ == now || !translated_.empty());
  return again ? now + 1 : kNever;
}

bool Tlb::translate_now(tlm_generic_payload& payload) const {
  const MemExtension* const ext = MemExtension::find(payload);
  const auto address = tables_.translate(ext ? ext->page_table : 0, payload.get_address());
  if (address) payload.set_address(*address);
  if (!address) payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return address.has_value();
}

void Tlb::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (translate_now(payload)) out_.socket->b_transport(payload, delay);
}

unsigned Tlb::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return translate_now(payload) ? out_.socket->transport_dbg(payload) : 0;
}

}  // namespace warpvp
