// Conversions between half precision, f16 and bf16, and single precision, to nearest, as
// ptx/exec/ops/half.cpp has them.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Ymm;
using Xbyak::Zmm;

constexpr std::uint32_t kHalfNan = 0x7fff;  // of both formats

/// Half precision in the low 16 bits of each lane.
Zmm narrowed(LaneCode& c, const Zmm& single, Type to) {
  const Zmm r = c.temporary(), nan = c.value32(kHalfNan);
  if (to == Type::f16) {
    constexpr std::uint8_t kNearest = 0;
    c.vcvtps2ph(Ymm(r.getIdx()), single, kNearest);
    c.vpmovzxwd(r, Ymm(r.getIdx()));
  } else {
    // Half of the last place, less one unless that place is odd.
    c.vpsrld(r, single, 16);
    c.vpandd(r, r, c.value32(1));
    c.vpaddd(r, r, c.value32(0x7fff));
    c.vpaddd(r, r, single);
    c.vpsrld(r, r, 16);
  }
  c.vcmpps(c.k5, single, single, 3);
  c.vmovdqa32(r | c.k5, nan);
  return r;
}

bool translate_widening(LaneCode& c, const Inst& inst, Type from) {
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, false), r = c.temporary();
    if (from == Type::bf16) {
      c.vpslld(r, a, 16);
      return r;
    }
    c.vpmovdw(Ymm(r.getIdx()), a);
    c.vcvtph2ps(r, Ymm(r.getIdx()));
    c.settle_nan(r);
    return r;
  });
  return true;
}

}  // namespace

bool translate_half(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (inst.opcode != Opcode::cvt || m.ftz || m.sat || m.relu || m.satfinite) return false;
  if (inst.dst_count != 1 || !is_register(inst.dst[0]) || wide_destination(inst)) return false;
  for (unsigned i = 0; i < inst.src_count; ++i)
    if (!is_value(inst.src[i]) || wide_source(inst, i)) return false;
  if (m.type == Type::f32 && inst.src_count == 1 && m.rounding == Rounding::kNone &&
      (m.src_type == Type::f16 || m.src_type == Type::bf16))
    return translate_widening(c, inst, m.src_type);
  if (m.src_type != Type::f32 || m.rounding != Rounding::rn) return false;
  const bool pair = m.type == Type::f16x2 || m.type == Type::bf16x2;
  if (inst.src_count != (pair ? 2 : 1) || (!pair && m.type != Type::f16 && m.type != Type::bf16))
    return false;
  const Type half = m.type == Type::f16 || m.type == Type::f16x2 ? Type::f16 : Type::bf16;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm first = narrowed(c, c.in(inst.src[0], block, false), half);
    if (!pair) return first;
    c.vpslld(first, first, 16);
    c.vpord(first, first, narrowed(c, c.in(inst.src[1], block, false), half));
    return first;
  });
  return true;
}

}  // namespace warpvp::ptx::native
