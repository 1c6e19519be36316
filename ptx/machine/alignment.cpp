#include "ptx/machine/alignment.h"

#include <algorithm>

#include "ptx/liveness.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

constexpr unsigned kWidest = 16;  // bytes of an access
constexpr unsigned kMostBits = 4;

unsigned zeros_of(std::uint64_t bits) {
  unsigned n = 0;
  while (n < kMostBits && (bits >> n & 1) == 0) ++n;
  return n;
}

}  // namespace

// Low bits that are zero in all values that a register is ever given, from the most that is possible down to
// what its definitions leave of it: each pass over them can only take bits away.
Alignments::Alignments(const ir::Module& m, const ir::Function& f)
    : m_(m), f_(f), zeros_(f.registers.size(), kMostBits) {
  std::vector<int> written;
  std::vector<bool> defined(zeros_.size(), false);
  for (const ir::Instruction& i : f.code) {
    registers_written(i, written);
    for (const int r : written) defined[static_cast<std::size_t>(r)] = true;
  }
  for (std::size_t r = 0; r < zeros_.size(); ++r)
    if (!defined[r]) zeros_[r] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Instruction& i : f.code) {
      registers_written(i, written);
      if (written.empty()) continue;
      const unsigned result = of_result(i);
      for (const int r : written) {
        unsigned& zeros = zeros_[static_cast<std::size_t>(r)];
        changed |= result < zeros;
        zeros = std::min(zeros, result);
      }
    }
  }
}

unsigned Alignments::of_operand(const ir::Operand& o) const {
  switch (o.kind) {
    case Kind::kInteger:
      return zeros_of(o.bits);
    case Kind::kRegister:
      return zeros_[static_cast<std::size_t>(o.index)];
    case Kind::kVariable:
      return of_variable(o);
    default:
      return 0;
  }
}

// Addresses in depots are not laid out by declaration alone; those of functions and texture handles are
// numbers.
unsigned Alignments::of_variable(const ir::Operand& o) const {
  const auto index = static_cast<std::size_t>(o.index);
  const ir::Variable& v = o.module_scope ? m_.variables[index] : f_.variables[index];
  if (v.space != Space::kShared && v.space != Space::kConst && v.space != Space::kGlobal) return 0;
  return std::min(zeros_of(placed_alignment(v)), zeros_of(static_cast<std::uint64_t>(o.offset)));
}

unsigned Alignments::of_result(const ir::Instruction& i) const {
  const auto source = [&](std::size_t k) { return of_operand(i.operands[k]); };
  const Type type = i.modifiers.type;
  if (i.dst_count != 1 || i.operands[0].kind != Kind::kRegister) return 0;
  if (is_float(type) || is_packed(type) || type == Type::pred || i.modifiers.sat || i.modifiers.cc) return 0;
  switch (i.opcode) {
    case Opcode::mov:
      return i.operands[1].kind == Kind::kVector ? 0 : source(1);
    case Opcode::cvta:
      // The windows of generic addresses are far more aligned than an access is wide.
      return source(1);
    case Opcode::add:
    case Opcode::sub:
    case Opcode::or_:
    case Opcode::xor_:
      return std::min(source(1), source(2));
    case Opcode::and_:
      return std::max(source(1), source(2));
    case Opcode::mul:
      return i.modifiers.mul == MulMode::hi ? 0 : std::min(kMostBits, source(1) + source(2));
    case Opcode::mad:
      return i.modifiers.mul == MulMode::hi ? 0
                                            : std::min(std::min(kMostBits, source(1) + source(2)), source(3));
    case Opcode::shl:
      // Amounts beyond the width give zero.
      if (i.operands[2].kind != Kind::kInteger) return source(1);
      return static_cast<unsigned>(
          std::min<std::uint64_t>(kMostBits, source(1) + (i.operands[2].bits & 0xffff'ffff)));
    case Opcode::cvt:
      // Of integers: the low bits stay, and saturation is excluded above.
      if (is_float(i.modifiers.src_type) || type_bytes(type) < 4 || type_bytes(i.modifiers.src_type) < 4)
        return 0;
      return source(1);
    case Opcode::selp:
      return std::min(source(1), source(2));
    default:
      return 0;
  }
}

std::uint32_t placed_alignment(const ir::Variable& v) {
  const bool laid_out_here = (v.space == Space::kShared || v.space == Space::kConst) && !v.is_texture;
  // Dynamic arrays begin at a multiple of 16 anyway.
  const bool dynamic = v.space == Space::kShared && v.linkage == ir::Linkage::kExtern;
  if (!laid_out_here || (!dynamic && v.bytes < kWidest)) return v.alignment;
  return std::max<std::uint32_t>(v.alignment, kWidest);
}

unsigned Alignments::of(const ir::Operand& address) const {
  unsigned base = 0;
  switch (address.base) {
    case ir::Operand::Base::kAbsolute:
      base = kMostBits;
      break;
    case ir::Operand::Base::kRegister:
      base = zeros_[static_cast<std::size_t>(address.index)];
      break;
    case ir::Operand::Base::kVariable:
      return 1u << of_variable(address);
  }
  return 1u << std::min(base, zeros_of(static_cast<std::uint64_t>(address.offset)));
}

}  // namespace warpvp::ptx::machine
