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

namespace warpvp {

using tlm::tlm_generic_payload;
using Candidate = DramScheduler::Candidate;
using Command = DramScheduler::Command;

DramConfig::DramConfig() {
  if (const DramTiming* table = dram_preset(preset)) {
    timing = *table;
    applied_preset_ = preset;
  }
}

void DramConfig::fields(FieldVisitor& v) {
  v.field("preset", preset, "Timing table to start from; single figures can be changed under `timing`.",
          Constraint::words(dram_preset_names()));
  if (preset != applied_preset_) {
    if (const DramTiming* table = dram_preset(preset)) timing = *table;
    applied_preset_ = preset;
  }
  v.group("timing", timing, "Timing of the device, in cycles of its command clock (CK).");
  v.policy("scheduler", DramScheduler::kKind, scheduler, "Which command goes next.");
  v.field("read_queue", read_queue, "requests", "Reads between acceptance and response.",
          Constraint::range(1, 4096));
  v.field("write_queue", write_queue, "requests", "Writes between acceptance and their last data.",
          Constraint::range(1, 4096));
  v.field("write_high", write_high, "requests", "Queued writes at which they are drained before reads.",
          Constraint::range(1, 4096));
  v.field("write_low", write_low, "requests", "Queued writes at which draining ends.",
          Constraint::range(0, 4096));
  v.field("frontend_cycles", frontend_cycles, "CK", "Fixed time from a request to its first command.",
          Constraint::range(1, 10000));
  v.field("backend_cycles", backend_cycles, "CK", "Fixed time from the last data to the response.",
          Constraint::range(0, 10000));
  v.field("group_interleave_bytes", group_interleave_bytes, "B",
          "Neighbouring bytes in one row before the next bank group's turn (GPGPU-Sim's mapping: 256).",
          Constraint::pow2(8, 1 << 16));
  v.field("bank_hash", bank_hash, "Rotate banks by row bits, so that strides of whole rows spread.");
  v.require(write_high <= write_queue, "write_high", "must not exceed write_queue");
  v.require(write_low < write_high, "write_low", "must be below write_high");
  v.require(group_interleave_bytes >= timing.atom_bytes() && group_interleave_bytes <= timing.row_bytes,
            "group_interleave_bytes", "must be between one column access and one row");
}

void DramCounters::stats(StatVisitor& v) const {
  v.value("row_hits", row_hits, "bursts", "Column accesses that found their row open.");
  v.value("row_misses", row_misses, "bursts", "Column accesses whose bank was closed.");
  v.value("row_conflicts", row_conflicts, "bursts", "Column accesses that had another row closed first.");
  v.value("read_bursts", read_bursts, "bursts", "RD commands.");
  v.value("write_bursts", write_bursts, "bursts", "WR commands.");
  v.value("activates", activates, "commands", "ACT commands.");
  v.value("precharges", precharges, "commands", "PRE commands.");
  v.value("refreshes", refreshes, "commands", "Refreshes, those in idle time included.");
  v.value("busy_cycles", busy_cycles, "CK", "Cycles with data on the bus.");
  v.value("forwarded_reads", forwarded_reads, "requests", "Reads answered from the write queue.");
  v.value("write_drains", write_drains, "", "Times the write queue reached its high watermark.");
}

namespace {
unsigned log2_of(std::uint32_t power) {
  assert(power != 0 && (power & (power - 1)) == 0);
  return static_cast<unsigned>(__builtin_ctz(power));
}
}  // namespace

DramController::Shifts::Shifts(const DramConfig& config) {
  const std::uint32_t atom_bytes = config.timing.atom_bytes();
  const std::uint32_t together = std::max(config.group_interleave_bytes / atom_bytes, 1u);
  atom = log2_of(atom_bytes);
  low_column = log2_of(together);
  group = log2_of(config.timing.bank_groups);
  high_column = log2_of(std::max(config.timing.row_bytes / atom_bytes / together, 1u));
  bank = log2_of(config.timing.banks_per_group);
}

DramController::DramController(sc_core::sc_module_name name, const MemoryChannelPlace& place,
                               const DramConfig& config)
    : MemoryChannel(name),
      domain_(place.domain),
      memory_(place.memory),
      map_(place.map),
      config_(config),
      timing_(config.timing),
      shifts_(config),
      scheduler_(Registry<DramScheduler>::instance().make(config.scheduler)),
      id_(place.domain.join(*this)),
      staged_(place.ports),
      arrivals_(config.read_queue + config.write_queue),
      slots_(config.read_queue + config.write_queue),
      banks_(timing_.banks()),
      groups_(timing_.bank_groups),
      next_refresh_(timing_.t_refi ? timing_.t_refi : kNever),
      responses_(place.ports) {
  if (place.ports > 64) throw InputError("DRAM: at most 64 L2 banks can share a channel");
  if (timing_.banks() > 64) throw InputError("DRAM: at most 64 banks in a channel");
  TargetPort::Client& client = *this;
  for (unsigned port = 0; port < place.ports; ++port)
    ports_.push_back(std::make_unique<TargetPort>(fmt::format("in_{}", port).c_str(), client, port));
  for (auto slot = static_cast<std::uint32_t>(slots_.size()); slot-- > 0;) free_slots_.push_back(slot);
}

DramController::Place DramController::place_of(std::uint64_t device_address) const {
  return place_in_channel(map_.channel_local(device_address));
}

DramController::Place DramController::place_in_channel(std::uint64_t channel_local) const {
  std::uint64_t rest = channel_local >> shifts_.atom;
  const auto take = [&rest](unsigned bits) {
    const auto part = static_cast<std::uint32_t>(rest & ((std::uint64_t{1} << bits) - 1));
    rest >>= bits;
    return part;
  };
  const std::uint32_t low_column = take(shifts_.low_column);
  std::uint32_t group = take(shifts_.group);
  const std::uint32_t high_column = take(shifts_.high_column);
  std::uint32_t bank = take(shifts_.bank);
  const auto row = static_cast<std::uint32_t>(rest);
  if (config_.bank_hash) {
    // Rotations, not XOR: a stream then never goes from one row straight to another of the same bank.
    bank = (bank + row) & (timing_.banks_per_group - 1);
    group = (group + (row >> shifts_.bank)) & (timing_.bank_groups - 1);
  }
  return {static_cast<std::uint16_t>(group << shifts_.bank | bank), row,
          high_column << shifts_.low_column | low_column};
}

bool DramController::request(TargetPort& port, tlm_generic_payload& payload) {
  Arrival& staged = staged_[port.index()];
  if (staged.payload) return false;
  const Cycle now = domain_.now();
  staged = {&payload, port.index(), now + 1, now + config_.frontend_cycles};
  ++staged_count_;
  domain_.wake(id_, now + 1);
  return true;
}

// ---- queues

// Requests that arrived before this edge take places in the queue, the ports in turn.
void DramController::take_staged(Cycle now) {
  const unsigned count = static_cast<unsigned>(ports_.size());
  const unsigned first = next_port_;
  for (unsigned i = 0; i < count && staged_count_; ++i) {
    Arrival& staged = staged_[(first + i) % count];
    if (!staged.payload || staged.seen > now) continue;
    const bool write = staged.payload->is_write();
    if (write ? writes_ >= config_.write_queue : reads_ >= config_.read_queue) continue;
    ++(write ? writes_ : reads_);
    staged.due = std::max(staged.due, now);
    arrivals_.push(staged);
    staged.payload = nullptr;
    --staged_count_;
    moved_ |= std::uint64_t{1} << staged.port;
    next_port_ = (staged.port + 1) % count;
  }
}

void DramController::admit(const Arrival& arrival, Cycle now) {
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  slot = Slot{};
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
    const Place place = place_in_channel(local);
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
    answer(index, now + config_.backend_cycles);
  }
}

