#pragma once
// The kinds of core that can run the command processor's firmware, by their names in YAML. A new kind is one
// line in core_types.cpp.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/command_processor/core/firmware_core.h"

namespace warpvp {

struct CommandProcessorConfig;

using CoreFactory =
    std::function<std::unique_ptr<FirmwareCore>(const CommandProcessorConfig& config, CoreSurroundings)>;

struct CoreTypeInfo {
  std::string name, doc;
};
/// Values of command_processor.type that share the hardware queues: `hardware` and all kinds of cores.
std::vector<CoreTypeInfo> command_processor_types();
/// How to make a core of that type; empty for `hardware`.
CoreFactory core_factory(const std::string& type);

/// The statistics of a type of core, with any values.
struct CoreStats {
  void (*visit)(StatVisitor&) = nullptr;  ///< nullptr: there is no core
  void stats(StatVisitor& v) const { visit(v); }
};
CoreStats core_stats(const std::string& type);

}  // namespace warpvp
