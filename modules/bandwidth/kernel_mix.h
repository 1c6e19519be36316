#pragma once
// The kernels that share the device, as a controller knows them: a kernel that is launched again and again is
// one of them all the time, whichever register and launch it has.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/cycle.h"
#include "base/sm_resources.h"
#include "interconnect/register_map.h"

namespace warpvp {

/// What the registers of SMs count of a kernel, summed over SMs.
struct KernelCounts {
  std::uint64_t requests = 0, reads = 0, answers = 0, dram_accesses = 0, demand = 0;
  std::uint64_t instructions = 0;  ///< of warps

  KernelCounts operator-(const KernelCounts& o) const {
    return {requests - o.requests,           reads - o.reads,   answers - o.answers,
            dram_accesses - o.dram_accesses, demand - o.demand, instructions - o.instructions};
  }
};

struct MixKernel {
  std::uint32_t context = 0;
  std::uint64_t object = 0;      ///< kernel descriptor; with the context, what tells kernels apart
  unsigned number = 0;           ///< counts kernels in the order in which they first came
  CtaNeeds needs;                ///< of one CTA
  std::optional<unsigned> slot;  ///< kernel status register while it runs
  Cycle left_at = 0;             ///< its last launch ended, while it does not run
  bool gone = false;             ///< it has not come again in time

  KernelCounts counts;                            ///< up to the last look
  std::vector<std::uint64_t> instructions_of_sm;  ///< of these counts, by SM
  /// What each SM's monitor had then, to be subtracted: requests to demand, 32 bits that wrap.
  std::vector<std::array<std::uint32_t, 5>> seen;
  std::vector<std::uint64_t> seen_instructions;
};

class KernelMix {
 public:
  /// A kernel starts in a slot. Returns it, and whether it is new to the mix.
  struct Arrival {
    MixKernel& kernel;
    bool joined;
  };
  Arrival start(unsigned slot, const regmap::wd::KernelSlotImage& image, const SmResources& sm) {
    MixKernel* known = nullptr;
    // Two launches of one kernel at a time are two that share the device.
    for (MixKernel& k : kernels_)
      if (k.context == image.context && k.object == image.kernel_object && !k.slot && !known) known = &k;
    const bool joined = known == nullptr || known->gone;
    if (known == nullptr) {
      known = &kernels_.emplace_back();
      known->context = image.context;
      known->object = image.kernel_object;
      known->number = static_cast<unsigned>(kernels_.size()) - 1;
    }
    known->needs = cta_needs(sm, image.block[0] * image.block[1] * image.block[2], image.registers_per_thread,
                             image.static_shared_bytes + image.dynamic_shared_bytes, image.barriers);
    known->slot = slot;
    known->gone = false;
    return {*known, joined};
  }
  /// nullptr: no kernel of the mix runs there.
  MixKernel* in_slot(unsigned slot) {
    for (MixKernel& k : kernels_)
      if (k.slot == slot) return &k;
    return nullptr;
  }
  /// Those that are not gone, in the order in which they first came.
  std::vector<MixKernel*> present() {
    std::vector<MixKernel*> out;
    for (MixKernel& k : kernels_)
      if (!k.gone) out.push_back(&k);
    return out;
  }
  const std::deque<MixKernel>& all() const { return kernels_; }

 private:
  std::deque<MixKernel> kernels_;  // keeps its elements' places
};

}  // namespace warpvp
