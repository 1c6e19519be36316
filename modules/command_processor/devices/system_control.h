#pragma once
// What the firmware asks about its machine, the apertures of its core, and the way to give up.

#include <array>
#include <functional>
#include <vector>

#include "interconnect/register_map.h"
#include "modules/command_processor/device_facts.h"
#include "modules/command_processor/devices/device.h"

namespace warpvp {

class SystemControl : public Device {
 public:
  struct Facts {
    std::uint32_t queues = 0, slots = 0, engines = 0, clock_khz = 0, signal_poll_ns = 0;
    std::uint32_t period_ns = 0, ageing_ns = 0;
    bool assisted = false;
    std::array<std::uint32_t, regmap::sysctl::kParameterCount> parameters = {};
    DeviceFacts device;
  };
  SystemControl(sc_core::sc_module_name name, const Facts& facts);

  /// Periods that the firmware says it missed.
  std::uint32_t late_ticks() const { return static_cast<std::uint32_t>(block_.get(late_ticks_)); }

  /// Words that the firmware has put into REPORT, up to the last one that it wrote.
  const std::vector<std::uint32_t>& reported() const { return reported_; }

  std::function<void(std::uint32_t code)> on_halt;
  /// Level of the software interrupt, at every write.
  std::function<void(bool)> on_software;
  std::function<void(unsigned aperture, std::uint64_t base)> on_aperture;

 private:
  RegisterBlock::Id late_ticks_;
  std::vector<std::uint32_t> reported_;
};

}  // namespace warpvp
