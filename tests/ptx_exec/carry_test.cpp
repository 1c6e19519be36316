// Chains of add.cc, addc, sub.cc, subc, mad.cc and madc against integers of 128 and 256 bits (PTX ISA 9.7.2).
//
// There is one carry flag. A subtraction adds the complement: the flag is 1 when nothing was borrowed.

#include <random>

#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using u64 = std::uint64_t;
using u128 = unsigned __int128;
using Words = std::vector<u64>;  ///< little endian

// ---- the reference: 64-bit limbs, schoolbook

Words plus(const Words& a, const Words& b, unsigned carry) {
  Words r(a.size() + 1);
  u128 c = carry;
  for (std::size_t i = 0; i < a.size(); ++i) {
    c += static_cast<u128>(a[i]) + b[i];
    r[i] = static_cast<u64>(c);
    c >>= 64;
  }
  r[a.size()] = static_cast<u64>(c);
  return r;
}
/// The difference, then 1 if a >= b.
Words minus(const Words& a, const Words& b) {
  Words r(a.size() + 1);
  bool borrow = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    r[i] = a[i] - b[i] - (borrow ? 1 : 0);
    borrow = a[i] < b[i] || (borrow && a[i] == b[i]);
  }
  r[a.size()] = borrow ? 0 : 1;
  return r;
}
Words times(const Words& a, const Words& b) {
  Words r(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    u64 carry = 0;
    for (std::size_t j = 0; i + j < a.size(); ++j) {
      const u128 t = static_cast<u128>(a[i]) * b[j] + r[i + j] + carry;
      r[i + j] = static_cast<u64>(t);
      carry = static_cast<u64>(t >> 64);
    }
  }
  return r;
}

// ---- kernels: out[i] = a[i] op b[i] in `n` limbs of `bits` bits, for 32 threads

std::string reg(char name, unsigned i) { return std::string("%") + name + std::to_string(i); }

std::string kernel(const std::string& body, unsigned bits, unsigned n) {
  const std::string b = std::to_string(bits);
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u64 x, "
      ".param .u64 y) {\n.reg .u64 %o, %x, %y, %t;\n.reg .u32 %i;\n.reg .b" +
      b + " %a<16>, %b<16>, %r<17>, %z;\nmov.u32 %i, %tid.x;\n";
  const auto pointer = [&](const char* name, unsigned bytes) {
    text += std::string("ld.param.u64 %") + name + ", [" + name + "];\nmul.wide.u32 %t, %i, " +
            std::to_string(bytes) + ";\nadd.u64 %" + name + ", %" + name + ", %t;\n";
  };
  pointer("x", n * bits / 8);
  pointer("y", n * bits / 8);
  pointer("o", (n + 1) * bits / 8);
  for (unsigned i = 0; i < n; ++i) {
    const std::string at = "+" + std::to_string(i * bits / 8) + "];\n";
    text += "ld.global.b" + b + " " + reg('a', i) + ", [%x" + at + "ld.global.b" + b + " " + reg('b', i) +
            ", [%y" + at;
  }
  text += body;
  for (unsigned i = 0; i <= n; ++i)
    text += "st.global.b" + b + " [%o+" + std::to_string(i * bits / 8) + "], " + reg('r', i) + ";\n";
  return text + "ret;\n}\n";
}

std::string chain(const std::string& first, const std::string& next, unsigned bits, unsigned n) {
  std::string body;
  for (unsigned i = 0; i < n; ++i) {
    body += (i == 0 ? first : next) + std::to_string(bits) + " " + reg('r', i) + ", " + reg('a', i) + ", " +
            reg('b', i) + ";\n";
  }
  return body + "addc.u" + std::to_string(bits) + " " + reg('r', n) + ", 0, 0;\n";
}

std::string product(unsigned bits, unsigned n) {
  const std::string t = ".u" + std::to_string(bits) + " ";
  std::string body;
  for (unsigned i = 0; i <= n; ++i) body += "mov.b" + std::to_string(bits) + " " + reg('r', i) + ", 0;\n";
  for (unsigned i = 0; i < n; ++i) {
    // One row of low halves with its carries, then one of high halves. What lies beyond limb n is dropped.
    for (const char* half : {"lo", "hi"}) {
      const unsigned shift = half[0] == 'h' ? 1 : 0;
      for (unsigned j = 0; i + j + shift < n; ++j) {
        const std::string r = reg('r', i + j + shift);
        body += std::string(j == 0 ? "mad." : "madc.") + half + ".cc" + t + r + ", " + reg('a', i) + ", " +
                reg('b', j) + ", " + r + ";\n";
      }
    }
  }
  return body;
}

