#pragma once
// The two decisions an SM makes every cycle, as replaceable policies: which warp fetches, which warp issues.
// A policy is one file in modules/sm/policies/ that ends in a WARPVP_REGISTER_POLICY line.
//
// Warps are named by their position within the scheduler (0..63), so sets of warps are 64-bit masks. The SM
// keeps the masks up to date by events; a policy never scans warps that cannot be chosen.

#include <cstdint>
#include <memory>

#include "base/cycle.h"
#include "base/stats.h"
#include "modules/sm/sm_context.h"
#include "modules/sm/warp_mask.h"

namespace warpvp {

/// Of the groups of their statistics.
inline constexpr const char kWarpSchedulerSentence[] = "What the warp scheduler policy counts.";
inline constexpr const char kFetchSchedulerSentence[] = "What the fetch policy counts.";
/// I-buffer contents of a scheduler whose warps have nothing buffered.
inline constexpr std::uint8_t kNothingBuffered[64] = {};

/// What a policy may know about a warp when it starts.
struct WarpInfo {
  std::uint64_t age = 0;        ///< order in which warps started on this SM; smaller is older
  std::uint32_t launch_id = 0;  ///< kernel launch the warp belongs to
  std::uint32_t cta = 0;        ///< CTA slot of the SM
  std::uint32_t budget = 1;     ///< QAWS budget of the launch
  std::int32_t priority = 0;    ///< stream priority, greater is more urgent
  std::uint32_t index = 0;      ///< of the warp within its CTA
  std::uint32_t cta_warps = 1;  ///< of its CTA, those that have exited included
  std::uint32_t kernel_slot = 0;
  std::uint32_t block[3] = {1, 1, 1};  ///< shape of its CTA
  std::uint32_t most_ctas = 1;         ///< of its kernel, that fit an SM which holds nothing else
};

/// State of a scheduler's warps at one edge. `ready` is a subset of `resident`.
struct IssueView {
  Cycle cycle = 0;
  WarpMask resident = 0;      ///< warps that have not finished
  WarpMask ready = 0;         ///< could issue at this edge: instruction buffered, operands there, unit free
  WarpMask long_stalled = 0;  ///< wait for data of a load that missed the L1
  /// Per warp: instructions fetched or being fetched and not issued. Never null.
  const std::uint8_t* buffered = kNothingBuffered;
  /// At a barrier or fence, exited, or of a CTA that may not issue: cannot be ready whatever is fetched or
  /// computed.
  WarpMask held = 0;
  WarpMask memory = 0;  ///< of `ready`: whose next instruction goes to the load/store unit
};

/// Chooses the warp that issues (QAWS paper, section II-A). Implementations derive from WarpPolicy below.
class WarpSchedulerPolicy {
 public:
  static constexpr const char* kKind = "warp_scheduler";
  using Context = SmContext;
  virtual ~WarpSchedulerPolicy() = default;

  virtual void warp_started(unsigned warp, const WarpInfo& info) = 0;
  virtual void warp_finished(unsigned warp) = 0;
  /// Called at every edge at which `view.ready` is not empty. Returns a warp of `view.ready`, or kNoWarp when
  /// a strict policy prefers to wait. Edges without a ready warp are skipped by a sleeping SM: a policy that
  /// cares compares `view.cycle` with the edge of its last call.
  virtual unsigned pick(const IssueView& view) = 0;
  /// A copy in the same state: shown the same events and views, both pick the same warps. Observers ask it
  /// what the policy would do in another situation.
  virtual std::unique_ptr<WarpSchedulerPolicy> clone() const = 0;
  /// What the policy counts; shown summed over the sub-cores of an SM.
  virtual void stats(StatVisitor&) const {}
};

/// Base of the warp scheduler `P`, whose copy constructor copies all of its state.
template <class P>
class WarpPolicy : public WarpSchedulerPolicy {
 public:
  std::unique_ptr<WarpSchedulerPolicy> clone() const override {
    return std::make_unique<P>(static_cast<const P&>(*this));
  }
};

/// State of the fetch stage at one edge.
struct FetchView {
  Cycle cycle = 0;
  WarpMask resident = 0;
  WarpMask fetchable = 0;  ///< room in the I-buffer (counting fetches in flight) and no miss pending
  WarpMask missing = 0;    ///< fetched an instruction whose line is not there yet
};

/// Chooses the warp whose next instruction is fetched.
class FetchPolicy {
 public:
  static constexpr const char* kKind = "fetch_scheduler";
  using Context = SmContext;
  virtual ~FetchPolicy() = default;
  virtual void warp_started(unsigned warp, const WarpInfo& info) = 0;
  virtual void warp_finished(unsigned warp) = 0;
  /// Called at every edge at which `view.fetchable` is not empty. `buffered[w]` is the number of instructions
  /// buffered or in flight for warp w. Returns a warp of `view.fetchable` or kNoWarp.
  virtual unsigned pick(const FetchView& view, const std::uint8_t* buffered) = 0;
  /// What the policy counts; shown summed over the sub-cores of an SM.
  virtual void stats(StatVisitor&) const {}
};

}  // namespace warpvp
