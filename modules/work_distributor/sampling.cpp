// The distributor where kernels are sampled: CTAs that are skipped go to SMs beside those that take cycles,
// and their kernel ends later by as much as they would have taken.
#include <fmt/format.h>

#include <algorithm>

#include "modules/work_distributor/status_register_distributor.h"

namespace warpvp {

std::uint64_t StatusRegisterDistributor::number_of(unsigned slot, const std::uint32_t (&cta)[3]) const {
  const regmap::wd::KernelSlotImage& image = slots_[slot].image;
  return cta[0] + image.grid[0] * (cta[1] + std::uint64_t{image.grid[1]} * cta[2]);
}

bool StatusRegisterDistributor::skipped(unsigned slot, const std::uint32_t (&cta)[3]) const {
  const Sampler* const sampler = slots_[slot].sampler.get();
  return sampler != nullptr && sampler->any_skipped() && sampler->skipped(number_of(slot, cta));
}

void StatusRegisterDistributor::begin_sampling(unsigned slot) {
  for (Slot& other : slots_)
    if (other.sampler) other.sampler->company();
  const KernelRecord& record = records_[slots_[slot].record];
  const std::uint64_t wave = std::uint64_t{record.needs.most_ctas} * state_.sm_count();
  slots_[slot].sampler = std::make_unique<Sampler>(sampling_, *sampled_, record.kernel_object,
                                                   record.launch_id, record.ctas, wave);
}

bool StatusRegisterDistributor::skip_ctas(unsigned index, Cycle now) {
  const ResidentKernel& kernel = state_.kernels()[index];
  bool alone = true;
  for (const ResidentKernel& other : state_.kernels()) {
    if (other.slot == kernel.slot) continue;
    const Sampler* const sampler = slots_[other.slot].sampler.get();
    if (sampler != nullptr && sampler->any_skipped() && records_[slots_[other.slot].record].ended == kNever) {
      if (fault_) return false;
      fault_.emplace().what = fmt::format(
          "launch {} began while CTAs of launch {} are skipped (platform.sampling.skip): kernels that run at "
          "once cannot be sampled; let one wait for the other, or set platform.sampling.skip: 0",
          kernel.launch_id, other.launch_id);
      return false;
    }
    alone &= other.over();
  }
  Sampler& sampler = *slots_[kernel.slot].sampler;
  const std::uint64_t first = kernel.issued, next = sampler.skip(first, now, alone);
  if (next == first) return true;
  for (std::uint64_t cta = first; cta < next; ++cta) {
    do next_skipping_sm_ = (next_skipping_sm_ + 1) % state_.sm_count();
    while (!kernel.started[next_skipping_sm_]);
    SmSetup setup;
    setup.cta = cta;
    launches_.push_back({next_skipping_sm_, make_launch(kernel.slot, cta), setup, true});
  }
  stats_.ctas_issued += next - first;
  state_.skip_to(index, next);
  return true;
}

bool StatusRegisterDistributor::ends_later(unsigned slot) {
  if (!slots_[slot].sampler || !slots_[slot].sampler->any_skipped() || state_.find(slot)->killed)
    return false;
  to_be_settled_.push_back(slot);
  return true;
}

// In the commit, as SMs count while others evaluate.
void StatusRegisterDistributor::read_samples(Cycle now) {
  for (Slot& slot : slots_)
    if (slot.sampler) slot.sampler->read();
  for (const unsigned slot : to_be_settled_) {
    Sampler& sampler = *slots_[slot].sampler;
    sampler.settle();
    skipping_.put(now + std::max<Cycle>(1, sampler.result().cycles_added), slot);
  }
  to_be_settled_.clear();
}

void StatusRegisterDistributor::finish_skipped(Cycle now) {
  skipping_.take(now, [&](unsigned slot) { end(slot, now); });
}

}  // namespace warpvp
