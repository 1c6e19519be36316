#pragma once
// How a user configures the command processor (`platform.command_processor` in YAML).

#include <string>
#include <vector>

#include "base/fields.h"
#include "interconnect/register_map.h"

namespace warpvp {

/// The core that runs the firmware.
struct CoreConfig {
  double clock_mhz = 1000;

  void fields(FieldVisitor& v) {
    v.field("clock_mhz", clock_mhz, "MHz", "Clock of the core.", Constraint::range(1, 100000));
  }
};

struct CommandProcessorConfig {
  std::string type = "hardware";
  std::uint32_t queues = 128;
  std::uint32_t parsers = 4;
  double parse_ns = 100;
  double parse_interval_ns = 2000;
  double dispatch_ns = 50;
  double signal_poll_ns = 0;
  std::string decisions;
  std::vector<std::uint32_t> parameters;
  std::string console = "terminal";
  std::string console_input;
  CoreConfig core;

  void fields(FieldVisitor& v);
};

}  // namespace warpvp
