#pragma once
// Parameters of the RISC-V core.

#include <cstdint>

#include "base/fields.h"
#include "modules/command_processor/observe/config.h"

namespace warpvp {

/// Cycles from the start of an instruction to the start of the next, by class. Defaults: a single-issue,
/// in-order microcontroller with tightly coupled memory.
struct RiscvCosts {
  std::uint32_t alu = 1;
  std::uint32_t multiply = 2;
  std::uint32_t divide = 33;
  std::uint32_t load = 2;
  std::uint32_t store = 1;
  std::uint32_t branch = 1;
  std::uint32_t branch_taken = 3;
  std::uint32_t jump = 2;
  std::uint32_t csr = 2;
  std::uint32_t atomic = 4;
  std::uint32_t trap = 4;
  std::uint32_t wake = 4;

  void fields(FieldVisitor& v) {
    const Constraint c = Constraint::range(0, 10000);
    v.field("alu", alu, "cycles", "Integer arithmetic, logic and fences.", c);
    v.field("multiply", multiply, "cycles", "Multiplication.", c);
    v.field("divide", divide, "cycles", "Division and remainder.", c);
    v.field("load", load, "cycles", "Load; from a device, what the access takes comes on top.", c);
    v.field("store", store, "cycles", "Store; to a device, what the access takes comes on top.", c);
    v.field("branch", branch, "cycles", "Conditional branch that is not taken.", c);
    v.field("branch_taken", branch_taken, "cycles", "Conditional branch that is taken.", c);
    v.field("jump", jump, "cycles", "Jump and call.", c);
    v.field("csr", csr, "cycles", "CSR access, fence.i, mret and wfi.", c);
    v.field("atomic", atomic, "cycles", "Load-reserved, store-conditional and atomic operation.", c);
    v.field("trap", trap, "cycles", "Entry into a trap handler.", c);
    v.field("wake", wake, "cycles", "From the interrupt to the next instruction, when wfi slept.", c);
  }
};

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
