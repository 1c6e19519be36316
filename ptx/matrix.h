#pragma once
// Matrix instructions (PTX ISA 9.7.14): forms, shapes, and how many registers of a thread hold its part of a
// matrix, its fragment.

#include <string>
#include <vector>

#include "ptx/opcode_table.h"

namespace warpvp::ptx {

/// Forms of mma, ldmatrix, stmatrix and movmatrix, part of opcode_forms().
const std::vector<OpcodeForm>& matrix_forms();
/// Meaning of a suffix that only matrix instructions have; false: it is none.
bool apply_matrix(const std::string& role, const std::string& name, Modifiers& m);

struct MatrixSize {
  unsigned m, n, k;
};
MatrixSize size_of(MatrixShape shape);
/// Of an element of a matrix; 0: of no type that matrices have.
unsigned element_bits(Type t);
/// m8n8k4 on f16: four products, each of a quarter of the warp's lanes (sm_70).
inline bool is_four_products(const Modifiers& m) {
  return m.matrix.shape == MatrixShape::m8n8k4 && m.matrix.a == Type::f16;
}

/// Selectors that the shape and the elements of mma.sp leave: below this (PTX ISA 9.7.14.6.1).
unsigned selectors_of(const Modifiers& m);

/// Multiply-adds of an instruction, as a binary logarithm; of mma.sp those with elements that A has.
unsigned log_multiply_adds(const Modifiers& m);

/// The registers that a thread has of a matrix, and of what type each is.
struct Fragment {
  unsigned registers;
  Type type;
};
enum class Matrix { kD, kA, kB, kC, kMetadata };
Fragment fragment_of(const Modifiers& m, Matrix matrix);
/// Of operand `operand` of an instruction.
Fragment fragment_of(const ir::Instruction& i, std::size_t operand);

}  // namespace warpvp::ptx
