#pragma once
// What the passes must know of one instruction: what it does besides computing its destinations, and what of
// memory it touches.

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Which other instructions an instruction may change places with.
enum class Order : std::uint8_t {
  kPure,     ///< depends on registers and constants alone; no effect but its destinations
  kMemory,   ///< loads, stores, atomics: see MemoryUse
  kOrdered,  ///< barriers, fences, shuffles, votes, ...: keeps its place among these and all memory accesses
  kFixed,    ///< branches, calls, clocks, text, ...: keeps its place among all instructions
};
Order order_of(const ir::Instruction& i);

bool reads_carry(const ir::Instruction& i);
bool writes_carry(const ir::Instruction& i);

/// Whether a second execution with the same operands gives the same result, and the result is not missed when
/// it is not used: kPure, and loads from a kernel's parameters (never written, always there).
bool is_value(const ir::Function& f, const ir::Instruction& i);

/// The memory that an instruction of Order::kMemory touches.
struct MemoryUse {
  const ir::Operand* address = nullptr;  ///< null: not known
  /// Where its bytes lie; kNone and kGeneric: any but const and param. Function parameters that pointers
  /// reach are kLocal.
  Space space = Space::kNone;
  unsigned bytes = 0;
  bool writes = false;
  bool ordered = false;  ///< volatile, relaxed, acquire, release, atomic with such: keeps its place among all
  bool read_only = false;  ///< what it reads never changes while the kernel runs
};
MemoryUse memory_use(const ir::Function& f, const ir::Instruction& i);

/// Whether `a` and `b`, in this order and with registers that keep their values in between, may touch the
/// same bytes so that their order matters, or are ordered by PTX's memory model.
bool must_stay_in_order(const ir::Module& m, const ir::Function& f, const MemoryUse& a, const MemoryUse& b);

/// A kernel parameter named by an address.
bool is_kernel_parameter(const ir::Function& f, const ir::Operand& address);

/// Special registers that have one value while a thread runs.
bool is_constant(SpecialRegister r);

}  // namespace warpvp::ptx::machine
