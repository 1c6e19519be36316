#pragma once
// What instructions compute from values alone, one thread at a time, as the pseudo-code of the PTX ISA manual
// has it.

#include <cstdint>
#include <functional>

#include "tests/ptx_reference/text.h"

namespace warpvp::reference {

/// Sources as their registers hold them, zero-extended to 64 bits; predicates are 0 or 1.
struct Sources {
  std::uint64_t s[5] = {};
  bool carry = false;  ///< CC.CF before
};
/// Destinations; the machine cuts them to the register's width, so narrow results come extended.
struct Results {
  std::uint64_t d = 0;
  std::uint64_t pair = 0;  ///< the second destination, where there is one
  bool carry = false;      ///< CC.CF after; only used by instructions with .cc
};
using ScalarOp = std::function<void(const Sources&, Results&)>;

/// The low `bits` of x.
std::uint64_t cut(std::uint64_t x, int bits);
/// x as a two's-complement or unsigned number of the type.
__int128 number_of(Type type, std::uint64_t x);
/// Of the numbers of an integer type.
inline __int128 greatest(Type t) { return (__int128{1} << (t.bits - (t.is_signed() ? 1 : 0))) - 1; }
inline __int128 least(Type t) { return t.is_signed() ? -(__int128{1} << (t.bits - 1)) : 0; }
/// A result of the type, extended to 64 bits as PTX widens narrow results.
std::uint64_t widened(Type type, std::uint64_t x);

/// Each returns an empty function for an instruction that is not its own.
ScalarOp integer_op(const Opcode& op);
ScalarOp bit_op(const Opcode& op);
ScalarOp float_op(const Opcode& op);
ScalarOp compare_op(const Opcode& op);
ScalarOp convert_op(const Opcode& op);
/// Needs the selectors of the operands beside the opcode.
ScalarOp video_op(const Instruction& in);
/// The one that has the instruction; ReferenceError if none has.
ScalarOp scalar_op(const Instruction& in);

}  // namespace warpvp::reference
