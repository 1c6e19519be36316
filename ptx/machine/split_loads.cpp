#include "ptx/machine/split_loads.h"

#include <string>
#include <utility>
#include <vector>

#include "ptx/machine/alignment.h"
#include "ptx/machine/edit.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

// Elements [first, first + count) of a vector load.
ir::Instruction part_of(const ir::Instruction& i, unsigned first, unsigned count) {
  ir::Instruction part = i;
  const std::string vector = ".v" + std::to_string(unsigned{i.vector});
  part.vector = static_cast<std::uint8_t>(count);
  part.mnemonic.replace(part.mnemonic.find(vector), vector.size(),
                        count == 1 ? "" : ".v" + std::to_string(count));
  const std::vector<ir::Operand>& all = i.operands[0].elements;
  if (count == 1)
    part.operands[0] = all[first];
  else
    part.operands[0].elements.assign(all.begin() + first, all.begin() + first + count);
  part.operands[1].offset += std::int64_t{first} * type_bytes(i.modifiers.type);
  return part;
}

}  // namespace

void split_constant_loads(const ir::Module& m, ir::Function& f) {
  const Alignments alignments(m, f);
  std::vector<ir::Instruction> code;
  std::vector<std::uint32_t> position;
  for (ir::Instruction& i : f.code) {
    position.push_back(static_cast<std::uint32_t>(code.size()));
    const unsigned bytes = type_bytes(i.modifiers.type) * i.vector;
    if (i.opcode != Opcode::ld || i.space != Space::kConst || i.is_volatile || bytes <= kConstantWidth ||
        i.operands.size() != 2 || i.operands[0].kind != Kind::kVector ||
        alignments.of(i.operands[1]) < bytes) {
      code.push_back(std::move(i));
      continue;
    }
    const unsigned half = i.vector / 2u;
    // Neither overwrites the address: nothing is proven of a register that a load writes.
    code.push_back(part_of(i, 0, half));
    code.push_back(part_of(i, half, half));
  }
  position.push_back(static_cast<std::uint32_t>(code.size()));
  replace_code(f, std::move(code), position);
}

}  // namespace warpvp::ptx::machine
