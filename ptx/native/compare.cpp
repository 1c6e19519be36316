// Comparison and selection, as ptx/exec/ops/compare.cpp has them.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;
using Opmask = Xbyak::Opmask;

/// Of integers; `sign`: signed ones.
unsigned of_integers(Compare c, bool sign) {
  switch (c) {
    case Compare::eq:
      return 0;
    case Compare::ne:
      return 4;
    case Compare::lt:
      return 1;
    case Compare::le:
      return 2;
    case Compare::gt:
      return 6;
    case Compare::ge:
      return 5;
    case Compare::lo:
      return sign ? kNoComparison : 1;
    case Compare::ls:
      return sign ? kNoComparison : 2;
    case Compare::hi:
      return sign ? kNoComparison : 6;
    case Compare::hs:
      return sign ? kNoComparison : 5;
    default:
      return kNoComparison;
  }
}

/// eax: which lanes it holds for. Uses k5 to k7.
void compare(LaneCode& c, const Inst& inst, const Modifiers& m, unsigned how, bool wide) {
  const auto block_to = [&](const Opmask& to, unsigned block) {
    c.next_block();
    Zmm a = c.in(inst.src[0], block, wide), b = c.in(inst.src[1], block, wide);
    if (narrow_bytes(m.type) != 0) {
      for (Zmm* const value : {&a, &b}) {
        const Zmm extended = c.temporary();
        c.vmovdqa64(extended, *value);
        c.extend(extended, 8 * narrow_bytes(m.type), is_signed(m.type), false);
        *value = extended;
      }
    }
    const auto predicate = static_cast<std::uint8_t>(how);
    if (m.type == Type::f32)
      c.vcmpps(to, c.flushed(a, m.ftz), c.flushed(b, m.ftz), predicate);
    else if (m.type == Type::f64)
      c.vcmppd(to, a, b, predicate);
    else if (is_signed(m.type))
      wide ? c.vpcmpq(to, a, b, predicate) : c.vpcmpd(to, a, b, predicate);
    else
      wide ? c.vpcmpuq(to, a, b, predicate) : c.vpcmpud(to, a, b, predicate);
  };
  block_to(c.k5, 0);
  block_to(c.k6, 1);
  if (wide) {
    c.kunpckbw(c.k5, c.k6, c.k5);
    block_to(c.k6, 2);
    block_to(c.k7, 3);
    c.kunpckbw(c.k6, c.k7, c.k6);
  }
  c.kunpckwd(c.k5, c.k6, c.k5);
  c.kmovd(c.eax, c.k5);
}

void combine(LaneCode& c, BoolOp op, const Xbyak::Reg32& value, const Xbyak::Reg32& third) {
  if (op == BoolOp::and_)
    c.and_(value, third);
  else if (op == BoolOp::or_)
    c.or_(value, third);
  else
    c.xor_(value, third);
}

/// Of a type that is compared or chosen; those of 16 bits lie in registers of 32. 0: it is another.
unsigned cell_bits(Type type) {
  if (type == Type::b16 || type == Type::u16 || type == Type::s16) return 32;
  return floats(type) ? (type == Type::f64 ? 64 : 32) : integer_bits(type);
}

bool translate_setp(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned bits = cell_bits(m.type);
  const unsigned how =
      floats(m.type) ? comparison_of_floats(m.compare) : of_integers(m.compare, is_signed(m.type));
  if (bits == 0 || how == kNoComparison || (m.ftz && m.type != Type::f32)) return false;
  if (!is_value(inst.src[0]) || !is_value(inst.src[1])) return false;
  compare(c, inst, m, how, bits == 64);
  const bool third = inst.src[2].kind == OperandKind::kPred;
  const bool both = inst.dst[1].kind == OperandKind::kPred;
  if (both) {
    c.mov(c.ecx, c.eax);
    c.not_(c.ecx);
  }
  if (third) {
    c.load_pred(c.r8d, inst.src[2]);
    combine(c, m.bool_op, c.eax, c.r8d);
    if (both) combine(c, m.bool_op, c.ecx, c.r8d);
  }
  c.store_pred(inst.dst[0], c.eax);
  if (both) c.store_pred(inst.dst[1], c.ecx);
  return true;
}

bool translate_selp(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned bits = cell_bits(m.type);
  if (bits == 0 || !is_register(inst.dst[0])) return false;
  const bool wide = bits == 64;
  c.load_pred(c.ecx, inst.src[2]);
  c.kmovd(c.k5, c.ecx);
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, wide), b = c.in(inst.src[1], block, wide), r = c.temporary();
    Opmask chosen = c.k5;
    if (block != 0) {
      chosen = c.k6;
      c.kshiftrd(c.k6, c.k5, static_cast<std::uint8_t>(block * (wide ? 8 : 16)));
    }
    if (wide)
      c.vpblendmq(r | chosen, b, a);
    else
      c.vpblendmd(r | chosen, b, a);
    return r;
  });
  return true;
}

}  // namespace

unsigned comparison_of_floats(Compare compare) {
  switch (compare) {
    case Compare::eq:
      return 0x00;
    case Compare::ne:
      return 0x0c;
    case Compare::lt:
      return 0x11;
    case Compare::le:
      return 0x12;
    case Compare::gt:
      return 0x1e;
    case Compare::ge:
      return 0x1d;
    case Compare::equ:
      return 0x08;
    case Compare::neu:
      return 0x04;
    case Compare::ltu:
      return 0x19;
    case Compare::leu:
      return 0x1a;
    case Compare::gtu:
      return 0x16;
    case Compare::geu:
      return 0x15;
    case Compare::num:
      return 0x07;
    case Compare::nan:
      return 0x03;
    default:
      return kNoComparison;
  }
}
bool translate_compare(LaneCode& c, const Inst& inst, const Modifiers& m) {
  switch (inst.opcode) {
    case Opcode::setp:
      return translate_setp(c, inst, m);
    case Opcode::selp:
      return translate_selp(c, inst, m);
    default:
      return false;
  }
}

}  // namespace warpvp::ptx::native
