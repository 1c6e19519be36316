#pragma once
// What instructions of the RISC-V core cost.

#include <cstdint>

#include "base/fields.h"

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
  std::uint32_t burst_word = 1;

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
    v.field("burst_word", burst_word, "cycles",
            "Each word of a burst, which is moved to or from local memory; what the access takes comes on top.", c);
  }
};

}  // namespace warpvp