void DramController::enqueue(std::uint32_t index, const Place& place) {
  Slot& slot = slots_[index];
  const unsigned direction = slot.write ? 1 : 0;
  Bank& bank = banks_[place.bank];
  Queue& queue = bank.queue[direction];
  queue.bursts.push_back({next_age_++, place.row, place.column, index});
  if (queue.hit < 0 && place.row == bank.row) queue.hit = static_cast<int>(queue.bursts.size()) - 1;
  queue.offered = 0;
  pending_[direction] |= std::uint64_t{1} << place.bank;
  ++queued_bursts_[direction];
  ++slot.bursts_left;
}

bool DramController::in_write_queue(const Place& place) const {
  if (!(pending_[1] >> place.bank & 1)) return false;
  for (const Burst& burst : banks_[place.bank].queue[1].bursts)
    if (burst.row == place.row && burst.column == place.column) return true;
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
  if (!slot.answered || slot.bursts_left) return;
  --(slot.write ? writes_ : reads_);
  free_slots_.push_back(index);
}

// ---- scheduling

void DramController::record(Cycle now, CommandRecord::Kind kind, unsigned bank, std::uint32_t row,
                            std::uint32_t column) {
  if (listener_) listener_({now, kind, static_cast<std::uint16_t>(bank), row, column});
}

