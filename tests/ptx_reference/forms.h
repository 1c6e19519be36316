#pragma once
// Instruction forms that compute from registers alone, as patterns the generator draws from.

#include <string>
#include <vector>

namespace warpvp::reference {

/// `opcode`: text with choices, {a|b} one of them, each as likely; an empty choice is nothing.
/// `operands`, separated by blanks: d or s (destination, source), then
///   T register of the first type; S of the last type; W of twice the first type; R, Z at least as wide as
///   the first or the last type; w a 32-bit word; c one in a register; l a lane number; p a predicate; x 64
///   bits; n a constant below 256; v a word with a selector of a byte or half-word; q with one of several
///   elements (see generator.cpp);
/// then |p for a second destination that is a predicate, and ! where it or the selector may not be missing.
struct Form {
  const char* opcode;
  const char* operands;
};

const std::vector<Form>& forms();

/// Whether some operands give another result on a chip than the manual says or leaves open; which opcodes,
/// and why, is in data/chip_differences.tsv.
bool differs_on_chips(const Form& form);
/// Whether the chip's assembler makes several instructions of it, the last of which acts whatever the guard
/// says (seen with the driver 580.159.04).
bool loses_guard_on_chips(const Form& form);

}  // namespace warpvp::reference
