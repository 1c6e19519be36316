// Of a bank of the L2: what writes leave behind, and when that goes to DRAM.

#include <algorithm>

#include "interconnect/policy_contract.h"
#include "modules/l2/cache_bank.h"

namespace warpvp {

// A write that takes no room here goes to DRAM as it comes, as a burst of whole sectors, of which bytes may
// be masked.
std::uint64_t* CacheBank::pass_by(const Request& request, Mask wanted, Cycle now) {
  if (hits_.full()) return &stalls_.response_queue;
  room_needed_ = runs_of(wanted);
  if (room_below() < room_needed_) return &stalls_.dram_queue;
  MemExtension& ext = MemExtension::of(*request.payload);
  L2Counters& counters = launches_.of(ext.launch);
  ++counters.accesses;
  ++counters.writes;
  ++counters.misses;
  ++counters.written_through;
  counters.count_sectors(*request.payload, ext.kind, 0);
  ext.dram_accesses = 1;
  send_below(tlm::TLM_WRITE_COMMAND, tags_.line_address(request.local), wanted, ext, 0,
             now + config_.miss_latency_cycles - 1);
  hits_.push({request.payload, leaves_at(*request.payload, now + config_.latency_cycles - 1)});
  return nullptr;
}

// What a write leaves at once: `whole` sectors are valid, of those in `part` some bytes are. Bytes between
// the first and the last one of a request count as written.
void CacheBank::mark_written(TagArray::Line line, const Request& request, Mask whole, Mask part) {
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
      if (room_below() < runs_of(dirty)) return;
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

// What atomics change that `sectors` of their line release, of those that are written through.
CacheBank::Mask CacheBank::written_through_by(const Mshr& mshr, Mask sectors) const {
  Mask through = 0;
  const Waiter* const waiters = waiters_of(mshr);
  for (unsigned i = 0; i < mshr.waiters; ++i)
    if (waiters[i].through && (waiters[i].needed & ~sectors) == 0) through |= waiters[i].dirty;
  return through;
}

// They are written together.
void CacheBank::write_through_after(const Mshr& mshr, Mask sectors, Cycle now) {
  const Mask through = written_through_by(mshr, sectors);
  if (through == 0) return;
  const Waiter* const waiters = waiters_of(mshr);
  const MemExtension* cause = nullptr;
  for (unsigned i = 0; i < mshr.waiters; ++i) {
    if (!waiters[i].through || (waiters[i].needed & ~sectors) != 0) continue;
    cause = &MemExtension::of(*waiters[i].payload);
    ++launches_.of(cause->launch).written_through;
  }
  send_below(tlm::TLM_WRITE_COMMAND, tags_.address_of(mshr.line), through, *cause, 0,
             now + config_.miss_latency_cycles - 1);
}

}  // namespace warpvp
