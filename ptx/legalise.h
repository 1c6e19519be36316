#pragma once
// Rewrites a function into what lowering and execution take directly.

#include <cstdint>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx {

/// A register of the constant bank: it has its value when a thread starts.
struct ConstantOperand {
  int reg = -1;
  /// A kernel parameter, extended from `type` to the register...
  int variable = -1;
  std::int64_t offset = 0;
  Type type = Type::kNone;
  bool module_scope = false;  ///< ... or of that variable of the module; Type::kNone: its address ...
  SpecialRegister special = SpecialRegister::kNone;  ///< ... or, where this is set, a launch dimension
};

struct LegalFunction {
  ir::Function function;
  /// By variable: offset in the frame of the function about to be called, for variables that carry arguments
  /// or results; -1 for the rest.
  std::vector<std::int64_t> outgoing;
  std::vector<ConstantOperand> constants;  ///< machine code only
};

/// After it:
///  - vectors are moved element by element, and what a function allocates on the stack is freed at its `ret`;
///  - special registers, addresses and predicate constants appear as sources of `mov` and `setp` only;
///  - parameters in registers are loaded on entry and stored before `ret`;
///  - the operands of every call are .param variables that lie in the callee's frame (copied there where the
///  text
///    uses a variable in a way that could not lie there all the time);
///  - calls of `vprintf`, `__assertfail`, `malloc` and `free` without bodies are single instructions on
///  registers;
///  - the code ends with an instruction behind which control never continues.
/// Throws InputError for calls of functions without body and of device functions that are not supported.
LegalFunction legalise(const ir::Module& m, const ir::Function& f);

/// Bytes a formal takes in a frame: its size up to a multiple of 16.
std::uint64_t formal_bytes(std::uint64_t bytes);

}  // namespace warpvp::ptx
