#include "modules/mmu/shared_tlb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interconnect/outstanding.h"

namespace warpvp {

using tlm::tlm_generic_payload;

SharedTlb::SharedTlb(sc_core::sc_module_name name, unsigned sms, ClockDomain& clock, const PageTables& tables,
                     const PagedMmuConfig& config)
    : sc_module(name),
      clock_(clock),
      tables_(tables),
      config_(config.shared),
      cold_kernels_(config.invalidate == "kernel_start"),
      id_(clock.join(*this)),
      walk_("walk", *this),
      runs_(config.shared.entries, config.shared.associativity),
      questions_(sms),
      answers_(sms) {
  TargetPort::Client& client = *this;
  for (unsigned sm = 0; sm < sms; ++sm) {
    in_.push_back(std::make_unique<TargetPort>(fmt::format("in_{}", sm).c_str(), client, sm));
    questions_[sm].set_capacity(config.tlb.misses);
    answers_[sm].set_capacity(config.tlb.misses);
  }
}

bool SharedTlb::request(TargetPort& port, tlm_generic_payload& payload) {
  Ring<Question>& questions = questions_[port.index()];
  if (questions.full()) return false;
  questions.push({&payload, clock_.next_edge()});
  ++asked_;
  clock_.wake(id_);
  return true;
}

bool SharedTlb::response(InitiatorPort&, tlm_generic_payload& payload) {
  require_answer_ok(payload, walk_.socket, "translation");
  walked_.put(clock_.next_edge(), &payload);
  clock_.wake(id_);
  return true;
}

void SharedTlb::answer(unsigned port, tlm_generic_payload& payload, const Run& run, Cycle due) {
  const std::uint64_t page = tables_.page_of(payload.get_address());
  std::memcpy(payload.get_data_ptr(), &run.entries[page % config_.pages_per_entry], 8);
  answers_[port].push({&payload, due});
  ++answering_;
}

void SharedTlb::look_up(unsigned port, tlm_generic_payload& payload, Cycle now) {
  const MemExtension& ext = MemExtension::of(payload);
  if (cold_kernels_ && new_kernel_.shown(ext.launch)) runs_.clear();
  const std::uint64_t run = run_of(payload.get_address());
  auto walk = std::find_if(walks_.begin(), walks_.end(),
                           [&](const Walk& w) { return w.run == run && w.context == ext.context; });
  if (walk == walks_.end()) {
    // An entry that was not valid when the run was read may be by now.
    const Run* const known = runs_.find(ext.context, run);
    const std::uint64_t page = tables_.page_of(payload.get_address());
    if (known && known->entries[page % config_.pages_per_entry] & PageTables::kValid) {
      ++launches_.of(ext.launch).shared_hits;
      answer(port, payload, *known, now + config_.latency_cycles);
      return;
    }
    walks_.push_back({ext.context, run, ext.page_table, ext.launch, false, {}});
    walk = walks_.end() - 1;
  }
  walk->waiting.emplace_back(port, &payload);
}

// The walker's answer: the entries of a run. Who waited is told as long after as after a lookup that finds
// its page.
void SharedTlb::take_walk(tlm_generic_payload& payload, Cycle now) {
  Run run;
  std::memcpy(run.entries, payload.get_data_ptr(), payload.get_data_length());
  const MemExtension& ext = MemExtension::of(payload);
  const std::uint64_t number = run_of(payload.get_address());
  const auto walk = std::find_if(walks_.begin(), walks_.end(),
                                 [&](const Walk& w) { return w.run == number && w.context == ext.context; });
  // Of a run without a mapped page nothing is kept: it may be mapped later.
  if (std::any_of(std::begin(run.entries), std::end(run.entries), [](std::uint64_t e) { return e != 0; }))
    runs_.insert(ext.context, number, run);
  for (const auto& [port, question] : walk->waiting)
    answer(port, *question, run, now + config_.latency_cycles);
  walks_.erase(walk);
  payload.release();
}

void SharedTlb::evaluate(Cycle now) {
  walked_.take(now, [&](tlm_generic_payload* payload) { take_walk(*payload, now); });
  unsigned lookups = 0;
  const auto ports = static_cast<unsigned>(in_.size());
  for (unsigned i = 0; asked_ != 0 && i < ports && lookups < config_.lookups_per_cycle; ++i) {
    const unsigned port = (turn_ + i) % ports;
    if (questions_[port].empty() || questions_[port].front().visible > now) continue;
    tlm_generic_payload& payload = *questions_[port].front().payload;
    questions_[port].pop();
    --asked_;
    look_up(port, payload, now);
    if (++lookups == config_.lookups_per_cycle) turn_ = (port + 1) % ports;
  }
}

Cycle SharedTlb::commit(Cycle now) {
  Cycle next = asked_ != 0 ? now + 1 : kNever;
  for (const auto& port : in_)
    if (port->has_waiting_request() && !questions_[port->index()].full()) port->retry_request();
  const auto unsent = std::find_if(walks_.begin(), walks_.end(), [](const Walk& w) { return !w.sent; });
  if (unsent != walks_.end() && walk_.ready()) {
    const std::uint64_t bytes = std::uint64_t{8} * config_.pages_per_entry;
    Transaction& t =
        pool_.make(tlm::TLM_READ_COMMAND, unsent->run * config_.pages_per_entry * tables_.page_bytes(),
                   static_cast<unsigned>(bytes));
    t.ext.context = static_cast<std::uint16_t>(unsent->context);
    t.ext.page_table = unsent->page_table;
    t.ext.launch = unsent->launch;
    t.ext.kind = AccessKind::kTranslation;
    unsent->sent = true;
    walk_.send(t);
  }
  if (walk_.idle() && std::any_of(walks_.begin(), walks_.end(), [](const Walk& w) { return !w.sent; }))
    next = now + 1;
  for (unsigned port = 0; answering_ != 0 && port < answers_.size(); ++port) {
    Ring<Answer>& answers = answers_[port];
    if (answers.empty()) continue;
    if (answers.front().due <= now && in_[port]->response_ready()) {
      tlm_generic_payload& payload = *answers.front().payload;
      answers.pop();
      --answering_;
      in_[port]->respond(payload);
    }
    if (!answers.empty() && in_[port]->response_idle())
      next = std::min(next, std::max(now + 1, answers.front().due));
  }
  return next;
}

}  // namespace warpvp
