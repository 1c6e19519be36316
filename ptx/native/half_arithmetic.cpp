// Arithmetic and comparison of half precision, f16, bf16 and two of them in a register, to nearest and
// without .ftz, .sat and .relu, as ptx/exec/ops/half.cpp has them. Computed in single precision and rounded
// from there:
// - Sums of two have twice the places and two, so that rounding twice gives what rounding once does.
// - Products are exact, but for those of bf16 below half of its least number, which are zero in any case.
// - Fused sums need more places: they are rounded to odd first.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;

bool is_f16(Type type) { return type == Type::f16 || type == Type::f16x2; }
bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

/// The lower or the upper half of each lane, in single precision.
Zmm single_of(LaneCode& c, const Zmm& value, Type type, bool upper) {
  const Zmm r = c.temporary();
  if (!is_f16(type)) {
    if (upper)
      c.vpandd(r, value, c.value32(0xffff0000));
    else
      c.vpslld(r, value, 16);
    return r;
  }
  if (upper) c.vpsrld(r, value, 16);
  c.vpmovdw(Ymm(r.getIdx()), upper ? r : value);
  c.vcvtph2ps(r, Ymm(r.getIdx()));
  return r;
}

/// a * b + sum rounded to odd: where it is between two numbers, the one whose last place is odd.
Zmm fused_to_odd(LaneCode& c, const Zmm& a, const Zmm& b, const Zmm& sum) {
  const Zmm down = c.temporary(), up = c.temporary();
  c.vmovdqa32(down, a);
  c.vfmadd213ps(down, b, sum);
  c.round_last(Rounding::rm);
  c.vmovdqa32(up, a);
  c.vfmadd213ps(up, b, sum);
  c.round_last(Rounding::rp);
  // Of a zero `up` has the sign that it has to nearest.
  c.vcmpps(c.k5, down, up, 4);
  c.vptestnmd(c.k5 | c.k5, up, c.value32(1));
  c.vmovdqa32(up | c.k5, down);
  return up;
}

Zmm computed(LaneCode& c, const Inst& inst, const Modifiers& m, const Zmm (&v)[3]) {
  const Zmm r = c.temporary();
  switch (inst.opcode) {
    case Opcode::add:
      c.vaddps(r, v[0], v[1]);
      return r;
    case Opcode::sub:
      c.vsubps(r, v[0], v[1]);
      return r;
    case Opcode::mul:
      c.vmulps(r, v[0], v[1]);
      return r;
    case Opcode::fma:
      return fused_to_odd(c, v[0], v[1], v[2]);
    default:
      c.choose(r, v[0], v[1], inst.opcode == Opcode::max, m.nan);
      return r;
  }
}

/// Of bits: NaNs become that of all operations.
void translate_half_sign(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const std::uint32_t infinity = is_f16(m.type) ? 0x7c00 : 0x7f80;
  const auto both = [&](std::uint32_t half) { return c.value32(half << 16 | half); };
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, false), magnitude = c.temporary(), r = c.temporary();
    c.vpandd(magnitude, a, both(0x7fff));
    c.vpcmpuw(c.k5, magnitude, both(infinity), 6);
    if (inst.opcode == Opcode::neg)
      c.vpxord(r, a, both(0x8000));
    else
      c.vmovdqa32(r, magnitude);
    c.vmovdqu16(r | c.k5, both(0x7fff));
    if (!is_pair(m.type)) c.vpandd(r, r, c.value32(0xffff));
    return r;
  });
}

bool plain(const Inst& inst, const Modifiers& m) {
  if (m.ftz || m.sat || m.relu || m.satfinite || m.xor_sign_abs) return false;
  if (m.rounding != Rounding::kNone && m.rounding != Rounding::rn) return false;
  if (wide_destination(inst)) return false;
  for (unsigned i = 0; i < inst.src_count; ++i)
    if (is_value(inst.src[i]) && wide_source(inst, i)) return false;
  return true;
}

