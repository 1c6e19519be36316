#include "modules/dram/dram_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "base/part_mark.h"
#include "base/registry.h"
#include "interconnect/memory_access.h"
#include "interconnect/policy_contract.h"
#include "interconnect/prefetch.h"
#include "interconnect/sim_time.h"

namespace warpvp {

using tlm::tlm_generic_payload;

namespace {

unsigned log2_of(std::uint32_t power) {
  assert(power != 0 && (power & (power - 1)) == 0);
  return static_cast<unsigned>(__builtin_ctz(power));
}

/// What its policies are told of the channel, which is on no register bus.
PolicyContext context_of(const MemoryChannelPlace& place) {
  PolicyContext context;
  context.place = fmt::format("memory channel {}", place.channel);
  context.index = place.channel;
  context.kernel_slots = place.kernel_slots;
  context.seed = place.seed;
  context.period_fs = to_sim_time(place.domain.period()).fs();
  context.cycle = [&domain = place.domain] { return domain.now(); };
  context.registers = PolicyRegisters::none("a memory channel");
  return context;
}

/// The chosen policy, told where it works. What it cannot work with is an error at its place in the YAML
/// file.
template <class Policy, class What>
PolicySlot<Policy> make_policy(const PolicyChoice& choice, const MemoryChannelPlace& place,
                               const What& what) {
  PolicySlot<Policy> slot(choice, context_of(place));
  try {
    slot.call([&](Policy& policy) { policy.configure(what); });
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}{}{} '{}': {}", choice.place, choice.place.empty() ? "" : ": ",
                                 Policy::kKind, choice.name, error.what()));
  }
  return slot;
}

// Banks are bits of a 64-bit set.
const DramTiming& checked(const DramTiming& timing) {
  if (timing.banks() > 64) throw InputError("DRAM: at most 64 banks in a channel");
  return timing;
}

DramGeometry geometry_of(const DramConfig& config) {
  DramGeometry geometry;
  geometry.group_bits = log2_of(config.timing.bank_groups);
  geometry.bank_bits = log2_of(config.timing.banks_per_group);
  geometry.column_bits = log2_of(config.timing.row_bytes / config.timing.atom_bytes());
  geometry.chunk_bits = log2_of(config.group_interleave_bytes / config.timing.atom_bytes());
  geometry.bank_hash = config.bank_hash;
  return geometry;
}

}  // namespace

DramController::DramController(sc_core::sc_module_name name, const MemoryChannelPlace& place,
                               const DramConfig& config)
    : MemoryChannel(name),
      domain_(place.domain),
      memory_(place.memory),
      map_(place.map),
      config_(config),
      timing_(checked(config.timing)),
      atom_shift_(log2_of(timing_.atom_bytes())),
      group_shift_(log2_of(timing_.banks_per_group)),
      columns_(timing_.row_bytes / timing_.atom_bytes()),
      scheduler_(config.scheduler, context_of(place)),
      page_policy_(make_policy<DramPagePolicy>(config.page_policy, place, timing_)),
      refresh_(make_policy<DramRefreshPolicy>(config.refresh, place, timing_)),
      write_drain_(make_policy<DramWriteDrainPolicy>(
          config.write_drain, place,
          DramWriteDrainPolicy::Queue{config.write_queue, config.write_high, config.write_low})),
      mapping_(make_policy<DramAddressMapping>(config.address_mapping, place, geometry_of(config))),
      id_(place.domain.join(*this)),
      staged_(place.ports),
      arrivals_(config.read_queue + config.write_queue),
      slots_(config.read_queue + config.write_queue),
      banks_(timing_.banks()),
      groups_(timing_.bank_groups),
      next_refresh_(refresh_.call([](DramRefreshPolicy& policy) { return policy.next(); })),
      candidates_{CandidateList(timing_.banks(), group_shift_), CandidateList(timing_.banks(), group_shift_)},
      responses_(place.ports) {
  ranks_kernels_ = scheduler_.call([](const DramScheduler& policy) { return policy.ranks_kernels(); });
  if (place.ports > 64) throw InputError("DRAM: at most 64 L2 banks can share a channel");
  TargetPort::Client& client = *this;
  for (unsigned port = 0; port < place.ports; ++port)
    ports_.push_back(std::make_unique<TargetPort>(fmt::format("in_{}", port).c_str(), client, port));
}

DramPlace DramController::place_of(std::uint64_t device_address) const {
  return place_in_channel(map_.channel_local(device_address));
}

DramPlace DramController::place_in_channel(std::uint64_t channel_local) const {
  const DramPlace place =
      mapping_.call([&](DramAddressMapping& mapping) { return mapping.place(channel_local >> atom_shift_); });
  if (place.bank < banks_.size() && place.column < columns_ && place.row != kClosed) return place;
  report_broken_contract(
      DramAddressMapping::kKind, config_.address_mapping.name,
      fmt::format(
          "it put address {:#x} of the channel into bank {}, row {}, column {}; allowed: banks below {}, "
          "rows below {}, columns below {}",
          channel_local, place.bank, place.row, place.column, banks_.size(), kClosed, columns_),
      name());
}

