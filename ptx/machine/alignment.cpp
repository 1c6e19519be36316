#include "ptx/machine/alignment.h"

#include <algorithm>

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

constexpr unsigned kWidest = 16;  // bytes of an access
constexpr unsigned kMostBits = 4;
constexpr unsigned kDepth = 16;  // definitions looked at behind each other

unsigned zeros_of(std::uint64_t bits) {
  unsigned n = 0;
  while (n < kMostBits && (bits >> n & 1) == 0) ++n;
  return n;
}

// How many low bits of an operand's value are zero, at most kMostBits.
class LowZeros {
 public:
  LowZeros(const ir::Module& m, const ir::Function& f, const Values& values)
      : m_(m), f_(f), values_(values) {}

  unsigned of_operand(const ir::Operand& o, unsigned depth) const {
    switch (o.kind) {
      case Kind::kInteger:
        return zeros_of(o.bits);
      case Kind::kRegister:
        return of_register(o.index, depth);
      case Kind::kVariable:
        return of_variable(o);
      default:
        return 0;
    }
  }

  // Addresses in depots are not laid out by declaration alone; those of functions and texture handles are
  // numbers.
  unsigned of_variable(const ir::Operand& o) const {
    const auto index = static_cast<std::size_t>(o.index);
    const ir::Variable& v = o.module_scope ? m_.variables[index] : f_.variables[index];
    if (v.space != Space::kShared && v.space != Space::kConst && v.space != Space::kGlobal) return 0;
    return std::min(zeros_of(placed_alignment(v)), zeros_of(static_cast<std::uint64_t>(o.offset)));
  }

  unsigned of_register(int r, unsigned depth) const {
    const int at = values_.definition(r);
    if (at < 0 || depth == 0) return 0;
    const ir::Instruction& i = f_.code[static_cast<std::size_t>(at)];
    const auto source = [&](std::size_t k) { return of_operand(i.operands[k], depth - 1); };
    const Type type = i.modifiers.type;
    if (is_float(type) || is_packed(type) || type == Type::pred || i.modifiers.sat || i.modifiers.cc)
      return 0;
    switch (i.opcode) {
      case Opcode::mov:
        return i.operands[1].kind == Kind::kVector || i.operands[0].kind != Kind::kRegister ? 0 : source(1);
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
        return i.modifiers.mul == MulMode::hi
                   ? 0
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

 private:
  const ir::Module& m_;
  const ir::Function& f_;
  const Values& values_;
};

}  // namespace

std::uint32_t placed_alignment(const ir::Variable& v) {
  const bool laid_out_here = (v.space == Space::kShared || v.space == Space::kConst) && !v.is_texture;
  // Dynamic arrays begin at a multiple of 16 anyway.
  const bool dynamic = v.space == Space::kShared && v.linkage == ir::Linkage::kExtern;
  if (!laid_out_here || (!dynamic && v.bytes < kWidest)) return v.alignment;
  return std::max<std::uint32_t>(v.alignment, kWidest);
}

unsigned known_alignment(const ir::Module& m, const ir::Function& f, const Values& values,
                         const ir::Operand& address) {
  const LowZeros zeros(m, f, values);
  unsigned base = 0;
  switch (address.base) {
    case ir::Operand::Base::kAbsolute:
      base = kMostBits;
      break;
    case ir::Operand::Base::kRegister:
      base = zeros.of_register(address.index, kDepth);
      break;
    case ir::Operand::Base::kVariable:
      return 1u << zeros.of_variable(address);
  }
  return 1u << std::min(base, zeros_of(static_cast<std::uint64_t>(address.offset)));
}

}  // namespace warpvp::ptx::machine
