// The fetch schedulers of the SWaS paper's taxonomy (section II-B): `select` names selection and mode, the
// others are short names of often used pairs. A warp is ready when it can fetch (section VI-A3): room in its
// I-buffer and no miss pending.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/selection.h"

namespace warpvp {
namespace {

class SelectFetch : public FetchPolicy {
 public:
  explicit SelectFetch(const SelectParams& params) : selector_(params) {}
  explicit SelectFetch(const WarpSelector& selector) : selector_(selector) {}

  void warp_started(unsigned warp, const WarpInfo& info) override { selector_.start(warp, info); }
  void warp_finished(unsigned warp) override { selector_.finish(warp); }
  unsigned pick(const FetchView& view, const std::uint8_t* buffered) override {
    return selector_.pick(view.cycle, view.fetchable | view.missing, view.fetchable, buffered);
  }

 private:
  WarpSelector selector_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    FetchPolicy, SelectFetch, SelectParams, "select",
    "Any selection (round robin, oldest, ICOUNT) in any mode (strict, loose, greedy, adaptive).");

struct RoundRobinFetchParams {
  bool greedy = false;
  void fields(FieldVisitor& v) {
    v.field("greedy", greedy,
            "Keep fetching for the same warp until it cannot, then take the next in order (GTLRR).");
  }
};
struct RoundRobinFetch : SelectFetch {
  explicit RoundRobinFetch(const RoundRobinFetchParams& params)
      : SelectFetch(WarpSelector(Selection::kRoundRobin,
                                 params.greedy ? SelectionMode::kGreedy : SelectionMode::kLoose)) {}
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(
    FetchPolicy, RoundRobinFetch, RoundRobinFetchParams, "lrr",
    "Loose round robin: warps in cyclic order, skipping those that cannot fetch; optionally greedy.");

struct GtlrrFetch : SelectFetch {
  GtlrrFetch() : SelectFetch(WarpSelector(Selection::kRoundRobin, SelectionMode::kGreedy)) {}
};
WARPVP_REGISTER_POLICY(FetchPolicy, GtlrrFetch, "gtlrr",
                       "Greedy then loose round robin: the same warp until it cannot fetch, then the next.");

struct GtoFetch : SelectFetch {
  GtoFetch() : SelectFetch(WarpSelector(Selection::kOldest, SelectionMode::kGreedy)) {}
};
WARPVP_REGISTER_POLICY(FetchPolicy, GtoFetch, "gto",
                       "Greedy then oldest: the same warp until it cannot fetch, then the oldest that can.");

struct GtloFetch : SelectFetch {
  GtloFetch() : SelectFetch(WarpSelector(Selection::kOldest, SelectionMode::kGreedy)) {}
};
WARPVP_REGISTER_POLICY(FetchPolicy, GtloFetch, "gtlo",
                       "Greedy then loose oldest, the SWaS paper's name of gto.");

struct OldestFetch : SelectFetch {
  OldestFetch() : SelectFetch(WarpSelector(Selection::kOldest, SelectionMode::kLoose)) {}
};
WARPVP_REGISTER_POLICY(FetchPolicy, OldestFetch, "oldest", "The oldest warp that can fetch, every cycle.");

struct IcountFetch : SelectFetch {
  IcountFetch() : SelectFetch(WarpSelector(Selection::kIcount, SelectionMode::kLoose)) {}
};
WARPVP_REGISTER_POLICY(FetchPolicy, IcountFetch, "icount",
                       "The warp with the fewest instructions fetched and not issued.");

}  // namespace
}  // namespace warpvp
