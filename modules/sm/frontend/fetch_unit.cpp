#include "modules/sm/frontend/fetch_unit.h"

#include <algorithm>

#include "modules/sm/config.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/stage_context.h"

namespace warpvp {

FetchUnit::FetchUnit(const StageContext& context)
    : memory_(context.memory),
      counters_(context.counters.fetch),
      sub_core_(context.sub_core),
      line_bytes_(context.config.memory.fetch_line_bytes()),
      ranges_(context.warps),
      requesters_(context.warps) {}

void FetchUnit::start(unsigned warp, const ptx::Program& program, const AccessOwner& owner,
                      FetchCounters& counters) {
  ranges_[warp] = {0, static_cast<ptx::Pc>(program.code.size())};
  requesters_[warp] = {program.code_address, 0, &counters, owner};
}

void FetchUnit::stop(unsigned warp) {
  missing_ &= ~warp_bit(warp);
  forwarded_ &= ~warp_bit(warp);
}

void FetchUnit::redirect(unsigned warp, ptx::Pc pc, unsigned flushed) {
  stop(warp);
  ranges_[warp].next = pc;
  for (FetchCounters* counters : {&counters_, requesters_[warp].counters}) {
    ++counters->redirects;
    counters->flushed += flushed;
  }
}

void FetchUnit::pass_over(unsigned warp) {
  const std::uint64_t address =
      requesters_[warp].code_address + std::uint64_t{++ranges_[warp].next} * ptx::Program::kInstBytes;
  // The line that came for it is not the one that is fetched from now on.
  if (address / line_bytes_ * line_bytes_ != requesters_[warp].missing_line) forwarded_ &= ~warp_bit(warp);
}

WarpMask FetchUnit::line_filled(std::uint64_t line_address) {
  WarpMask resumed = 0;
  for (WarpMask m = missing_; m; m &= m - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(m));
    if (requesters_[warp].missing_line == line_address) resumed |= warp_bit(warp);
  }
  missing_ &= ~resumed;
  forwarded_ |= resumed;
  return resumed;
}

unsigned FetchUnit::request(unsigned warp, unsigned width, Cycle now) {
  Requester& requester = requesters_[warp];
  Range& range = ranges_[warp];
  const std::uint64_t address = requester.code_address + std::uint64_t{range.next} * ptx::Program::kInstBytes;
  const std::uint64_t line = address / line_bytes_ * line_bytes_;
  const std::uint64_t end = requester.code_address + std::uint64_t{range.end} * ptx::Program::kInstBytes;
  ++counters_.fetches;
  ++requester.counters->fetches;
  const bool forwarded = forwarded_ & warp_bit(warp);
  forwarded_ &= ~warp_bit(warp);
  if (!memory_.fetch({address, end, requester.owner, sub_core_}, now) && !forwarded) {
    ++counters_.fetch_misses;
    ++requester.counters->fetch_misses;
    missing_ |= warp_bit(warp);
    requester.missing_line = line;
    return 0;
  }
  const unsigned in_line = static_cast<unsigned>((line + line_bytes_ - address) / ptx::Program::kInstBytes);
  const unsigned n = std::min({width, in_line, range.end - range.next});
  range.next += n;
  return n;
}

}  // namespace warpvp
