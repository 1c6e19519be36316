#include "modules/work_distributor/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpvp {

std::vector<SkippedRange> plan_samples(const SamplingConfig& config, std::uint64_t ctas, std::uint64_t wave) {
  std::vector<SkippedRange> ranges;
  const std::uint64_t waves = ctas / wave;  // what is left of the grid is at its end, with the last of them
  if (waves == 0) return ranges;
  std::uint64_t at = config.warm_up;
  while (at + config.detail + 1 < waves) {
    const std::uint64_t skipped = std::min<std::uint64_t>(config.skip, waves - 1 - at - config.detail);
    ranges.push_back({at * wave, (at + config.detail) * wave, (at + config.detail + skipped) * wave});
    at += config.detail + skipped;
  }
  if (ranges.size() < config.least_samples) ranges.clear();
  return ranges;
}

std::uint64_t least_sampled_ctas(const SamplingConfig& config, std::uint64_t wave) {
  const std::uint64_t period = std::uint64_t{config.detail} + config.skip;
  return (config.warm_up + (config.least_samples - 1) * period + config.detail + 2) * wave;
}

Sampler::Sampler(const SamplingConfig& config, SampledDevice& device, std::uint64_t kernel_object,
                 std::uint32_t launch, std::uint64_t ctas, std::uint64_t wave)
    : device_(device),
      kernel_object_(kernel_object),
      launch_(launch),
      ranges_(plan_samples(config, ctas, wave)) {
  if (ranges_.empty())
    give_up(fmt::format("too short: {} CTAs, of which the SMs hold {} at once; sampled from {} on", ctas,
                        wave, least_sampled_ctas(config, wave)));
}

void Sampler::give_up(std::string why) {
  ranges_.clear();
  marks_.clear();
  to_be_read_ = false;
  result_.why_not = std::move(why);
}

void Sampler::company() {
  if (!any_skipped() && !ranges_.empty()) give_up("another kernel was on the device");
}

std::uint64_t Sampler::skip(std::uint64_t next, Cycle now, bool alone) {
  if (range_ == ranges_.size()) return next;
  const SkippedRange range = ranges_[range_];
  if (next == range.sample && range_ == 0) {
    if (!alone) {
      company();
      return next;
    }
    if (std::string why = device_.obstacle(kernel_object_, launch_); !why.empty()) {
      give_up(std::move(why));
      return next;
    }
  } else if (next == range.begin) {
    ++range_;
    result_.ctas_skipped += range.end - range.begin;
  } else {
    return next;
  }
  marks_.push_back({now, 0});
  to_be_read_ = true;
  return next == range.begin ? range.end : next;
}

void Sampler::read() {
  if (!std::exchange(to_be_read_, false)) return;
  marks_.back().instructions = device_.detailed_instructions(launch_);
}

bool Sampler::skipped(std::uint64_t number) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(range_), number,
                       [](std::uint64_t n, const SkippedRange& r) { return n < r.begin; });
  return after != ranges_.begin() && number < std::prev(after)->end;
}

void Sampler::settle() {
  if (!any_skipped()) return;
  std::vector<RatioSample> samples;
  for (std::size_t i = 1; i < marks_.size(); ++i)
    samples.push_back({static_cast<double>(marks_[i].instructions - marks_[i - 1].instructions),
                       static_cast<double>(marks_[i].cycle - marks_[i - 1].cycle)});
  const RatioEstimate estimate = ratio_estimate(samples);
  result_.samples = estimate.samples;
  result_.instructions_skipped = device_.functional_instructions(launch_);
  const auto size = static_cast<double>(result_.instructions_skipped);
  result_.cycles_per_instruction = estimate.ratio;
  result_.cycles_added = static_cast<std::uint64_t>(std::llround(estimate.value(size)));
  result_.half_width = estimate.half_width(size);
}

}  // namespace warpvp
