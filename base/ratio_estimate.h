#pragma once
// The ratio estimator of survey sampling, for a total of which samples are known: here cycles of CTAs whose
// instructions alone were counted.

#include <vector>

namespace warpvp {

/// One sample: what is known of all units, and what of the samples alone.
struct RatioSample {
  double size = 0;   ///< warp instructions
  double value = 0;  ///< cycles
};

/// value = ratio * size, as the samples have it.
struct RatioEstimate {
  unsigned samples = 0;
  double ratio = 0;      ///< sum of values over sum of sizes
  double mean_size = 0;  ///< of a sample
  /// Standard deviation of value - ratio * size over the samples, with samples - 1 degrees of freedom.
  double spread = 0;

  /// Of the value of units outside the samples that have `size` together.
  double value(double size) const { return ratio * size; }
  /// Half the width of the 95 % prediction interval of that value: Student's t times the standard error, to
  /// which the ratio's error and the units' own scatter both add. It supposes samples that are independent
  /// and about normally distributed. 0 for fewer than two samples.
  double half_width(double size) const;
};

/// `samples` have a positive size in sum, or there are none.
RatioEstimate ratio_estimate(const std::vector<RatioSample>& samples);

}  // namespace warpvp
