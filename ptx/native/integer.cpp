// Integer arithmetic of 32 and 64 bits, as ptx/exec/ops/integer.cpp has it.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;

/// Of products of 32-bit lanes, the upper halves.
Zmm high_product(LaneCode& c, const Zmm& a, const Zmm& b, bool sign) {
  const Zmm even = c.temporary(), odd = c.temporary(), other = c.temporary();
  c.vpsrlq(odd, a, 32);
  c.vpsrlq(other, b, 32);
  if (sign) {
    c.vpmuldq(even, a, b);
    c.vpmuldq(odd, odd, other);
  } else {
    c.vpmuludq(even, a, b);
    c.vpmuludq(odd, odd, other);
  }
  c.vpsrlq(even, even, 32);
  c.mov(c.eax, 0xaaaa);
  c.kmovw(c.k5, c.eax);
  c.vmovdqa32(even | c.k5, odd);
  return even;
}

void add_to(LaneCode& c, const Zmm& sum, const Zmm& a, const Zmm& b, bool wide) {
  if (wide)
    c.vpaddq(sum, a, b);
  else
    c.vpaddd(sum, a, b);
}
void subtract_to(LaneCode& c, const Zmm& difference, const Zmm& a, const Zmm& b, bool wide) {
  if (wide)
    c.vpsubq(difference, a, b);
  else
    c.vpsubd(difference, a, b);
}

/// mul.wide, mad.wide of 32-bit types.
bool translate_wide_product(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.type != Type::u32 && m.type != Type::s32) return false;
  const bool sum = inst.opcode == Opcode::mad;
  c.each_block(inst.dst[0], true, [&](unsigned block) {
    const Zmm a = c.widened(inst.src[0], block, is_signed(m.type)),
              b = c.widened(inst.src[1], block, is_signed(m.type));
    if (is_signed(m.type))
      c.vpmuldq(a, a, b);
    else
      c.vpmuludq(a, a, b);
    if (sum) c.vpaddq(a, a, c.in(inst.src[2], block, true));
    return a;
  });
  return true;
}

bool translate_product(LaneCode& c, const Inst& inst, const Modifiers& m, bool wide) {
  const bool sum = inst.opcode == Opcode::mad;
  if (m.mul == MulMode::wide) return translate_wide_product(c, inst, m);
  if (m.mul == MulMode::hi && (wide || m.type == Type::b32)) return false;
  if (m.mul != MulMode::hi && m.mul != MulMode::lo) return false;
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm a = c.in(inst.src[0], block, wide), b = c.in(inst.src[1], block, wide);
    const Zmm product = m.mul == MulMode::hi ? high_product(c, a, b, is_signed(m.type)) : c.temporary();
    if (m.mul == MulMode::lo) {
      if (wide)
        c.vpmullq(product, a, b);
      else
        c.vpmulld(product, a, b);
    }
    if (sum) add_to(c, product, product, c.in(inst.src[2], block, wide), wide);
    return product;
  });
  return true;
}

/// Quotients of 32 bits are exact in double precision, cut off; a divisor of zero yields all ones, also as
/// rest.
void translate_division(LaneCode& c, const Inst& inst, bool sign, bool rest) {
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm low = c.temporary(), high = c.temporary();
    for (const unsigned half : {0u, 1u}) {
      const Zmm a = c.widened(inst.src[0], 2 * block + half, sign),
                b = c.widened(inst.src[1], 2 * block + half, sign);
      c.vcvtqq2pd(a, a);
      c.vcvtqq2pd(b, b);
      c.vdivpd(a, a, b);
      c.vcvttpd2qq(a, a);
      c.vpmovqd(Xbyak::Ymm((half == 0 ? low : high).getIdx()), a);
    }
    c.joined(low, high);
    const Zmm divisor = c.in(inst.src[1], block, false);
    if (rest) {
      c.vpmulld(low, low, divisor);
      c.vpsubd(low, c.in(inst.src[0], block, false), low);
    }
    c.vptestnmd(c.k5, divisor, divisor);
    c.vpternlogd(low | c.k5, low, low, 0xff);
    return low;
  });
}

