#include "modules/bandwidth/speedup_goal.h"

#include <limits>

namespace warpvp {

void SpeedupGoal::fields(FieldVisitor& v, const char* otherwise) {
  v.field("goal", goal_, "What is to be greatest: harmonic or weighted speedup (CCBP, section 3.3).",
          Constraint::words({"hspeedup", "wspeedup"}));
  v.field("alone_ipc", alone_ipc_, "warp instructions per 1000 cycles", otherwise,
          Constraint::range(1, 100000000));
}

std::optional<double> SpeedupGoal::alone_ipc(std::size_t kernel) const {
  if (kernel >= alone_ipc_.size()) return std::nullopt;
  return alone_ipc_[kernel] / 1000.0;
}

double speedup_of(SpeedupGoal::Kind kind, const std::vector<double>& ipc, const std::vector<double>& alone) {
  double weighted = 0, slowdowns = 0;
  for (std::size_t k = 0; k < ipc.size(); ++k) {
    if (alone[k] <= 0) continue;
    weighted += ipc[k] / alone[k];
    slowdowns += ipc[k] > 0 ? alone[k] / ipc[k] : std::numeric_limits<double>::infinity();
  }
  return kind == SpeedupGoal::Kind::kWeighted ? weighted : static_cast<double>(ipc.size()) / slowdowns;
}

}  // namespace warpvp
