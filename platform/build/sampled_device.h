#pragma once
// What a work distributor that samples kernels (docs/sampling.md) is told of them: what their programs are
// like, and how many instructions the SMs have executed.

#include <memory>
#include <string>
#include <vector>

#include "modules/sm/kernel_images.h"
#include "modules/sm/sm.h"
#include "modules/work_distributor/sampler.h"

namespace warpvp {

/// Why CTAs of the program cannot be computed ahead of others, with the place in its PTX; empty: they can.
/// One that reads the time would read a wrong one. One that sleeps, or goes round until an atomic or a
/// volatile load of memory that CTAs share has some value, may wait for other CTAs or take their work. It is
/// found by the registers that decide where the instructions between a branch back and its target go on; what
/// decides it in another function, or through memory of the thread, is not seen.
std::string obstacle_to_sampling(const ptx::Program& program);

class SampledSms : public SampledDevice {
 public:
  /// Both outlive it.
  SampledSms(KernelImages& kernels, const std::vector<std::unique_ptr<Sm>>& sms)
      : kernels_(kernels), sms_(sms) {}

  std::string obstacle(std::uint64_t kernel_object, std::uint32_t launch) override;
  std::uint64_t detailed_instructions(std::uint32_t launch) const override;
  std::uint64_t functional_instructions(std::uint32_t launch) const override;

 private:
  KernelImages& kernels_;
  const std::vector<std::unique_ptr<Sm>>& sms_;
};

}  // namespace warpvp
