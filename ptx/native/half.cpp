// Conversions between half precision, f16 and bf16, and single precision, to nearest, as
// ptx/exec/ops/half.cpp has them.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Ymm;
using Xbyak::Zmm;

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
    const Zmm first = c.narrowed(c.in(inst.src[0], block, false), half);
    if (!pair) return first;
    c.vpslld(first, first, 16);
    c.vpord(first, first, c.narrowed(c.in(inst.src[1], block, false), half));
    return first;
  });
  return true;
}

}  // namespace warpvp::ptx::native
