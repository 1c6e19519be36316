// Moves and conversions, as ptx/exec/ops/move.cpp and convert.cpp have them.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;

/// Of an integer type; 0: it is none.
unsigned integer_width(Type type) { return type >= Type::u8 && type <= Type::s64 ? 8 * type_bytes(type) : 0; }

void copy(LaneCode& c, const Inst& inst, bool wide) {
  c.each_block(inst.dst[0], wide, [&](unsigned block) {
    const Zmm r = c.temporary();
    c.vmovdqa64(r, c.in(inst.src[0], block, wide));
    return r;
  });
}

/// a / b of numbers of threads, which single precision has exactly; what is no whole number is further from
/// one than it is rounded by. `t`: to compute in.
void divide(LaneCode& c, const Zmm& quotient, const Zmm& a, const Zmm& b, const Zmm& t) {
  c.vcvtudq2ps(quotient, a);
  c.vcvtudq2ps(t, b);
  c.vdivps(quotient, quotient, t);
  c.vcvttps2udq(quotient, quotient);
}

/// %tid, from the thread's number and the block's sizes.
bool translate_thread_index(LaneCode& c, const Inst& inst, unsigned axis) {
  if (!is_register(inst.dst[0]) || wide_destination(inst)) return false;
  Xbyak::Label rows, done;
  c.next_block();
  const Zmm size = c.temporary(), t = c.temporary(), quotient = c.temporary();
  const Zmm indices[] = {c.first_thread(), c.first_thread()};
  for (unsigned block = 0; block < 2; ++block)
    c.vpaddd(indices[block], indices[block], c.lane_numbers(block));
  c.sizes_to(c.rax);
  constexpr int kBlock = 4 * 3 * static_cast<int>(Sizes::kBlock);
  for (const int other : {1, 2}) {
    c.cmp(c.dword[c.rax + (kBlock + 4 * other)], 1);
    c.jne(rows, Xbyak::CodeGenerator::T_NEAR);
  }
  if (axis != 0)
    for (const Zmm& index : indices) c.vpxord(index, index, index);
  c.jmp(done, Xbyak::CodeGenerator::T_NEAR);
  c.L(rows);
  for (const Zmm& index : indices) {
    // Of the rows of threads along x, and of those of rows along y: the rest, or how many.
    for (unsigned along = 0; along < (axis == 0 ? 1u : 2u); ++along) {
      c.vpbroadcastd(size, c.ptr[c.rax + (kBlock + 4 * static_cast<int>(along))]);
      divide(c, quotient, index, size, t);
      if (along == axis) {
        c.vpmulld(quotient, quotient, size);
        c.vpsubd(index, index, quotient);
      } else {
        c.vmovdqa64(index, quotient);
      }
    }
  }
  c.L(done);
  for (unsigned block = 0; block < 2; ++block) c.out(inst.dst[0], block, indices[block], false);
  return true;
}

bool translate_lane_number(LaneCode& c, const Inst& inst) {
  if (!is_register(inst.dst[0]) || wide_destination(inst)) return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm r = c.temporary();
    c.vmovdqa64(r, c.lane_numbers(block));
    return r;
  });
  return true;
}

/// {a, b} of 32 bits as 64, the first lowest.
bool translate_pack(LaneCode& c, const Inst& inst) {
  if (inst.src_count != 2 || inst.dst_count != 1 || inst.aux != 32 || !is_register(inst.dst[0]) ||
      !wide_destination(inst) || !is_value(inst.src[0]) || !is_value(inst.src[1]))
    return false;
  c.each_block(inst.dst[0], true, [&](unsigned block) {
    const Zmm low = c.widened(inst.src[0], block, false), high = c.widened(inst.src[1], block, false);
    c.vpsllq(high, high, 32);
    c.vporq(low, low, high);
    return low;
  });
  return true;
}
bool translate_unpack(LaneCode& c, const Inst& inst) {
  if (inst.src_count != 1 || inst.dst_count != 2 || inst.aux != 32 || !is_register(inst.src[0]) ||
      !wide_source(inst, 0))
    return false;
  c.next_block();
  Zmm from[4];
  for (unsigned block = 0; block < 4; ++block) from[block] = c.in(inst.src[0], block, true);
  for (unsigned element = 0; element < 2; ++element) {
    if (!is_register(inst.dst[element])) continue;
    for (unsigned block = 0; block < 2; ++block) {
      const Zmm halves[] = {c.temporary(), c.temporary()};
      for (unsigned i = 0; i < 2; ++i) {
        if (element == 1) c.vpsrlq(halves[i], from[2 * block + i], 32);
        c.vpmovqd(Xbyak::Ymm(halves[i].getIdx()), element == 1 ? halves[i] : from[2 * block + i]);
      }
      c.out(inst.dst[element], block, c.joined(halves[0], halves[1]), false);
    }
  }
  return true;
}

