#include "modules/command_processor/devices/interrupt_controller.h"

namespace warpvp {

namespace intc = regmap::intc;

InterruptController::InterruptController(sc_core::sc_module_name name)
    : Device(name, "Interrupt controller", intc::kBytes,
             "One bit a line: 0 a queue's head became ready, 1 an event was queued, 2 the host sent a word, "
             "3 the "
             "console received a byte. PENDING & ENABLE != 0 raises MEIP of the core.") {
  constexpr std::uint32_t kAll = (1u << intc::kLines) - 1;
  block_.add({"PENDING", intc::kPending, 4, 1, 0, RegisterAccess::kReadWrite, 0,
              "Lines on which something happened; writing 1 to a bit clears it.",
              [this](unsigned) { return std::uint64_t{latched_}; },
              [this](unsigned, std::uint64_t value) {
                latched_ &= ~static_cast<std::uint32_t>(value);
                update();
              }});
  enable_ = block_.add({"ENABLE",
                        intc::kEnable,
                        4,
                        1,
                        0,
                        RegisterAccess::kReadWrite,
                        0,
                        "Lines that may interrupt.",
                        {},
                        [this](unsigned, std::uint64_t value) {
                          block_.set(enable_, value & kAll);
                          update();
                        }});
  block_.add({"RAW", intc::kRaw, 4, 1, 0, RegisterAccess::kReadOnly, 0,
              "What is there now: a ready head, an event, a word, a byte.", [this](unsigned) {
                std::uint64_t bits = 0;
                for (unsigned i = 0; i < intc::kLines; ++i)
                  if (levels_[i] && levels_[i]()) bits |= 1u << i;
                return bits;
              }});
}

void InterruptController::raise(Line line) {
  latched_ |= 1u << line;
  update();
}

void InterruptController::update() {
  const bool level = (latched_ & block_.get(enable_)) != 0;
  if (level == level_) return;
  level_ = level;
  if (on_level) on_level(level);
}

}  // namespace warpvp
