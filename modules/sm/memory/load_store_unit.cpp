#include "modules/sm/memory/load_store_unit.h"

#include <algorithm>
#include <cassert>

#include "interconnect/prefetch.h"
#include "modules/sm/sm_context.h"

namespace warpvp {

using ptx::CacheOp;
using ptx::Space;

LoadStoreUnit::LoadStoreUnit(const MemorySidePlace& place, L1Cache& l1, ConstantCache& constants,
                             MemoryPort& port, LaunchCounters& counters)
    : LoadStoreUnit(place, place.config, l1, constants, port, counters) {}

LoadStoreUnit::LoadStoreUnit(const MemorySidePlace& place, const MemorySideConfig& config, L1Cache& l1,
                             ConstantCache& constants, MemoryPort& port, LaunchCounters& counters)
    : queue_(config.lsu_queue),
      transactions_per_cycle_(config.l1.transactions_per_cycle),
      sectors_per_cycle_(config.l1.sectors_per_cycle),
      stores_(place.warps, 0),
      latency_{0, config.l1.latency, config.shared.latency, config.constant.latency,
               config.constant.parameter_latency != 0 ? config.constant.parameter_latency
                                                      : config.constant.latency},
      l1_(l1),
      constants_(constants),
      port_(port),
      counters_(counters),
      client_(place.memory),
      events_(place.events),
      coalescer_(config.l1.line_bytes, config.l1.sector_bytes, config.l1.coalesce == "warp"),
      banks_(config.shared.banks, config.shared.bank_bytes, config.shared.packs_pairs),
      admission_(config.admission, place.contexts.of(MemoryAdmission::kKind, config.admission.name)),
      cache_global_(config.l1.cache_global_loads),
      cycles_per_word_(config.constant.cycles_per_word),
      constant_unit_(config.constant.own_unit) {
  limited_ = admission_.call([](const MemoryAdmission& admission) { return admission.limits(); });
  queue_limits_ = port_.limits_instructions();
}

bool LoadStoreUnit::admits(unsigned kernel_slot) const {
  if (queue_limits_ && !port_.admits(kernel_slot)) return false;
  return !limited_ ||
         admission_.call([&](const MemoryAdmission& admission) { return admission.admits(kernel_slot); });
}

void LoadStoreUnit::stats(StatVisitor& v) const { admission_.stats(v, kAdmissionSentence); }

void LoadStoreUnit::accept(const MemoryRequest& request, Cycle now) {
  if (request.access.is_bulk() && request.access.space == Space::kGlobal) return take_bulk(request, now);
  assert(queued_ < queue_.size());
  Queued& q = queue_[(head_ + queued_) % queue_.size()];
  ++queued_;
  enqueue(request, q, now);
  const bool cached = q.operation != Operation::kConstant && q.operation != Operation::kParam;
  admit(q.info, cached ? q.count : 0, now);
}

void LoadStoreUnit::admit(const WarpAccess& info, unsigned transactions, Cycle now) {
  if (!limited_) return;
  if (admitted_.size() <= info.id) admitted_.resize(info.id + 1);
  admitted_[info.id] = {info.owner, transactions, instructions_[info.id].store};
  admission_.call([&](MemoryAdmission& admission) { admission.taken(admitted_[info.id], now); });
}

void LoadStoreUnit::take_bulk(const MemoryRequest& request, Cycle now) {
  const ptx::MemoryAccess& access = request.access;
  const bool changes_memory = access.store || access.atomic;
  const std::uint32_t id =
      instructions_.take({request.token, 1, request.owner.warp, changes_memory, changes_memory, false});
  if (changes_memory) ++stores_[request.owner.warp];
  SmMemoryCounters& counters = counters_.of(request.owner.launch);
  ++counters.instructions;
  BulkCopy copy;
  copy.info = {request.owner, now,       id,         access.store ? AccessKind::kStore : AccessKind::kLoad,
               false,         &counters, request.pc, true};
  copy.operation = access.store    ? Operation::kStore
                   : access.atomic ? Operation::kAtomic
                                   : Operation::kLoadAround;
  copy.lanes = access.lanes;
  copy.spans = *access.bulk;
  std::uint64_t lines = 0;
  for (ptx::LaneMask m = access.lanes; m != 0; m &= m - 1)
    lines +=
        coalescer_.lines_of(copy.spans.address[ptx::first_lane(m)], copy.spans.bytes[ptx::first_lane(m)]);
  (access.atomic  ? counters.atomic_transactions
   : access.store ? counters.store_transactions
                  : counters.load_transactions) += lines;
  admit(copy.info, static_cast<unsigned>(lines), now);
  bulk_.push(copy);
}

L1Cache::Result LoadStoreUnit::serve_bulk(BulkCopy& copy, const LineAccess& access, Cycle now) {
  switch (copy.operation) {
    case Operation::kStore:
      return l1_.store(access, copy.info, now);
    case Operation::kAtomic:
      return l1_.atomic(access, copy.info, false, now);
    default:
      return l1_.load_around(access, copy.info, now);
  }
}

void LoadStoreUnit::work_on_bulk(Cycle now) {
  BulkCopy& copy = bulk_.front();
  if (!bulk_retry_ || copy.info.issue_cycle >= now) return;
  const unsigned lane = ptx::first_lane(copy.lanes);
  std::uint64_t& begin = copy.spans.address[lane];
  std::uint32_t& bytes = copy.spans.bytes[lane];
  LineAccess access = coalescer_.first_of(begin, begin + bytes);
  // Each word of a sector once.
  if (copy.operation == Operation::kAtomic)
    access.in_turn = static_cast<std::uint16_t>(__builtin_popcount(access.sectors));
  const L1Cache::Result result = serve_bulk(copy, access, now);
  if (!result.taken) {
    bulk_retry_ = false;
    return;
  }
  const std::uint32_t id = copy.info.id;
  part_missing(id, result.parts);
  bytes -= static_cast<std::uint32_t>(access.end - access.begin);
  begin = access.line + access.end;
  if (bytes == 0) copy.lanes &= copy.lanes - 1;
  if (copy.lanes != 0) return;
  bulk_.pop();
  if (instructions_[id].done_on_leaving) client_.memory_done(instructions_[id].token);
  part_served(id, now);
}

void LoadStoreUnit::enqueue(const MemoryRequest& request, Queued& q, Cycle now) {
  const ptx::MemoryAccess& access = request.access;

  // An asynchronous copy is timed as the load it begins with; it is complete when its data is here.
  const bool store = access.store && !access.async;
  const bool changes_memory = store || access.atomic;
  const bool done_on_leaving = store || (access.atomic && !access.returns_value);
  const std::uint32_t id =
      instructions_.take({request.token, 1, request.owner.warp, changes_memory, done_on_leaving, false});
  if (changes_memory) ++stores_[request.owner.warp];

  SmMemoryCounters& counters = counters_.of(request.owner.launch);
  ++counters.instructions;
  q.info = {request.owner, now, id, AccessKind::kLoad, false, &counters, request.pc, true};
  q.operation = Operation::kNone;
  q.pipe = Pipe::kNone;
  q.returns_value = access.returns_value;
  q.count = q.next = q.shared_cycles = 0;

  const ptx::LaneMask shared = access.space == Space::kShared ? access.lanes : access.shared_lanes;
  if (shared) {
    q.shared_cycles = banks_.cycles_of(access, shared);
    q.pipe = Pipe::kShared;
    ++counters.shared_accesses;
    counters.shared_cycles += q.shared_cycles;
  }
  if (access.space == Space::kShared || access.lanes == 0) return;

  if (access.space == Space::kConst || access.space == Space::kParam) {
    std::uint64_t words[ptx::kWarpSize];
    q.count = Coalescer::distinct(access.address, access.lanes, words);
    for (unsigned i = 0; i < q.count; ++i) q.accesses[i].line = words[i];
    q.operation = access.space == Space::kConst ? Operation::kConstant : Operation::kParam;
    q.info.kind = AccessKind::kConstant;
    counters.constant_accesses += q.count;
    if (access.space == Space::kConst) counters.constant_requests += q.count;
    return;
  }
  if (access.space == Space::kLocal) {
    q.count = coalescer_.local(access.address, access.lanes, access.bytes, request.local_base, q.accesses);
    q.info.kind = AccessKind::kLocal;
  } else {
    q.info.texture = static_cast<CacheOp>(access.cache_op) == CacheOp::tex;
    q.count = q.info.texture
                  ? coalescer_.texels(*access.texels, access.bytes, q.accesses)
                  : coalescer_.global(access.address, access.lanes, access.bytes, q.accesses, access.atomic);
    q.info.kind = store ? AccessKind::kStore : AccessKind::kLoad;
  }
  if (access.atomic) {
    q.operation = Operation::kAtomic;
    counters.atomic_transactions += q.count;
  } else if (store) {
    q.operation = Operation::kStore;
    counters.store_transactions += q.count;
  } else {
    // .cg caches in L2 only, .cv (and volatile) fetches anew each time: both go around L1 (PTX ISA 9.7.9.1).
    const auto cache_op = static_cast<CacheOp>(access.cache_op);
    const bool around = cache_op == CacheOp::cg || cache_op == CacheOp::cv || !l1_.enabled() ||
                        (!cache_global_ && access.space == Space::kGlobal && cache_op != CacheOp::nc &&
                         cache_op != CacheOp::tex);
    q.operation = around ? Operation::kLoadAround : Operation::kLoad;
    counters.load_transactions += q.count;
  }
}

void LoadStoreUnit::evaluate(Cycle now) {
  for (auto& due : due_)
    while (!due.empty() && due.front().cycle <= now) {
      const std::uint32_t id = due.front().id;
      due.pop();
      part_served(id, now);
    }
  if (constant_.count != 0) work_on_constant(now);
  work(now);
  if (!bulk_.empty()) work_on_bulk(now);
}

// Some of the instruction's data is still to come, in so many parts.
void LoadStoreUnit::part_missing(std::uint32_t id, unsigned parts) {
  InFlight& instruction = instructions_[id];
  instruction.parts += parts;
  if (parts == 0 || instruction.missed || instruction.done_on_leaving) return;
  instruction.missed = true;
  client_.memory_missed(instruction.token);
}

void LoadStoreUnit::work_on_constant(Cycle now) {
  if (word_cycles_ != 0) {
    --word_cycles_;
  } else {
    if (!constant_retry_) return;
    const ConstantCache::Outcome found =
        look_up_constant(constant_.words[constant_.next], constant_.info, now);
    if (found == ConstantCache::Outcome::kFull) {
      constant_retry_ = false;
      return;
    }
    part_missing(constant_.info.id, found == ConstantCache::Outcome::kWaits ? 1 : 0);
    ++constant_.next;
    word_cycles_ = cycles_per_word_ - 1;
  }
  ++steps_;
  if (word_cycles_ != 0 || constant_.next != constant_.count) return;
  constexpr auto kPipe = static_cast<unsigned>(Pipe::kConstant);
  due_[kPipe].push({now + latency_[kPipe], constant_.info.id});
  constant_.count = 0;
}

void LoadStoreUnit::work(Cycle now) {
  unsigned budget = transactions_per_cycle_, moved = 0;  // moved: sectors
  while (budget != 0 && queued_ != 0) {
    Queued& q = queue_[head_];
    if (q.info.issue_cycle >= now) return;
    if (q.shared_cycles != 0) {
      // Bank conflicts keep the whole unit.
      --q.shared_cycles;
      budget = 0;
    } else if (constant_unit_ && q.operation == Operation::kConstant) {
      if (constant_.count != 0) return;
      constant_.info = q.info;
      constant_.count = q.count;
      constant_.next = 0;
      for (unsigned i = 0; i < q.count; ++i) constant_.words[i] = q.accesses[i].line;
      constant_retry_ = true;
      next_in_queue();
      ++steps_;
      --budget;
      continue;
    } else if (!constant_unit_ && word_cycles_ != 0) {
      // So does a word of constant memory.
      --word_cycles_;
      budget = 0;
    } else if (q.next < q.count) {
      if (refused_) {
        if (!retry_) return;
        // Every cycle slept through would have failed the same way.
        const Cycle slept = now - last_try_ - 1;
        q.info.counters->failures[static_cast<unsigned>(failure_)] += slept;
        if (slept != 0 && events_.wanted(SmEvent::kL1Refusals))
          events_.l1_refused({q.info.owner, failure_, slept}, now);
        refused_ = false;
      }
      const bool words = q.operation == Operation::kConstant || q.operation == Operation::kParam;
      if (sectors_per_cycle_ != 0 && !words) {
        const auto sectors = static_cast<unsigned>(__builtin_popcount(q.accesses[q.next].sectors));
        if (moved != 0 && moved + sectors > sectors_per_cycle_) return;
        moved += sectors;
      }
      const L1Cache::Result result = serve(q, now);
      if (!result.taken) {
        refused_ = true;
        retry_ = false;
        failure_ = result.failure;
        last_try_ = now;
        ++q.info.counters->failures[static_cast<unsigned>(failure_)];
        if (events_.wanted(SmEvent::kL1Refusals)) events_.l1_refused({q.info.owner, failure_, 1}, now);
        return;
      }
      part_missing(q.info.id, result.parts);
      ++q.next;
      budget = words ? 0 : budget - 1;
      if (q.operation == Operation::kConstant) word_cycles_ = cycles_per_word_ - 1;
    } else {
      --budget;
    }
    ++steps_;
    if (q.shared_cycles == 0 && (constant_unit_ || word_cycles_ == 0) && q.next == q.count) {
      leave(q, now);
      if (sectors_per_cycle_ != 0) return;
    }
  }
}

L1Cache::Result LoadStoreUnit::serve(Queued& q, Cycle now) {
  const LineAccess& access = q.accesses[q.next];
  switch (q.operation) {
    case Operation::kLoad:
      q.pipe = Pipe::kL1;
      q.info.first = q.next == 0;
      return l1_.load(access, q.info, now);
    case Operation::kLoadAround:
      return l1_.load_around(access, q.info, now);
    case Operation::kStore:
      return l1_.store(access, q.info, now);
    case Operation::kAtomic:
      return l1_.atomic(access, q.info, q.returns_value, now);
    case Operation::kConstant:
      q.pipe = Pipe::kConstant;
      switch (look_up_constant(access.line, q.info, now)) {
        case ConstantCache::Outcome::kHit:
          return L1Cache::Result::done(0);
        case ConstantCache::Outcome::kWaits:
          return L1Cache::Result::done(1);
        case ConstantCache::Outcome::kFull:
          return L1Cache::Result::refused(Reservation::kMshr);
      }
      break;
    // Kernel parameters are in the constant bank before the kernel starts; those of calls are as near.
    case Operation::kParam:
      q.pipe = Pipe::kParam;
      break;
    case Operation::kNone:
      break;
  }
  return L1Cache::Result::done(0);
}

ConstantCache::Outcome LoadStoreUnit::look_up_constant(std::uint64_t address, const WarpAccess& info,
                                                       Cycle now) {
  const ConstantCache::Outcome found = constants_.access(address, info.owner, info.issue_cycle, info.id, now);
  if (found == ConstantCache::Outcome::kWaits) ++info.counters->constant_misses;
  return found;
}

void LoadStoreUnit::next_in_queue() {
  head_ = head_ + 1 == queue_.size() ? 0 : head_ + 1;
  --queued_;
  if (queued_ != 0) {
    prefetch_object(queue_[head_].info);
    prefetch_object(queue_[head_].accesses[0]);
  }
}

void LoadStoreUnit::leave(Queued& q, Cycle now) {
  const std::uint32_t id = q.info.id;
  const Pipe pipe = q.pipe;
  next_in_queue();
  if (instructions_[id].done_on_leaving) {
    client_.memory_done(instructions_[id].token);
    part_served(id, now);
  } else if (pipe == Pipe::kNone) {
    part_served(id, now);
  } else {
    due_[static_cast<unsigned>(pipe)].push({now + latency_[static_cast<unsigned>(pipe)], id});
  }
}

void LoadStoreUnit::part_served(std::uint32_t id, Cycle now) {
  ++steps_;
  InFlight& instruction = instructions_[id];
  assert(instruction.parts != 0);
  if (--instruction.parts != 0) return;
  const InFlight finished = instruction;
  const AdmittedAccess admitted = limited_ ? admitted_[id] : AdmittedAccess();
  instructions_.give_back(id);
  const bool drained = finished.store && --stores_[finished.warp] == 0;
  if (!finished.done_on_leaving) client_.memory_done(finished.token);
  if (drained) client_.stores_drained(finished.warp);
  if (limited_) admission_.call([&](MemoryAdmission& admission) { admission.done(admitted, now); });
}

Cycle LoadStoreUnit::next_work(Cycle now) const {
  if (queued_ != 0 && (!refused_ || retry_)) return now + 1;
  if (constant_.count != 0 && (constant_retry_ || word_cycles_ != 0)) return now + 1;
  if (!bulk_.empty() && bulk_retry_) return now + 1;
  Cycle next = kNever;
  for (const auto& due : due_)
    if (!due.empty()) next = std::min(next, std::max(due.front().cycle, now + 1));
  return next;
}

}  // namespace warpvp
