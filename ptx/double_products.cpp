#include "ptx/double_products.h"

#include "ptx/matrix.h"

namespace warpvp::ptx {

bool is_long_double_product(const ir::Instruction& i) {
  return i.opcode == Opcode::mma && i.modifiers.type == Type::f64 &&
         i.modifiers.matrix.shape != MatrixShape::m8n8k4;
}

// Of each block of four k, A has a register for the rows 0 to 7 and one for 8 to 15, B one; C and D have two
// for either half of the rows.
void expand_double_product(const ir::Instruction& i, const Replacement& to) {
  const auto vector = [](std::vector<ir::Operand> elements) {
    ir::Operand o;
    o.kind = ir::Operand::Kind::kVector;
    o.elements = std::move(elements);
    return o;
  };
  const auto elements = [](const ir::Operand& o) {
    return o.kind == ir::Operand::Kind::kVector ? o.elements : std::vector<ir::Operand>{o};
  };
  const auto new_register = [&] {
    ir::Operand o;
    o.kind = ir::Operand::Kind::kRegister;
    o.index = to.new_register(Type::f64);
    return o;
  };
  const std::vector<ir::Operand> a = elements(i.operands[1]), b = elements(i.operands[2]);
  std::vector<ir::Operand> sums = elements(i.operands[3]);
  // The halves in turn: each waits for its own sums alone.
  for (std::size_t block = 0; block < b.size(); ++block)
    for (std::size_t half = 0; half < 2; ++half) {
      const std::vector<ir::Operand> next = {new_register(), new_register()};
      to.add("mma", {"sync", "aligned", "m8n8k4", "row", "col", "f64", "f64", "f64", "f64"},
             {vector(next), vector({a[2 * block + half]}), vector({b[block]}),
              vector({sums[2 * half], sums[2 * half + 1]})},
             true, false);
      sums[2 * half] = next[0];
      sums[2 * half + 1] = next[1];
    }
  // Results may lie in registers of A, B or C.
  const std::vector<ir::Operand> d = elements(i.operands[0]);
  for (std::size_t n = 0; n < d.size(); ++n) to.add("mov", {"f64"}, {d[n], sums[n]}, true, true);
}

}  // namespace warpvp::ptx
