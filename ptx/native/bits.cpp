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

/// Machine code: whether any bit of the result is set or, with bit 8 of Inst::aux, none is.
void translate_lop3_test(LaneCode& c, const Inst& inst) {
  for (const unsigned block : {0u, 1u}) {
    c.next_block();
    const Zmm a = c.in(inst.src[0], block, false), b = c.in(inst.src[1], block, false),
              third = c.in(inst.src[2], block, false), r = c.temporary();
    c.vmovdqa64(r, a);
    c.vpternlogd(r, b, third, static_cast<std::uint8_t>(inst.aux));
    c.vptestmd(block == 0 ? c.k5 : c.k6, r, r);
  }
  c.kunpckwd(c.k5, c.k6, c.k5);
  c.kmovd(c.eax, c.k5);
  if ((inst.aux >> 8 & 1) != 0) c.not_(c.eax);
  c.store_pred(inst.dst[0], c.eax);
}

/// The value of a constant operand; false: it is none.
bool constant(const LaneCode& c, const Operand& operand, std::uint32_t& value) {
  if (operand.kind != OperandKind::kConst) return false;
  value = c.constant(operand);
  return true;
}

/// bfe of a field at a fixed place within the operand.
bool translate_extract(LaneCode& c, const Inst& inst, bool sign) {
  std::uint32_t begin = 0, length = 0;
  if (!constant(c, inst.src[1], begin) || !constant(c, inst.src[2], length)) return false;
  if (begin > 31 || length == 0 || length > 32 - begin) return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm r = c.temporary();
    c.vpslld(r, c.in(inst.src[0], block, false), static_cast<std::uint8_t>(32 - begin - length));
    const auto rest = static_cast<std::uint8_t>(32 - length);
    sign ? c.vpsrad(r, r, rest) : c.vpsrld(r, r, rest);
    return r;
  });
  return true;
}

/// bfi, likewise.
bool translate_insert(LaneCode& c, const Inst& inst) {
  std::uint32_t begin = 0, length = 0;
  if (!constant(c, inst.src[2], begin) || !constant(c, inst.src[3], length)) return false;
  if (begin > 31 || length == 0 || length > 32 - begin) return false;
  const std::uint32_t field = (length == 32 ? ~0u : (1u << length) - 1) << begin;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm r = c.temporary();
    c.vpslld(r, c.in(inst.src[0], block, false), static_cast<std::uint8_t>(begin));
    // Bits of the field from the first, others from the second.
    c.vpternlogd(r, c.in(inst.src[1], block, false), c.value32(field), 0xe4);
    return r;
  });
  return true;
}

/// prmt with a constant that repeats no sign: bytes of the pair {b, a}.
bool translate_permute(LaneCode& c, const Inst& inst) {
  std::uint32_t selector = 0;
  if (!constant(c, inst.src[2], selector) || (selector & 0x8888) != 0) return false;
  std::uint8_t from_a[64], from_b[64];
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned byte = selector >> (4 * (i % 4)) & 7, word = i % 16 / 4 * 4;
    from_a[i] = static_cast<std::uint8_t>(byte < 4 ? word + byte : 0x80);
    from_b[i] = static_cast<std::uint8_t>(byte >= 4 ? word + byte - 4 : 0x80);
  }
  const void* const a_table = c.keep(from_a);
  const void* const b_table = c.keep(from_b);
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm r = c.temporary(), t = c.temporary();
    c.vpshufb(r, c.in(inst.src[0], block, false), c.table(a_table));
    c.vpshufb(t, c.in(inst.src[1], block, false), c.table(b_table));
    c.vpord(r, r, t);
    return r;
  });
  return true;
}

bool counts_bits() {
  static const bool there = __builtin_cpu_supports("avx512vpopcntdq");
  return there;
}

}  // namespace

bool translate_bits(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.type == Type::pred && inst.opcode != Opcode::mov) return translate_pred_logic(c, inst);
  const unsigned bits = integer_bits(m.type);
  const bool wide = bits == 64;
  if (inst.opcode == Opcode::lop3 && !wide && bits != 0 && inst.dst[0].kind == OperandKind::kPred) {
    translate_lop3_test(c, inst);
    return true;
  }
  if (bits == 0 || !is_register(inst.dst[0])) return false;
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
    case Opcode::bfe:
      return !wide && translate_extract(c, inst, m.type == Type::s32);
    case Opcode::bfi:
      return !wide && translate_insert(c, inst);
    case Opcode::prmt:
      return !wide && m.prmt == PrmtMode::kNone && translate_permute(c, inst);
    case Opcode::clz:
    case Opcode::popc:
      if (wide || (inst.opcode == Opcode::popc && !counts_bits())) return false;
      c.each_block(inst.dst[0], false, [&](unsigned block) {
        const Zmm r = c.temporary();
        if (inst.opcode == Opcode::popc)
          c.vpopcntd(r, c.in(inst.src[0], block, false));
        else
          c.vplzcntd(r, c.in(inst.src[0], block, false));
        return r;
      });
      return true;
    default:
      return false;
  }
}

}  // namespace warpvp::ptx::native
