// A warp scheduler that sees what the L1 data cache does: Cache-Conscious Wavefront Scheduling (Rogers,
// O'Connor and Aamodt, MICRO 2012). A warp that misses on a line which it had, and which another warp's line
// has thrown out, has lost locality: its score rises, and warps with lower scores may issue no memory
// instruction until it has fallen again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace {

using warpvp::Cycle;
using warpvp::WarpMask;

struct LostLocalityParams {
  std::uint32_t victims = 16, base = 100, k_throttle = 8;
  void fields(warpvp::FieldVisitor& v) {
    v.field("victims", victims, "tags", "Lines thrown out that are remembered for each warp.",
            warpvp::Constraint::range(1, 1024));
    v.field("base", base, "points", "Score of a warp that has lost nothing.",
            warpvp::Constraint::range(1, 1000000));
    v.field("k_throttle", k_throttle, "", "How much a lost line counts (K_THROTTLE in the paper).",
            warpvp::Constraint::range(0, 1000));
  }
};

class LostLocality : public warpvp::WarpPolicy<LostLocality>, private warpvp::SmListener {
 public:
  LostLocality(const LostLocalityParams& params, const warpvp::SmContext& context)
      : params_(params), context_(context), victims_(context.warps), scores_(context.warps) {
    context.listen(*this, {warpvp::SmEvent::kL1Accesses, warpvp::SmEvent::kL1Evictions});
    warpvp::RegisterSpec factor{"K_THROTTLE",
                                0,
                                4,
                                1,
                                0,
                                warpvp::RegisterAccess::kReadWrite,
                                params.k_throttle,
                                "How much a lost line counts."};
    factor.write = [this](unsigned, std::uint64_t value) {
      params_.k_throttle = static_cast<std::uint32_t>(value);
    };
    context.registers.add(std::move(factor));
  }

  void warp_started(unsigned warp, const warpvp::WarpInfo& info) override {
    order_.start(warp, info.age);
    scores_[warp] = {static_cast<double>(params_.base), 0};
    victims_[warp].clear();
  }
  void warp_finished(unsigned warp) override { order_.finish(warp); }

  unsigned pick(const warpvp::IssueView& view) override {
    ++issued_;
    // Those with the highest scores share what the warps would have if none had lost anything.
    WarpMask held_back = 0;
    if (view.memory != 0) held_back = view.memory & ~allowed(view);
    const WarpMask ready = view.ready & ~held_back;
    if (ready == 0) {
      ++held_edges_;
      return warpvp::kNoWarp;
    }
    return order_.oldest(ready);
  }

  void stats(warpvp::StatVisitor& v) const override {
    v.value("lost_lines", lost_, "accesses", "Misses on lines that other warps' lines had thrown out.");
    v.value("held_edges", held_edges_, "cycles", "Nobody issued, as those that were ready were held back.");
  }

 private:
  struct Score {
    double points = 0;
    Cycle since = 0;
  };

  /// Warps that may issue memory instructions. A warp at a barrier gives its place up.
  WarpMask allowed(const warpvp::IssueView& view) {
    std::vector<std::pair<double, unsigned>> by_score;
    const WarpMask running = order_.started() & ~view.held;
    for (WarpMask rest = running; rest != 0; rest &= rest - 1) {
      const unsigned warp = warpvp::lowest_warp(rest);
      Score& score = scores_[warp];
      // A point less a cycle, down to the base.
      score.points =
          std::max<double>(params_.base, score.points - static_cast<double>(view.cycle - score.since));
      score.since = view.cycle;
      by_score.push_back({-score.points, warp});
    }
    std::stable_sort(by_score.begin(), by_score.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    double left = static_cast<double>(params_.base) * static_cast<double>(by_score.size());
    WarpMask may = 0;
    for (const auto& [negative, warp] : by_score) {
      left += negative;
      if (left < 0 && may != 0) break;
      may |= warpvp::only_warp(warp);
    }
    return may;
  }

  void l1_evicted(const warpvp::L1Eviction& eviction, Cycle) override {
    const unsigned warp = context_.position(eviction.filler.warp);
    if (warp == warpvp::kNoWarp || eviction.filler.warp == eviction.evictor.warp) return;
    std::vector<std::uint64_t>& lines = victims_[warp];
    if (lines.size() == params_.victims) lines.erase(lines.begin());
    lines.push_back(eviction.line);
  }

  void l1_accessed(const warpvp::L1Access& access, Cycle now) override {
    if (access.result != warpvp::L1Access::Result::kMiss || access.store) return;
    const unsigned warp = context_.position(access.owner.warp);
    if (warp == warpvp::kNoWarp) return;
    std::vector<std::uint64_t>& lines = victims_[warp];
    const auto line = std::find(lines.begin(), lines.end(), access.line);
    if (line == lines.end()) return;
    lines.erase(line);
    ++lost_;
    // Equation 1 of the paper: lost lines an instruction, scaled by what all warps have together.
    const double all = static_cast<double>(params_.base) * static_cast<double>(scores_.size());
    scores_[warp].points = std::max<double>(
        params_.base, static_cast<double>(lost_) / static_cast<double>(std::max<std::uint64_t>(issued_, 1)) *
                          params_.k_throttle * all);
    scores_[warp].since = now;
  }

  LostLocalityParams params_;
  const warpvp::SmContext context_;
  warpvp::WarpAgeOrder order_;
  std::vector<std::vector<std::uint64_t>> victims_;  // by warp, oldest first
  std::vector<Score> scores_;                        // by warp
  std::uint64_t issued_ = 0, lost_ = 0, held_edges_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(warpvp::WarpSchedulerPolicy, LostLocality, LostLocalityParams,
                                   "lost_locality",
                                   "Warps that lose their lines in the L1 issue memory instructions first.");

}  // namespace
