#pragma once
// Parameters of the RISC-V core.

#include <cstdint>

#include "base/fields.h"
#include "modules/command_processor/observe/config.h"
#include "modules/command_processor/riscv/costs.h"

namespace warpvp {

struct RiscvCoreConfig {
  double clock_mhz = 1000;
  std::uint32_t local_kib = 256;
  std::uint32_t quantum = 1000;
  std::uint64_t progress_limit = 10'000'000;
  std::uint64_t native_limit = 1'000'000'000;
  bool misaligned_traps = true;
  RiscvCosts costs;
  CoreObservationConfig observe;

  void fields(FieldVisitor& v) {
    v.field("clock_mhz", clock_mhz, "MHz", "Clock of the core.", Constraint::range(1, 10000));
    v.field("local_kib", local_kib, "KiB", "Local memory: code, data and stack of the firmware.",
            Constraint::range(16, 64 * 1024));
    v.field("quantum", quantum, "instructions",
            "How far the core may run ahead of the platform. Results do not depend on it.",
            Constraint::range(1, 1'000'000));
    v.field("progress_limit", progress_limit, "instructions",
            "A device fault after so many instructions without sleep or a store to a device that does more "
            "than print, "
            "time or interrupt; 0: no limit.",
            Constraint::at_least(0));
    v.field("native_limit", native_limit, "basic blocks",
            "Type native: a device fault after so many basic blocks of the firmware without an access to a "
            "device or sleep, none of which takes simulated time; 0: no limit.",
            Constraint::at_least(0));
    v.field("misaligned_traps", misaligned_traps,
            "Misaligned loads and stores trap; if not, local memory takes them.");
    v.group("costs", costs, "Cycles each class of instruction takes; all 0 makes firmware cost no time.");
    observe.fields(v);
  }
};

}  // namespace warpvp
