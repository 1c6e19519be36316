#pragma once
// A fetch scheduler beside issue, the front end of `sm.frontend.mode: separate`, and what others are made of
// that skip instructions or tag entries.
//
// One fetch starts per edge and brings up to `fetch_width` consecutive instructions of one line, pipelined
// through the instruction cache and decode. A redirect (taken branch, reconvergence, call) flushes the warp's
// I-buffer and drops its fetches in flight.

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "interconnect/policy_contract.h"
#include "interconnect/policy_slot.h"
#include "modules/sm/config.h"
#include "modules/sm/frontend/fetch_unit.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/stage_context.h"

namespace warpvp {

/// What a fetch on its way carries for a front end with tags.
template <bool kTags>
struct FetchTag {};
template <>
struct FetchTag<true> {
  std::uint32_t tag = 0;
};

/// `Self` derives from it and may have any of the members under "what Self may do otherwise" in its public
/// part; those that it does not have cost nothing.
template <class Self>
class alignas(64) SeparateFrontEndOf : public FrontEnd {
 public:
  explicit SeparateFrontEndOf(const StageContext& context)
      : FrontEnd(context.signals, context.warps, context.config.frontend.ibuffer_entries, Self::kTags),
        pipe_(context.config.frontend.depth() + 1),
        entries_(context.config.frontend.ibuffer_entries),
        width_(context.config.frontend.fetch_width),
        latency_(context.config.frontend.depth()),
        policy_(context.config.frontend.fetch_scheduler,
                context.of_policy(FetchPolicy::kKind, context.config.frontend.fetch_scheduler)),
        unit_(context),
        context_(context) {}

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
    if constexpr (Self::kWakes) {
      // `arrival` is told for two reasons.
      const Cycle woken = std::exchange(wake_, kNever);
      signals_.arrival = count_ ? pipe_[first_].arrives : kNever;
      if (woken <= now)
        self().woken(now);
      else
        wake(woken);
    }
    while (Self::kWakes ? count_ != 0 && pipe_[first_].arrives <= now : signals_.arrival <= now) {
      const Fetch& fetch = pipe_[first_];
      if (fetch.epoch == epochs_[fetch.warp] && (resident_ >> fetch.warp & 1)) {
        if constexpr (Self::kTags || Self::kDrops) {
          decode(fetch);
        } else {
          ibuffers_.push(fetch.warp, fetch.pc, fetch.instructions);
          signals_.heads |= bit(fetch.warp);
        }
      }
      first_ = first_ + 1 == pipe_.size() ? 0 : first_ + 1;
      signals_.arrival = --count_ ? pipe_[first_].arrives : kNever;
      if constexpr (Self::kWakes) signals_.arrival = std::min(signals_.arrival, wake_);
    }
    return signals_.heads & ~before;
  }

  void fetch(Cycle now) override {
    if constexpr (Self::kSkips && !Self::kWakes) {
      self().skip(now);
      if (signals_.fetchable == 0) return;
    }
    const unsigned warp = policy_.call([&](FetchPolicy& policy) {
      return policy.pick({now, resident_, signals_.fetchable, unit_.missing()}, buffered_);
    });
    context_.check_pick(FetchPolicy::kKind, context_.config.frontend.fetch_scheduler.name, "fetchable", warp,
                        signals_.fetchable, now);
    if (warp == kNoWarp) return;
    const ptx::Pc pc = unit_.next(warp);
    unsigned width = width_;
    if constexpr (Self::kLimits) {
      width = self().limit(warp, pc, width_, now);
      // What keeps it may be something that it is to wait for.
      if (width == 0) return update(warp);
    }
    if (const unsigned n = unit_.request(warp, width, now)) {
      buffered_[warp] = static_cast<std::uint8_t>(buffered_[warp] + n);
      const unsigned last = first_ + count_;
      Fetch& fetch = pipe_[last < pipe_.size() ? last : last - pipe_.size()];
      fetch.arrives = now + latency_;
      fetch.pc = pc;
      fetch.warp = static_cast<std::uint8_t>(warp);
      fetch.epoch = epochs_[warp];
      fetch.instructions = static_cast<std::uint8_t>(n);
      const std::uint32_t tag = self().fetched(warp, pc, n);
      if constexpr (Self::kTags) fetch.tag = tag;
      if (count_++ == 0)
        signals_.arrival = Self::kWakes ? std::min(signals_.arrival, now + latency_) : now + latency_;
    }
    update(warp);
  }

  WarpMask missing() const override { return unit_.missing(); }
  std::optional<std::uint64_t> missing_line(unsigned warp) const override { return unit_.missing_line(warp); }
  /// Their I-buffer is empty, and what it would hold counts as ready.
  WarpMask starved(WarpMask without_head, WarpMask) const override { return without_head; }

  void stats(StatVisitor& v) const override { policy_.stats(v, kFetchSchedulerSentence); }

