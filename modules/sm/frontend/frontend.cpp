#include "modules/sm/frontend/frontend.h"

#include "base/registry.h"

namespace warpvp {

Frontend::Frontend(const SmConfig& config, MemorySide& memory, SmCounters& counters)
    : pipe_(config.frontend.hit_latency + 1),
      entries_(config.frontend.ibuffer_entries),
      width_(config.frontend.fetch_width),
      latency_(config.frontend.hit_latency),
      line_bytes_(config.memory.instruction.line_bytes),
      memory_(memory),
      counters_(counters),
      policy_(Registry<FetchPolicy>::instance().make(config.frontend.fetch_scheduler)),
      streams_(config.resources.warps / config.schedulers) {}

void Frontend::warp_started(unsigned lane, const WarpInfo& info, const ptx::Program& program,
                            const AccessOwner& owner) {
  resident_ |= WarpMask{1} << lane;
  ready_[lane] = buffered_[lane] = 0;
  Stream& stream = streams_[lane];
  ++stream.epoch;
  stream.next = 0;
  stream.end = static_cast<ptx::Pc>(program.code.size());
  stream.code_address = program.code_address;
  stream.owner = owner;
  policy_->warp_started(lane, info);
  update(lane);
}

void Frontend::warp_finished(unsigned lane) {
  const WarpMask bit = WarpMask{1} << lane;
  resident_ &= ~bit;
  fetchable_ &= ~bit;
  missing_ &= ~bit;
  ++streams_[lane].epoch;
  policy_->warp_finished(lane);
}

void Frontend::update(unsigned lane) {
  const WarpMask bit = WarpMask{1} << lane;
  const Stream& stream = streams_[lane];
  const bool can = buffered_[lane] + width_ <= entries_ && !(missing_ & bit) && stream.next < stream.end;
  fetchable_ = can ? fetchable_ | bit : fetchable_ & ~bit;
}

void Frontend::redirect(unsigned lane, ptx::Pc pc) {
  Stream& stream = streams_[lane];
  ++stream.epoch;
  stream.next = pc;
  ready_[lane] = buffered_[lane] = 0;
  missing_ &= ~(WarpMask{1} << lane);
  ++counters_.redirects;
  update(lane);
}

void Frontend::consumed(unsigned lane) {
  --ready_[lane];
  --buffered_[lane];
  update(lane);
}

void Frontend::line_filled(std::uint64_t line_address) {
  for (WarpMask m = missing_; m; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(m));
    if (streams_[lane].missing_line != line_address) continue;
    missing_ &= ~(WarpMask{1} << lane);
    update(lane);
  }
}

void Frontend::fetch(Cycle now) {
  if (!fetchable_) return;
  const unsigned lane = policy_->pick({now, resident_, fetchable_}, buffered_);
  if (lane == kNoWarp) return;
  Stream& stream = streams_[lane];
  const std::uint64_t address = stream.code_address + std::uint64_t{stream.next} * ptx::Program::kInstBytes;
  const std::uint64_t line = address / line_bytes_ * line_bytes_;
  ++counters_.fetches;
  if (!memory_.fetch(address, stream.owner, now)) {
    ++counters_.fetch_misses;
    missing_ |= WarpMask{1} << lane;
    stream.missing_line = line;
    update(lane);
    return;
  }
  const unsigned in_line = static_cast<unsigned>((line + line_bytes_ - address) / ptx::Program::kInstBytes);
  const unsigned n = std::min({width_, in_line, stream.end - stream.next});
  stream.next += n;
  buffered_[lane] = static_cast<std::uint8_t>(buffered_[lane] + n);
  pipe_[(first_ + count_) % pipe_.size()] = {now + latency_, static_cast<std::uint8_t>(lane), stream.epoch,
                                             static_cast<std::uint8_t>(n)};
  if (count_++ == 0) arrival_ = now + latency_;
  update(lane);
}

}  // namespace warpvp