bool translate_arithmetic(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (!is_half(m.type) || inst.dst_count != 1 || !is_register(inst.dst[0])) return false;
  unsigned operands = 2;
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::min:
    case Opcode::max:
      break;
    case Opcode::fma:
      operands = 3;
      break;
    case Opcode::neg:
    case Opcode::abs:
      operands = 1;
      break;
    default:
      return false;
  }
  if (inst.src_count != operands) return false;
  for (unsigned i = 0; i < operands; ++i)
    if (!is_value(inst.src[i])) return false;
  if (operands == 1) {
    translate_half_sign(c, inst, m);
    return true;
  }
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    Zmm in[3];
    for (unsigned i = 0; i < operands; ++i) in[i] = c.in(inst.src[i], block, false);
    const auto half = [&](bool upper) {
      Zmm v[3];
      for (unsigned i = 0; i < operands; ++i) v[i] = single_of(c, in[i], m.type, upper);
      return c.narrowed(computed(c, inst, m, v), is_f16(m.type) ? Type::f16 : Type::bf16);
    };
    const Zmm low = half(false);
    if (!is_pair(m.type)) return low;
    const Zmm high = half(true);
    c.vpslld(high, high, 16);
    c.vpord(low, low, high);
    return low;
  });
  return true;
}

/// k5: where the comparison holds of a half of the lanes of a block.
void compare_block(LaneCode& c, const Inst& inst, Type type, unsigned how, unsigned block, bool upper) {
  const Zmm a = c.in(inst.src[0], block, false), b = c.in(inst.src[1], block, false);
  const Zmm first = single_of(c, a, type, upper), second = single_of(c, b, type, upper);
  c.vcmpps(c.k5, first, second, static_cast<std::uint8_t>(how));
}

bool translate_half_set(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const bool pair = is_pair(m.src_type);
  const auto yes = static_cast<std::uint32_t>(inst.aux >> 32);  // where the comparison holds
  const unsigned how = comparison_of_floats(m.compare);
  if (!is_half(m.src_type) || how == kNoComparison || m.bool_op != BoolOp::kNone || inst.dst_count != 1 ||
      !is_register(inst.dst[0]) || !is_value(inst.src[0]) || !is_value(inst.src[1]))
    return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm r = c.temporary();
    const Zmm truth = c.value32(yes);
    compare_block(c, inst, m.src_type, how, block, false);
    c.vmovdqa32(r | c.k5 | c.T_z, truth);
    if (pair) {
      const Zmm high = c.temporary();
      compare_block(c, inst, m.src_type, how, block, true);
      c.vmovdqa32(high | c.k5 | c.T_z, truth);
      c.vpslld(high, high, 16);
      c.vpord(r, r, high);
    }
    return r;
  });
  return true;
}

/// `to`: which lanes the comparison holds for.
void compare_lanes(LaneCode& c, const Inst& inst, Type type, unsigned how, bool upper, const Opmask& to) {
  c.next_block();
  compare_block(c, inst, type, how, 1, upper);
  c.kmovw(c.k6, c.k5);
  c.next_block();
  compare_block(c, inst, type, how, 0, upper);
  c.kunpckwd(to, c.k6, c.k5);
}

bool translate_half_setp(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned how = comparison_of_floats(m.compare);
  if (!is_half(m.type) || how == kNoComparison || m.bool_op != BoolOp::kNone || !is_value(inst.src[0]) ||
      !is_value(inst.src[1]))
    return false;
  const bool both = inst.dst[1].kind == OperandKind::kPred;
  compare_lanes(c, inst, m.type, how, false, c.k7);
  // Of a pair the second predicate is of the upper halves, otherwise where it does not hold.
  if (both && is_pair(m.type)) {
    compare_lanes(c, inst, m.type, how, true, c.k5);
    c.kmovd(c.ecx, c.k5);
  }
  c.kmovd(c.eax, c.k7);
  if (both && !is_pair(m.type)) {
    c.mov(c.ecx, c.eax);
    c.not_(c.ecx);
  }
  c.store_pred(inst.dst[0], c.eax);
  if (both) c.store_pred(inst.dst[1], c.ecx);
  return true;
}

}  // namespace

bool translate_half_arithmetic(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (!plain(inst, m)) return false;
  switch (inst.opcode) {
    case Opcode::set:
      return translate_half_set(c, inst, m);
    case Opcode::setp:
      return translate_half_setp(c, inst, m);
    default:
      return translate_arithmetic(c, inst, m);
  }
}

}  // namespace warpvp::ptx::native