bool DramController::request(TargetPort& port, tlm_generic_payload& payload) {
  Arrival& staged = staged_[port.index()];
  const Cycle now = domain_.now();
  if (staged.payload) {
    if (!staged.promised) return false;
    if (staged.seen > now) {
      domain_.wake(id_, staged.seen);  // to take the one that is refused now
      return false;
    }
    take_promised(now + 1);
  }
  const bool promised =
      reads_ + staged_count_ < config_.read_queue && writes_ + staged_count_ < config_.write_queue;
  staged = {&payload, port.index(), now + 1, now + config_.frontend_cycles, promised};
  ++staged_count_;
  domain_.wake(id_, next_look(staged));
  return true;
}

// ---- queues

// The edge at which a staged request is to be looked at, which in any case may be the first that sees it. One
// that is sure of its place is taken afterwards, when it is due, unless that edge had something else to do.
Cycle DramController::next_look(const Arrival& staged) const {
  const bool only_taken = staged.promised && next_refresh_ > staged.due && next_close_ >= staged.due &&
                          !declined_ && wants_drain() == draining_;
  return only_taken ? std::max(staged.seen, staged.due) : staged.seen;
}

// Takes the requests that were sure of their places at edges before that one, in the order in which these
// edges would have taken them.
void DramController::take_promised(Cycle before) {
  while (staged_count_) {
    Cycle seen = before;
    for (const Arrival& staged : staged_)
      if (staged.payload && staged.promised) seen = std::min(seen, staged.seen);
    if (seen == before) return;
    take_staged(seen);
  }
}

// Requests that arrived before this edge take places in the queue, the ports in turn.
void DramController::take_staged(Cycle now) {
  const unsigned count = static_cast<unsigned>(ports_.size());
  unsigned place = next_port_;
  for (unsigned i = 0; i < count && staged_count_; ++i, place = place + 1 == count ? 0 : place + 1) {
    Arrival& staged = staged_[place];
    if (!staged.payload || staged.seen > now) continue;
    const bool write = staged.payload->is_write();
    if (write ? writes_ >= config_.write_queue : reads_ >= config_.read_queue) {
      staged.promised = false;
      continue;
    }
    ++(write ? writes_ : reads_);
    staged.due = std::max(staged.due, now);
    arrivals_.push(staged);
    ++moves_;
    staged.payload = nullptr;
    --staged_count_;
    moved_ |= std::uint64_t{1} << staged.port;
    next_port_ = staged.port + 1 == count ? 0 : staged.port + 1;
  }
}

void DramController::admit(const Arrival& arrival, Cycle now) {
  const std::uint32_t index = slots_.take({});
  Slot& slot = slots_[index];
  tlm_generic_payload& payload = *arrival.payload;
  slot.payload = &payload;
  slot.port = arrival.port;
  slot.write = payload.is_write();
  slot.arrival = now;
  if (const auto* ext = MemExtension::find(payload)) {
    slot.launch = ext->launch;
    slot.kernel_slot = ext->kernel_slot;
    slot.context = ext->context;
    slot.sm = ext->sm;
  }
  const tlm::tlm_response_status status = check_request(memory_, payload);
  if (status != tlm::TLM_OK_RESPONSE) {
    slot.sent = true;
    payload.set_response_status(status);
    answer(index, now + config_.backend_cycles);
    return;
  }
  const std::uint64_t begin = payload.get_address();
  const std::uint64_t end = begin + payload.get_data_length();
  MemoryCounters& counters = launches_.of(slot.launch);
  ++(slot.write ? counters.writes : counters.reads);
  (slot.write ? counters.written_bytes : counters.read_bytes) += end - begin;

  const std::uint32_t atom_bytes = timing_.atom_bytes();
  bool forwarded = false;
  const std::uint64_t in_chunk = map_.config().interleave_bytes - 1;
  std::uint64_t local = 0;
  bool known = false;
  for (std::uint64_t address = begin / atom_bytes * atom_bytes; address < end; address += atom_bytes) {
    // Within a chunk of the address map the channel's addresses run on.
    local = known && (address & in_chunk) != 0 ? local + atom_bytes : map_.channel_local(address);
    known = true;
    const DramPlace place = place_in_channel(local);
    if (!slot.write && in_write_queue(place)) {
      forwarded = true;
    } else {
      enqueue(index, place);
    }
  }
  if (forwarded) ++counters_.forwarded_reads;
  if (slot.write) {
    ++queued_writes_;
    answer(index, now + config_.backend_cycles);
  } else if (slot.bursts_left == 0) {
    slot.sent = true;
    answer(index, now + config_.backend_cycles);
  }
}

