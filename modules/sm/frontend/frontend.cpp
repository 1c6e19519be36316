#include "modules/sm/frontend/frontend.h"

#include <algorithm>

#include "base/registry.h"

namespace warpvp {

Frontend::Frontend(const SmConfig& config, MemorySide& memory, SmCounters& counters)
    : pipe_(config.frontend.depth() + 1),
      entries_(config.frontend.ibuffer_entries),
      width_(config.frontend.fetch_width),
      latency_(config.frontend.depth()),
      line_bytes_(config.memory.instruction.line_bytes),
      memory_(memory),
      counters_(counters.fetch),
      policy_(Registry<FetchPolicy>::instance().make(config.frontend.fetch_scheduler)),
      coordinated_(config.frontend.coordinated()),
      streams_(config.resources.warps / config.schedulers),
      fifos_(config.frontend.depth()) {}

void Frontend::warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                            const AccessOwner& owner, FetchCounters& counters) {
  resident_ |= WarpMask{1} << warp;
  ready_[warp] = buffered_[warp] = 0;
  Stream& stream = streams_[warp];
  ++stream.epoch;
  stream.next = 0;
  stream.end = static_cast<ptx::Pc>(program.code.size());
  stream.code_address = program.code_address;
  stream.counters = &counters;
  stream.owner = owner;
  if (coordinated_) {
    fifos_.fill_with_nops(warp);
    update_coordinated(warp);
    return;
  }
  policy_->warp_started(warp, info);
  update(warp);
}

void Frontend::warp_finished(unsigned warp) {
  const WarpMask bit = WarpMask{1} << warp;
  resident_ &= ~bit;
  fetchable_ &= ~bit;
  missing_ &= ~bit;
  forwarded_ &= ~bit;
  ++streams_[warp].epoch;
  if (!coordinated_) policy_->warp_finished(warp);
}

void Frontend::update(unsigned warp) {
  const WarpMask bit = WarpMask{1} << warp;
  const Stream& stream = streams_[warp];
  const bool can = buffered_[warp] + width_ <= entries_ && !(missing_ & bit) && stream.next < stream.end;
  fetchable_ = can ? fetchable_ | bit : fetchable_ & ~bit;
}

void Frontend::update_coordinated(unsigned warp) {
  const WarpMask bit = WarpMask{1} << warp;
  ready_[warp] = !(missing_ & bit);
  buffered_[warp] = static_cast<std::uint8_t>(fifos_.instructions(warp));
  nop_heads_ = fifos_.nop_at_head(warp) ? nop_heads_ | bit : nop_heads_ & ~bit;
}

void Frontend::redirect(unsigned warp, ptx::Pc pc) {
  Stream& stream = streams_[warp];
  ++stream.epoch;
  stream.next = pc;
  missing_ &= ~(WarpMask{1} << warp);
  forwarded_ &= ~(WarpMask{1} << warp);
  // In separate mode the redirecting instruction itself is still counted as buffered.
  const unsigned flushed = coordinated_ ? fifos_.fill_with_nops(warp) : buffered_[warp] - 1u;
  ++counters_.redirects;
  ++stream.counters->redirects;
  counters_.flushed += flushed;
  stream.counters->flushed += flushed;
  if (coordinated_) {
    update_coordinated(warp);
    return;
  }
  ready_[warp] = buffered_[warp] = 0;
  update(warp);
}

void Frontend::consumed(unsigned warp) {
  --ready_[warp];
  --buffered_[warp];
  update(warp);
}

WarpMask Frontend::line_filled(std::uint64_t line_address) {
  WarpMask resumed = 0;
  for (WarpMask m = missing_; m; m &= m - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(m));
    if (streams_[warp].missing_line != line_address) continue;
    missing_ &= ~(WarpMask{1} << warp);
    forwarded_ |= WarpMask{1} << warp;
    resumed |= WarpMask{1} << warp;
    if (coordinated_)
      update_coordinated(warp);
    else
      update(warp);
  }
  return resumed;
}

/// Asks the instruction cache for the warp's next instructions. Returns how many are on their way; 0 after a
/// miss.
unsigned Frontend::request(unsigned warp, Cycle now) {
  Stream& stream = streams_[warp];
  const std::uint64_t address = stream.code_address + std::uint64_t{stream.next} * ptx::Program::kInstBytes;
  const std::uint64_t line = address / line_bytes_ * line_bytes_;
  ++counters_.fetches;
  ++stream.counters->fetches;
  const bool forwarded = forwarded_ & (WarpMask{1} << warp);
  forwarded_ &= ~(WarpMask{1} << warp);
  if (!memory_.fetch(address, stream.owner, now) && !forwarded) {
    ++counters_.fetch_misses;
    ++stream.counters->fetch_misses;
    missing_ |= WarpMask{1} << warp;
    stream.missing_line = line;
    return 0;
  }
  const unsigned in_line = static_cast<unsigned>((line + line_bytes_ - address) / ptx::Program::kInstBytes);
  const unsigned n = std::min({width_, in_line, stream.end - stream.next});
  stream.next += n;
  return n;
}

unsigned Frontend::fetch(Cycle now) {
  const unsigned warp = policy_->pick({now, resident_, fetchable_, missing_}, buffered_);
  if (warp >= 64 || !(fetchable_ >> warp & 1)) return warp;
  if (const unsigned n = request(warp, now)) {
    buffered_[warp] = static_cast<std::uint8_t>(buffered_[warp] + n);
    pipe_[(first_ + count_) % pipe_.size()] = {now + latency_, static_cast<std::uint8_t>(warp),
                                               streams_[warp].epoch, static_cast<std::uint8_t>(n)};
    if (count_++ == 0) arrival_ = now + latency_;
  }
  update(warp);
  return warp;
}

void Frontend::select(unsigned warp, Cycle now) {
  // Beyond the program's end there is nothing to fetch.
  const Stream& stream = streams_[warp];
  fifos_.advance(warp, stream.next < stream.end && request(warp, now) != 0);
  update_coordinated(warp);
}

}  // namespace warpvp
