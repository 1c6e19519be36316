// The issue schedulers of the SWaS paper's taxonomy (section II-B): `select` names selection and mode, the
// others are short names of often used pairs.
//
// `lrr` and `gto` have two readings each. LRR passes the turn on after every issue here, as in the SWaS
// paper; the QAWS paper's section II-A and figure 3b mean the greedy form, which is `greedy: true` and GTLRR.
// GTO (QAWS paper, section II-A; GTLO in the SWaS paper) forgets the greedy warp in a cycle in which nothing
// issues, as Algorithm 1 of the QAWS paper does; GPGPU-Sim keeps preferring the warp that issued last, which
// is `greedy_survives_idle: true`.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/selection.h"

namespace warpvp {
namespace {

class SelectScheduler : public WarpPolicy<SelectScheduler> {
 public:
  explicit SelectScheduler(const SelectParams& params) : selector_(params) {}
  explicit SelectScheduler(const WarpSelector& selector) : selector_(selector) {}

  void warp_started(unsigned warp, const WarpInfo& info) override { selector_.start(warp, info); }
  void warp_finished(unsigned warp) override { selector_.finish(warp); }
  unsigned pick(const IssueView& view) override {
    return selector_.pick(view.cycle, view.resident & ~view.held, view.ready, view.buffered);
  }

 private:
  WarpSelector selector_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, SelectScheduler, SelectParams, "select",
    "Any selection (round robin, oldest, ICOUNT) in any mode (strict, loose, greedy, adaptive).");

// A short name adds no state, so that a copy of its SelectScheduler part is a whole copy.

struct LrrParams {
  bool greedy = false;
  void fields(FieldVisitor& v) {
    v.field("greedy", greedy,
            "Keep issuing the same warp until it stalls, then take the next in order (GTLRR).");
  }
};
struct LrrScheduler : SelectScheduler {
  explicit LrrScheduler(const LrrParams& params)
      : SelectScheduler(WarpSelector(Selection::kRoundRobin,
                                     params.greedy ? SelectionMode::kGreedy : SelectionMode::kLoose)) {}
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, LrrScheduler, LrrParams, "lrr",
    "Loose round robin: warps in cyclic order, skipping those not ready; optionally greedy.");

struct GtlrrScheduler : SelectScheduler {
  GtlrrScheduler() : SelectScheduler(WarpSelector(Selection::kRoundRobin, SelectionMode::kGreedy)) {}
};
WARPVP_REGISTER_POLICY(
    WarpSchedulerPolicy, GtlrrScheduler, "gtlrr",
    "Greedy then loose round robin: the same warp until it stalls, then the next in order.");

struct GtoParams {
  bool greedy_survives_idle = false;
  void fields(FieldVisitor& v) {
    v.field("greedy_survives_idle", greedy_survives_idle,
            "Prefer the last issued warp even after cycles in which nothing issued.");
  }
};
struct GtoScheduler : SelectScheduler {
  explicit GtoScheduler(const GtoParams& params)
      : SelectScheduler(
            WarpSelector(Selection::kOldest, SelectionMode::kGreedy, 0, params.greedy_survives_idle)) {}
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, GtoScheduler, GtoParams, "gto",
    "Greedy then oldest: the same warp until it stalls, then the oldest ready warp.");

struct GtloScheduler : SelectScheduler {
  GtloScheduler() : SelectScheduler(WarpSelector(Selection::kOldest, SelectionMode::kGreedy)) {}
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, GtloScheduler, "gtlo",
                       "Greedy then loose oldest, the SWaS paper's name of gto.");

struct GtyScheduler : SelectScheduler {
  GtyScheduler() : SelectScheduler(WarpSelector(Selection::kYoungest, SelectionMode::kGreedy)) {}
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, GtyScheduler, "gty",
                       "Greedy then youngest: the same warp until it stalls, then the youngest ready warp.");

struct OldestScheduler : SelectScheduler {
  OldestScheduler() : SelectScheduler(WarpSelector(Selection::kOldest, SelectionMode::kLoose)) {}
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, OldestScheduler, "oldest", "The oldest ready warp, every cycle.");

struct IcountScheduler : SelectScheduler {
  IcountScheduler() : SelectScheduler(WarpSelector(Selection::kIcount, SelectionMode::kLoose)) {}
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, IcountScheduler, "icount",
                       "The ready warp with the fewest instructions fetched and not issued.");

}  // namespace
}  // namespace warpvp
