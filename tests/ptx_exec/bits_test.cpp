// Logic, shifts and bit fields against bit-by-bit references in the form the PTX ISA gives them.

#include "tests/ptx_exec/op_harness.h"

namespace warpvp::ptx::testing {
namespace {

const std::vector<std::uint64_t> kAmounts = {0,  1,  5,  8,  15,  16,  17,  31,         32,
                                             33, 63, 64, 65, 127, 255, 256, 0x80000000, 0xffffffff};

struct Width {
  Type b, u, s;
  unsigned bits;
};
constexpr Width kWidths[] = {{Type::b16, Type::u16, Type::s16, 16},
                             {Type::b32, Type::u32, Type::s32, 32},
                             {Type::b64, Type::u64, Type::s64, 64}};

TEST(Bits, LogicOnEveryWidth) {
  for (const Width& w : kWidths) {
    const auto e = int_edges(w.bits);
    const unsigned r = reg_bits(w.bits);
    const auto spec = [&](Opcode op) { return OpSpec{op, typed(w.b), r, {r, r}}; };
    check(
        spec(Opcode::and_), {e, e}, [](auto& o) { return o[0] & o[1]; }, mask(w.bits));
    check(
        spec(Opcode::or_), {e, e}, [](auto& o) { return o[0] | o[1]; }, mask(w.bits));
    check(
        spec(Opcode::xor_), {e, e}, [](auto& o) { return o[0] ^ o[1]; }, mask(w.bits));
    check(
        {Opcode::not_, typed(w.b), r, {r}}, {e}, [](auto& o) { return ~o[0]; }, mask(w.bits));
    check(
        {Opcode::cnot, typed(w.b), r, {r}}, {e}, [](auto& o) { return o[0] == 0 ? 1 : 0; }, mask(w.bits));
  }
}

TEST(Bits, PredicateLogicPerLane) {
  const std::vector<std::uint64_t> b = {0, 1};
  check({Opcode::and_, typed(Type::pred), 1, {1, 1}}, {b, b}, [](auto& o) { return o[0] & o[1]; });
  check({Opcode::or_, typed(Type::pred), 1, {1, 1}}, {b, b}, [](auto& o) { return o[0] | o[1]; });
  check({Opcode::xor_, typed(Type::pred), 1, {1, 1}}, {b, b}, [](auto& o) { return o[0] ^ o[1]; });
  check({Opcode::not_, typed(Type::pred), 1, {1}}, {b}, [](auto& o) { return o[0] ^ 1; });
  check({Opcode::mov, typed(Type::pred), 1, {1}}, {b}, [](auto& o) { return o[0]; });
}

TEST(Bits, ShiftsPastTheWidthActLikeTheWidth) {
  for (const Width& w : kWidths) {
    const auto e = int_edges(w.bits);
    const unsigned r = reg_bits(w.bits);
    const auto shl = [&](auto& o) { return o[1] >= w.bits ? 0 : o[0] << o[1]; };
    const auto shr = [&](auto& o) { return o[1] >= w.bits ? 0 : o[0] >> o[1]; };
    const auto sar = [&](auto& o) {
      const bool negative = (o[0] >> (w.bits - 1)) & 1;
      std::uint64_t v = o[0];
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(o[1], w.bits); ++i) {
        v = (v >> 1) | (negative ? 1ull << (w.bits - 1) : 0);
      }
      return v;
    };
    check({Opcode::shl, typed(w.b), r, {r, 32}}, {e, kAmounts}, shl, mask(w.bits));
    check({Opcode::shr, typed(w.b), r, {r, 32}}, {e, kAmounts}, shr, mask(w.bits));
    check({Opcode::shr, typed(w.u), r, {r, 32}}, {e, kAmounts}, shr, mask(w.bits));
    check({Opcode::shr, typed(w.s), r, {r, 32}}, {e, kAmounts}, sar, mask(w.bits));
  }
}

TEST(Bits, FunnelShiftsClampOrWrap) {
  const auto e = int_edges(32);
  for (const ShiftMode mode : {ShiftMode::clamp, ShiftMode::wrap}) {
    OpSpec left{Opcode::shf, typed(Type::b32), 32, {32, 32, 32}};
    left.m.shift = mode;
    left.m.direction = Direction::left;
    OpSpec right = left;
    right.m.direction = Direction::right;
    const auto amount = [&](std::uint64_t c) {
      return mode == ShiftMode::wrap ? c & 31 : std::min<std::uint64_t>(c, 32);
    };
    // As the ISA writes them: (b << n) | (a >> (32 - n)) and (b << (32 - n)) | (a >> n).
    check(
        left, {e, e, kAmounts},
        [&](auto& o) {
          const auto n = amount(o[2]);
          return (o[1] << n) | (o[0] >> (32 - n));
        },
        mask(32));
    check(
        right, {e, e, kAmounts},
        [&](auto& o) {
          const auto n = amount(o[2]);
          return (o[1] << (32 - n)) | (o[0] >> n);
        },
        mask(32));
  }
}

TEST(Bits, Counts) {
  for (const unsigned bits : {32u, 64u}) {
    const auto e = int_edges(bits);
    const Type b = bits == 64 ? Type::b64 : Type::b32;
    check({Opcode::popc, typed(b), 32, {bits}}, {e}, [&](auto& o) {
      std::uint64_t n = 0;
      for (unsigned i = 0; i < bits; ++i) n += (o[0] >> i) & 1;
      return n;
    });
    check({Opcode::clz, typed(b), 32, {bits}}, {e}, [&](auto& o) {
      std::uint64_t n = 0;
      while (n < bits && ((o[0] >> (bits - 1 - n)) & 1) == 0) ++n;
      return n;
    });
    check({Opcode::brev, typed(b), bits, {bits}}, {e}, [&](auto& o) {
      std::uint64_t r = 0;
      for (unsigned i = 0; i < bits; ++i) r |= ((o[0] >> i) & 1) << (bits - 1 - i);
      return r;
    });
    for (const bool is_signed : {false, true}) {
      for (const bool shiftamt : {false, true}) {
        OpSpec s{
            Opcode::bfind,
            typed(bits == 64 ? (is_signed ? Type::s64 : Type::u64) : (is_signed ? Type::s32 : Type::u32)),
            32,
            {bits}};
        s.m.shiftamt = shiftamt;
        check(s, {e}, [&](auto& o) -> std::uint64_t {
          std::uint64_t v = o[0];
          if (is_signed && ((v >> (bits - 1)) & 1)) v = ~v & mask(bits);
          for (int i = static_cast<int>(bits) - 1; i >= 0; --i) {
            if ((v >> i) & 1)
              return shiftamt ? bits - 1 - static_cast<unsigned>(i) : static_cast<unsigned>(i);
          }
          return 0xffffffffu;
        });
      }
    }
  }
}

TEST(Bits, FindNthSet) {
  const std::vector<std::uint64_t> masks = {0, 1, 0x80000000, 0xaaaaaaaa, 0xffffffff, 0x00ff00f0};
  const std::vector<std::uint64_t> bases = {0, 1, 4, 15, 16, 30, 31};
  const std::vector<std::uint64_t> offsets = {0, 1, 2, 5, 31, 32, 0xffffffff, 0xfffffffe, 0xffffffe0};
  check({Opcode::fns, typed(Type::b32), 32, {32, 32, 32}}, {masks, bases, offsets},
        [](auto& o) -> std::uint64_t {
          const int base = static_cast<int>(o[1]), n = static_cast<int>(o[2]);
          if (n == 0) return (o[0] >> base) & 1 ? o[1] : 0xffffffffu;
          long long left = n > 0 ? n : -static_cast<long long>(n);
          for (int i = base; i >= 0 && i<32; i += n> 0 ? 1 : -1) {
            if (((o[0] >> i) & 1) && --left == 0) return static_cast<std::uint64_t>(i);
          }
          return 0xffffffffu;
        });
}

TEST(Bits, ExtractAndInsertFields) {
  const std::vector<std::uint64_t> positions = {0, 1, 7, 15, 24, 31, 32, 40, 63, 64, 200, 255, 256, 0x103};
  for (const unsigned bits : {32u, 64u}) {
    // The ISA allows up to 255; above, 64 bits take the number as it is.
    const auto limited = [bits](std::uint64_t v) {
      return static_cast<unsigned>(bits == 64 ? std::min<std::uint64_t>(v, 255) : v & 0xff);
    };
    const std::vector<std::uint64_t> e = {
        0, 1, mask(bits), 0x89abcdef, 0xfedcba9876543210ull & mask(bits), 1ull << (bits - 1)};
    for (const bool is_signed : {false, true}) {
      const Type t = bits == 64 ? (is_signed ? Type::s64 : Type::u64) : (is_signed ? Type::s32 : Type::u32);
      check({Opcode::bfe, typed(t), bits, {bits, 32, 32}}, {e, positions, positions}, [&](auto& o) {
        const unsigned msb = bits - 1, pos = limited(o[1]), len = limited(o[2]);
        const std::uint64_t sign = !is_signed || len == 0 ? 0 : (o[0] >> std::min(pos + len - 1, msb)) & 1;
        std::uint64_t d = 0;
        for (unsigned i = 0; i <= msb; ++i)
          d |= (i < len && pos + i <= msb ? (o[0] >> (pos + i)) & 1 : sign) << i;
        return d;
      });
    }
    check({Opcode::bfi, typed(bits == 64 ? Type::b64 : Type::b32), bits, {bits, bits, 32, 32}},
          {e, e, positions, positions}, [&](auto& o) {
            const unsigned pos = limited(o[2]), len = limited(o[3]);
            std::uint64_t d = o[1];
            for (unsigned i = 0; i < len && pos + i < bits; ++i) {
              d = (d & ~(1ull << (pos + i))) | (((i < bits ? o[0] >> i : 0) & 1) << (pos + i));
            }
            return d;
          });
  }
}

TEST(Bits, MasksAndExtensions) {
  for (const ShiftMode mode : {ShiftMode::clamp, ShiftMode::wrap}) {
    OpSpec bmsk{Opcode::bmsk, typed(Type::b32), 32, {32, 32}};
    bmsk.m.shift = mode;
    check(bmsk, {kAmounts, kAmounts}, [&](auto& o) {
      std::uint64_t pos = o[0], len = o[1], d = 0;
      if (mode == ShiftMode::wrap) pos &= 31, len &= 31;
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(len, 32); ++i)
        d |= pos + i < 32 ? 1ull << (pos + i) : 0;
      return d;
    });
    for (const bool is_signed : {false, true}) {
      OpSpec s{Opcode::szext, typed(is_signed ? Type::s32 : Type::u32), 32, {32, 32}};
      s.m.shift = mode;
      check(s, {int_edges(32), kAmounts}, [&](auto& o) {
        std::uint64_t n = mode == ShiftMode::wrap ? o[1] & 31 : o[1];
        if (n >= 32) return o[0];
        if (n == 0) return std::uint64_t{0};
        std::uint64_t v = o[0] & mask(static_cast<unsigned>(n));
        if (is_signed && ((v >> (n - 1)) & 1)) v |= ~mask(static_cast<unsigned>(n)) & 0xffffffffu;
        return v;
      });
    }
  }
}

