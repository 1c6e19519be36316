#pragma once
// What the chip's assembler makes of PTX instructions that it has no single machine instruction for:
// divisions, roots, 64-bit integers, transcendental functions of numbers that may be denormal, ...
//
// An expansion costs what it costs on the chip (issue slots, units, latencies, fetched code), while its value
// comes from the one instruction of the program that computes it: the machine instructions before that one
// take time and do nothing else (Inst::is_part).

#include <string>
#include <vector>

#include "ptx/ir.h"
#include "ptx/program.h"

namespace warpvp::ptx::machine {

/// One machine instruction.
struct MachineStep {
  const char* name;  ///< the assembler's mnemonic, such as "FFMA"
  Unit unit;
  OpClass op_class;
  bool waits;  ///< for the result of the one before it
};
/// In order; the last one yields the value. Empty: one machine instruction, timed as classify() says.
using Expansion = std::vector<MachineStep>;

/// The form of an instruction by which its expansion is found: opcode and those suffixes and kinds of
/// operands that matter to the assembler, such as "div.rn.f32" or "bfe.b32 imm". Empty: it has none.
std::string form_of(const ir::Instruction& i);

/// Whether there is a shorter expansion where an earlier instruction has done that part.
bool has_shared_form(const ir::Instruction& i, ir::Shared part);

/// Of an instruction of that form.
const Expansion& expansion_of_form(const std::string& form);
inline const Expansion& expansion_of(const ir::Instruction& i) { return expansion_of_form(form_of(i)); }

/// Appends all steps but the last to `program`, and times `whole`, the instruction that is the last one and
/// whose other fields are complete, accordingly. `text`: that of the instruction.
void append_parts(const Expansion& steps, const std::string& text, Inst& whole, Program& program);

/// Appends the machine instructions of control flow that stand before `next`.
void append_control(const ir::ControlBefore& control, const Inst& next, Program& program);

/// All forms that have an expansion, sorted.
std::vector<std::string> expanded_forms();

}  // namespace warpvp::ptx::machine
