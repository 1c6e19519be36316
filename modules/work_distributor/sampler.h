#pragma once
// Which CTAs of a kernel take cycles where kernels are sampled (`platform.sampling`, docs/sampling.md), and
// what those that take none would have taken.
//
// CTAs are taken in the order of their numbers, in waves of as many as the SMs hold. The first waves warm up.
// Then samples alternate with CTAs that are skipped: computed without cycles, at once, while the pipelines go
// on as they are. The last wave takes cycles again. A sample lasts from the edge at which its first CTA is
// issued to the edge at which the first CTA after it is.

#include <cstdint>
#include <string>
#include <vector>

#include "base/cycle.h"
#include "base/ratio_estimate.h"
#include "modules/work_distributor/sampling_config.h"

namespace warpvp {

/// What a sampling distributor asks the rest of the device.
class SampledDevice {
 public:
  virtual ~SampledDevice() = default;
  /// Why the kernel cannot be sampled, whatever its size; empty: it can.
  virtual std::string obstacle(std::uint64_t kernel_object, std::uint32_t launch) = 0;
  /// Warp instructions of the launch that have issued in cycle detail so far, on all SMs; and of its CTAs
  /// that were computed without.
  virtual std::uint64_t detailed_instructions(std::uint32_t launch) const = 0;
  virtual std::uint64_t functional_instructions(std::uint32_t launch) const = 0;
};

/// What became of a launch where kernels are sampled.
struct SampledKernel {
  std::string why_not;  ///< why all its CTAs took cycles; empty: it was sampled
  std::uint64_t ctas_skipped = 0;
  unsigned samples = 0;
  std::uint64_t instructions_skipped = 0;  ///< of warps
  std::uint64_t cycles_added = 0;          ///< for the CTAs skipped
  double half_width = 0;                   ///< of the 95 % interval around that, in cycles
  double cycles_per_instruction = 0;       ///< of the whole device, in the samples
};

/// CTAs [begin, end) are skipped; those from `sample` on, up to begin, are a sample.
struct SkippedRange {
  std::uint64_t sample = 0, begin = 0, end = 0;
};

/// Of a kernel of `ctas` CTAs in waves of `wave`; empty: it is too short.
std::vector<SkippedRange> plan_samples(const SamplingConfig& config, std::uint64_t ctas, std::uint64_t wave);
/// The least number of CTAs for which it is not.
std::uint64_t least_sampled_ctas(const SamplingConfig& config, std::uint64_t wave);

/// The account of one launch.
class Sampler {
 public:
  Sampler(const SamplingConfig& config, SampledDevice& device, std::uint64_t kernel_object,
          std::uint32_t launch, std::uint64_t ctas, std::uint64_t wave);

  /// CTA `next` is about to be issued at edge `now`. Returns the one to be issued instead: those before it
  /// are skipped. `alone`: no other kernel is on the device.
  std::uint64_t skip(std::uint64_t next, Cycle now, bool alone);
  /// Another kernel has come.
  void company();
  /// At the commit of an edge: takes the readings that belong to it.
  void read();

  /// CTA `number` was skipped.
  bool skipped(std::uint64_t number) const;
  /// Some were.
  bool any_skipped() const { return result_.ctas_skipped != 0; }
  /// All CTAs have ended: works out the result. At a commit.
  void settle();
  const SampledKernel& result() const { return result_; }

 private:
  void give_up(std::string why);

  SampledDevice& device_;
  std::uint64_t kernel_object_;
  std::uint32_t launch_;
  std::vector<SkippedRange> ranges_;
  std::size_t range_ = 0;  // that comes next
  struct Mark {
    Cycle cycle;
    std::uint64_t instructions;
  };
  std::vector<Mark> marks_;  // between samples
  bool to_be_read_ = false;  // the last one
  SampledKernel result_;
};

}  // namespace warpvp
