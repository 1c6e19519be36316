// `sm.frontend.mode: separate`: a fetch scheduler of its own beside issue.
//
// One fetch starts per edge and brings up to `fetch_width` consecutive instructions of one line, pipelined
// through the instruction cache and decode. A redirect (taken branch, reconvergence, call) flushes the warp's
// I-buffer and drops its fetches in flight.

#include <vector>

#include "base/registry.h"
#include "interconnect/policy_slot.h"
#include "modules/sm/config.h"
#include "modules/sm/frontend/fetch_unit.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/stage_context.h"

namespace warpvp {
namespace {

WarpMask bit(unsigned warp) { return WarpMask{1} << warp; }

class alignas(64) SeparateFrontEnd final : public FrontEnd {
 public:
  explicit SeparateFrontEnd(const StageContext& context)
      : FrontEnd(context.signals, context.warps, context.config.frontend.ibuffer_entries),
        context_(context),
        pipe_(context.config.frontend.depth() + 1),
        entries_(context.config.frontend.ibuffer_entries),
        width_(context.config.frontend.fetch_width),
        latency_(context.config.frontend.depth()),
        policy_(context.config.frontend.fetch_scheduler,
                context.of_policy(FetchPolicy::kKind, context.config.frontend.fetch_scheduler)),
        unit_(context) {}

  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    resident_ |= bit(warp);
    flush(warp);
    unit_.start(warp, program, owner, counters);
    policy_.call([&](FetchPolicy& policy) { policy.warp_started(warp, info); });
    update(warp);
  }

  void warp_finished(unsigned warp) override {
    resident_ &= ~bit(warp);
    signals_.fetchable &= ~bit(warp);
    flush(warp);
    unit_.stop(warp);
    policy_.call([&](FetchPolicy& policy) { policy.warp_finished(warp); });
  }

  void selected(unsigned warp, Cycle) override {
    if (ibuffers_.pop(warp)) signals_.heads &= ~bit(warp);
    --buffered_[warp];
    update(warp);
  }

  void redirect(unsigned warp, ptx::Pc pc) override {
    unit_.redirect(warp, pc, buffered_[warp]);
    flush(warp);
    update(warp);
  }

  WarpMask line_filled(std::uint64_t line_address) override {
    const WarpMask resumed = unit_.line_filled(line_address);
    for (WarpMask m = resumed; m; m &= m - 1) update(static_cast<unsigned>(__builtin_ctzll(m)));
    return resumed;
  }

  WarpMask deliver(Cycle now) override {
    const WarpMask before = signals_.heads;
    while (signals_.arrival <= now) {
      const Fetch& fetch = pipe_[first_];
      if (fetch.epoch == epochs_[fetch.warp] && (resident_ >> fetch.warp & 1)) {
        ibuffers_.push(fetch.warp, fetch.pc, fetch.instructions);
        signals_.heads |= bit(fetch.warp);
      }
      first_ = first_ + 1 == pipe_.size() ? 0 : first_ + 1;
      signals_.arrival = --count_ ? pipe_[first_].arrives : kNever;
    }
    return signals_.heads & ~before;
  }

  void fetch(Cycle now) override {
    const unsigned warp = policy_.call([&](FetchPolicy& policy) {
      return policy.pick({now, resident_, signals_.fetchable, unit_.missing()}, buffered_);
    });
    context_.check_pick(FetchPolicy::kKind, context_.config.frontend.fetch_scheduler.name, "fetchable", warp,
                        signals_.fetchable, now);
    if (warp == kNoWarp) return;
    const ptx::Pc pc = unit_.next(warp);
    if (const unsigned n = unit_.request(warp, width_, now)) {
      buffered_[warp] = static_cast<std::uint8_t>(buffered_[warp] + n);
      pipe_[(first_ + count_) % pipe_.size()] = {now + latency_, pc, static_cast<std::uint8_t>(warp),
                                                 epochs_[warp], static_cast<std::uint8_t>(n)};
      if (count_++ == 0) signals_.arrival = now + latency_;
    }
    update(warp);
  }

  WarpMask missing() const override { return unit_.missing(); }
  std::optional<std::uint64_t> missing_line(unsigned warp) const override { return unit_.missing_line(warp); }
  /// Their I-buffer is empty, and what it would hold counts as ready.
  WarpMask starved(WarpMask without_head, WarpMask) const override { return without_head; }

  void stats(StatVisitor& v) const override {
    policy_.call([&](const FetchPolicy& policy) {
      group_if_any(v, FetchPolicy::kKind, policy, kFetchSchedulerSentence);
    });
  }

 private:
  struct Fetch {
    Cycle arrives;
    ptx::Pc pc;  ///< of the first instruction
    std::uint8_t warp, epoch, instructions;
  };

  /// Nothing is buffered or on its way any more.
  void flush(unsigned warp) {
    ++epochs_[warp];
    ibuffers_.clear(warp);
    buffered_[warp] = 0;
    signals_.heads &= ~bit(warp);
  }
  void update(unsigned warp) {
    const bool can = buffered_[warp] + width_ <= entries_ && unit_.can_fetch(warp);
    signals_.fetchable = can ? signals_.fetchable | bit(warp) : signals_.fetchable & ~bit(warp);
  }

  const StageContext context_;
  unsigned first_ = 0, count_ = 0;  // of pipe_
  std::vector<Fetch> pipe_;         // ring, in order of arrival as the latency is the same for all
  const unsigned entries_, width_, latency_;
  const PolicySlot<FetchPolicy> policy_;
  WarpMask resident_ = 0;
  std::uint8_t epochs_[64] = {};  // counts flushes; fetches of an older epoch are dropped
  FetchUnit unit_;
};

class Separate : public FrontEndType {
 public:
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<SeparateFrontEnd>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, Separate, "separate",
                       "Fetch and issue each choose a warp: `fetch_scheduler` says which one fetches.");

}  // namespace
}  // namespace warpvp