std::vector<Words> values(unsigned words, unsigned seed) {
  std::mt19937_64 random(seed);
  const u64 edges[] = {0, 1, ~0ull, 1ull << 63, 0xffffffffull, 0x100000000ull, ~0ull - 1, (1ull << 63) - 1};
  std::vector<Words> v(32, Words(words));
  for (Words& x : v) {
    for (u64& w : x) w = random() % 3 == 0 ? edges[random() % 8] : random();
  }
  for (unsigned i = 0; i < words; ++i) {
    v[0][i] = 0;
    v[1][i] = ~0ull;
    v[2][i] = i == 0 ? 1 : 0;
    v[3][i] = i + 1 == words ? 1ull << 63 : 0;
  }
  return v;
}

void expect_chain(const std::string& body, unsigned bits, unsigned total, bool with_carry,
                  const std::function<Words(const Words&, const Words&)>& reference) {
  const unsigned words = total / 64, n = total / bits;
  PtxModule m(kernel(body, bits, n));
  for (unsigned round = 0; round < 8; ++round) {
    std::vector<Words> x = values(words, round), y = values(words, 100 + round);
    std::rotate(y.begin(), y.begin() + round, y.end());
    if (round == 7) y = x;
    Words flat_x, flat_y;
    for (unsigned i = 0; i < 32; ++i) {
      flat_x.insert(flat_x.end(), x[i].begin(), x[i].end());
      flat_y.insert(flat_y.end(), y[i].begin(), y[i].end());
    }
    const auto got =
        m.outputs<std::uint8_t>("k", 32, 32 * (n + 1) * bits / 8, m.buffer(flat_x), m.buffer(flat_y));
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint8_t* at = &got[i * (n + 1) * bits / 8];
      const Words want = reference(x[i], y[i]);
      for (unsigned w = 0; w < words; ++w) {
        u64 have;
        std::memcpy(&have, at + 8 * w, 8);
        EXPECT_EQ(have, want[w]) << bits << "-bit limbs, " << total << " bits, lane " << i << " word " << w;
      }
      if (with_carry) {
        u64 have = 0;
        std::memcpy(&have, at + total / 8, bits / 8);
        EXPECT_EQ(have, want[words]) << "carry, lane " << i << " round " << round;
      }
    }
  }
}

TEST(Carry, SumsOf128And256Bits) {
  for (const unsigned bits : {32u, 64u}) {
    for (const unsigned total : {128u, 256u}) {
      expect_chain(chain("add.cc.u", "addc.cc.u", bits, total / bits), bits, total, true,
                   [](const Words& a, const Words& b) { return plus(a, b, 0); });
    }
  }
}

TEST(Carry, DifferencesLeaveOneForNoBorrow) {
  for (const unsigned bits : {32u, 64u}) {
    for (const unsigned total : {128u, 256u}) {
      expect_chain(chain("sub.cc.s", "subc.cc.s", bits, total / bits), bits, total, true, minus);
    }
  }
}

TEST(Carry, ProductsOf128And256Bits) {
  for (const unsigned bits : {32u, 64u}) {
    for (const unsigned total : {128u, 256u})
      expect_chain(product(bits, total / bits), bits, total, false, times);
  }
}