// Refresh of the whole channel: every row is closed, then nothing is activated for t_rfc. Of the refreshes
// that fell into idle time only the last can still matter.
void DramController::refresh(Cycle now) {
  if (now < next_refresh_) return;
  const Cycle missed = (now - next_refresh_) / timing_.t_refi;
  const Cycle nominal = next_refresh_ + missed * timing_.t_refi;
  Cycle start = nominal;
  for (Bank& bank : banks_) {
    if (bank.row != kClosed) start = std::max(start, bank.next_precharge + timing_.t_rp);
    if (bank.row != kClosed) start = std::max(start, nominal + timing_.t_rp);
  }
  for (Bank& bank : banks_) {
    if (bank.row == kClosed) start = std::max(start, bank.next_activate);
  }
  for (Bank& bank : banks_) {
    bank.set_row(kClosed);
    bank.next_activate = std::max(bank.next_activate, start + timing_.t_rfc);
  }
  counters_.refreshes += missed + 1;
  next_refresh_ = nominal + timing_.t_refi;
  record(start, CommandRecord::Kind::kRefresh, 0, 0, 0);
}

void DramController::choose_direction() {
  if (draining_ && queued_writes_ <= config_.write_low) draining_ = false;
  if (!draining_ && queued_writes_ >= config_.write_high) {
    draining_ = true;
    ++counters_.write_drains;
  }
  direction_ = direction_for(draining_);
}

// Looks for the oldest burst to the open row from `first` on.
void DramController::Queue::find_hit(std::uint32_t row, std::size_t first) {
  hit = -1;
  offered = 0;
  if (row == kClosed) return;
  for (std::size_t i = first; i < bursts.size() && hit < 0; ++i)
    if (bursts[i].row == row) hit = static_cast<int>(i);
}

void DramController::Bank::set_row(std::uint32_t to) {
  row = to;
  for (Queue& q : queue) q.find_hit(to, 0);
}

DramScheduler::Candidate DramController::candidate(unsigned bank_index, unsigned direction,
                                                   unsigned index) const {
  const Bank& bank = banks_[bank_index];
  const Burst& burst = bank.queue[direction].bursts[index];
  const Slot& slot = slots_[burst.slot];
  Candidate c;
  c.command = bank.row == burst.row ? Command::kColumn
              : bank.row == kClosed ? Command::kActivate
                                    : Command::kPrecharge;
  c.write = direction == 1;
  c.bank = static_cast<std::uint16_t>(bank_index);
  c.bank_has_hits = bank.queue[direction].hit >= 0;
  c.age = burst.age;
  c.index = index;
  c.arrival = slot.arrival;
  c.launch = slot.launch;
  c.kernel_slot = slot.kernel_slot;
  c.context = slot.context;
  c.sm = slot.sm;
  return c;
}

// Brings the candidates of one direction up to date; returns the first cycle at which one of them is legal.
Cycle DramController::update_candidates(unsigned direction) {
  const Cycle next_column = direction == 1 ? next_write_ : next_read_;
  const Cycle next_activate = std::max(next_activate_, activations_[oldest_activation_]);
  Cycle soonest = kNever;
  for (std::uint64_t bits = pending_[direction]; bits; bits &= bits - 1) {
    const unsigned index = static_cast<unsigned>(__builtin_ctzll(bits));
    Bank& bank = banks_[index];
    const Group& group = groups_[index >> shifts_.bank];
    Queue& queue = bank.queue[direction];
    if (queue.offered == 0) {
      queue.offer[queue.offered++] = candidate(index, direction, 0);
      if (queue.hit > 0)
        queue.offer[queue.offered++] = candidate(index, direction, static_cast<unsigned>(queue.hit));
    }
    for (unsigned i = 0; i < queue.offered; ++i) {
      Candidate& c = queue.offer[i];
      switch (c.command) {
        case Command::kColumn:
          c.earliest = direction == 1 ? std::max({bank.next_write, group.next_write, next_column})
                                      : std::max({bank.next_read, group.next_read, next_column});
          break;
        case Command::kActivate:
          c.earliest = std::max({bank.next_activate, group.next_activate, next_activate});
          break;
        case Command::kPrecharge:
          c.earliest = bank.next_precharge;
          break;
      }
      soonest = std::min(soonest, c.earliest);
    }
  }
  return soonest;
}

