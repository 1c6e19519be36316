#include "modules/sm/memory/memory_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "interconnect/clock_domain.h"
#include "interconnect/launch_counters.h"
#include "interconnect/policy_contract.h"
#include "modules/sm/sm_context.h"

namespace warpvp {

MemoryPort::MemoryPort(const MemorySidePlace& place, LaunchCounters& counters)
    : port_(place.name, *this),
      queue_(place.config.l1.miss_queue,
             place.contexts.of(MissQueue::kKind, place.config.l1.miss_queue.name)),
      counters_(counters),
      wake_(place.wake),
      sm_id_(static_cast<std::uint16_t>(place.sm)),
      store_buffer_entries_(place.config.l1.store_buffer_entries),
      recalls_at_once_(place.backing.map ? place.backing.recalls_at_once : 0),
      map_(place.backing.map),
      listens_(recalls_at_once_ ? place.backing.map->banks() : 0, false) {
  queue_.call([&](MissQueue& queue) { queue.configure(place.config.l1.miss_queue_entries); });
}

Transaction& MemoryPort::make(const PortRequest& r) {
  ++unanswered_;
  Transaction& t = pool_.make(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, r.address, r.bytes);
  t.ext.kernel_slot = r.owner.kernel_slot;
  t.ext.context = r.owner.context;
  t.ext.sm = sm_id_;
  t.ext.warp = r.owner.warp;
  t.ext.launch = r.owner.launch;
  if (page_table_ != 0) {
    t.ext.page_table = page_table_;
    t.ext.context = context_;
  }
  t.ext.kind = r.kind;
  t.ext.issue_cycle = r.issue_cycle;
  t.ext.token = r.token.pack();
  t.ext.in_turn = r.in_turn;
  t.ext.kept = r.kept;
  t.ext.seen_later = ahead_.has_value();
  SmMemoryCounters& c = counters_.of(r.owner.launch);
  if (r.write) {
    ++c.write_requests;
    c.write_bytes += r.bytes;
  } else {
    ++c.read_requests;
    c.read_bytes += r.bytes;
  }
  return t;
}

void MemoryPort::push_data(const PortRequest& request, Cycle now) {
  if (request.write && request.token.kind == ReplyKind::kAccess) ++stores_waiting_;
  if (recalls_at_once_ != 0 && request.kept) listen(request.address, request.owner.launch);
  Transaction& t = make(request);
  t.ext.token |= kInMissQueue;
  queue_.call([&](MissQueue& queue) { queue.push(t, now); });
}

void MemoryPort::broken_contract(const std::string& rule, Cycle now) const {
  report_broken_contract(MissQueue::kKind, queue_.name(), rule,
                         fmt::format("SM {}, SM cycle {}", sm_id_, now));
}

void MemoryPort::listen(std::uint64_t address, std::uint32_t launch) {
  const unsigned bank = map_->bank_of(address);
  if (listens_[bank]) return;
  listens_[bank] = true;
  for (unsigned i = 0; i < recalls_at_once_; ++i) open_recall(address, bank, launch);
}

// Its address names the bank and nothing else; it is not translated.
void MemoryPort::open_recall(std::uint64_t address, unsigned bank, std::uint32_t launch) {
  constexpr unsigned kBytes = sizeof(std::uint64_t);
  Transaction& t = pool_.make(tlm::TLM_READ_COMMAND, address / kBytes * kBytes, kBytes);
  t.ext.sm = sm_id_;
  t.ext.launch = launch;
  t.ext.kind = AccessKind::kRecall;
  t.ext.token = ReplyToken{ReplyKind::kRecall, bank, 0}.pack();
  recalls_.push(&t);
}

MemoryPort::Recall MemoryPort::take_recall() {
  tlm::tlm_generic_payload& payload = *inbox_.front().payload;
  inbox_.pop();
  const MemExtension& ext = *MemExtension::find(payload);
  if (payload.is_response_error()) report(payload, ext);
  Recall recall;
  std::memcpy(&recall.address, payload.get_data_ptr(), sizeof recall.address);
  const bool of_kernel = ext.launch < kCommandLaunch;  // copies need room too
  recall.launch = of_kernel ? ext.launch : kNoLaunch;
  ++counters_.of(recall.launch).l1_recalls;
  open_recall(payload.get_address(), ReplyToken::unpack(ext.token).index, ext.launch);
  payload.release();
  return recall;
}

tlm::tlm_generic_payload* MemoryPort::response(Cycle now) const {
  if (ahead_) return inbox_.empty() || inbox_.front().visible > now ? nullptr : inbox_.front().payload;
  // What arrives in the very instant of an edge is seen at the next one, whichever block ran first.
  if (inbox_.empty() || inbox_.front().instant == sc_core::sc_time_stamp().value()) return nullptr;
  return inbox_.front().payload;
}

void MemoryPort::report(const tlm::tlm_generic_payload& failed, const MemExtension& ext) {
  if (ext.page_table != 0 && failed.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE)
    return on_page_fault(failed);
  SC_REPORT_ERROR("/warpvp/memory_port",
                  fmt::format("SM {}: {} for {} bytes at address {:#x}", sm_id_, failed.get_response_string(),
                              failed.get_data_length(), failed.get_address())
                      .c_str());
}

void MemoryPort::take_response(Cycle now, bool of_no_use) {
  tlm::tlm_generic_payload& payload = *inbox_.front().payload;
  inbox_.pop();
  --unanswered_;
  const MemExtension& ext = *MemExtension::find(payload);
  if (payload.is_response_error() && !of_no_use) report(payload, ext);
  SmMemoryCounters& c = counters_.of(ext.launch);
  c.round_trip(now - std::min<Cycle>(ext.issue_cycle, now));
  c.dram_accesses += ext.dram_accesses;
  const ReplyKind kind = ReplyToken::unpack(ext.token).kind;
  if (kind != ReplyKind::kConstant && kind != ReplyKind::kInstruction && kind != ReplyKind::kState)
    queue_.call([&](MissQueue& queue) { queue.response(ext, payload.is_read(), now); });
  payload.release();
}

bool MemoryPort::anything_queued() const {
  return !instruction_.empty() || !constant_.empty() || !state_.empty() || !recalls_.empty() ||
         !queue_.call([](MissQueue& queue) { return queue.empty(); });
}

// A link freed in the very instant of an edge can be used at the next one, whichever block ran first.
bool MemoryPort::link_ready() const { return port_.idle() && freed_at_ != sc_core::sc_time_stamp().value(); }

bool MemoryPort::link_open(Cycle now) const {
  if (!ahead_) return link_ready();
  if (ahead_->clock.now() == now) return outbox_.empty() && link_ready();
  // Of an edge to come: the link is taken to be free, unless a request has waited for it for more than an
  // edge.
  return late_ == 0 || outbox_.front().edge + 1 >= ahead_->clock.now();
}

bool MemoryPort::commit(Cycle now) {
  waits_for_link_ = false;
  if (!link_open(now)) {
    waits_for_link_ = anything_queued();
    return false;
  }
  Transaction* request = nullptr;
  bool from_queue = false;
  if (!instruction_.empty()) {
    request = instruction_.front();
    instruction_.pop();
  } else if (!constant_.empty()) {
    request = constant_.front();
    constant_.pop();
  } else if (!recalls_.empty()) {
    request = recalls_.front();
    recalls_.pop();
  } else {
    request = queue_.call([&](MissQueue& queue) { return queue.pop(now); });
    from_queue = request != nullptr;
    if (from_queue) {
      if (!(request->ext.token & kInMissQueue))
        broken_contract(
            "pop() gave a request that is not in the queue; allowed: one that was pushed and not "
            "popped since, or none",
            now);
      request->ext.token &= ~kInMissQueue;
    } else if (!state_.empty()) {
      request = state_.front();
      state_.pop();
    }
  }
  if (!request) return false;
  if (from_queue && request->is_write() && ReplyToken::unpack(request->ext.token).kind == ReplyKind::kAccess)
    --stores_waiting_;
  if (ahead_) {
    outbox_.push({request, now});
  } else {
    port_.send(*request);
  }
  return from_queue;
}

bool MemoryPort::send(Cycle now) {
  const unsigned before = late_;
  while (late_ < outbox_.size() && outbox_[late_].edge <= now) ++late_;
  if (late_ == 0 || !link_ready()) return false;
  Transaction& request = *outbox_.front().request;
  outbox_.pop();
  --late_;
  port_.send(request);
  return late_ < before;
}

Cycle MemoryPort::next_send(Cycle now) const {
  if (outbox_.empty() || !port_.idle()) return kNever;  // link_free wakes
  return std::max(outbox_.front().edge, now + 1);
}

Cycle MemoryPort::next_work(Cycle now) const {
  Cycle answer = kNever;
  if (!inbox_.empty()) {
    if (!ahead_) return now + 1;
    answer = std::max(inbox_.front().visible, now + 1);
  }
  if (ahead_ && waits_for_link_) {
    // Of the present edge link_free tells, of an edge to come nobody.
    return ahead_->clock.now() == now && !port_.idle() ? answer : now + 1;
  }
  if (!ahead_ && !port_.idle()) return kNever;  // link_free wakes
  return std::min(answer, next_request(now));
}

Cycle MemoryPort::next_request(Cycle now) const {
  if (!instruction_.empty() || !constant_.empty() || !state_.empty() || !recalls_.empty()) return now + 1;
  const Cycle next = queue_.call([&](MissQueue& queue) { return queue.next_issue(now); });
  if (next <= now)
    broken_contract(fmt::format("next_issue() gave edge {}; allowed: one after the present edge", next), now);
  return next;
}

void MemoryPort::link_free(InitiatorPort&) {
  freed_at_ = sc_core::sc_time_stamp().value();
  if (anything_queued() || !outbox_.empty()) wake_();
}

bool MemoryPort::response(InitiatorPort&, tlm::tlm_generic_payload& payload) {
  if (ahead_) {
    const Cycle visible = ahead_->clock.next_edge() + ahead_->edges;
    inbox_.push({&payload, 0, visible});
    ahead_->clock.wake(ahead_->id, visible);
  } else {
    inbox_.push({&payload, sc_core::sc_time_stamp().value(), 0});
    wake_();
  }
  return true;
}

}  // namespace warpvp
