// Floating-point arithmetic, as ptx/exec/ops/float.cpp and rounded.cpp have it.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;

// ---- single precision

/// .ftz and .sat of a result, and the NaN that single precision has.
Zmm finished(LaneCode& c, const Zmm& value, const Modifiers& m) {
  c.settle_nan(value);
  const Zmm result = c.flushed(value, m.ftz);
  if (m.sat) {
    // The second operand where the first is a NaN, and of zeros.
    c.vmaxps(result, result, c.value32(0));
    c.vminps(result, result, c.value32(0x3f800000));
  }
  return result;
}

void compute(LaneCode& c, Opcode opcode, const Zmm& to, const Zmm& a, const Zmm& b) {
  switch (opcode) {
    case Opcode::add:
      return c.vaddps(to, a, b);
    case Opcode::sub:
      return c.vsubps(to, a, b);
    case Opcode::mul:
      return c.vmulps(to, a, b);
    default:
      return c.vdivps(to, a, b);
  }
}

bool translate_sign(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.sat) return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, false), r = c.temporary();
    const Zmm number = c.flushed(a, m.ftz);
    if (inst.opcode == Opcode::neg)
      c.vpxord(r, number, c.value32(0x80000000));
    else
      c.vpandd(r, number, c.value32(0x7fffffff));
    c.settle_nan(r);
    return r;
  });
  return true;
}

bool translate_min_max(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.xor_sign_abs || inst.src_count != 2) return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz),
              b = c.flushed(c.in(inst.src[1], block, false), m.ftz), r = c.temporary();
    c.choose(r, a, b, inst.opcode == Opcode::max, m.nan);
    return r;
  });
  return true;
}

/// cvt of single precision to itself: to an integral value, or unchanged but for .ftz and .sat.
bool translate_same_type(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned how = m.rounding == Rounding::kNone ? 0 : rounding_to_integers(m.rounding);
  if (how == kNoRounding) return false;
  if (m.src_type != Type::f32 || m.relu || m.satfinite || inst.src_count != 1 || !is_value(inst.src[0]) ||
      wide_source(inst, 0) || wide_destination(inst))
    return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz), r = c.temporary();
    if (m.rounding == Rounding::kNone)
      c.vmovdqa64(r, a);
    else
      c.vrndscaleps(r, a, static_cast<std::uint8_t>(how | 8));
    return finished(c, r, m);
  });
  return true;
}

bool translate_single(LaneCode& c, const Inst& inst, const Modifiers& m) {
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::div:
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz),
                  b = c.flushed(c.in(inst.src[1], block, false), m.ftz), r = c.temporary();
        compute(c, inst.opcode, r, a, b);
        c.round_last(m.rounding);
        return finished(c, r, m);
      });
      return true;
    case Opcode::fma:
    case Opcode::mad:
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz),
                  b = c.flushed(c.in(inst.src[1], block, false), m.ftz),
                  sum = c.flushed(c.in(inst.src[2], block, false), m.ftz), r = c.temporary();
        c.vmovdqa32(r, a);
        c.vfmadd213ps(r, b, sum);
        c.round_last(m.rounding);
        return finished(c, r, m);
      });
      return true;
    case Opcode::rcp:
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz), r = c.temporary();
        c.vdivps(r, c.value32(0x3f800000), a);
        return finished(c, r, m);
      });
      return true;
    case Opcode::sqrt:
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz), r = c.temporary();
        c.vsqrtps(r, a);
        return finished(c, r, m);
      });
      return true;
    case Opcode::cvt:
      return translate_same_type(c, inst, m);
    case Opcode::neg:
    case Opcode::abs:
      return translate_sign(c, inst, m);
    case Opcode::min:
    case Opcode::max:
      return !m.sat && translate_min_max(c, inst, m);
    default:
      return false;
  }
}

// ---- double precision. The host returns the first operand that is a NaN, as is wanted.

/// a * b + c, whose NaNs the host takes in another order.
Zmm fused(LaneCode& c, const Zmm& a, const Zmm& b, const Zmm& sum) {
  const Zmm r = c.temporary();
  const Zmm nan = c.value64(0xfff8000000000000ull), quiet = c.value64(0x0008000000000000ull);
  Xbyak::Label numbers;
  c.vmovdqa64(r, a);
  c.vfmadd213pd(r, b, sum);
  c.vcmppd(c.k5, r, r, 3);
  c.kortestb(c.k5, c.k5);
  c.jz(numbers, Xbyak::CodeGenerator::T_NEAR);
  c.vmovdqa64(r | c.k5, nan);
  for (const Zmm* const operand : {&sum, &b, &a}) {
    c.vcmppd(c.k6, *operand, *operand, 3);
    c.vporq(r | c.k6, *operand, quiet);
  }
  c.L(numbers);
  return r;
}