TEST(Bits, Lop3EvaluatesEveryTable) {
  const std::vector<std::uint64_t> a = {0xf0f0f0f0, 0x12345678}, b = {0xcccccccc, 0xdeadbeef},
                                   c = {0xaaaaaaaa, 0x0badcafe};
  for (unsigned table = 0; table < 256; ++table) {
    OpSpec s{Opcode::lop3, typed(Type::b32), 32, {32, 32, 32}, table};
    check(s, {a, b, c}, [&](auto& o) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned k = (((o[0] >> i) & 1) << 2) | (((o[1] >> i) & 1) << 1) | ((o[2] >> i) & 1);
        d |= static_cast<std::uint64_t>((table >> k) & 1) << i;
      }
      return d;
    });
  }
}

TEST(Bits, Lop3OfMachineCodeHas64Bits) {
  const std::vector<std::uint64_t> a = {0xf0f0f0f00f0f0f0f}, b = {0xcccccccc3333cccc},
                                   c = {0xaaaa5555aaaaaaaa};
  for (unsigned table = 0; table < 256; ++table) {
    OpSpec s{Opcode::lop3, typed(Type::b64), 64, {64, 64, 64}, table};
    check(s, {a, b, c}, [&](auto& o) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < 64; ++i) {
        const unsigned k = ((o[0] >> i & 1) << 2) | ((o[1] >> i & 1) << 1) | (o[2] >> i & 1);
        d |= std::uint64_t{table >> k & 1} << i;
      }
      return d;
    });
  }
}