// One instruction at a time, from both states of the flag: the value, and the flag it leaves.
TEST(Carry, EveryInstructionWithBothCarries) {
  struct Case {
    Opcode opcode;
    bool cc, uses_carry, subtracts;
    MulMode mul;
  };
  const Case cases[] = {
      {Opcode::add, true, false, false, MulMode::kNone},  {Opcode::addc, true, true, false, MulMode::kNone},
      {Opcode::addc, false, true, false, MulMode::kNone}, {Opcode::sub, true, false, true, MulMode::kNone},
      {Opcode::subc, true, true, true, MulMode::kNone},   {Opcode::subc, false, true, true, MulMode::kNone},
      {Opcode::mad, true, false, false, MulMode::lo},     {Opcode::mad, true, false, false, MulMode::hi},
      {Opcode::madc, true, true, false, MulMode::lo},     {Opcode::madc, false, true, false, MulMode::lo},
      {Opcode::madc, true, true, false, MulMode::hi},     {Opcode::madc, false, true, false, MulMode::hi},
  };
  for (const Case& c : cases) {
    for (const Type type : {Type::u32, Type::s32, Type::u64, Type::s64}) {
      const unsigned bits = type == Type::u32 || type == Type::s32 ? 32 : 64;
      const bool is_signed = type == Type::s32 || type == Type::s64;
      const bool mad = c.mul != MulMode::kNone;
      OpSpec s{c.opcode, typed(type), bits,
               mad ? std::vector<unsigned>{bits, bits, bits} : std::vector<unsigned>{bits, bits}};
      s.m.cc = c.cc;
      s.m.mul = c.mul;
      const u64 keep = bits == 64 ? ~0ull : 0xffffffffull;
      const auto e = int_edges(bits);
      for (const IsaLevel level : available_levels()) {
        OpRunner run(s, level);
        ASSERT_TRUE(run.ok());
        for (std::size_t base = 0; base < e.size() * e.size(); base += kWarpSize) {
          std::vector<Lanes> in(s.src.size());
          for (unsigned i = 0; i < kWarpSize; ++i) {
            in[0][i] = e[(base + i) % e.size()];
            in[1][i] = e[(base + i) / e.size() % e.size()];
            if (mad) in[2][i] = e[(base + 7 * i) % e.size()];
          }
          const LaneMask flags = 0x9e3779b9u, active = 0xfffff0f7u;
          run.warp().carry() = flags;
          const Lanes got = run.run(in, active, Lanes{});
          for (unsigned i = 0; i < kWarpSize; ++i) {
            const bool on = (active >> i) & 1, flag = (flags >> i) & 1;
            u64 x = in[0][i] & keep, y = in[1][i] & keep;
            if (mad) {
              u128 p = static_cast<u128>(x) * y;
              if (is_signed) {
                const auto extend = [&](u64 v) {
                  return bits == 64 ? static_cast<__int128>(static_cast<std::int64_t>(v))
                                    : static_cast<__int128>(static_cast<std::int32_t>(v));
                };
                p = static_cast<u128>(extend(x) * extend(y));
              }
              x = static_cast<u64>(c.mul == MulMode::hi ? p >> bits : p) & keep;
              y = in[2][i] & keep;
            }
            const unsigned carry_in = c.uses_carry ? flag : c.subtracts ? 1 : 0;
            const u128 sum = static_cast<u128>(x) + (c.subtracts ? ~y & keep : y) + carry_in;
            if (on) {
              EXPECT_EQ(got[i], static_cast<u64>(sum) & keep) << s.describe() << " lane " << i;
            }
            const bool want = on && c.cc ? static_cast<bool>((sum >> bits) & 1) : flag;
            EXPECT_EQ((run.warp().carry() >> i) & 1, want ? 1u : 0u) << s.describe() << " lane " << i;
          }
        }
      }
    }
  }
}

// Long division bit by bit, in the way compiled code does it: subtract the divisor from the remainder, and
// let the flag, fetched by addc, be the quotient's next bit.
TEST(Carry, DivisionOf128BitsTakesTheFlagAsQuotientBit) {
  std::string body =
      "mov.b64 %r0, 0;\nmov.b64 %r1, 0;\n.reg .u64 %m<2>, %d<2>, %k, %f;\n.reg .u32 %n;\n.reg .pred %p;\n"
      "mov.b64 %m0, 0;\nmov.b64 %m1, 0;\nmov.u32 %n, 128;\nLOOP:\n"
      // remainder = remainder * 2 + top bit of the dividend; dividend and quotient move up
      "add.cc.u64 %a0, %a0, %a0;\naddc.cc.u64 %a1, %a1, %a1;\naddc.cc.u64 %m0, %m0, %m0;\n"
      "addc.cc.u64 %m1, %m1, %m1;\naddc.u64 %f, 0, 0;\n"
      "add.cc.u64 %r0, %r0, %r0;\naddc.u64 %r1, %r1, %r1;\n"
      "sub.cc.u64 %d0, %m0, %b0;\nsubc.cc.u64 %d1, %m1, %b1;\naddc.u64 %k, 0, 0;\nor.b64 %k, %k, %f;\n"
      "setp.ne.u64 %p, %k, 0;\n@%p mov.b64 %m0, %d0;\n@%p mov.b64 %m1, %d1;\nadd.u64 %r0, %r0, %k;\n"
      "add.u32 %n, %n, -1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\nmov.b64 %r2, %m0;\n";
  PtxModule m(kernel(body, 64, 2));
  std::vector<Words> x = values(2, 5), y = values(2, 6);
  std::rotate(y.begin(), y.begin() + 1, y.end());
  Words flat_x, flat_y;
  for (unsigned i = 0; i < 32; ++i) {
    if (i % 4 == 1) y[i][1] = 0;  // short divisors too
    if ((y[i][0] | y[i][1]) == 0) y[i][0] = 3;
    flat_x.insert(flat_x.end(), x[i].begin(), x[i].end());
    flat_y.insert(flat_y.end(), y[i].begin(), y[i].end());
  }
  const auto got = m.outputs<u64>("k", 32, 32 * 3, m.buffer(flat_x), m.buffer(flat_y));
  for (unsigned i = 0; i < 32; ++i) {
    const u128 a = static_cast<u128>(x[i][1]) << 64 | x[i][0], b = static_cast<u128>(y[i][1]) << 64 | y[i][0];
    EXPECT_EQ(got[3 * i], static_cast<u64>(a / b)) << i;
    EXPECT_EQ(got[3 * i + 1], static_cast<u64>((a / b) >> 64)) << i;
    EXPECT_EQ(got[3 * i + 2], static_cast<u64>(a % b)) << i;
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
