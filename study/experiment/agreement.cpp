#include "study/experiment/agreement.h"

#include <cmath>

namespace warpvp {

std::optional<double> mean_relative_error(const std::vector<Compared>& pairs) {
  if (pairs.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [value, figure] : pairs) {
    if (figure == 0) return std::nullopt;
    sum += std::fabs(value / figure - 1);
  }
  return sum / static_cast<double>(pairs.size());
}

std::optional<double> log_correlation(const std::vector<Compared>& pairs) {
  if (pairs.size() < 2) return std::nullopt;
  double mean_x = 0, mean_y = 0;
  for (const auto& [value, figure] : pairs) {
    if (!(value > 0) || !(figure > 0)) return std::nullopt;
    mean_x += std::log(figure);
    mean_y += std::log(value);
  }
  mean_x /= static_cast<double>(pairs.size());
  mean_y /= static_cast<double>(pairs.size());
  double xx = 0, yy = 0, xy = 0;
  for (const auto& [value, figure] : pairs) {
    const double x = std::log(figure) - mean_x, y = std::log(value) - mean_y;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace warpvp
