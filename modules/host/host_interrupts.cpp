#include "modules/host/host_interrupts.h"

#include "modules/host/interrupt_registers.h"

namespace warpvp {

namespace reg = regmap::interrupts;

HostInterrupts::HostInterrupts(Outputs outputs)
    : outputs_(std::move(outputs)),
      block_("Interrupts to the host", reg::kBytes,
             "Where the host is somebody else's platform (`warpvp::Gpu`): how it hears that the command "
             "processor has written to its memory.") {
  block_.add({"PENDING", reg::kPending, 4, 1, 0, RegisterAccess::kReadWrite, 0,
              "Bit 0: the command processor has written to host memory. Writing 1 clears it.",
              [this](unsigned) { return std::uint64_t{pending_}; },
              [this](unsigned, std::uint64_t value) {
                pending_ &= ~static_cast<std::uint32_t>(value);
                update();
              }});
  block_.add({"ENABLE", reg::kEnable, 4, 1, 0, RegisterAccess::kReadWrite, 0,
              "Bit 0: the interrupt line is high while PENDING is not 0. Bit 1: a message is sent when "
              "PENDING becomes 1, or is 1 when messages are enabled.",
              [this](unsigned) { return std::uint64_t{enabled_}; },
              [this](unsigned, std::uint64_t value) {
                enabled_ = static_cast<std::uint32_t>(value) & (reg::kLine | reg::kMessages);
                update();
              }});
  message_address_ =
      block_.add(in_halves({"MESSAGE_ADDRESS", reg::kMessageAddress, 8, 1, 0, RegisterAccess::kReadWrite, 0,
                            "Where messages are written: an address of the host's platform."}));
  message_data_ = block_.add({"MESSAGE_DATA", reg::kMessageData, 4, 1, 0, RegisterAccess::kReadWrite, 0,
                              "The 32 bits that are written there."});
}

void HostInterrupts::raise() {
  pending_ |= reg::kHostMemoryWritten;
  update();
}

void HostInterrupts::update() {
  const bool level = pending_ != 0 && (enabled_ & reg::kLine) != 0;
  if (level != level_) {
    level_ = level;
    outputs_.line(level);
  }
  const bool due = pending_ != 0 && (enabled_ & reg::kMessages) != 0;
  if (due && !sent_)
    outputs_.message(block_.get(message_address_), static_cast<std::uint32_t>(block_.get(message_data_)));
  sent_ = due;
}

}  // namespace warpvp