 protected:
  // What Self may do otherwise.
  static constexpr bool kTags = false;    ///< has tag()
  static constexpr bool kDrops = false;   ///< has drops()
  static constexpr bool kSkips = false;   ///< has skip() and may_fetch()
  static constexpr bool kWakes = false;   ///< has woken(), and skips there
  static constexpr bool kLimits = false;  ///< has limit()
  /// At the beginning of an edge's fetch, which has warps to fetch for: may call pass_over().
  void skip(Cycle) {}
  /// Before anything else at an edge that wake() named: may call pass_over() for warps that can_go_on().
  void woken(Cycle) {}
  /// How many instructions a fetch may bring at this edge, of `most` from `pc` on.
  unsigned limit(unsigned /*warp*/, ptx::Pc /*pc*/, unsigned most, Cycle) { return most; }
  /// The warp may fetch, as far as it goes. Whoever changes its mind calls update().
  bool may_fetch(unsigned /*warp*/) const { return true; }
  /// The instruction that was fetched is not put into the I-buffer: it is skipped.
  bool drops(unsigned /*warp*/, ptx::Pc) { return false; }
  /// A fetch brings so many instructions of the warp, from this one on: the tag of the fetch, with kTags.
  std::uint32_t fetched(unsigned /*warp*/, ptx::Pc, unsigned /*count*/) { return 0; }
  /// The tag of the entry that is put into the I-buffer.
  std::uint32_t tag(unsigned /*warp*/, ptx::Pc, std::uint32_t of_fetch) { return of_fetch; }

  // What Self may use.
  /// The warp's next instruction, `inst`, is neither fetched nor executed. Requires a warp of
  /// StageSignals::fetchable. With kWakes, update() is to follow.
  void pass_over(unsigned warp, const ptx::Inst& inst) {
    if (!skippable(inst))
      report_broken_contract(
          FrontEndType::kKind, context_.config.frontend.mode.name,
          fmt::format("it skipped instruction {} of warp {}, which does more than yield values",
                      unit_.next(warp), warp),
          context_.place_at(context_.now()));
    unit_.pass_over(warp);
    if constexpr (!Self::kWakes) update(warp);
  }
  /// It wants to be woken at that edge, or before.
  void wake(Cycle at) {
    wake_ = std::min(wake_, at);
    signals_.arrival = std::min(signals_.arrival, wake_);
  }
  /// There is something to fetch and room for it.
  bool can_go_on(unsigned warp) const {
    return buffered_[warp] + width_ <= entries_ && unit_.can_fetch(warp);
  }
  /// The next instruction to be fetched.
  ptx::Pc next(unsigned warp) const { return unit_.next(warp); }
  /// Whether the warp may fetch is looked at again.
  void update(unsigned warp) {
    bool can = buffered_[warp] + width_ <= entries_ && unit_.can_fetch(warp);
    if constexpr (Self::kSkips) can = can && (resident_ >> warp & 1) && self().may_fetch(warp);
    set_fetchable(warp, can);
  }
  void set_fetchable(unsigned warp, bool can) {
    signals_.fetchable = can ? signals_.fetchable | bit(warp) : signals_.fetchable & ~bit(warp);
  }
  const StageContext& context() const { return context_; }

 private:
  static WarpMask bit(unsigned warp) { return WarpMask{1} << warp; }
  Self& self() { return static_cast<Self&>(*this); }

  struct Fetch : FetchTag<Self::kTags> {
    Cycle arrives = 0;
    ptx::Pc pc = 0;  ///< of the first instruction
    std::uint8_t warp = 0, epoch = 0, instructions = 0;
  };

  /// Nothing is buffered or on its way any more.
  void flush(unsigned warp) {
    ++epochs_[warp];
    ibuffers_.clear(warp);
    buffered_[warp] = 0;
    signals_.heads &= ~bit(warp);
  }
  void decode(const Fetch& fetch) {
    const unsigned warp = fetch.warp;
    bool dropped = false;
    for (ptx::Pc pc = fetch.pc; pc != fetch.pc + fetch.instructions; ++pc) {
      if constexpr (Self::kDrops) {
        if (self().drops(warp, pc)) {
          --buffered_[warp];
          dropped = true;
          continue;
        }
      }
      if constexpr (Self::kTags) {
        ibuffers_.push_tagged(warp, pc, self().tag(warp, pc, fetch.tag));
      } else {
        ibuffers_.push(warp, pc);
      }
      signals_.heads |= bit(warp);
    }
    if (dropped) update(warp);
  }

  Cycle wake_ = kNever;             // with kWakes
  unsigned first_ = 0, count_ = 0;  // of pipe_
  std::vector<Fetch> pipe_;         // ring, in order of arrival as the latency is the same for all
  const unsigned entries_, width_, latency_;
  const PolicySlot<FetchPolicy> policy_;
  WarpMask resident_ = 0;
  std::uint8_t epochs_[64] = {};  // counts flushes; fetches of an older epoch are dropped
  FetchUnit unit_;
  const StageContext context_;
};

}  // namespace warpvp