/// Sizes of grid and block and the CTA's place, which are the same in all lanes.
bool translate_special(LaneCode& c, const Inst& inst, SpecialRegister which) {
  if (!is_register(inst.dst[0]) || wide_destination(inst)) return false;
  const auto first = [&](SpecialRegister x) {
    return static_cast<unsigned>(which) - static_cast<unsigned>(x);
  };
  Sizes sizes = Sizes::kBlock;
  unsigned axis = first(SpecialRegister::ntid_x);
  if (axis > 2) {
    sizes = Sizes::kCta;
    axis = first(SpecialRegister::ctaid_x);
  }
  if (axis > 2) {
    sizes = Sizes::kGrid;
    axis = first(SpecialRegister::nctaid_x);
  }
  if (axis > 2) {
    if (first(SpecialRegister::tid_x) <= 2)
      return translate_thread_index(c, inst, first(SpecialRegister::tid_x));
    return which == SpecialRegister::laneid && translate_lane_number(c, inst);
  }
  c.each_block(inst.dst[0], false, [&](unsigned) { return c.size_of(sizes, axis); });
  return true;
}

bool translate_mov(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.special != 0) return translate_special(c, inst, static_cast<SpecialRegister>(m.special));
  if (inst.depot) return false;
  if (inst.src_count != 1) return translate_pack(c, inst);
  if (inst.dst_count != 1) return translate_unpack(c, inst);
  if (m.type == Type::pred) {
    c.load_pred(c.eax, inst.src[0]);
    c.store_pred(inst.dst[0], c.eax);
    return true;
  }
  if (!is_register(inst.dst[0]) || !is_value(inst.src[0])) return false;
  const bool wide = wide_destination(inst);
  if (wide_source(inst, 0) != wide) return false;
  if (integer_bits(m.type) == 0 && m.type != Type::f32 && m.type != Type::f64) return false;
  copy(c, inst, wide);
  return true;
}

bool translate_cvta(LaneCode& c, const Inst& inst) {
  if (!is_register(inst.dst[0]) || !is_value(inst.src[0])) return false;
  if (inst.aux == 0) {
    copy(c, inst, true);
    return true;
  }
  c.each_block(inst.dst[0], true, [&](unsigned block) {
    const Zmm r = c.temporary();
    c.vpaddq(r, c.in(inst.src[0], block, true), c.value64(inst.aux));
    return r;
  });
  return true;
}

/// Registers are as wide as their types say; narrow types lie in the low bits of 32.
bool translate_integers(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned to = integer_width(m.type), from = integer_width(m.src_type);
  if (wide_destination(inst) != (to == 64) || wide_source(inst, 0) != (from == 64)) return false;
  if (to == 64 && from == 64) {
    copy(c, inst, true);
  } else if (to == 64) {
    c.each_block(inst.dst[0], true, [&](unsigned block) {
      const Zmm r = c.widened(inst.src[0], block, is_signed(m.src_type));
      c.extend(r, from, is_signed(m.src_type), true);
      return r;
    });
  } else if (from == 64) {
    c.each_block(inst.dst[0], false, [&](unsigned block) {
      const Zmm low = c.temporary(), high = c.temporary();
      c.vpmovqd(Xbyak::Ymm(low.getIdx()), c.in(inst.src[0], 2 * block, true));
      c.vpmovqd(Xbyak::Ymm(high.getIdx()), c.in(inst.src[0], 2 * block + 1, true));
      c.extend(c.joined(low, high), to, is_signed(m.type), false);
      return low;
    });
  } else {
    c.each_block(inst.dst[0], false, [&](unsigned block) {
      const Zmm r = c.temporary();
      c.vmovdqa64(r, c.in(inst.src[0], block, false));
      c.extend(r, from, is_signed(m.src_type), false);
      c.extend(r, to, is_signed(m.type), false);
      return r;
    });
  }
  return true;
}

/// 32-bit integers from double precision, rounded: beyond the range its end, of a NaN the top bit alone.
bool translate_wide_to_integer(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned how = rounding_to_integers(m.rounding);
  if (how == kNoRounding) return false;
  const bool sign = m.type == Type::s32;
  const auto eight = [&](unsigned block) {
    const Zmm whole = c.temporary(), r = c.temporary();
    const Xbyak::Ymm low(r.getIdx());
    const auto where = [&](std::uint64_t limit, std::uint8_t compare, std::uint32_t value) {
      const Zmm with = c.value32(value);
      c.vcmppd(c.k5, whole, c.value64(limit), compare);
      c.vmovdqa32(low | c.k5, Xbyak::Ymm(with.getIdx()));
    };
    c.vrndscalepd(whole, c.in(inst.src[0], block, true), static_cast<std::uint8_t>(how | 8));
    if (sign) {
      c.vcvttpd2dq(low, whole);
      where(0x41e0000000000000ull, 0x1d, 0x7fffffff);
    } else {
      c.vcvttpd2udq(low, whole);
      where(0, 0x11, 0);
      where(0, 3, 0x80000000);
    }
    return r;
  };
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm low = eight(2 * block);
    return c.joined(low, eight(2 * block + 1));
  });
  return true;
}

