#include "modules/command_processor/core/firmware_core.h"

#include <iterator>

#include "interconnect/register_map.h"

namespace warpvp {

// Firmware that has lost its way may still print, clear interrupts and set its timer.
bool FirmwareCore::counts_as_progress(std::uint32_t address) {
  const auto within = [address](std::uint64_t base, std::uint64_t bytes) {
    return address >= base && address - base < bytes;
  };
  return !within(regmap::uart::kBase, regmap::uart::kBytes) &&
         !within(regmap::timer::kBase, regmap::timer::kBytes) &&
         !within(regmap::intc::kBase, regmap::intc::kBytes);
}

std::string FirmwareCore::describe_surroundings() const {
  const std::string recent = bus.describe_recent();
  std::string text =
      recent.empty() ? "no device register was accessed\n" : "last accesses to device registers:\n" + recent;
  if (!surroundings_.describe_queues) return text;
  const std::string queues = surroundings_.describe_queues();
  return text + (queues.empty() ? "all queues are empty\n" : "queues:\n" + queues);
}

std::string FirmwareCore::gave_up(std::uint32_t code) {
  // sw/firmware/hal/codes.h, enum fw_halt
  static const char* const reasons[] = {"",
                                        "an unexpected trap",
                                        "a failed assertion",
                                        "a policy that broke its contract",
                                        "a device that said what it cannot say",
                                        "the end of main"};
  std::string text = "the firmware gave up with code " + std::to_string(code);
  if (code > 0 && code < std::size(reasons)) text += std::string(" (") + reasons[code] + ")";
  return text;
}

}  // namespace warpvp
