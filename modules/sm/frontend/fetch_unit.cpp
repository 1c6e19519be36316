#include "modules/sm/frontend/fetch_unit.h"

#include <algorithm>

#include "modules/sm/config.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/stage_context.h"

namespace warpvp {

namespace {
WarpMask bit(unsigned warp) { return WarpMask{1} << warp; }
}  // namespace

FetchUnit::FetchUnit(const StageContext& context)
    : memory_(context.memory),
      counters_(context.counters.fetch),
      line_bytes_(context.config.memory.instruction.line_bytes),
      positions_(context.warps()) {}

void FetchUnit::start(unsigned warp, const ptx::Program& program, const AccessOwner& owner,
                      FetchCounters& counters) {
  Position& position = positions_[warp];
  position.next = 0;
  position.end = static_cast<ptx::Pc>(program.code.size());
  position.code_address = program.code_address;
  position.counters = &counters;
  position.owner = owner;
}

void FetchUnit::stop(unsigned warp) {
  missing_ &= ~bit(warp);
  forwarded_ &= ~bit(warp);
}

void FetchUnit::redirect(unsigned warp, ptx::Pc pc, unsigned flushed) {
  stop(warp);
  Position& position = positions_[warp];
  position.next = pc;
  for (FetchCounters* counters : {&counters_, position.counters}) {
    ++counters->redirects;
    counters->flushed += flushed;
  }
}

WarpMask FetchUnit::line_filled(std::uint64_t line_address) {
  WarpMask resumed = 0;
  for (WarpMask m = missing_; m; m &= m - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(m));
    if (positions_[warp].missing_line == line_address) resumed |= bit(warp);
  }
  missing_ &= ~resumed;
  forwarded_ |= resumed;
  return resumed;
}

unsigned FetchUnit::request(unsigned warp, unsigned width, Cycle now) {
  Position& position = positions_[warp];
  const std::uint64_t address =
      position.code_address + std::uint64_t{position.next} * ptx::Program::kInstBytes;
  const std::uint64_t line = address / line_bytes_ * line_bytes_;
  ++counters_.fetches;
  ++position.counters->fetches;
  const bool forwarded = forwarded_ & bit(warp);
  forwarded_ &= ~bit(warp);
  if (!memory_.fetch(address, position.owner, now) && !forwarded) {
    ++counters_.fetch_misses;
    ++position.counters->fetch_misses;
    missing_ |= bit(warp);
    position.missing_line = line;
    return 0;
  }
  const unsigned in_line = static_cast<unsigned>((line + line_bytes_ - address) / ptx::Program::kInstBytes);
  const unsigned n = std::min({width, in_line, position.end - position.next});
  position.next += n;
  return n;
}

}  // namespace warpvp