/// 32-bit integers from single precision, rounded: beyond the range its end, NaN 0.
bool translate_to_integer(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const unsigned how = rounding_to_integers(m.rounding);
  if (how == kNoRounding) return false;
  const bool sign = m.type == Type::s32;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm a = c.flushed(c.in(inst.src[0], block, false), m.ftz), whole = c.temporary(), r = c.temporary();
    c.vrndscaleps(whole, a, static_cast<std::uint8_t>(how | 8));
    if (sign) {
      c.vcvttps2dq(r, whole);
      c.vcmpps(c.k5, whole, c.value32(0x4f000000), 0x1d);
      c.vmovdqa32(r | c.k5, c.value32(0x7fffffff));
    } else {
      c.vcvttps2udq(r, whole);
      c.vcmpps(c.k5, whole, c.value32(0), 0x11);
      c.vmovdqa32(r | c.k5, c.value32(0));
    }
    c.vcmpps(c.k5, whole, whole, 3);
    c.vmovdqa32(r | c.k5, c.value32(0));
    return r;
  });
  return true;
}

bool translate_to_float(LaneCode& c, const Inst& inst, const Modifiers& m) {
  const bool sign = is_signed(m.src_type);
  const unsigned from = integer_width(m.src_type);
  if (m.type == Type::f32) {
    if (m.rounding != Rounding::rn) return false;
    c.each_block(inst.dst[0], false, [&](unsigned block) {
      const Zmm r = c.temporary();
      c.vmovdqa64(r, c.in(inst.src[0], block, false));
      c.extend(r, from, sign, false);
      if (sign)
        c.vcvtdq2ps(r, r);
      else
        c.vcvtudq2ps(r, r);
      return r;
    });
    return true;
  }
  // Exact, whatever the rounding.
  c.each_block(inst.dst[0], true, [&](unsigned block) {
    const Zmm r = c.widened(inst.src[0], block, sign);
    c.extend(r, from, sign, true);
    c.vcvtqq2pd(r, r);
    return r;
  });
  return true;
}

/// The other precision. NaNs become quiet and keep their sign and the upper bits of their payload.
bool translate_floats(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.ftz || m.type == m.src_type) return false;
  if (m.type == Type::f64) {
    c.each_block(inst.dst[0], true, [&](unsigned block) {
      const Zmm a = c.in(inst.src[0], block / 2, false), r = c.temporary();
      if (block % 2 == 0) {
        c.vcvtps2pd(r, Xbyak::Ymm(a.getIdx()));
      } else {
        c.vextracti64x4(Xbyak::Ymm(r.getIdx()), a, 1);
        c.vcvtps2pd(r, Xbyak::Ymm(r.getIdx()));
      }
      return r;
    });
    return true;
  }
  if (m.rounding != Rounding::rn) return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Zmm low = c.temporary(), high = c.temporary();
    c.vcvtpd2ps(Xbyak::Ymm(low.getIdx()), c.in(inst.src[0], 2 * block, true));
    c.vcvtpd2ps(Xbyak::Ymm(high.getIdx()), c.in(inst.src[0], 2 * block + 1, true));
    return c.joined(low, high);
  });
  return true;
}

bool translate_cvt(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.sat || m.relu || m.satfinite || !is_register(inst.dst[0]) || !is_value(inst.src[0]) ||
      inst.src_count != 1)
    return false;
  const unsigned to = integer_width(m.type), from = integer_width(m.src_type);
  const bool narrow = !wide_destination(inst) && !wide_source(inst, 0);
  if (to != 0 && from != 0) return translate_integers(c, inst, m);
  if (floats(m.type) && floats(m.src_type))
    return wide_destination(inst) == (m.type == Type::f64) &&
           wide_source(inst, 0) == (m.src_type == Type::f64) && translate_floats(c, inst, m);
  if (to == 32 && m.src_type == Type::f32 && narrow) return translate_to_integer(c, inst, m);
  if (to == 32 && m.src_type == Type::f64 && !wide_destination(inst) && wide_source(inst, 0))
    return translate_wide_to_integer(c, inst, m);
  if (from != 0 && from <= 32 && !wide_source(inst, 0) && (m.type == Type::f32 || m.type == Type::f64) &&
      !m.ftz)
    return translate_to_float(c, inst, m);
  return false;
}

}  // namespace

bool translate_move(LaneCode& c, const Inst& inst, const Modifiers& m) {
  switch (inst.opcode) {
    case Opcode::mov:
      return translate_mov(c, inst, m);
    case Opcode::cvta:
      return translate_cvta(c, inst);
    case Opcode::cvt:
      return translate_cvt(c, inst, m);
    default:
      return false;
  }
}

}  // namespace warpvp::ptx::native
