#include "modules/command_processor/devices/uart.h"

#include "interconnect/register_map.h"

namespace warpvp {

namespace uart = regmap::uart;

Uart::Uart(sc_core::sc_module_name name, std::function<void(char)> send, const std::string& input)
    : Device(name, "UART", uart::kBytes, "The firmware's console."),
      send_(std::move(send)),
      input_(input.begin(), input.end()) {
  block_.add({"DATA", uart::kData, 4, 1, 0, RegisterAccess::kReadWrite, 0,
              "Write: sends bits 7:0. Read: the oldest byte received, 0 when there is none; RX_POP drops it.",
              [this](unsigned) {
                return std::uint64_t{input_.empty() ? 0u : static_cast<unsigned char>(input_.front())};
              },
              [this](unsigned, std::uint64_t value) {
                ++sent_;
                if (send_) send_(static_cast<char>(value));
              }});
  block_.add({"STATUS", uart::kStatus, 4, 1, 0, RegisterAccess::kReadOnly, 0,
              "Bit 0: a byte has been received. Sending never waits.",
              [this](unsigned) { return std::uint64_t{has_input()}; }});
  block_.add({"RX_POP",
              uart::kRxPop,
              4,
              1,
              0,
              RegisterAccess::kWriteOnly,
              0,
              "Drops the oldest byte received; without one, nothing happens.",
              {},
              [this](unsigned, std::uint64_t) {
                if (input_.empty()) return;
                input_.pop_front();
                if (has_input() && on_receive) on_receive();
              }});
}

}  // namespace warpvp
