#include "platform/guard/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "modules/sm/cta_table.h"
#include "modules/sm/warp_slot.h"
#include "platform/build/platform.h"
#include "ptx/exec/warp.h"

namespace warpvp {

namespace {

template <class Block>
Outlook outlook_of(const Block& block, Outlook unknown) {
  const auto* foreseeing = dynamic_cast<const Foreseeing*>(&block);
  return foreseeing ? foreseeing->outlook() : unknown;
}

/// What the distributor has sent and not been told the end of is on the SMs: nothing is on its way.
bool all_ctas_have_arrived(Platform& platform) {
  const WorkDistributorStats sent = platform.distributor().statistics();
  std::uint64_t resident = 0;
  for (const auto& sm : platform.sms()) resident += sm->resident_ctas();
  return sent.ctas_issued ==
         resident + sent.ctas_done + sent.ctas_saved + sent.ctas_dropped + sent.ctas_killed;
}

}  // namespace

Outlook outlook_around_warps(Platform& platform) {
  Outlook most = outlook_of(platform.distributor(), Outlook::kActs);
  most = std::max(most, outlook_of(platform.command_processor(), Outlook::kActs));
  most = std::max(most, outlook_of(platform.pcie(), Outlook::kActs));
  most = std::max(most, platform.hub().outlook());
  if (platform.bandwidth_controller())
    most = std::max(most, outlook_of(*platform.bandwidth_controller(), Outlook::kActs));
  for (const auto& engine : platform.dma())
    most = std::max(most, outlook_of(*engine, engine->busy() ? Outlook::kActs : Outlook::kRests));
  return all_ctas_have_arrived(platform) ? most : Outlook::kActs;
}

bool answer_is_due(Platform& platform) {
  for (const auto& channel : platform.memory_system().channels())
    if (outlook_of(*channel, Outlook::kRests) == Outlook::kActs) return true;
  for (const auto& engine : platform.dma())
    if (outlook_of(*engine, Outlook::kRests) == Outlook::kActs) return true;
  return false;
}

bool transfer_is_due(Platform& platform) {
  return outlook_of(platform.pcie(), Outlook::kRests) == Outlook::kActs ||
         platform.hub().outlook() == Outlook::kActs;
}

bool device_rests(Platform& platform) {
  if (!platform.command_processor().at_rest() || platform.hub().outlook() != Outlook::kRests) return false;
  if (platform.pcie().sending() || outlook_of(platform.pcie(), Outlook::kRests) != Outlook::kRests)
    return false;
  return std::none_of(platform.dma().begin(), platform.dma().end(),
                      [](const auto& engine) { return engine->busy(); });
}

std::string describe_missing_ctas(Platform& platform) {
  std::map<std::uint32_t, std::set<const ptx::Cta*>> resident;  // by launch
  for (const auto& sm : platform.sms()) {
    if (sm->warps() == nullptr) continue;
    for (const WarpSlot* slot : sm->warps()->slots())
      if (slot->state != WarpState::kFree && slot->stream->as_ptx())
        resident[slot->launch->record.launch_id].insert(&slot->stream->as_ptx()->cta());
  }
  std::string text;
  for (const KernelRecord& kernel : platform.distributor().records()) {
    const std::uint64_t here = resident[kernel.launch_id].size() + kernel.ctas_done;
    if (kernel.finished() || here >= kernel.ctas) continue;
    text += fmt::format(
        "  {} of the {} CTAs of launch {} are not resident: they get no SM before another CTA ends",
        kernel.ctas - here, kernel.ctas, kernel.launch_id);
    if (kernel.needs.most_ctas != 0)
      text += fmt::format(" (an SM holds {}, by {})", kernel.needs.most_ctas, kernel.needs.limited_by);
    text += '\n';
  }
  return text;
}

}  // namespace warpvp
