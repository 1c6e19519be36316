#pragma once
// Every instruction of forms(), one by one: programs without control flow in which each instruction computes
// from inputs alone, so that an answer belongs to one instruction.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx_reference/differential.h"

namespace warpvp::reference {

/// A program and the opcodes whose results it stores, each in a slot of kSlotBytes of every thread's output:
/// eight bytes of the first destination, four of a second one that is a predicate.
struct FormProgram {
  static constexpr std::size_t kSlotBytes = 16;
  static constexpr std::size_t kSlots = GeneratedProgram::kOutputBytes / kSlotBytes;
  GeneratedProgram program;
  std::vector<std::string> opcodes, instructions;  ///< by slot
  /// By slot: the opcode, with the form's operands where another form has it too.
  std::vector<std::string> names;
};

/// All opcodes that the forms allow, each kDraws times with different operands, on the same inputs: values
/// at which instructions turn. Always the same.
inline constexpr unsigned kDraws = 2;
std::vector<FormProgram> form_programs();

/// Whether PTX leaves open what an instruction of the program gives for the operands of a thread: two NaNs in
/// double precision, of which assemblers swap operands; a NaN that a conversion to its own type copies, or
/// does not; fns from the least offset there is.
bool left_open(const FormProgram& form, std::size_t slot, unsigned thread);
/// Digest of what the threads have in the slots of the opcode whose first draw is in `slot`, but for what is
/// left open.
std::uint32_t opcode_digest(const FormProgram& form, const std::vector<std::uint8_t>& out, std::size_t slot);
/// Digest of an outcome's memory, and of a program's text, launch and inputs.
std::uint32_t outcome_digest(const Outcome& outcome);
std::uint32_t program_digest(const GeneratedProgram& program);

/// Functions that the ISA allows to be approximate, with what it allows them. Programs of one operand compute
/// from a thread's %f0 (%g0), of two from %f0 and %f1.
struct ApproximateForm {
  const char* opcode;
  unsigned operands = 1;
  int bits = 32;  ///< of the type
};
const std::vector<ApproximateForm>& approximate_forms();
/// One program that computes all of them, slot by slot in that order, for kApproximatePoints threads: special
/// values first, then others.
inline constexpr unsigned kApproximatePoints = 128;
FormProgram approximate_program();
/// Operand `number` of thread `thread` in the program's input, for a form of so many bits.
std::uint64_t approximate_operand(const GeneratedProgram& program, unsigned thread, unsigned number,
                                  int bits);

}  // namespace warpvp::reference
