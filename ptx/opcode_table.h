#pragma once
// The grammar of instructions: for every mnemonic, which suffixes may follow it, in which order, and which
// operands it takes (PTX ISA chapter 9.7).

#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx {

/// One way to write an instruction. The text forms are documented in opcode_table.cpp, beside the table.
struct OpcodeForm {
  Opcode opcode;
  const char* mnemonic;
  const char* suffixes;
  const char* operands;
};

/// Which types an operand of a form may have.
enum class OperandClass : std::uint8_t {
  kType,    ///< the instruction type
  kSource,  ///< the source type
  kWide,    ///< twice the instruction type
  kPredicate,
  kWord,         ///< any 32-bit integer
  kLong,         ///< any 64-bit integer
  kWideType,     ///< register at least as wide as the instruction type (ld, st, cvt)
  kWideSource,   ///< register at least as wide as the source type (cvt)
  kMove,         ///< mov: register, vector, constant, address or special register of the instruction type
  kAddressOf,    ///< cvta: address in a register or of a variable
  kImmediate,    ///< integer constant
  kCoordinates,  ///< of a texture or surface: a vector, the layer first, without what PTX ignores
  kLevel,        ///< level of detail: a scalar of the type of the coordinates
  kGradient,     ///< vector of as many f32 as there are coordinates without the layer
  kMemory,       ///< [address]
  kSingle,       ///< f32: a register or constant
  kPolicy,       ///< cache policy, 64-bit; written if and only if the instruction has .L2::cache_hint
  kFragment,     ///< vector of registers: a thread's part of a matrix (ptx/matrix.h)
  kVideo,        ///< 32-bit integer with an optional selector (ir::Operand::selector)
};

/// One operand of a form, decoded from its text.
struct OperandSpec {
  bool destination = false, optional = false, pair = false, vector = false;
  OperandClass what = OperandClass::kType;
};

/// The operands of a form, in order.
const std::vector<OperandSpec>& operand_specs(const OpcodeForm& form);

/// Which operands of a form an instruction with `count` operands has: one entry for each of operand_specs(),
/// nullptr for an optional one that is missing. False when the number does not fit.
bool written_operands(const OpcodeForm& form, const Modifiers& m, std::size_t count,
                      std::vector<const OperandSpec*>& written);

/// What a written instruction's suffixes mean.
struct OpcodeMatch {
  const OpcodeForm* form = nullptr;
  Modifiers modifiers;
  Space space = Space::kNone;
  CacheOp cache = CacheOp::kNone;
  bool is_volatile = false, uniform = false;
  unsigned vector = 1;
};

/// Why no form matched: suffix number `at` (counted from 0; the number of suffixes when more were expected)
/// is wrong, or, with at == -1, the mnemonic is.
struct OpcodeMismatch {
  int at = -1;
  std::string message;
};

/// Matches a mnemonic with its suffixes, in the order of the table or, failing that, in another one. Returns
/// true and fills `match`, or false and fills `mismatch`.
bool match_opcode(std::string_view mnemonic, const std::vector<std::string_view>& written, OpcodeMatch& match,
                  OpcodeMismatch& mismatch);

/// Whether `name` begins an instruction that the table has.
bool is_mnemonic(std::string_view name);
/// All forms, in table order.
const std::vector<OpcodeForm>& opcode_forms();

/// Type of a suffix such as "u32"; kNone if it is none.
Type type_of(std::string_view suffix);
/// Special register "%tid.x" by name, kNone if unknown.
SpecialRegister special_register(std::string_view name);
/// "%tid.x"
const std::string& special_register_name(SpecialRegister r);
/// Type that reading it yields: u32 or u64.
Type special_register_type(SpecialRegister r);
/// First of the four components of a vector such as "%tid", kNone if `name` is none.
SpecialRegister special_vector(std::string_view name);

}  // namespace warpvp::ptx
