#pragma once
// How a user configures the command processor (`platform.command_processor` in YAML).

#include <string>
#include <vector>

#include "base/fields.h"
#include "interconnect/register_map.h"
#include "modules/command_processor/riscv_core/config.h"

namespace warpvp {

struct CommandProcessorConfig {
  std::string type = "riscv";  ///< the registered name
  std::string firmware = "rr";
  std::uint32_t queues = 128;  ///< the platform's
  std::uint32_t parsers = 4;
  double parse_ns = 100;
  double parse_interval_ns = 2000;
  double dispatch_ns = 50;
  double signal_poll_ns = 0;
  std::string decisions;
  std::vector<std::uint32_t> parameters;
  double period_us = 100;
  double ageing_us = 0;
  std::string assisted_core = "riscv";
  std::string console = "terminal";
  std::string console_input;
  RiscvCoreConfig core;

  /// All but `type` and `queues`.
  void fields(FieldVisitor& v);
};

}  // namespace warpvp