/// The sign changed or taken away; NaNs keep theirs and are quiet.
void translate_wide_sign(LaneCode& c, const Inst& inst) {
  c.each_block(inst.dst[0], true, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, true), r = c.temporary();
    if (inst.opcode == Opcode::neg)
      c.vpxorq(r, a, c.value64(0x8000000000000000ull));
    else
      c.vpandq(r, a, c.value64(0x7fffffffffffffffull));
    c.vcmppd(c.k5, a, a, 3);
    c.vporq(r | c.k5, a, c.value64(0x0008000000000000ull));
    return r;
  });
}

bool translate_wide_min_max(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.xor_sign_abs || m.nan || inst.src_count != 2) return false;
  c.each_block(inst.dst[0], true, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, true), b = c.in(inst.src[1], block, true), r = c.temporary();
    c.vrangepd(r, a, b, inst.opcode == Opcode::min ? 4 : 5);
    c.vcmppd(c.k5, b, b, 3);
    c.vmovdqa64(r | c.k5, a);
    c.vcmppd(c.k5, a, a, 3);
    c.vmovdqa64(r | c.k5, b);
    // Both are NaNs.
    c.vcmppd(c.k5, r, r, 3);
    c.vmovdqa64(r | c.k5, c.value64(0xfff8000000000000ull));
    return r;
  });
  return true;
}

bool translate_double(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.ftz || m.sat) return false;
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::div:
      c.each_block(inst.dst[0], true, [&](unsigned block) {
        const Zmm a = c.in(inst.src[0], block, true), b = c.in(inst.src[1], block, true), r = c.temporary();
        if (inst.opcode == Opcode::add)
          c.vaddpd(r, a, b);
        else if (inst.opcode == Opcode::sub)
          c.vsubpd(r, a, b);
        else if (inst.opcode == Opcode::mul)
          c.vmulpd(r, a, b);
        else
          c.vdivpd(r, a, b);
        return r;
      });
      return true;
    case Opcode::fma:
    case Opcode::mad:
      c.each_block(inst.dst[0], true, [&](unsigned block) {
        return fused(c, c.in(inst.src[0], block, true), c.in(inst.src[1], block, true),
                     c.in(inst.src[2], block, true));
      });
      return true;
    case Opcode::neg:
    case Opcode::abs:
      translate_wide_sign(c, inst);
      return true;
    case Opcode::min:
    case Opcode::max:
      return translate_wide_min_max(c, inst, m);
    case Opcode::rcp:
      c.each_block(inst.dst[0], true, [&](unsigned block) {
        const Zmm r = c.temporary();
        c.vdivpd(r, c.value64(0x3ff0000000000000ull), c.in(inst.src[0], block, true));
        return r;
      });
      return true;
    case Opcode::sqrt:
      c.each_block(inst.dst[0], true, [&](unsigned block) {
        const Zmm r = c.temporary();
        c.vsqrtpd(r, c.in(inst.src[0], block, true));
        return r;
      });
      return true;
    default:
      return false;
  }
}

}  // namespace

unsigned rounding_to_integers(Rounding rounding) {
  switch (rounding) {
    case Rounding::rni:
      return 0;
    case Rounding::rmi:
      return 1;
    case Rounding::rpi:
      return 2;
    case Rounding::rzi:
      return 3;
    default:
      return kNoRounding;
  }
}

bool translate_float(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.type != Type::f32 && m.type != Type::f64) return false;
  const bool nearest = m.rounding == Rounding::kNone || m.rounding == Rounding::rn;
  const bool directed =
      m.rounding == Rounding::rz || m.rounding == Rounding::rm || m.rounding == Rounding::rp;
  const Opcode op = inst.opcode;
  const bool rounds = op == Opcode::add || op == Opcode::sub || op == Opcode::mul || op == Opcode::fma;
  if (op != Opcode::cvt && !nearest && !(directed && rounds && m.type == Type::f32)) return false;
  if (inst.dst_count != 1 || !is_register(inst.dst[0])) return false;
  return m.type == Type::f32 ? translate_single(c, inst, m) : translate_double(c, inst, m);
}

}  // namespace warpvp::ptx::native