Zmm smaller_or_greater(LaneCode& c, const Zmm& a, const Zmm& b, Type type, bool smaller) {
  const Zmm result = c.temporary();
  switch (type) {
    case Type::s32:
      smaller ? c.vpminsd(result, a, b) : c.vpmaxsd(result, a, b);
      break;
    case Type::u32:
      smaller ? c.vpminud(result, a, b) : c.vpmaxud(result, a, b);
      break;
    case Type::s64:
      smaller ? c.vpminsq(result, a, b) : c.vpmaxsq(result, a, b);
      break;
    default:
      smaller ? c.vpminuq(result, a, b) : c.vpmaxuq(result, a, b);
  }
  return result;
}

/// The sum of three, each negated where its bit of Inst::aux is set.
void translate_add3(LaneCode& c, const Inst& inst, bool wide) {
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm sum = c.temporary();
    const Zmm first = c.in(inst.src[0], block, wide);
    if (inst.aux & 1)
      subtract_to(c, sum, c.value64(0), first, wide);
    else
      c.vmovdqa64(sum, first);
    for (unsigned i = 1; i < 3; ++i) {
      const Zmm next = c.in(inst.src[i], block, wide);
      if (inst.aux >> i & 1)
        subtract_to(c, sum, sum, next, wide);
      else
        add_to(c, sum, sum, next, wide);
    }
    return sum;
  });
}

/// (a << Inst::aux) + b.
void translate_lea(LaneCode& c, const Inst& inst, bool wide) {
  const auto amount = static_cast<std::uint8_t>(inst.aux);
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    Zmm sum = c.temporary();
    if (!wide) {
      c.vpslld(sum, c.in(inst.src[0], block, false), amount);
    } else if (wide_source(inst, 0)) {
      c.vpsllq(sum, c.in(inst.src[0], block, true), amount);
    } else {
      sum = c.widened(inst.src[0], block, false);
      c.vpsllq(sum, sum, amount);
    }
    add_to(c, sum, sum, c.in(inst.src[1], block, wide), wide);
    return sum;
  });
}

}  // namespace

bool translate_integer(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned bits = integer_bits(m.type);
  if (bits == 0 || m.cc || m.sat || m.relu || inst.dst_count != 1 || !is_register(inst.dst[0])) return false;
  const bool wide = bits == 64;
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
      c.each_block(inst.dst[0], wide, [&](unsigned block) {
        const Zmm a = c.in(inst.src[0], block, wide), b = c.in(inst.src[1], block, wide), r = c.temporary();
        if (inst.opcode == Opcode::add)
          add_to(c, r, a, b, wide);
        else
          subtract_to(c, r, a, b, wide);
        return r;
      });
      return true;
    case Opcode::add3:
      translate_add3(c, inst, wide);
      return true;
    case Opcode::lea:
      translate_lea(c, inst, wide);
      return true;
    case Opcode::mul:
    case Opcode::mad:
      return translate_product(c, inst, m, wide);
    case Opcode::div:
    case Opcode::rem:
      if (m.type != Type::u32 && m.type != Type::s32) return false;
      translate_division(c, inst, is_signed(m.type), inst.opcode == Opcode::rem);
      return true;
    case Opcode::abs:
      if (!is_signed(m.type)) return false;
      c.each_block(inst.dst[0], wide, [&](unsigned block) {
        const Zmm r = c.temporary();
        if (wide)
          c.vpabsq(r, c.in(inst.src[0], block, true));
        else
          c.vpabsd(r, c.in(inst.src[0], block, false));
        return r;
      });
      return true;
    case Opcode::neg:
      if (!is_signed(m.type)) return false;
      c.each_block(inst.dst[0], wide, [&](unsigned block) {
        const Zmm r = c.temporary();
        subtract_to(c, r, c.value64(0), c.in(inst.src[0], block, wide), wide);
        return r;
      });
      return true;
    case Opcode::min:
    case Opcode::max:
      if (m.type == Type::b32 || m.type == Type::b64) return false;
      c.each_block(inst.dst[0], wide, [&](unsigned block) {
        return smaller_or_greater(c, c.in(inst.src[0], block, wide), c.in(inst.src[1], block, wide), m.type,
                                  inst.opcode == Opcode::min);
      });
      return true;
    default:
      return false;
  }
}

}  // namespace warpvp::ptx::native