TEST(Bits, PermuteGeneralAndNamedModes) {
  const std::vector<std::uint64_t> a = {0x83828180, 0x03020100}, b = {0x87868584, 0x07060504};
  const auto byte = [](const std::vector<std::uint64_t>& o, unsigned n) -> std::uint64_t {
    return ((n < 4 ? o[0] >> (8 * n) : o[1] >> (8 * (n - 4))) & 0xff);
  };
  check({Opcode::prmt, typed(Type::b32), 32, {32, 32, 32}},
        {a, b, {0x3210, 0x7654, 0x0000, 0xba98, 0xfedc, 0x1f0e, 0xffff1234}}, [&](auto& o) {
          std::uint64_t d = 0;
          for (unsigned k = 0; k < 4; ++k) {
            const unsigned sel = (o[2] >> (4 * k)) & 0xf;
            std::uint64_t v = byte(o, sel & 7);
            if (sel & 8) v = v & 0x80 ? 0xff : 0;
            d |= v << (8 * k);
          }
          return d;
        });
  // The ISA's table: source bytes, most significant first, for c = 0, 1, 2, 3.
  const std::vector<std::pair<PrmtMode, std::array<const char*, 4>>> table = {
      {PrmtMode::f4e, {"3210", "4321", "5432", "6543"}}, {PrmtMode::b4e, {"5670", "6701", "7012", "0123"}},
      {PrmtMode::rc8, {"0000", "1111", "2222", "3333"}}, {PrmtMode::ecl, {"3210", "3211", "3222", "3333"}},
      {PrmtMode::ecr, {"0000", "1110", "2210", "3210"}}, {PrmtMode::rc16, {"1010", "3232", "1010", "3232"}}};
  for (const auto& [mode, rows] : table) {
    OpSpec s{Opcode::prmt, typed(Type::b32), 32, {32, 32, 32}};
    s.m.prmt = mode;
    check(s, {a, b, {0, 1, 2, 3, 0xfffffffd}}, [&, &rows = rows](auto& o) {
      std::uint64_t d = 0;
      for (unsigned k = 0; k < 4; ++k)
        d |= byte(o, static_cast<unsigned>(rows[o[2] & 3][3 - k] - '0')) << (8 * k);
      return d;
    });
  }
}

