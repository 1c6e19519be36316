#include "modules/l2/cache_bank.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/part_mark.h"
#include "base/registry.h"
#include "interconnect/outstanding.h"
#include "interconnect/policy_contract.h"
#include "interconnect/prefetch.h"

namespace warpvp {

using tlm::tlm_generic_payload;

// What a fill belongs to; packed into MemExtension::token.
struct CacheBank::FillToken {
  unsigned mshr;
  TagArray::Line line;

  std::uint64_t pack() const { return std::uint64_t{line} << 32 | mshr; }
  static FillToken unpack(std::uint64_t token) {
    return {static_cast<unsigned>(token & 0xffffffff), static_cast<TagArray::Line>(token >> 32)};
  }
};

namespace {
TagArray::Geometry geometry_of(const CacheBankConfig& config, const AddressMap& map) {
  if (config.sets() == 0)
    throw InputError("L2: bank_kib is too small for one set of the given associativity");
  if (config.line_bytes > map.config().interleave_bytes)
    throw InputError("L2: line_bytes must not exceed the address map's interleave_bytes");
  return {config.sets(), config.associativity, config.line_bytes, config.sector_bytes, config.hash_index};
}

// Runs of neighbouring sectors in a mask.
unsigned runs_of(TagArray::SectorMask sectors) {
  unsigned runs = 0;
  for (TagArray::SectorMask first = sectors & ~(sectors << 1); first; first &= first - 1) ++runs;
  return runs;
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
      replacement_(config.replacement, {this->name(), place.bank, place.seed}, tags_),
      write_back_(config.write_back),
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
      waiters_(std::size_t{config.mshrs} * waiters_of_line_),
      mshr_of_line_(std::size_t{config.sets()} * config.associativity),
      cold_kernels_(config.invalidate == "kernel_start"),
      fetched_together_(config.fetch_bytes / config.sector_bytes) {
  aside_.reserve(config.set_aside);
  for (unsigned m = config.mshrs; m-- > 0;) free_mshrs_.push_back(static_cast<std::uint16_t>(m));
}

bool CacheBank::request(TargetPort&, tlm_generic_payload& payload) {
  if (requests_.full()) return false;
  const Cycle visible = domain_.now() + 1;
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
    hits_.push({&payload, now + config_.latency_cycles - 1});
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
  const Mask absent = wanted & ~valid & ~pending & ~whole;
  // Written in part: kept by byte masks, unless the request itself has byte enables.
  const Mask part = byte_masks_ && dirties && !atomic && !payload.get_byte_enable_ptr() ? absent : 0;
  const Mask asked = absent & ~part;
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
  room_needed_ = fetch || !present ? fetch_runs + victim_room : 0;
  if (below_.capacity() - below_.size() < room_needed_) return &stalls_.dram_queue;

  L2Counters& counters = launches_.of(ext.launch);
  ++counters.accesses;
  ++(atomic ? counters.atomics : dirties ? counters.writes : counters.reads);
  ++(fetch || !present ? counters.misses : waits_for ? counters.merges : counters.hits);
  counters.count_sectors(payload, ext.kind, missed_sectors(request, asked));
  counters.read_miss_sectors += static_cast<unsigned>(__builtin_popcount(beside)) * config_.sector_bytes / 32;

  const CacheUser user{ext.kernel_slot, ext.context, ext.warp};
  TagArray::Reservation reserved;
  if (fetch || !present) {
    reserved = allocate(local, fetch, line, user);
    line = reserved.line;
  } else {
    tags_.touch(line, user);
  }
  ext.dram_accesses = static_cast<std::uint8_t>((fetch != 0) + (reserved.victim_dirty != 0));

  if (dirties && !atomic) write(line, request, wanted & whole & ~pending, part);
  if (waits_for == 0) {
    if (dirties) {
      tags_.mark_dirty(line, wanted);
      dirtied(line);
    }
    const Cycle held = atomic ? atomic_time(ext) : 1;
    if (atomic) busy_until_ = now + held;
    hits_.push({&payload, now + config_.latency_cycles - 1 + held - 1});
  } else {
    if (pending == 0) {
      mshr_of_line_[line] = free_mshrs_.back();
      free_mshrs_.pop_back();
      mshrs_[mshr_of_line_[line]].line = line;
    }
    Mshr& mshr = mshrs_[mshr_of_line_[line]];
    waiters_of(mshr_of_line_[line])[mshr.waiters++] = {&payload, waits_for, dirties ? wanted : 0, atomic};
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

// Takes room for the line and `fetch` of its sectors; `present`: the line, if it is there.
TagArray::Reservation CacheBank::allocate(std::uint64_t local, Mask fetch, TagArray::Line present,
                                          const CacheUser& by) {
  const TagArray::Reservation reserved = tags_.reserve(local, fetch, present, by);
  if (reserved.victim_dirty) dirty_.set(reserved.line, 0);
  return reserved;
}

// What a write leaves at once: `whole` sectors are valid, of those in `part` some bytes are. Bytes between
// the first and the last one of a request count as written.
void CacheBank::write(TagArray::Line line, const Request& request, Mask whole, Mask part) {
  tags_.validate(line, whole);
  if (part == 0) return;
  const std::uint32_t begin = static_cast<std::uint32_t>(request.local & (config_.line_bytes - 1));
  const std::uint32_t end = begin + request.payload->get_data_length();
  const Mask dirty = tags_.dirty_sectors(line);
  Mask complete = 0;
  for (Mask rest = part; rest; rest &= rest - 1) {
    const std::uint32_t first = __builtin_ctz(rest) * config_.sector_bytes;
    const std::uint32_t stop = first + config_.sector_bytes;
    if (!(dirty & rest & -rest)) written_.remove(line, first, stop);
    written_.add(line, std::max(begin, first), std::min(end, stop));
    if (written_.all(line, first, stop)) complete |= rest & -rest;
  }
  tags_.mark_partial(line, part);
  tags_.validate(line, complete);
  dirtied(line);
}

void CacheBank::dirtied(TagArray::Line line) {
  dirty_.set(line, static_cast<std::uint32_t>(__builtin_popcount(tags_.dirty_sectors(line))));
}

// Writes back as many lines as the policy wants, as far as there is room; lines of which something is under
// way are left for later.
void CacheBank::clean_lines(const MemExtension& cause, Cycle now) {
  const std::uint64_t sectors =
      std::uint64_t{config_.sets()} * config_.associativity * tags_.sectors_per_line();
  TagArray::Line line = dirty_.first();
  for (unsigned cleaned = 0; cleaned < 2 && line != DirtyLines::kNone;) {
    if (!write_back_.call([&](L2WriteBackPolicy& policy) {
          return policy.clean({sectors, dirty_.sectors()});
        }))
      return;
    const TagArray::Line next = dirty_.after(line);
    if (tags_.pending_sectors(line) == 0) {
      const Mask dirty = tags_.dirty_sectors(line);
      if (below_.capacity() - below_.size() < runs_of(dirty)) return;
      L2Counters& counters = launches_.of(cause.launch);
      ++counters.writebacks;
      ++counters.cleaned;
      send_below(tlm::TLM_WRITE_COMMAND, tags_.address_of(line), dirty, cause, 0,
                 now + config_.miss_latency_cycles - 1);
      tags_.clean(line);
      dirty_.set(line, 0);
      ++cleaned;
    }
    line = next;
  }
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
  if (room >= mshrs_[index].waiters) return true;
  const Mask sectors = tags_.sectors_of(fill.get_address(), fill.get_data_length());
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
    if (std::none_of(waiters_of(index), waiters_of(index) + mshr.waiters, waits))
      require_answer_ok(fill, out_.socket, "fill of the L2 that nobody waits for");
  }
  fill.release();
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
    if (waiter.dirty) {
      tags_.mark_dirty(mshr.line, waiter.dirty);
      dirtied(mshr.line);
    }
    Cycle ready = now + config_.fill_latency_cycles - 1;
    if (waiter.atomic) {
      busy_until_ = std::max(busy_until_, now) + atomic_time(MemExtension::of(*waiter.payload));
      ready = busy_until_ + config_.fill_latency_cycles - 2;
    }
    filled_.push({waiter.payload, ready});
  }
  mshr.waiters = kept;
  if (--mshr.outstanding == 0) {
    if (mshr.failed) {
      tags_.invalidate(tags_.address_of(mshr.line));
      dirty_.set(mshr.line, 0);
    }
    mshr.failed = false;
    free_mshrs_.push_back(static_cast<std::uint16_t>(index));
  }
}

void CacheBank::evaluate(Cycle now) {
  const PartMark mark("L2");
  while (!fills_.empty() && fills_.front().visible <= now && can_fill(*fills_.front().payload)) {
    Transaction& fill = *fills_.front().payload;
    fills_.pop();
    take_fill(fill, now);
  }
  take_request(now);
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
      below_.capacity() - below_.size() < room_needed_)
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
}

// One response an edge, the one that is ready for longest.
bool CacheBank::send_response(Cycle now) {
  if (!in_.response_ready()) return false;
  const Cycle hit = hits_.empty() ? kNever : hits_.front().ready;
  const Cycle filled = filled_.empty() ? kNever : filled_.front().ready;
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
  }
  if (!below_.empty() && out_.ready()) at(below_.front().ready);
  return next;
}

namespace {
void visit_bank(StatVisitor& v, const L2Counters& counters, std::uint64_t set_aside, const L2Stalls& stalls) {
  counters.stats(v);
  v.value("set_aside", set_aside, "requests",
          "Requests that stepped aside for want of a place among those that wait for a sector, or of a way.");
  v.group("stall_cycles", stalls,
          "Cycles in which the oldest request of a bank could not enter, by what was lacking.");
}
}  // namespace

void CacheBank::stats(StatVisitor& v) const { visit_bank(v, totals(), set_aside_, stalls_); }

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

namespace {

class CacheL2 : public L2Type {
 public:
  explicit CacheL2(const CacheBankConfig& config) : config_(config) {}
  void check(std::uint32_t line_bytes, const RequireField& require) const override {
    with(line_bytes).check(require);
  }
  void visit_stats(StatVisitor& v) const override { visit_bank(v, {}, 0, {}); }
  std::unique_ptr<L2Bank> build(const char* name, const L2Place& place) const override {
    return std::make_unique<CacheBank>(name, place, with(place.line_bytes));
  }

 private:
  CacheBankConfig with(std::uint32_t line_bytes) const {
    CacheBankConfig config = config_;
    config.line_bytes = line_bytes;
    return config;
  }

  CacheBankConfig config_;
};

WARPVP_REGISTER_BLOCK(L2Type, CacheL2, CacheBankConfig, "cache",
                      "Write-back, write-allocate, with sectors and MSHRs.");

}  // namespace
}  // namespace warpvp
