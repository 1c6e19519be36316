// A warp scheduler: of the warps that are ready, the one that started last issues. The opposite of what keeps
// caches warm, and so a useful lower bound.
#include "base/registry.h"
#include "modules/sm/policies.h"

namespace {

class YoungestFirst : public warpvp::WarpPolicy<YoungestFirst> {
 public:
  void warp_started(unsigned warp, const warpvp::WarpInfo& info) override { age_[warp] = info.age; }
  void warp_finished(unsigned) override {}
  unsigned pick(const warpvp::IssueView& view) override {
    unsigned youngest = warpvp::kNoWarp;
    for (warpvp::WarpMask rest = view.ready; rest != 0; rest &= rest - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctzll(rest));
      if (youngest == warpvp::kNoWarp || age_[warp] > age_[youngest]) youngest = warp;
    }
    return youngest;
  }

 private:
  std::uint64_t age_[64] = {};
};

WARPVP_REGISTER_POLICY(warpvp::WarpSchedulerPolicy, YoungestFirst, "youngest_first",
                       "Of the ready warps the one that started last.");

}  // namespace
