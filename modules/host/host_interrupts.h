#pragma once
// How the device interrupts a host that is somebody else's platform: a line, messages (MSI, PCI Local Bus
// Specification 3.0, section 6.8: a write of a word that the host chose to an address that it chose), or
// both. Registers at regmap::interrupts.
//
// There is one cause, that the command processor has written to host memory: a completion signal's mirror, a
// queue's error, a word of the firmware's. Bit 0 of PENDING says so until the host clears it. The line is
// high while it is set; a message is sent when it becomes set. So a host that clears it before it looks at
// its memory misses nothing.

#include <cstdint>
#include <functional>

#include "interconnect/register_block.h"

namespace warpvp {

class HostInterrupts {
 public:
  struct Outputs {
    std::function<void(bool level)> line;  ///< called when the level changes
    std::function<void(std::uint64_t address, std::uint32_t data)> message;
  };
  explicit HostInterrupts(Outputs outputs);
  HostInterrupts(const HostInterrupts&) = delete;

  /// The cause has occurred.
  void raise();
  RegisterBlock& registers() { return block_; }
  const RegisterBlock& registers() const { return block_; }

 private:
  void update();

  Outputs outputs_;
  RegisterBlock block_;
  RegisterBlock::Id message_address_, message_data_;
  std::uint32_t pending_ = 0, enabled_ = 0;
  bool level_ = false, sent_ = false;
};

}  // namespace warpvp
