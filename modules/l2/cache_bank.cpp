#include "modules/l2/cache_bank.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/part_mark.h"
#include "base/registry.h"
#include "interconnect/outstanding.h"
#include "interconnect/policy_contract.h"
#include "interconnect/prefetch.h"
#include "interconnect/sim_time.h"

namespace warpvp {

using tlm::tlm_generic_payload;

namespace {
TagArray::Geometry geometry_of(const CacheBankConfig& config, const AddressMap& map) {
  if (config.sets() == 0)
    throw InputError("L2: bank_kib is too small for one set of the given associativity");
  if (config.line_bytes > map.config().interleave_bytes)
    throw InputError("L2: line_bytes must not exceed the address map's interleave_bytes");
  return {config.sets(), config.associativity, config.line_bytes, config.sector_bytes, config.hash_index};
}
}  // namespace

CacheBank::CacheBank(sc_core::sc_module_name name, const L2Place& place, const CacheBankConfig& config)
    : L2Bank(name),
      domain_(place.clock),
      map_(place.map),
      config_(config),
      bank_(place.bank),
      id_(place.clock.join(*this)),
      in_("in", *this),
      out_("out", *this),
      tags_(geometry_of(config, place.map)),
      registers_(place.clock, id_),
      replacement_(config.replacement, context_of(place, ReplacementPolicy::kKind, config.replacement),
                   tags_),
      write_policy_(config.write_policy, context_of(place, L2WritePolicy::kKind, config.write_policy)),
      write_back_(config.write_back, context_of(place, L2WriteBackPolicy::kKind, config.write_back)),
      inclusion_(config.inclusion, context_of(place, L2InclusionPolicy::kKind, config.inclusion)),
      prefetching_(config.prefetcher, context_of(place, Prefetcher::kKind, config.prefetcher),
                   {config.line_bytes, false}, config.sets() * config.associativity, config.prefetch_queue),
      memory_(place.memory),
      page_bytes_(place.page_bytes),
      reply_edges_(place.reply_edges),
      dirty_(config.sets() * config.associativity),
      byte_masks_(config.partial_writes == "byte_masks"),
      written_(byte_masks_ ? config.sets() * config.associativity : 0, config.line_bytes),
      requests_(config.request_queue),
      hits_(std::size_t{config.latency_cycles} + config.response_queue),
      filled_(std::size_t{config.mshrs} * config.mshr_merges * tags_.sectors_per_line()),
      below_(std::size_t{config.miss_latency_cycles} + config.dram_queue),
      fills_(std::size_t{config.mshrs} * tags_.sectors_per_line()),
      mshrs_(config.mshrs),
      waiters_of_line_(config.mshr_merges * tags_.sectors_per_line()),
      waiters_(new Waiter[std::size_t{config.mshrs} * waiters_of_line_]),
      mshr_of_line_(std::size_t{config.sets()} * config.associativity),
      cold_kernels_(config.invalidate == "kernel_start"),
      fetched_together_(config.fetch_bytes / config.sector_bytes) {
  if (inclusion_.call([](L2InclusionPolicy& policy) { return policy.recalls_at_once(); }) != 0)
    recalls_ = std::make_unique<Recalls>(
        config.sets() * config.associativity, place.sms,
        std::max(config.latency_cycles, config.fill_latency_cycles) - place.reply_edges);
  registers_.finish();
  aside_.reserve(config.set_aside);
  for (unsigned m = config.mshrs; m-- > 0;) free_mshrs_.push_back(static_cast<std::uint16_t>(m));
}

PolicyContext CacheBank::context_of(const L2Place& place, const char* kind, const PolicyChoice& choice) {
  PolicyContext context;
  context.place = name();
  context.index = place.bank;
  context.kernel_slots = place.kernel_slots;
  context.seed = place.seed;
  context.period_fs = to_sim_time(place.clock.period()).fs();
  context.cycle = [&clock = place.clock] { return clock.now(); };
  context.registers = registers_.of(kind, choice.name);
  return context;
}

bool CacheBank::request(TargetPort&, tlm_generic_payload& payload) {
  const Cycle visible = domain_.now() + 1;
  if (recalls_ && recalls_->listen(payload, domain_.now())) {
    domain_.wake(id_, visible);
    return true;
  }
  if (requests_.full()) return false;
  const std::uint64_t local = map_.bank_local(payload.get_address());
  tags_.prefetch_set(local);
  requests_.push({&payload, visible, local});
  domain_.wake(id_, visible);
  return true;
}

bool CacheBank::response(InitiatorPort&, tlm_generic_payload& payload) {
  if (payload.is_write()) {  // a write-back was taken; nobody waits for it
    require_answer_ok(payload, out_.socket, "write-back of the L2");
    payload.release();
    return true;
  }
  const Cycle visible = domain_.now() + 1;
  auto& fill = static_cast<Transaction&>(payload);
  const FillToken token = FillToken::unpack(fill.ext.token);
  prefetch_object(mshrs_[token.mshr]);
  prefetch_object(*waiters_of(token.mshr));
  tags_.prefetch(token.line);
  fills_.push({&fill, visible});
  domain_.wake(id_, visible);
  return true;
}

tlm::tlm_response_status CacheBank::check(const tlm_generic_payload& payload) const {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const std::uint64_t offset = payload.get_address() & (config_.line_bytes - 1);
  const std::uint64_t bytes = payload.get_data_length();
  if (bytes == 0 || offset + bytes > config_.line_bytes || payload.get_streaming_width() < bytes)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

std::uint64_t* CacheBank::enter(const Request& request, Cycle now) {
  tlm_generic_payload& payload = *request.payload;
  const tlm::tlm_response_status status = check(payload);
  if (status != tlm::TLM_OK_RESPONSE) {
    if (hits_.full()) return &stalls_.response_queue;
    payload.set_response_status(status);
    MemExtension::of(payload);
    hits_.push({&payload, leaves_at(payload, now + config_.latency_cycles - 1)});
    return nullptr;
  }
  MemExtension& ext = MemExtension::of(payload);
  const bool atomic = ext.kind == AccessKind::kAtomic;
  const bool dirties = atomic || payload.is_write();
  const std::uint64_t local = request.local;
  const Mask wanted = tags_.sectors_of(local, payload.get_data_length());
  const Mask whole = dirties && !atomic && !payload.get_byte_enable_ptr()
                         ? tags_.full_sectors_of(local, payload.get_data_length())
                         : 0;
  TagArray::Line line = tags_.probe(local, wanted).line;
  const bool present = line != TagArray::kNoLine;
  const Mask valid = present ? tags_.valid_sectors(line) : 0;
  const Mask pending = present ? tags_.pending_sectors(line) : 0;
  const CacheUser user = user_of(ext);
  L2WritePolicy::Decision how;
  if (dirties) how = decide_write(present, whole, atomic, user);
  // An inclusive bank holds what an L1 keeps.
  if (!present && !how.allocate && !atomic && !(recalls_ && ext.kept)) return pass_by(request, wanted, now);
  const Mask absent = wanted & ~valid & ~pending & ~whole;
  // Written in part: kept by byte masks, unless the request itself has byte enables.
  const bool stays = dirties && !atomic && !how.through;
  const Mask part = byte_masks_ && stays && !payload.get_byte_enable_ptr() ? absent : 0;
  const Mask asked = how.through && !atomic ? 0 : absent & ~part;
  const Mask waits_for = (wanted & pending) | asked;
  const bool load = !dirties && (ext.kind == AccessKind::kLoad || ext.kind == AccessKind::kLocal);
  // Nobody waits for what comes beside it.
  const Mask here = present ? valid | pending | tags_.dirty_sectors(line) : 0;
  const Mask beside = load && asked && fetched_together_ > 1 ? blocks_of(asked) & ~here & ~wanted : 0;
  const Mask fetch = asked | beside;

  // What it needs: an entry to wait in or a place for its answer, a way, room for what goes to DRAM.
  if (waits_for == 0) {
    if (hits_.full()) return &stalls_.response_queue;
  } else if (pending == 0) {
    if (free_mshrs_.empty()) return &stalls_.mshr;
  } else if (!can_merge(mshr_of_line_[line], waits_for)) {
    return &stalls_.merge;
  }
  if (!present && !tags_.can_reserve_absent(local)) return &stalls_.way;
  const unsigned victim_room = present ? 0 : (tags_.sectors_per_line() + 1) / 2;
  const unsigned fetch_runs = runs_of(fetch);
  // Written through now; an atomic whose line is not here yet is when it has come.
  const bool through = how.through && (!atomic || waits_for == 0);
  room_needed_ = (fetch || !present ? fetch_runs + victim_room : 0) + (through ? runs_of(wanted) : 0);
  if (room_below() < room_needed_) return &stalls_.dram_queue;

  L2Counters& counters = launches_.of(ext.launch);
  ++counters.accesses;
  ++(atomic ? counters.atomics : dirties ? counters.writes : counters.reads);
  ++(fetch || !present ? counters.misses : waits_for ? counters.merges : counters.hits);
  counters.count_sectors(payload, ext.kind, missed_sectors(request, asked));
  counters.read_miss_sectors += static_cast<unsigned>(__builtin_popcount(beside)) * config_.sector_bytes / 32;

  counters.written_through += through;

  TagArray::Reservation reserved;
  if (!present) {
    reserved = take_in(local, fetch, ext, now);
    line = reserved.line;
  } else if (fetch) {
    tags_.reserve(local, fetch, line, user);
  } else {
    tags_.touch(line, user);
  }
  if (prefetching_.on()) note_use(request, line, present, pending != 0, waits_for == 0);
  if (recalls_ && ext.kept) recalls_->add_holder(line, ext.sm);
  ext.dram_accesses = static_cast<std::uint8_t>((fetch != 0) + (reserved.victim_dirty != 0) + how.through);

  if (dirties && !atomic) mark_written(line, request, wanted & whole & ~pending, part);
  if (waits_for == 0) {
    if (dirties && !how.through) {
      tags_.mark_dirty(line, wanted);
      dirtied(line);
    }
    const Cycle held = atomic ? atomic_time(ext) : 1;
    if (atomic) busy_until_ = now + held;
    hits_.push({&payload, leaves_at(payload, now + config_.latency_cycles - 1 + held - 1)});
  } else {
    if (pending == 0) {
      mshr_of_line_[line] = free_mshrs_.back();
      free_mshrs_.pop_back();
      mshrs_[mshr_of_line_[line]].line = line;
    }
    Mshr& mshr = mshrs_[mshr_of_line_[line]];
    const bool through_later = how.through && atomic;
    through_waiters_ += through_later;
    waiters_of(mshr_of_line_[line])[mshr.waiters++] = {
        &payload, waits_for, dirties && (!how.through || atomic) ? wanted : 0, atomic, through_later};
    mshr.outstanding += fetch_runs;
  }
  const Cycle ready = now + config_.miss_latency_cycles - 1;
  if (fetch) {
    counters.fill_reads += fetch_runs;
    const FillToken token{mshr_of_line_[line], line};
    send_below(tlm::TLM_READ_COMMAND, tags_.line_address(local), fetch, ext, token.pack(), ready);
  }
  if (reserved.victim_dirty) {
    ++counters.writebacks;
    send_below(tlm::TLM_WRITE_COMMAND, reserved.victim_address, reserved.victim_dirty, ext, 0, ready);
  }
  if (through) send_below(tlm::TLM_WRITE_COMMAND, tags_.line_address(local), wanted, ext, 0, ready);
  if (dirties) clean_lines(ext, now);
  return nullptr;
}

// All sectors of the blocks that are fetched together in which one of `sectors` lies.
CacheBank::Mask CacheBank::blocks_of(Mask sectors) const {
  const Mask block = (Mask{1} << fetched_together_) - 1;
  Mask all = 0;
  for (; sectors; sectors &= ~all) {
    const unsigned first = static_cast<unsigned>(__builtin_ctz(sectors));
    all |= block << first / fetched_together_ * fetched_together_;
  }
  return all & ((Mask{2} << (tags_.sectors_per_line() - 1)) - 1);
}

// Whether one more can wait for each of `sectors`.
bool CacheBank::can_merge(unsigned index, Mask sectors) {
  const Mshr& mshr = mshrs_[index];
  if (mshr.waiters < config_.mshr_merges) return true;
  const Waiter* const waiters = waiters_of(index);
  for (Mask rest = sectors; rest; rest &= rest - 1) {
    unsigned waiting = 0;
    for (unsigned i = 0; i < mshr.waiters; ++i) waiting += (waiters[i].needed & rest & -rest) != 0;
    if (waiting >= config_.mshr_merges) return false;
  }
  return true;
}

// How many of the 32-byte sectors that a request touches lie in `fetch`, whose sectors have a size of their
// own.
unsigned CacheBank::missed_sectors(const Request& request, Mask fetch) const {
  if (fetch == 0) return 0;
  unsigned missed = 0;
  const std::uint64_t end = request.local + request.payload->get_data_length();
  for (std::uint64_t at = request.local; at < end; at = (at | 31) + 1) {
    const std::uint64_t stop = std::min(end, (at | 31) + 1);
    missed += (tags_.sectors_of(at, static_cast<std::uint32_t>(stop - at)) & fetch) != 0;
  }
  return missed;
}

// One transaction for each run of neighbouring sectors.
void CacheBank::send_below(tlm::tlm_command command, std::uint64_t local_line, Mask sectors,
                           const MemExtension& cause, std::uint64_t token, Cycle ready) {
  const std::uint64_t base = map_.device_address(bank_, local_line);
  const std::uint32_t sector_bytes = tags_.geometry().sector_bytes;
  while (sectors) {
    const unsigned first = __builtin_ctz(sectors);
    const Mask shifted = sectors >> first;
    const unsigned count = ~shifted ? __builtin_ctz(~shifted) : 32;
    Transaction& t = pool_.make(command, base + std::uint64_t{first} * sector_bytes, count * sector_bytes);
    t.ext.kernel_slot = cause.kernel_slot;
    t.ext.context = cause.context;
    t.ext.sm = cause.sm;
    t.ext.launch = cause.launch;
    t.ext.kind = cause.kind;
    t.ext.issue_cycle = cause.issue_cycle;
    t.ext.token = token;
    below_.push({&t, ready});
    sectors &= ~(((count == 32 ? Mask{0} : Mask{1} << count) - 1) << first);
  }
}

// Whether the answers that the fill releases find room. Their queue is as long as all MSHRs together, but
// MSHRs can be used again while earlier answers still wait for the reply network.
bool CacheBank::can_fill(const Transaction& fill) {
  const unsigned index = FillToken::unpack(fill.ext.token).mshr;
  const std::size_t room = filled_.capacity() - filled_.size();
  const Mask sectors = tags_.sectors_of(fill.get_address(), fill.get_data_length());
  if (through_waiters_ != 0 && room_below() < runs_of(written_through_by(mshrs_[index], sectors)))
    return false;
  if (room >= mshrs_[index].waiters) return true;
  unsigned released = 0;
  for (unsigned i = 0; i < mshrs_[index].waiters; ++i)
    released += (waiters_of(index)[i].needed & ~sectors) == 0;
  return room >= released;
}

void CacheBank::take_fill(Transaction& fill, Cycle now) {
  const unsigned index = FillToken::unpack(fill.ext.token).mshr;
  Mshr& mshr = mshrs_[index];
  const Mask sectors = tags_.sectors_of(fill.get_address(), fill.get_data_length());
  const tlm::tlm_response_status status = fill.get_response_status();
  if (status != tlm::TLM_OK_RESPONSE) {
    // Those who wait for it pass the error on; of what was fetched beside it nobody else would hear.
    const auto waits = [&](const Waiter& waiter) { return (waiter.needed & sectors) != 0; };
    if (std::none_of(waiters_of(index), waiters_of(index) + mshr.waiters, waits) &&
        !prefetching_.marked(mshr.line))
      require_answer_ok(fill, out_.socket, "fill of the L2 that nobody waits for");
  }
  const std::uint32_t launch = fill.ext.launch;
  fill.release();
  if (through_waiters_ != 0) write_through_after(mshr, sectors, now);
  tags_.validate(mshr.line, sectors);
  tags_changed_ = true;
  retry_aside_ = Retry::kAfterFill;
  if (status != tlm::TLM_OK_RESPONSE) mshr.failed = true;
  Waiter* const waiters = waiters_of(index);
  unsigned kept = 0;
  for (unsigned i = 0; i < mshr.waiters; ++i) {
    Waiter& waiter = waiters[i];
    if (status != tlm::TLM_OK_RESPONSE && (waiter.needed & sectors))
      waiter.payload->set_response_status(status);
    waiter.needed &= ~sectors;
    if (waiter.needed) {
      waiters[kept++] = waiter;
      continue;
    }
    if (waiter.through) {
      --through_waiters_;
    } else if (waiter.dirty) {
      tags_.mark_dirty(mshr.line, waiter.dirty);
      dirtied(mshr.line);
    }
    Cycle ready = now + config_.fill_latency_cycles - 1;
    if (waiter.atomic) {
      busy_until_ = std::max(busy_until_, now) + atomic_time(MemExtension::of(*waiter.payload));
      ready = busy_until_ + config_.fill_latency_cycles - 2;
    }
    filled_.push({waiter.payload, leaves_at(*waiter.payload, ready)});
  }
  mshr.waiters = kept;
  if (--mshr.outstanding == 0) {
    if (mshr.failed) {
      tags_.invalidate(tags_.address_of(mshr.line));
      dirty_.set(mshr.line, 0);
      if (prefetching_.on()) prefetching_.gone(mshr.line, launches_.of(launch).prefetch);
      if (recalls_) recalls_->replace(mshr.line, nullptr, launch, now);
    }
    mshr.failed = false;
    free_mshrs_.push_back(static_cast<std::uint16_t>(index));
  }
}

void CacheBank::evaluate(Cycle now) {
  const PartMark mark("L2");
  if (registers_.next() <= now) registers_.act(now);
  while (!fills_.empty() && fills_.front().visible <= now && can_fill(*fills_.front().payload)) {
    Transaction& fill = *fills_.front().payload;
    fills_.pop();
    ++moves_;
    take_fill(fill, now);
  }
  take_request(now);
  if (prefetching_.waiting() && requests_.empty() && !room_made_ && !aside_left_ && now >= busy_until_)
    prefetch_line(now);
  // What this edge's commit sends, if its link is free.
  for (const Ring<Timed>* queue : {&hits_, &filled_, &below_})
    if (!queue->empty() && queue->front().ready <= now) prefetch(*queue->front().payload);
}

void CacheBank::take_request(Cycle now) {
  if (retry_aside_ != Retry::kNo && take_from_aside(now)) {
    aside_left_ = true;
    return;
  }
  if (requests_.empty() || requests_.front().visible > now) return;
  if (stalled_on_) *stalled_on_ += now - stalled_since_;
  stalled_since_ = now;
  // Only fills and room below change anything for a request that waits for room below.
  if (stalled_on_ == &stalls_.dram_queue && now >= busy_until_ && !tags_changed_ &&
      room_below() < room_needed_)
    return;
  tags_changed_ = false;
  const Request& request = requests_.front();
  if (cold_kernels_) start_kernel(MemExtension::of(*request.payload).launch);
  if (now < busy_until_) {
    stalled_on_ = &stalls_.atomic;
  } else if (line_is_aside(request.local)) {
    stalled_on_ = &stalls_.merge;
  } else {
    stalled_on_ = enter(request, now);
  }
  if ((stalled_on_ == &stalls_.merge || stalled_on_ == &stalls_.way) && aside_.size() < config_.set_aside) {
    aside_.push_back({request, true});
    ++set_aside_;
    stalled_on_ = nullptr;
  }
  if (stalled_on_) return;
  requests_.pop();
  room_made_ = true;
}

bool CacheBank::line_is_aside(std::uint64_t local) const {
  const std::uint64_t line = tags_.line_address(local);
  return std::any_of(aside_.begin(), aside_.end(),
                     [&](const Aside& a) { return tags_.line_address(a.request.local) == line; });
}

// Lets the oldest request that stepped aside and finds what it needs into the tags; those of one line in
// their order. False if there is none.
bool CacheBank::take_from_aside(Cycle now) {
  if (now < busy_until_) return false;
  const unsigned room_needed = room_needed_;  // of the request at the head of the queue
  const bool after_fill = retry_aside_ == Retry::kAfterFill;
  bool taken = false;
  for (std::size_t i = 0; i < aside_.size() && !taken; ++i) {
    if (aside_[i].for_fill && !after_fill) continue;
    const std::uint64_t line = tags_.line_address(aside_[i].request.local);
    bool follows = false;
    for (std::size_t before = 0; before < i && !follows; ++before)
      follows = tags_.line_address(aside_[before].request.local) == line;
    if (follows) continue;
    const std::uint64_t* const lacks = enter(aside_[i].request, now);
    aside_[i].for_fill = lacks == &stalls_.merge || lacks == &stalls_.way;
    if (lacks) continue;
    aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(i));
    // What stood behind it for its line's sake waits for no fill now, as far as is known.
    for (Aside& a : aside_)
      if (tags_.line_address(a.request.local) == line) a.for_fill = false;
    taken = true;
  }
  if (!taken) retry_aside_ = Retry::kNo;
  room_needed_ = room_needed;
  return taken;
}

void CacheBank::start_kernel(std::uint32_t launch) {
  if (!new_kernel_.shown(launch)) return;
  tags_.invalidate_all();
  dirty_.clear();
  prefetching_.forget();
  if (recalls_) recalls_->forget_holders();
}

// One response an edge, the one that is ready for longest.
bool CacheBank::send_response(Cycle now) {
  if (!in_.response_ready()) return false;
  const Cycle hit = hits_.empty() ? kNever : hits_.front().ready;
  const Cycle filled = filled_.empty() ? kNever : filled_.front().ready;
  if (recalls_ && !recalls_->ready().empty() && recalls_->ready().front().ready <= now &&
      recalls_->ready().front().ready < std::min(hit, filled)) {
    tlm_generic_payload& recall = *recalls_->ready().front().payload;
    recalls_->ready().pop();
    in_.respond(recall);
    return true;
  }
  if (std::min(hit, filled) > now) return false;
  Ring<Timed>& queue = filled <= hit ? filled_ : hits_;
  tlm_generic_payload& payload = *queue.front().payload;
  queue.pop();
  in_.respond(payload);
  return true;
}

Cycle CacheBank::commit(Cycle now) {
  const PartMark mark("L2");
  bool moved = send_response(now) || aside_left_;
  aside_left_ = false;
  if (!below_.empty() && below_.front().ready <= now && out_.ready()) {
    tlm_generic_payload& payload = *below_.front().payload;
    below_.pop();
    moved = true;
    out_.send(payload);
  }
  if (moved && retry_aside_ == Retry::kNo && !aside_.empty()) retry_aside_ = Retry::kAfterRoom;
  moves_ += moved + room_made_;
  if (room_made_) {
    room_made_ = false;
    in_.retry_request();
  }
  // The next edge at which something can move. What waits for a link or a fill is woken by it.
  Cycle next = kNever;
  const auto at = [&](Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  if (!requests_.empty()) {
    if (!stalled_on_) {
      at(requests_.front().visible);
    } else if (now < busy_until_) {
      at(busy_until_);
    } else if (moved) {
      at(now + 1);  // what left may have been what the request waited for
    }
  }
  if (!aside_.empty() && retry_aside_ != Retry::kNo) at(std::max(busy_until_, now + 1));
  if (!fills_.empty()) at(fills_.front().visible);  // at every edge, if its answers find no room
  if (in_.response_ready()) {
    if (!hits_.empty()) at(hits_.front().ready);
    if (!filled_.empty()) at(filled_.front().ready);
    if (recalls_ && !recalls_->ready().empty()) at(recalls_->ready().front().ready);
  }
  if (prefetching_.waiting() && requests_.empty()) at(std::max(busy_until_, now + 1));
  if (!below_.empty() && out_.ready()) at(below_.front().ready);
  if (registers_.next() != kNever) at(registers_.next());
  return next;
}

void CacheBank::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += config_.latency_cycles * domain_.period();
  out_.socket->b_transport(payload, delay);
}

unsigned CacheBank::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return out_.socket->transport_dbg(payload);
}

bool CacheBank::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return out_.socket->get_direct_mem_ptr(payload, dmi);
}

}  // namespace warpvp
