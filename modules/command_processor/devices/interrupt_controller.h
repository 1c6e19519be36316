#pragma once
// Gathers the events around the core into its one external interrupt. Events are latched: each sets its bit
// in PENDING, where it stays until the firmware clears it.

#include <array>
#include <functional>

#include "interconnect/register_map.h"
#include "modules/command_processor/devices/device.h"

namespace warpvp {

class InterruptController : public Device {
 public:
  using Line = regmap::intc::Line;

  explicit InterruptController(sc_core::sc_module_name name);

  /// What RAW shows for a line; all lines must be given before the simulation starts.
  void set_level(Line line, std::function<bool()> level) { levels_[line] = std::move(level); }
  /// Latches an event of the line.
  void raise(Line line);
  /// Level of the external interrupt, at every change.
  std::function<void(bool)> on_level;
  /// Some line may interrupt.
  bool enabled() const { return block_.get(enable_) != 0; }

 private:
  void update();

  RegisterBlock::Id enable_;
  std::uint32_t latched_ = 0;
  bool level_ = false;
  std::array<std::function<bool()>, regmap::intc::kLines> levels_;
};

}  // namespace warpvp