// What the policy chooses, found to be a command that may go.
int DramController::pick(const std::vector<Candidate>& candidates, Cycle now) {
  const int index = scheduler_->pick(candidates, now);
  if (index == -1) return index;
  std::string rule;
  if (index < 0 || static_cast<std::size_t>(index) >= candidates.size()) {
    rule = fmt::format("it picked command {} of {}; allowed: 0 to {}, or -1 for none", index,
                       candidates.size(), candidates.size() - 1);
  } else if (const Candidate& c = candidates[static_cast<std::size_t>(index)]; c.earliest > now) {
    static constexpr const char* kCommands[] = {"activate", "precharge", "column access"};
    rule = fmt::format("it picked the {} of bank {} before the earliest cycle at which that is legal, {}",
                       kCommands[static_cast<unsigned>(c.command)], c.bank, c.earliest);
  } else {
    return index;
  }
  report_broken_contract(DramScheduler::kKind, config_.scheduler.name, rule,
                         fmt::format("{}, DRAM cycle {}", name(), now));
}

// Sends what can be sent at `now`; returns the next cycle at which a command can become legal.
Cycle DramController::schedule(Cycle now) {
  choose_direction();
  if (!queued_bursts_[direction_]) return kNever;
  const Cycle soonest = update_candidates(direction_);
  if (soonest > now) return soonest;
  candidates_.clear();
  for (std::uint64_t bits = pending_[direction_]; bits; bits &= bits - 1) {
    const Queue& queue = banks_[__builtin_ctzll(bits)].queue[direction_];
    candidates_.insert(candidates_.end(), queue.offer, queue.offer + queue.offered);
  }
  const int first = pick(candidates_, now);
  if (first >= 0) {
    const Candidate chosen = candidates_[first];
    bool other_legal = false;
    if (timing_.dual_command_bus) {
      const bool column = chosen.command == Command::kColumn;
      other_bus_.clear();
      for (const Candidate& c : candidates_) {
        if ((c.command == Command::kColumn) == column || c.bank == chosen.bank) continue;
        other_bus_.push_back(c);
        other_legal |= c.earliest <= now;
      }
    }
    issue(chosen, now);
    if (other_legal) {
      const int second = pick(other_bus_, now);
      if (second >= 0) issue(other_bus_[second], now);
    }
    // No drain begins before the next edge: the queue has only become shorter.
    const unsigned direction = direction_for(draining_ && queued_writes_ > config_.write_low);
    return queued_bursts_[direction] ? std::max(update_candidates(direction), now + 1) : now + 1;
  }
  // Nothing goes now. A candidate that is legal but not wanted waits for the others.
  Cycle next = kNever;
  for (const Candidate& c : candidates_)
    if (c.earliest > now) next = std::min(next, c.earliest);
  return next == kNever ? now + 1 : next;
}

