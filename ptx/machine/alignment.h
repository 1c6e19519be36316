#pragma once
// What is known of the alignment of addresses.

#include <cstdint>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Bytes at whose multiples lowering places a variable, at least what it declares. The machine's assembler
/// lays out shared and constant memory itself and aligns what is long enough for its widest access.
std::uint32_t placed_alignment(const ir::Variable& v);

/// The alignment of every value of a function, whichever of its definitions a register has at a time: what
/// loops add to an address counts too.
class Alignments {
 public:
  /// `m` and `f` must outlive it; made anew when code changes.
  Alignments(const ir::Module& m, const ir::Function& f);

  /// The greatest power of two, 16 at most, that is proven to divide the address: 1 when nothing is known.
  unsigned of(const ir::Operand& address) const;

 private:
  unsigned of_operand(const ir::Operand& o) const;
  unsigned of_variable(const ir::Operand& o) const;
  unsigned of_result(const ir::Instruction& i) const;

  const ir::Module& m_;
  const ir::Function& f_;
  std::vector<unsigned> zeros_;  // by register: low bits that are zero in all its values
};

}  // namespace warpvp::ptx::machine
