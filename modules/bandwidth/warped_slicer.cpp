#include "modules/bandwidth/warped_slicer.h"

#include <algorithm>

#include "base/sm_room.h"

namespace warpvp {
namespace {

// A point of a kernel's curve at which it is better than with fewer CTAs (the vectors Q and M of the paper).
struct Level {
  std::uint32_t ctas;
  double performance;  // a share of the kernel's best
};

std::vector<Level> levels_of(const ScalableKernel& kernel) {
  const auto most = std::min(static_cast<std::size_t>(kernel.needs.most_ctas), kernel.performance.size());
  std::vector<Level> levels;
  for (std::size_t i = 0; i < most; ++i)
    if (levels.empty() || kernel.performance[i] > levels.back().performance)
      levels.push_back({static_cast<std::uint32_t>(i) + 1, kernel.performance[i]});
  const double best = levels.empty() ? 0 : levels.back().performance;
  if (best > 0)
    for (Level& level : levels) level.performance /= best;
  return levels;
}

}  // namespace

CtaCombination slice_by_water_filling(const SmResources& sm, const std::vector<ScalableKernel>& kernels) {
  struct Filling {
    std::vector<Level> levels;
    std::size_t at = 0;
    bool full = false;  // it cannot get any better
  };
  std::vector<Filling> fillings;
  CtaCombination result;
  result.ctas.assign(kernels.size(), 0);
  SmRoom room(sm);
  for (const ScalableKernel& kernel : kernels) {
    fillings.push_back({levels_of(kernel)});
    if (fillings.back().levels.empty() || !room.take(kernel.needs, 1)) return result;
  }
  for (;;) {
    std::size_t worst = kernels.size();
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (fillings[k].full) continue;
      const auto performance = [&](std::size_t of) {
        return fillings[of].levels[fillings[of].at].performance;
      };
      if (worst == kernels.size() || performance(k) < performance(worst)) worst = k;
    }
    if (worst == kernels.size()) break;
    Filling& filling = fillings[worst];
    const bool better = filling.at + 1 < filling.levels.size() &&
                        room.take(kernels[worst].needs,
                                  filling.levels[filling.at + 1].ctas - filling.levels[filling.at].ctas);
    if (better)
      ++filling.at;
    else
      filling.full = true;
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Level& level = fillings[k].levels[fillings[k].at];
    result.ctas[k] = level.ctas;
    result.least_performance =
        k == 0 ? level.performance : std::min(result.least_performance, level.performance);
  }
  return result;
}

}  // namespace warpvp
