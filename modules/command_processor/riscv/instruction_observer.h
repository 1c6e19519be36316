#pragma once
// What watches a core instruction by instruction: traces, profiles, checks. A core that is watched executes
// one instruction at a time; one that is not pays nothing.

#include <cstdint>
#include <string>

#include "modules/command_processor/riscv/csr.h"
#include "modules/command_processor/riscv/instruction.h"

namespace warpvp::riscv {

/// One instruction with what it did.
struct Step {
  std::uint64_t time_fs = 0;  ///< simulated time at which it started
  std::uint32_t pc = 0;
  Instruction instruction;
  // Memory it loads from or stores to; both for atomic operations. Known before it is executed.
  bool loads = false, stores = false;
  std::uint32_t address = 0;
  std::uint8_t bytes = 0;
  std::uint32_t stored = 0;  ///< the value; of an atomic operation, its operand
  // Known when it has been executed.
  std::uint32_t loaded = 0;    ///< what memory held, not extended
  std::uint32_t rd_value = 0;  ///< of register instruction.rd afterwards
  std::uint32_t next_pc = 0;
  std::uint64_t cycles = 0;  ///< it took, without waiting for devices
};

/// Entry into a trap handler.
struct TrapEntry {
  std::uint64_t time_fs = 0;
  std::uint32_t pc = 0;       ///< what mepc gets
  std::uint32_t cause = 0;    ///< what mcause gets: bit 31 is set for interrupts
  std::uint32_t value = 0;    ///< what mtval gets
  std::uint32_t handler = 0;  ///< where execution goes on
};

class InstructionObserver {
 public:
  virtual ~InstructionObserver() = default;
  /// About to be executed. Text that is not empty says why it must not be: it becomes a device fault that
  /// names this instruction.
  virtual std::string objection(const Step&) { return {}; }
  /// An instruction raises an exception, and a handler is about to be entered. Text that is not empty says why
  /// that is a device fault of that instruction, whatever the handler would do.
  virtual std::string objection(Cause, std::uint32_t /*value*/) { return {}; }
  virtual void executed(const Step&) {}
  virtual void trapped(const TrapEntry&) {}
};

}  // namespace warpvp::riscv
