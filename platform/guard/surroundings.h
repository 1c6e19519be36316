#pragma once
// What is around the warps of a platform: whether it will do anything by itself, for the watchdog.

#include <string>

#include "base/outlook.h"

namespace warpvp {

class Platform;

/// What all that could change memory, or start, end or move a CTA, will do if the warps do nothing new: work
/// distributor, command processor, copy engines, PCIe link, hub, and CTAs on their way to or from an SM.
Outlook outlook_around_warps(Platform& platform);

/// A memory channel or copy engine will give an answer at a time that is settled.
bool answer_is_due(Platform& platform);

/// The PCIe link or the hub will pass something on at a time that is settled.
bool transfer_is_due(Platform& platform);

/// Commands, copies and kernels have ended, and nothing is on its way between host and device. Firmware that
/// goes on by itself does not count.
bool device_rests(Platform& platform);

/// A line for each kernel with CTAs that are not resident: how many, and what keeps them away.
std::string describe_missing_ctas(Platform& platform);

}  // namespace warpvp