void DramController::issue(const Candidate& c, Cycle now) {
  Bank& bank = banks_[c.bank];
  Group& group = groups_[c.bank >> shifts_.bank];
  Queue& queue = bank.queue[direction_];
  Burst& burst = queue.bursts[c.index];
  const auto raise = [](Cycle& limit, Cycle to) { limit = std::max(limit, to); };
  scheduler_->issued(c, now);

  switch (c.command) {
    case Command::kActivate:
      bank.set_row(burst.row);
      burst.activated = true;
      raise(bank.next_activate, now + timing_.t_rc);
      raise(bank.next_precharge, now + timing_.t_ras);
      raise(bank.next_read, now + timing_.t_rcd);
      raise(bank.next_write, now + timing_.t_rcd);
      raise(group.next_activate, now + timing_.t_rrd_l);
      raise(next_activate_, now + timing_.t_rrd_s);
      activations_[oldest_activation_] = now + timing_.t_faw;
      oldest_activation_ = (oldest_activation_ + 1) % 4;
      ++counters_.activates;
      record(now, CommandRecord::Kind::kActivate, c.bank, burst.row, burst.column);
      return;
    case Command::kPrecharge:
      record(now, CommandRecord::Kind::kPrecharge, c.bank, bank.row, 0);
      bank.set_row(kClosed);
      burst.conflicted = true;
      raise(bank.next_activate, now + timing_.t_rp);
      ++counters_.precharges;
      return;
    case Command::kColumn:
      break;
  }
  const std::uint32_t data = timing_.burst_cycles();
  Cycle data_end;
  if (c.write) {
    data_end = now + timing_.t_cwl + data;
    raise(bank.next_precharge, data_end + timing_.t_wr);
    raise(group.next_read, data_end + timing_.t_wtr_l);
    raise(next_read_, data_end + timing_.t_wtr_s);
    raise(group.next_write, now + timing_.t_ccd_l);
    raise(next_write_, now + timing_.t_ccd_s);
    ++counters_.write_bursts;
  } else {
    data_end = now + timing_.t_cl + data;
    raise(bank.next_precharge, now + timing_.t_rtp);
    raise(group.next_read, now + timing_.t_ccd_l);
    raise(next_read_, now + timing_.t_ccd_s);
    raise(next_write_, now + timing_.t_rtw());
    ++counters_.read_bursts;
  }
  counters_.busy_cycles += data;
  ++(burst.conflicted  ? counters_.row_conflicts
     : burst.activated ? counters_.row_misses
                       : counters_.row_hits);
  record(now, c.write ? CommandRecord::Kind::kWrite : CommandRecord::Kind::kRead, c.bank, burst.row,
         burst.column);

  const std::uint32_t slot_index = burst.slot;
  queue.bursts.erase(queue.bursts.begin() + c.index);
  queue.find_hit(bank.row, c.index);  // none older than the one that went
  if (queue.bursts.empty()) pending_[direction_] &= ~(std::uint64_t{1} << c.bank);
  --queued_bursts_[direction_];
  Slot& slot = slots_[slot_index];
  slot.data_end = std::max(slot.data_end, data_end);
  if (--slot.bursts_left) return;
  if (slot.write) {
    --queued_writes_;
    finish(slot_index);
  } else {
    answer(slot_index, slot.data_end + config_.backend_cycles);
  }
}

void DramController::evaluate(Cycle now) {
  const PartMark mark("DRAM");
  next_issue_ = kNever;
  take_staged(now);
  if (reads_ + writes_ == 0) return;
  refresh(now);
  while (!arrivals_.empty() && arrivals_.front().due <= now) {
    admit(arrivals_.front(), now);
    arrivals_.pop();
  }
  next_issue_ = schedule(now);
  // The answers of this edge's commit.
  for (const auto& heap : responses_)
    if (!heap.empty() && heap.front().ready <= now) prefetch(*slots_[heap.front().slot].payload);
}

Cycle DramController::commit(Cycle now) {
  const PartMark mark("DRAM");
  Cycle next = next_issue_;
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
    }
    if (!heap.empty() && port->response_ready()) next = std::min(next, std::max(heap.front().ready, now + 1));
  }
  for (; moved_; moved_ &= moved_ - 1) ports_[__builtin_ctzll(moved_)]->retry_request();
  for (const Arrival& staged : staged_) {
    if (!staged.payload) continue;
    const bool room =
        staged.payload->is_write() ? writes_ < config_.write_queue : reads_ < config_.read_queue;
    if (room) next = now + 1;  // places become free when a transaction ends, which is at an edge of ours
  }
  if (!arrivals_.empty()) next = std::min(next, std::max(arrivals_.front().due, now + 1));
  if (queued_bursts_[0] + queued_bursts_[1]) next = std::min(next, std::max(next_refresh_, now + 1));
  return next;
}

void DramController::stats(StatVisitor& v) const {
  counters_.stats(v);
  launches_.total().stats(v);
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

// ---- registration

namespace {

class DramControllerType : public MemoryChannelType {
 public:
  explicit DramControllerType(const DramConfig& config) : config_(config) {}
  double clock_mhz() const override { return config_.timing.clock_mhz; }
  double peak_bytes_per_second() const override { return config_.timing.peak_bytes_per_second(); }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    return std::make_unique<DramController>(name, place, config_);
  }

 private:
  DramConfig config_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryChannelType, DramControllerType, DramConfig, "controller",
                                   "DRAM controller with banks, scheduling, write drain and refresh.");

}  // namespace
}  // namespace warpvp