void DramController::enqueue(std::uint32_t index, const DramPlace& place) {
  Slot& slot = slots_[index];
  const unsigned direction = slot.write ? 1 : 0;
  Bank& bank = banks_[place.bank];
  Queue& queue = bank.queue[direction];
  bool offers_more = queue.empty() || ranks_kernels_;
  queue.push({next_age_++, place.row, place.column, index});
  if (place.row == bank.row) {
    bank.close_at = kNever;
    if (queue.hit < 0) {
      queue.hit = static_cast<int>(queue.size()) - 1;
      offers_more = true;
    }
  }
  if (offers_more) {
    changed_[direction] |= std::uint64_t{1} << place.bank;
    up_to_date_ = kNeither;
  }
  pending_[direction] |= std::uint64_t{1} << place.bank;
  ++queued_bursts_[direction];
  ++slot.bursts_left;
}

bool DramController::in_write_queue(const DramPlace& place) const {
  if (!(pending_[1] >> place.bank & 1)) return false;
  const Queue& writes = banks_[place.bank].queue[1];
  for (std::size_t i = 0; i < writes.size(); ++i)
    if (writes[i].row == place.row && writes[i].column == place.column) return true;
  return false;
}

void DramController::answer(std::uint32_t slot, Cycle ready) {
  auto& heap = responses_[slots_[slot].port];
  heap.push_back({ready, next_order_++, slot});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

// A transaction ends when it was answered and its last burst was sent.
void DramController::finish(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (!slot.answered || !slot.sent) return;
  --(slot.write ? writes_ : reads_);
  slots_.give_back(index);
}

void DramController::evaluate(Cycle now) {
  const PartMark mark("DRAM");
  take_effect(now);
  now_ = now;
  if (staged_count_) {
    take_promised(now);
    take_staged(now);
  }
  if (now > decided_ && reads_ + writes_ != 0) {
    if (next_refresh_ <= now || next_close_ < now) catch_up(now);
    while (!arrivals_.empty() && arrivals_.front().due <= now) {
      admit(arrivals_.front(), now);
      arrivals_.pop();
    }
    decide(now);
  }
  take_effect(now + 1);
  // The answers of this edge's commit.
  for (const auto& heap : responses_)
    if (!heap.empty() && heap.front().ready <= now) prefetch(*slots_[heap.front().slot].payload);
}

Cycle DramController::commit(Cycle now) {
  const PartMark mark("DRAM");
  Cycle next = next_decision_;
  for (auto& port : ports_) {
    auto& heap = responses_[port->index()];
    if (!heap.empty() && heap.front().ready <= now && port->response_ready()) {
      const std::uint32_t index = heap.front().slot;
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      heap.pop_back();
      slots_[index].answered = true;
      tlm_generic_payload& payload = *slots_[index].payload;
      finish(index);
      port->respond(payload);
      ++moves_;
    }
    if (!heap.empty() && port->response_ready()) next = std::min(next, std::max(heap.front().ready, now + 1));
  }
  for (; moved_; moved_ &= moved_ - 1) ports_[__builtin_ctzll(moved_)]->retry_request();
  if (staged_count_) next = std::min(next, next_room(now));
  if (!arrivals_.empty()) next = std::min(next, std::max(arrivals_.front().due, now + 1));
  return next;
}

// When staged requests may find a place: at the next edge if there is one, or at that after the next decision
// has taken effect, which may end a transaction. The other transactions end at edges of ours.
Cycle DramController::next_room(Cycle now) const {
  Cycle next = kNever;
  bool waits = false;
  for (const Arrival& staged : staged_) {
    if (!staged.payload) continue;
    if (staged.promised) {
      next = std::min(next, next_look(staged));
    } else if (staged.payload->is_write() ? writes_ < config_.write_queue : reads_ < config_.read_queue) {
      return now + 1;
    } else {
      waits = true;
    }
  }
  if (waits && first_decision_ < decisions_.size()) next = std::min(next, decisions_[first_decision_].at + 1);
  return next;
}

void DramController::stats(StatVisitor& v) const {
  counters().stats(v);
  launches_.total().stats(v);
  scheduler_.stats(v, kDramSchedulerSentence);
  page_policy_.stats(v, kDramPagePolicySentence);
  refresh_.stats(v, kDramRefreshSentence);
  write_drain_.stats(v, kDramWriteDrainSentence);
  mapping_.stats(v, kDramAddressMappingSentence);
}

// ---- loosely timed access

void DramController::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_memory(memory_, payload);
  delay += (config_.frontend_cycles + timing_.t_rcd + timing_.t_cl + timing_.burst_cycles() +
            config_.backend_cycles) *
           domain_.period();
}

unsigned DramController::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return access_memory_debug(memory_, payload);
}

bool DramController::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return grant_dmi(memory_, payload, dmi, (timing_.t_cl + timing_.burst_cycles()) * domain_.period());
}

}  // namespace warpvp
