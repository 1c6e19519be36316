// Approximate functions of single precision, as ptx/exec/ops/approx.cpp has them: those that take the host
// few instructions.

#include <iterator>

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;

/// 1 / sqrt(a) of eight lanes, in double precision, to a unit in its last places: an estimate of 14 bits and
/// two of Newton's steps. Rounded to single precision it is the same as the root's reciprocal rounded
/// (tests/ptx_exec/reciprocal_root_test.cpp).
Zmm reciprocal_root(LaneCode& c, const Zmm& a) {
  const Zmm half = c.temporary(), y = c.temporary(), t = c.temporary();
  c.vmulpd(half, a, c.value64(0x3fe0000000000000ull));
  c.vrsqrt14pd(y, a);
  for (int step = 0; step < 2; ++step) {
    c.vmulpd(t, y, y);
    c.vfnmadd213pd(t, half, c.value64(0x3ff8000000000000ull));  // 1.5 - half * y * y
    c.vmulpd(y, y, t);
  }
  return y;
}

/// Sixteen lanes as two times eight of double precision.
void to_double(LaneCode& c, const Zmm& low, const Zmm& high, const Zmm& a) {
  const Xbyak::Ymm upper(high.getIdx());
  c.vextracti64x4(upper, a, 1);
  c.vcvtps2pd(low, Xbyak::Ymm(a.getIdx()));
  c.vcvtps2pd(high, upper);
}
Zmm to_single(LaneCode& c, const Zmm& low, const Zmm& high) {
  c.vcvtpd2ps(Xbyak::Ymm(low.getIdx()), low);
  c.vcvtpd2ps(Xbyak::Ymm(high.getIdx()), high);
  return c.joined(low, high);
}

void translate_rsqrt(LaneCode& c, const Inst& inst, bool ftz) {
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.flushed(c.in(inst.src[0], block, false), ftz), low = c.temporary(), high = c.temporary();
    to_double(c, low, high, a);
    const Zmm first = reciprocal_root(c, low), second = reciprocal_root(c, high);
    const Zmm r = to_single(c, first, second);
    // Not of a positive number: NaN; of infinity 0; of a zero the infinity of its sign.
    const Zmm zero = c.value32(0), infinity = c.value32(0x7f800000);
    c.vcmpps(c.k5, a, zero, 0x1a);  // not greater
    c.vmovdqa32(r | c.k5, c.value32(0x7fffffff));
    c.vpcmpd(c.k5, a, infinity, 0);
    c.vmovdqa32(r | c.k5, zero);
    c.vcmpps(c.k5, a, zero, 0);
    c.vpord(r | c.k5, a, infinity);
    return c.flushed(r, ftz);
  });
}

/// Coefficients of exp2_core() in ptx/exec/ops/approx.cpp, highest first.
constexpr double kExpSeries[] = {
    1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
    1.0 / 120.0,      1.0 / 24.0,      1.0 / 6.0,      0.5,           1.0,          1.0};

/// 2^x of eight lanes, |x| < 1000, in place: the same operations in the same order.
void exp2(LaneCode& c, const Zmm& x) {
  const Zmm round = c.value64(0x4338000000000000ull);  // 1.5 * 2^52
  const Zmm power = c.temporary(), p = c.temporary();
  c.vaddpd(power, x, round);
  c.vsubpd(p, power, round);
  c.vsubpd(x, x, p);
  c.vmulpd(x, x, c.value64(0x3fe62e42fefa39efull));  // ln(2)
  c.mov(c.rax, reinterpret_cast<std::uint64_t>(kExpSeries));
  c.vbroadcastsd(p, c.qword[c.rax]);
  for (unsigned i = 1; i < std::size(kExpSeries); ++i) {
    c.vmulpd(p, p, x);
    c.vaddpd(p, p, c.ptr_b[c.rax + 8 * i]);
  }
  // 2^n: n is in the low bits.
  c.vpsllq(power, power, 52);
  c.vpaddq(power, power, c.value64(0x3ff0000000000000ull));
  c.vmulpd(x, p, power);
}

void translate_ex2(LaneCode& c, const Inst& inst, bool ftz) {
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.flushed(c.in(inst.src[0], block, false), ftz), bounded = c.temporary(),
              low = c.temporary(), high = c.temporary();
    c.vminps(bounded, a, c.value32(0x43480000));        // 200; so is a NaN
    c.vmaxps(bounded, bounded, c.value32(0xc3480000));  // -200
    to_double(c, low, high, bounded);
    exp2(c, low);
    exp2(c, high);
    const Zmm r = to_single(c, low, high);
    c.vcmpps(c.k5, a, a, 3);
    c.vmovdqa32(r | c.k5, c.value32(0x7fffffff));
    return c.flushed(r, ftz);
  });
}

/// The quotient; with `approx`, 0 of divisors so large that their reciprocals are none.
void translate_div(LaneCode& c, const Inst& inst, bool ftz, bool approx) {
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.flushed(c.in(inst.src[0], block, false), ftz),
              b = c.flushed(c.in(inst.src[1], block, false), ftz), r = c.temporary();
    c.vdivps(r, a, b);
    if (approx) {
      const Zmm magnitude = c.temporary();
      c.vpandd(magnitude, b, c.value32(0x7fffffff));
      c.vpcmpud(c.k6, magnitude, c.value32(0x7e800000), 6);
      c.vpcmpud(c.k5, magnitude, c.value32(0x7f800000), 1);
      c.kandw(c.k6, c.k6, c.k5);
      c.vpxord(r | c.k6, a, b);
      c.vpandd(r | c.k6, r, c.value32(0x80000000));
      c.vpandd(magnitude, a, c.value32(0x7fffffff));
      c.vpcmpud(c.k5, magnitude, c.value32(0x7f800000), 5);
      c.kandw(c.k6, c.k6, c.k5);
      c.vmovdqa32(r | c.k6, c.value32(0x7fffffff));
    }
    c.settle_nan(r);
    return c.flushed(r, ftz);
  });
}

}  // namespace

bool translate_approx(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.type != Type::f32 || m.sat || inst.dst_count != 1 || !is_register(inst.dst[0])) return false;
  if (inst.opcode == Opcode::div && (m.rounding == Rounding::full || m.rounding == Rounding::approx)) {
    translate_div(c, inst, m.ftz, m.rounding == Rounding::approx);
    return true;
  }
  if (m.rounding != Rounding::approx) return false;
  switch (inst.opcode) {
    case Opcode::rsqrt:
      translate_rsqrt(c, inst, m.ftz);
      return true;
    case Opcode::ex2:
      translate_ex2(c, inst, m.ftz);
      return true;
    case Opcode::rcp:
    case Opcode::sqrt:
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz), r = c.temporary();
        if (inst.opcode == Opcode::rcp)
          c.vdivps(r, c.value32(0x3f800000), a);
        else
          c.vsqrtps(r, a);
        c.settle_nan(r);
        return c.flushed(r, m.ftz);
      });
      return true;
    default:
      return false;
  }
}

}  // namespace warpvp::ptx::native
