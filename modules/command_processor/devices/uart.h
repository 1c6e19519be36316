#pragma once
// The console: bytes out to whoever listens, bytes in from a prepared text.

#include <deque>
#include <functional>
#include <string>

#include "modules/command_processor/devices/device.h"

namespace warpvp {

class Uart : public Device {
 public:
  /// `send` takes each byte written; may be empty. `input` is what the firmware receives, from time zero on,
  /// as fast as it reads.
  Uart(sc_core::sc_module_name name, std::function<void(char)> send, const std::string& input = {});

  /// Called when a byte has become the oldest one received.
  std::function<void()> on_receive;
  bool has_input() const { return !input_.empty(); }
  std::uint64_t sent() const { return sent_; }

 private:
  void start_of_simulation() override {
    if (has_input() && on_receive) on_receive();
  }

  std::function<void(char)> send_;
  std::deque<char> input_;
  std::uint64_t sent_ = 0;
};

}  // namespace warpvp
