#pragma once
// The machine timer of the RISC-V privileged architecture, counting nanoseconds of simulated time.

#include <functional>

#include "modules/command_processor/devices/device.h"

namespace warpvp {

class Timer : public Device {
 public:
  explicit Timer(sc_core::sc_module_name name);

  /// Level of the timer interrupt, at every change.
  std::function<void(bool)> on_level;
  /// The interrupt is raised, or will be without further writes.
  bool armed() const;

 private:
  void compare();

  RegisterBlock::Id compare_;
  bool level_ = false;
  sc_core::sc_event due_;
};

}  // namespace warpvp
