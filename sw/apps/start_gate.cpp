#include "sw/apps/start_gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "interconnect/host_interface.h"
#include "interconnect/register_map.h"

namespace warpvp::apps {

namespace wd = regmap::wd;

namespace {
// Between two looks at the registers: short beside a launch, long beside a read over PCIe.
const SimTime kLook = SimTime::from_ns(500);
}  // namespace

StartGate::StartGate(rt::Runtime& device, unsigned kernels) : host_(device.host()) {
  host_.read(wd::kBase + wd::kSlotCount, &slots_, sizeof slots_);
  if (kernels > slots_)
    throw InputError(fmt::format(
        "{} kernels cannot start together: work_distributor.slots is {}; allowed: at most that many kernels",
        kernels, slots_));
  for (unsigned s = 0; s < slots_; ++s) hold(s, 1);
}

void StartGate::open(const std::vector<rt::Stream>& streams, SimTime gap) {
  std::vector<unsigned> slots = waiting(streams);
  while (slots.size() < streams.size()) {
    host_.sleep(kLook);
    slots = waiting(streams);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i > 0 && gap != SimTime{}) host_.sleep(gap);
    hold(slots[i], 0);
  }
  for (unsigned s = 0; s < slots_; ++s)
    if (std::find(slots.begin(), slots.end(), s) == slots.end()) hold(s, 0);
}

/// The register of each stream's kernel, as far as they have come.
std::vector<unsigned> StartGate::waiting(const std::vector<rt::Stream>& streams) {
  std::vector<unsigned> slots;
  for (const rt::Stream& stream : streams) {
    for (unsigned s = 0; s < slots_; ++s) {
      std::uint32_t status = 0, of = 0;
      host_.read(wd::slot(s) + wd::kSlotStatus, &status, sizeof status);
      if (status != static_cast<std::uint32_t>(wd::SlotStatus::kRunning)) continue;
      host_.read(wd::slot(s) + offsetof(wd::KernelSlotImage, stream), &of, sizeof of);
      if (of != stream.id) continue;
      slots.push_back(s);
      break;
    }
  }
  return slots;
}

void StartGate::hold(unsigned slot, std::uint32_t value) {
  host_.write(wd::slot(slot) + wd::kSlotHold, &value, sizeof value);
}

}  // namespace warpvp::apps
