#include "base/ratio_estimate.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace warpvp {

namespace {
// In double as such, like the intervals over seeds (study/experiment/estimate.cpp).
using StudentsT = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;
}  // namespace

RatioEstimate ratio_estimate(const std::vector<RatioSample>& samples) {
  RatioEstimate estimate;
  estimate.samples = static_cast<unsigned>(samples.size());
  double sizes = 0, values = 0;
  for (const RatioSample& sample : samples) {
    sizes += sample.size;
    values += sample.value;
  }
  if (!(sizes > 0)) return estimate;
  estimate.ratio = values / sizes;
  estimate.mean_size = sizes / estimate.samples;
  if (estimate.samples < 2) return estimate;
  double squares = 0;
  for (const RatioSample& sample : samples) {
    const double off = sample.value - estimate.ratio * sample.size;
    squares += off * off;
  }
  estimate.spread = std::sqrt(squares / (estimate.samples - 1));
  return estimate;
}

// Of `units` further units of mean size: each scatters by itself, and all share the error of the ratio.
double RatioEstimate::half_width(double size) const {
  if (samples < 2 || !(mean_size > 0)) return 0;
  const double units = size / mean_size;
  const double t = boost::math::quantile(StudentsT(samples - 1), 0.975);
  return t * spread * std::sqrt(units * (1 + units / samples));
}

}  // namespace warpvp
