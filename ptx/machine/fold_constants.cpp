#include "ptx/machine/fold_constants.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "ptx/lowering.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

/// The integer next to the number in a single's bits towards zero, if type `to` holds it.
std::optional<std::uint64_t> truncated(std::uint32_t bits, Type to) {
  float number = 0;
  std::memcpy(&number, &bits, sizeof number);
  const float whole = std::trunc(number);
  // Also false for what is not a number.
  const bool held = is_signed(to) ? whole >= -2147483648.0f && whole < 2147483648.0f
                                  : whole >= 0.0f && whole < 4294967296.0f;
  if (!held) return std::nullopt;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
}

class Folder {
 public:
  explicit Folder(ir::Function& f) : f_(f), cfg_(f), values_(f, cfg_), known_(f.registers.size()) {}

  /// Text order; a value read before its definition in the text is not known and stays.
  void run() {
    for (ir::Instruction& i : f_.code) {
      const std::optional<std::uint64_t> result = value_of(i);
      if (!result) continue;
      const int written = i.operands[0].index;
      known_[static_cast<std::size_t>(written)] = result;
      const unsigned bytes = width(written);
      if (i.opcode == Opcode::mov && i.operands[1].kind != Kind::kRegister) continue;
      ir::Instruction moved = make_instruction(i, "mov", {bytes == 8 ? "b64" : "b32"});
      const std::uint64_t bits =
          bytes == 8 ? *result : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(*result)});
      moved.operands = {i.operands[0], integer_operand(bits)};
      moved.dst_count = 1;
      i = std::move(moved);
    }
  }

 private:
  unsigned width(int r) const { return type_bytes(f_.registers[static_cast<std::size_t>(r)].type); }

  /// The bits of operand k of `i`, read as `bytes` bytes.
  std::optional<std::uint64_t> constant(const ir::Instruction& i, std::size_t k, unsigned bytes) const {
    const ir::Operand& o = i.operands[k];
    if (o.negated || !o.selector.empty()) return std::nullopt;
    if (o.kind == Kind::kRegister)
      return width(o.index) == bytes ? known_[static_cast<std::size_t>(o.index)] : std::nullopt;
    if (o.kind != Kind::kInteger && o.kind != Kind::kSingle && o.kind != Kind::kDouble) return std::nullopt;
    return cut(constant_bits(o, i.opcode == Opcode::cvt ? i.modifiers.src_type : i.modifiers.type), bytes);
  }
  static std::uint64_t cut(std::uint64_t bits, unsigned bytes) {
    return bytes == 8 ? bits : bits & 0xffffffffu;
  }

  std::optional<std::uint64_t> value_of(const ir::Instruction& i) const {
    if (i.dst_count != 1 || i.vector != 1 || i.operands.size() < 2 || i.operands[0].kind != Kind::kRegister ||
        values_.definition(i.operands[0].index) < 0)
      return std::nullopt;
    const Modifiers& m = i.modifiers;
    const unsigned bytes = type_bytes(m.type);
    if ((bytes != 4 && bytes != 8) || width(i.operands[0].index) != bytes || m.type == Type::pred ||
        is_packed(m.type))
      return std::nullopt;
    if (i.opcode == Opcode::mov) return i.operands.size() == 2 ? constant(i, 1, bytes) : std::nullopt;
    if (is_float(m.type)) return std::nullopt;
    if (i.opcode == Opcode::cvt) return converted(i);
    if (m.cc || m.sat) return std::nullopt;
    const bool shifts = i.opcode == Opcode::shl || i.opcode == Opcode::shr;
    std::uint64_t x[3] = {};
    if (i.operands.size() > 4) return std::nullopt;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
      const std::optional<std::uint64_t> c = constant(i, k, shifts && k == 2 ? 4 : bytes);
      if (!c) return std::nullopt;
      x[k - 1] = *c;
    }
    const std::optional<std::uint64_t> result = computed(i, x, i.operands.size() - 1, 8 * bytes);
    if (!result) return std::nullopt;
    return cut(*result, bytes);
  }

  std::optional<std::uint64_t> converted(const ir::Instruction& i) const {
    const Modifiers& m = i.modifiers;
    if (m.src_type != Type::f32 || type_bytes(m.type) != 4 || m.rounding != Rounding::rzi)
      return std::nullopt;
    const std::optional<std::uint64_t> c = constant(i, 1, 4);
    if (!c) return std::nullopt;
    return truncated(static_cast<std::uint32_t>(*c), m.type);
  }

  /// Modulo 2^64; of 32-bit operations the lower half counts.
  static std::optional<std::uint64_t> computed(const ir::Instruction& i, const std::uint64_t* x,
                                               std::size_t count, unsigned bits) {
    const Modifiers& m = i.modifiers;
    const bool low = m.mul == MulMode::lo;
    if (count == 1) {
      if (i.opcode == Opcode::neg) return 0 - x[0];
      if (i.opcode == Opcode::not_) return ~x[0];
    } else if (count == 2) {
      switch (i.opcode) {
        case Opcode::add:
          return x[0] + x[1];
        case Opcode::sub:
          return x[0] - x[1];
        case Opcode::mul:
          if (low) return x[0] * x[1];
          break;
        case Opcode::and_:
          return x[0] & x[1];
        case Opcode::or_:
          return x[0] | x[1];
        case Opcode::xor_:
          return x[0] ^ x[1];
        case Opcode::shl:
          return x[1] < bits ? x[0] << x[1] : 0;
        case Opcode::shr: {
          if (!is_signed(m.type)) return x[1] < bits ? x[0] >> x[1] : 0;
          const std::int64_t wide =
              bits == 32 ? static_cast<std::int32_t>(x[0]) : static_cast<std::int64_t>(x[0]);
          return static_cast<std::uint64_t>(wide >> (x[1] < bits ? x[1] : bits - 1));
        }
        default:
          break;
      }
    } else if (count == 3 && i.opcode == Opcode::mad && low) {
      return x[0] * x[1] + x[2];
    }
    return std::nullopt;
  }

  ir::Function& f_;
  const ControlFlowGraph cfg_;
  const Values values_;
  std::vector<std::optional<std::uint64_t>> known_;  // by register
};

}  // namespace

void fold_constants(ir::Function& f) { Folder(f).run(); }

}  // namespace warpvp::ptx::machine
