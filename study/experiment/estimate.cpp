#include "study/experiment/estimate.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace warpvp {
namespace {
// In double as such: long double has constants that are computed when the program starts, which Valgrind's 64
// bits cannot.
using StudentsT = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;
}  // namespace

std::optional<Estimate> estimate(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  Estimate out;
  out.runs = values.size();
  const auto n = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / n;
  // Equal values have no spread; the sum above may be a rounding away from them.
  bool equal = true;
  for (const double value : values) equal = equal && value == values.front();
  if (equal) out.mean = values.front();
  if (values.size() == 1) return out;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  const double t = boost::math::quantile(StudentsT(n - 1), 0.975);
  out.half = t * std::sqrt(squares / (n - 1) / n);
  return out;
}

}  // namespace warpvp
