#include "ptx/machine/constants.h"

#include <cmath>
#include <cstring>

#include "ptx/lowering.h"

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

class Evaluator {
 public:
  Evaluator(const ir::Function& f, const KnownValues& known) : f_(f), known_(known) {}

  std::optional<std::uint64_t> value_of(const ir::Instruction& i) const {
    if (i.dst_count != 1 || i.vector != 1 || i.operands.size() < 2 || i.operands[0].kind != Kind::kRegister ||
        i.guard >= 0)
      return std::nullopt;
    const Modifiers& m = i.modifiers;
    const unsigned bytes = type_bytes(m.type);
    if ((bytes != 4 && bytes != 8) || width(i.operands[0].index) != bytes || m.type == Type::pred ||
        is_packed(m.type))
      return std::nullopt;
    if (i.opcode == Opcode::mov) return i.operands.size() == 2 ? constant(i, 1, bytes) : std::nullopt;
    if (m.type == Type::f32) return single(i);
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

  std::optional<bool> comparison(const ir::Instruction& i) const {
    const Modifiers& m = i.modifiers;
    const unsigned bytes = type_bytes(m.type);
    if (i.opcode != Opcode::setp || i.guard >= 0 || i.dst_count != 1 || i.operands.size() != 3 ||
        i.operands[0].kind != Kind::kRegister || m.bool_op != BoolOp::kNone || m.type == Type::f64 ||
        is_packed(m.type) || (bytes != 4 && bytes != 8))
      return std::nullopt;
    const std::optional<std::uint64_t> a = constant(i, 1, bytes), b = constant(i, 2, bytes);
    if (!a || !b) return std::nullopt;
    if (m.type == Type::f32) {
      const std::optional<float> x = plain(*a), y = plain(*b);
      return x && y ? holds(m.compare, *x, *y) : std::nullopt;
    }
    if (!is_signed(m.type)) return holds(m.compare, *a, *b);
    if (bytes == 8) return holds(m.compare, static_cast<std::int64_t>(*a), static_cast<std::int64_t>(*b));
    return holds(m.compare, static_cast<std::int32_t>(*a), static_cast<std::int32_t>(*b));
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

  /// The number of a single's bits, if it is zero or a normal one: no mode of an instruction changes those.
  static std::optional<float> plain(std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    float number = 0;
    std::memcpy(&number, &word, sizeof number);
    if (number != 0 && !std::isnormal(number)) return std::nullopt;
    return number;
  }

  /// Arithmetic on singles that is exact, or rounded to nearest as IEEE 754 has it.
  std::optional<std::uint64_t> single(const ir::Instruction& i) const {
    const Modifiers& m = i.modifiers;
    if (m.sat) return std::nullopt;
    std::optional<float> result;
    const bool nearest = m.rounding == Rounding::kNone || m.rounding == Rounding::rn;
    if (i.opcode == Opcode::cvt) {
      result = from_integer(i);
    } else if (i.operands.size() == 3 && nearest) {
      const std::optional<float> a = single_operand(i, 1), b = single_operand(i, 2);
      if (!a || !b) return std::nullopt;
      if (i.opcode == Opcode::add) result = *a + *b;
      if (i.opcode == Opcode::sub) result = *a - *b;
      if (i.opcode == Opcode::mul) result = *a * *b;
    } else if (i.operands.size() == 2 && m.rounding == Rounding::approx) {
      // The approximations are exact for powers of two.
      const std::optional<float> a = single_operand(i, 1);
      if (!a) return std::nullopt;
      int exponent = 0;
      if (i.opcode == Opcode::lg2 && *a > 0 && std::frexp(*a, &exponent) == 0.5f)
        result = static_cast<float>(exponent - 1);
      if (i.opcode == Opcode::ex2 && std::fabs(*a) < 126 && std::trunc(*a) == *a)
        result = std::ldexp(1.0f, static_cast<int>(*a));
    }
    if (!result) return std::nullopt;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &*result, sizeof bits);
    if (!plain(bits)) return std::nullopt;
    return bits;
  }
  std::optional<float> single_operand(const ir::Instruction& i, std::size_t k) const {
    const std::optional<std::uint64_t> bits = constant(i, k, 4);
    return bits ? plain(*bits) : std::nullopt;
  }
  /// Integers that a single holds exactly.
  std::optional<float> from_integer(const ir::Instruction& i) const {
    const Type from = i.modifiers.src_type;
    if (is_float(from) || is_packed(from) || type_bytes(from) != 4) return std::nullopt;
    const std::optional<std::uint64_t> bits = constant(i, 1, 4);
    if (!bits) return std::nullopt;
    const std::int64_t number =
        is_signed(from) ? static_cast<std::int32_t>(*bits) : static_cast<std::int64_t>(*bits);
    constexpr std::int64_t kExact = 1 << 24;
    if (number < -kExact || number > kExact) return std::nullopt;
    return static_cast<float>(number);
  }

  /// Unsigned comparisons have two names each, those of singles that are numbers too.
  template <class T>
  static std::optional<bool> holds(Compare compare, T a, T b) {
    switch (compare) {
      case Compare::eq:
      case Compare::equ:
        return a == b;
      case Compare::ne:
      case Compare::neu:
        return a != b;
      case Compare::lt:
      case Compare::lo:
      case Compare::ltu:
        return a < b;
      case Compare::le:
      case Compare::ls:
      case Compare::leu:
        return a <= b;
      case Compare::gt:
      case Compare::hi:
      case Compare::gtu:
        return a > b;
      case Compare::ge:
      case Compare::hs:
      case Compare::geu:
        return a >= b;
      default:
        return std::nullopt;
    }
  }

  const ir::Function& f_;
  const KnownValues& known_;
};

}  // namespace

std::optional<std::uint64_t> computed_value(const ir::Function& f, const ir::Instruction& i,
                                            const KnownValues& known) {
  return Evaluator(f, known).value_of(i);
}

std::optional<bool> compared_value(const ir::Function& f, const ir::Instruction& i,
                                   const KnownValues& known) {
  return Evaluator(f, known).comparison(i);
}

}  // namespace warpvp::ptx::machine