TEST(Bits, DotProducts) {
  const auto e = int_edges(32);
  const auto part = [](std::uint64_t v, unsigned k, unsigned bits, bool is_signed) -> std::int64_t {
    const std::int64_t f = static_cast<std::int64_t>((v >> (k * bits)) & mask(bits));
    return is_signed && (f >> (bits - 1)) ? f - (1ll << bits) : f;
  };
  for (const bool sa : {false, true}) {
    for (const bool sb : {false, true}) {
      OpSpec s{Opcode::dp4a, typed(sa ? Type::s32 : Type::u32), 32, {32, 32, 32}};
      s.m.src_type = sb ? Type::s32 : Type::u32;
      check(
          s, {e, e, {0, 77, 0xffffffff}},
          [&](auto& o) {
            std::int64_t d = static_cast<std::int64_t>(o[2]);
            for (unsigned k = 0; k < 4; ++k) d += part(o[0], k, 8, sa) * part(o[1], k, 8, sb);
            return static_cast<std::uint64_t>(d);
          },
          mask(32));
      for (const MulMode half : {MulMode::lo, MulMode::hi}) {
        OpSpec t = s;
        t.opcode = Opcode::dp2a;
        t.m.mul = half;
        check(
            t, {e, e, {0, 77, 0xffffffff}},
            [&](auto& o) {
              std::int64_t d = static_cast<std::int64_t>(o[2]);
              for (unsigned k = 0; k < 2; ++k)
                d += part(o[0], k, 16, sa) * part(o[1], k + (half == MulMode::hi ? 2 : 0), 8, sb);
              return static_cast<std::uint64_t>(d);
            },
            mask(32));
      }
    }
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
