// The form of an instruction: what of it matters to the assembler.

#include <algorithm>
#include <cstring>

#include "ptx/machine/expansion.h"

namespace warpvp::ptx::machine {
namespace {

bool is_integer_constant(const ir::Instruction& i, std::size_t operand) {
  return operand < i.operands.size() && i.operands[operand].kind == ir::Operand::Kind::kInteger;
}

std::string integer(const char* name, Type t, bool with_sign) {
  const unsigned bytes = type_bytes(t);
  const char kind = with_sign ? (is_signed(t) ? 's' : 'u') : 'b';
  return std::string(name) + '.' + kind + std::to_string(8 * (bytes == 1 ? 2 : bytes));
}

// A factor that the assembler makes a shift of.
bool is_power(const ir::Instruction& i, std::size_t operand) {
  if (!is_integer_constant(i, operand) || type_bytes(i.modifiers.type) != 4) return false;
  const auto n = static_cast<std::uint32_t>(i.operands[operand].bits);
  return n > 1 && (n & (n - 1)) == 0;
}

std::string wide_only(const char* name, Type t) { return type_bytes(t) == 8 ? integer(name, t, false) : ""; }

/// Of a function that may have .approx, .full, .ftz and a rounding. All roundings take what .rn takes, but
/// those of square roots.
std::string function_of(const char* name, const Modifiers& m) {
  std::string form = name;
  const bool rounded = m.rounding != Rounding::approx && m.rounding != Rounding::full;
  form += m.rounding == Rounding::approx ? ".approx" : m.rounding == Rounding::full ? ".full" : ".rn";
  if (m.ftz && (!rounded || m.type == Type::f64)) form += ".ftz";
  return form + '.' + type_name(m.type);
}

std::string multiplication(const char* name, const Modifiers& m) {
  if (is_float(m.type)) return "";
  std::string form = name;
  form += m.mul == MulMode::hi ? ".hi" : m.mul == MulMode::wide ? ".wide" : ".lo";
  const bool signed_matters = m.mul == MulMode::hi && type_bytes(m.type) == 8;
  return form + '.' + (signed_matters && is_signed(m.type) ? 's' : 'b') +
         std::to_string(8 * type_bytes(m.type));
}

std::string conversion(const Modifiers& m) {
  const bool to_float = is_float(m.type), from_float = is_float(m.src_type);
  if (to_float || from_float) {
    if (to_float && from_float && m.type == m.src_type) {
      const bool to_integer = m.rounding == Rounding::rni || m.rounding == Rounding::rzi ||
                              m.rounding == Rounding::rmi || m.rounding == Rounding::rpi;
      return to_integer ? "cvt.rni" : "cvt.same";
    }
    return "cvt.float";
  }
  const unsigned to = type_bytes(m.type), from = type_bytes(m.src_type);
  if (m.sat || to <= from) return "";
  if (from == 4) return is_signed(m.src_type) ? "cvt.b64.s32" : "cvt.b64.u32";
  if (to == 8) return is_signed(m.src_type) ? "cvt.b64.s16" : "cvt.b64.u16";
  return is_signed(m.src_type) ? "cvt.b32.s16" : "cvt.b32.u16";
}

constexpr char kByConstant[] = " imm";

// Of a division: what it needs of its divisor alone, and its divisor's sign, are known.
std::string by_constant(const ir::Instruction& i) {
  return is_integer_constant(i, 2) && type_bytes(i.modifiers.type) == 4 ? kByConstant : "";
}

std::string whole_form_of(const ir::Instruction& i) {
  const Modifiers& m = i.modifiers;
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
      return is_float(m.type) ? "" : wide_only("add", m.type);
    case Opcode::addc:
    case Opcode::subc:
      return wide_only("add", m.type);
    case Opcode::neg:
      return is_float(m.type) ? "" : wide_only("neg", m.type);
    case Opcode::abs:
      return is_float(m.type) ? "" : wide_only("abs", m.type);
    case Opcode::min:
    case Opcode::max:
      if (m.type == Type::f64) return "min.f64";
      return is_float(m.type) ? "" : wide_only("min", m.type);
    case Opcode::add3:
      return wide_only("add", m.type);
    case Opcode::lea:
      return "lea.b64";
    case Opcode::lop3:
      return wide_only("and", m.type);
    case Opcode::mul:
      return multiplication("mul", m) + (m.mul == MulMode::lo && is_power(i, 2) ? " shift" : "");
    case Opcode::mad:
      return multiplication("mad", m) + (m.mul == MulMode::lo && is_power(i, 2) ? " shift" : "");
    case Opcode::madc:
    case Opcode::fma:
      return multiplication("mad", m);
    case Opcode::mul24:
    case Opcode::mad24:
      return m.mul == MulMode::hi ? "mul24.hi" : "mul24.lo";
    case Opcode::div:
      if (is_float(m.type)) return function_of("div", m);
      return integer("div", m.type, type_bytes(m.type) != 2) + by_constant(i);
    case Opcode::rem:
      return integer("rem", m.type, type_bytes(m.type) != 2) + by_constant(i);
    case Opcode::rcp:
      return function_of("rcp", m);
    case Opcode::sqrt:
      return m.type == Type::f32 &&
                     (m.rounding == Rounding::rz || m.rounding == Rounding::rm || m.rounding == Rounding::rp)
                 ? "sqrt.rz.f32"
                 : function_of("sqrt", m);
    case Opcode::rsqrt:
      return function_of("rsqrt", m);
    case Opcode::sin:
    case Opcode::cos:
      return "sin.approx.f32";
    case Opcode::ex2:
      return m.type == Type::f32 ? function_of("ex2", m) : "";
    case Opcode::lg2:
      return function_of("lg2", m);
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
      return wide_only("and", m.type);
    case Opcode::cnot:
      return type_bytes(m.type) == 8 ? "cnot.b64" : "cnot.b32";
    case Opcode::shl:
    case Opcode::shr:
      return wide_only("shl", m.type);
    case Opcode::popc:
      return integer("popc", m.type, false);
    case Opcode::clz:
      return integer("clz", m.type, false);
    case Opcode::brev:
      return integer("brev", m.type, false);
    case Opcode::bfind:
      return integer("bfind", m.type, false);
    case Opcode::bfe:
      return integer("bfe", m.type, false) +
             (is_integer_constant(i, 2) && is_integer_constant(i, 3) ? " imm" : "");
    case Opcode::bfi:
      return integer("bfi", m.type, false) +
             (is_integer_constant(i, 3) && is_integer_constant(i, 4) ? " imm" : "");
    case Opcode::setp:
      return is_float(m.type) ? "" : wide_only("setp", m.type);
    case Opcode::set:
      if (is_float(m.src_type))
        return m.src_type == Type::f64 ? "set.f64" : m.src_type == Type::f32 ? "set.f32" : "";
      return type_bytes(m.src_type) == 8 ? "set.b64" : "set.b32";
    case Opcode::selp:
      return wide_only("selp", m.type);
    case Opcode::slct:
      if (m.src_type == Type::f32) return type_bytes(m.type) == 8 ? "slct.b64" : "slct.f32";
      return type_bytes(m.type) == 8 ? "slct.b64" : "slct.b32";
    case Opcode::testp:
      return m.type == Type::f64 ? "testp.f64" : "testp.f32";
    case Opcode::cvt:
      return conversion(m);
    case Opcode::cvta:
      return i.space == Space::kShared || i.space == Space::kLocal ? "cvta" : "";
    case Opcode::atom:
    case Opcode::red:
      if (i.space != Space::kShared) return "";
      if (is_float(m.type) || type_bytes(m.type) == 8)
        return m.atom == AtomOp::exch || m.atom == AtomOp::cas || m.atom == AtomOp::mbarrier
                   ? ""
                   : "atom.shared loop";
      return "";
    case Opcode::video:
      return m.video.lanes == 1 ? "video" : "";
    default:
      return "";
  }
}

std::string shared_form(const ir::Instruction& i, ir::Shared part) {
  const char* suffix = part == ir::Shared::kDivisor    ? " again"
                       : part == ir::Shared::kQuotient ? " beside"
                                                       : "";
  std::string form = whole_form_of(i);
  if (*suffix != 0 && (i.opcode == Opcode::div || i.opcode == Opcode::rem)) {
    // What is left once the divisor's reciprocal is there does not depend on where it came from.
    const std::size_t end = form.size() - std::min(form.size(), std::strlen(kByConstant));
    if (form.compare(end, std::string::npos, kByConstant) == 0) form.resize(end);
  }
  return form + suffix;
}

}  // namespace

std::string form_of(const ir::Instruction& i) { return shared_form(i, i.shared); }

bool has_shared_form(const ir::Instruction& i, ir::Shared part) {
  return !expansion_of_form(shared_form(i, part)).empty();
}

}  // namespace warpvp::ptx::machine
