#include "modules/sm/frontend/frontend.h"

#include "base/registry.h"

namespace warpvp {

Frontend::Frontend(const SmConfig& config, unsigned scheduler, std::vector<WarpSlot>& slots,
                   MemorySide& memory, SmCounters& counters)
    : pipe_(config.frontend.hit_latency + 1),
      scheduler_(scheduler),
      schedulers_(config.schedulers),
      entries_(config.frontend.ibuffer_entries),
      width_(config.frontend.fetch_width),
      latency_(config.frontend.hit_latency),
      line_bytes_(config.memory.instruction.line_bytes),
      slots_(slots),
      memory_(memory),
      counters_(counters),
      policy_(Registry<FetchPolicy>::instance().make(config.frontend.fetch_scheduler)) {}

void Frontend::warp_started(unsigned lane, const WarpInfo& info) {
  resident_ |= WarpMask{1} << lane;
  ready_[lane] = buffered_[lane] = 0;
  ++slot_of(lane).epoch;
  slot_of(lane).fetch_pc = 0;
  policy_->warp_started(lane, info);
  update(lane);
}

void Frontend::warp_finished(unsigned lane) {
  const WarpMask bit = WarpMask{1} << lane;
  resident_ &= ~bit;
  fetchable_ &= ~bit;
  missing_ &= ~bit;
  ++slot_of(lane).epoch;
  policy_->warp_finished(lane);
}

void Frontend::update(unsigned lane) {
  const WarpMask bit = WarpMask{1} << lane;
  WarpSlot& slot = slot_of(lane);
  const bool can = buffered_[lane] + width_ <= entries_ && !(missing_ & bit) &&
                   slot.fetch_pc < slot.exec.cta().program().code.size();
  fetchable_ = can ? fetchable_ | bit : fetchable_ & ~bit;
}

void Frontend::redirect(unsigned lane, ptx::Pc pc) {
  WarpSlot& slot = slot_of(lane);
  ++slot.epoch;
  slot.fetch_pc = pc;
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
    if (missing_line_[lane] != line_address) continue;
    missing_ &= ~(WarpMask{1} << lane);
    update(lane);
  }
}

void Frontend::fetch(Cycle now) {
  if (!fetchable_) return;
  const unsigned lane = policy_->pick({now, resident_, fetchable_}, buffered_);
  if (lane == kNoWarp) return;
  WarpSlot& slot = slot_of(lane);
  const ptx::Program& program = slot.exec.cta().program();
  const std::uint64_t address =
      program.code_address + std::uint64_t{slot.fetch_pc} * ptx::Program::kInstBytes;
  const std::uint64_t line = address / line_bytes_ * line_bytes_;
  ++counters_.fetches;
  if (!memory_.fetch(address, slot.owner, now)) {
    ++counters_.fetch_misses;
    missing_ |= WarpMask{1} << lane;
    missing_line_[lane] = line;
    update(lane);
    return;
  }
  const unsigned in_line = static_cast<unsigned>((line + line_bytes_ - address) / ptx::Program::kInstBytes);
  const unsigned left = static_cast<unsigned>(program.code.size()) - slot.fetch_pc;
  const unsigned n = std::min({width_, in_line, left});
  slot.fetch_pc += n;
  buffered_[lane] = static_cast<std::uint8_t>(buffered_[lane] + n);
  pipe_[(first_ + count_) % pipe_.size()] = {now + latency_, static_cast<std::uint8_t>(lane), slot.epoch,
                                             static_cast<std::uint8_t>(n)};
  ++count_;
  update(lane);
}

}  // namespace warpvp
