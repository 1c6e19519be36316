// Logic, shifts and bit fields of 32 and 64 bits, and logic of predicates, as ptx/exec/ops/bits.cpp has them.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;

bool translate_pred_logic(LaneCode& c, const Inst& inst) {
  if (inst.opcode != Opcode::and_ && inst.opcode != Opcode::or_ && inst.opcode != Opcode::xor_ &&
      inst.opcode != Opcode::not_)
    return false;
  c.load_pred(c.eax, inst.src[0]);
  if (inst.opcode == Opcode::not_) {
    c.not_(c.eax);
  } else {
    c.load_pred(c.ecx, inst.src[1]);
    if (inst.opcode == Opcode::and_)
      c.and_(c.eax, c.ecx);
    else if (inst.opcode == Opcode::or_)
      c.or_(c.eax, c.ecx);
    else
      c.xor_(c.eax, c.ecx);
  }
  c.store_pred(inst.dst[0], c.eax);
  return true;
}

void translate_logic(LaneCode& c, const Inst& inst, bool wide) {
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, wide), r = c.temporary();
    if (inst.opcode == Opcode::not_) {
      c.vpternlogd(r, a, a, 0x55);
      return r;
    }
    const Zmm b = c.in(inst.src[1], block, wide);
    if (inst.opcode == Opcode::and_)
      c.vpandd(r, a, b);
    else if (inst.opcode == Opcode::or_)
      c.vpord(r, a, b);
    else
      c.vpxord(r, a, b);
    return r;
  });
}

enum class Shift { kLeft, kRight, kRightSigned };

/// Amounts of the width or more shift everything out, as the host has it too.
void translate_shift(LaneCode& c, const Inst& inst, bool wide, Shift shift) {
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, wide);
    const Zmm n = wide ? c.widened(inst.src[1], block, false) : c.in(inst.src[1], block, false);
    const Zmm r = c.temporary();
    if (shift == Shift::kLeft)
      wide ? c.vpsllvq(r, a, n) : c.vpsllvd(r, a, n);
    else if (shift == Shift::kRight)
      wide ? c.vpsrlvq(r, a, n) : c.vpsrlvd(r, a, n);
    else
      wide ? c.vpsravq(r, a, n) : c.vpsravd(r, a, n);
    return r;
  });
}

/// Of the pair {b, a}: its high word after a shift to the left, its low word after one to the right.
bool translate_funnel(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.shift != ShiftMode::wrap && m.shift != ShiftMode::clamp) return false;
  const bool left = m.direction == Direction::left;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, false), b = c.in(inst.src[1], block, false),
              amount = c.in(inst.src[2], block, false);
    const Zmm n = c.temporary(), rest = c.temporary(), r = c.temporary();
    if (m.shift == ShiftMode::wrap)
      c.vpandd(n, amount, c.value32(31));
    else
      c.vpminud(n, amount, c.value32(32));
    c.vpsubd(rest, c.value32(32), n);
    c.vpsllvd(r, b, left ? n : rest);
    c.vpsrlvd(n, a, left ? rest : n);
    c.vpord(r, r, n);
    return r;
  });
  return true;
}

void translate_lop3(LaneCode& c, const Inst& inst, bool wide) {
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, wide), b = c.in(inst.src[1], block, wide),
              third = c.in(inst.src[2], block, wide), r = c.temporary();
    c.vmovdqa64(r, a);
    c.vpternlogd(r, b, third, static_cast<std::uint8_t>(inst.aux));
    return r;
  });
}

}  // namespace

bool translate_bits(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.type == Type::pred && inst.opcode != Opcode::mov) return translate_pred_logic(c, inst);
  const unsigned bits = integer_bits(m.type);
  if (bits == 0 || !is_register(inst.dst[0])) return false;
  const bool wide = bits == 64;
  switch (inst.opcode) {
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
      translate_logic(c, inst, wide);
      return true;
    case Opcode::shl:
      translate_shift(c, inst, wide, Shift::kLeft);
      return true;
    case Opcode::shr:
      translate_shift(c, inst, wide,
                      m.type == Type::s32 || m.type == Type::s64 ? Shift::kRightSigned : Shift::kRight);
      return true;
    case Opcode::shf:
      return m.type == Type::b32 && translate_funnel(c, inst, m);
    case Opcode::lop3:
      if (inst.dst[1].kind == OperandKind::kPred) return false;
      translate_lop3(c, inst, wide);
      return true;
    case Opcode::clz:
      if (wide) return false;
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm r = c.temporary();
        c.vplzcntd(r, c.in(inst.src[0], block, false));
        return r;
      });
      return true;
    default:
      return false;
  }
}

}  // namespace warpvp::ptx::native
