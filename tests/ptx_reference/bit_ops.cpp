// Logic, shifts and bit fields (PTX ISA 9.7.1 and 9.7.8), bit by bit where the manual's pseudo-code is.

#include <algorithm>

#include "tests/ptx_reference/scalar_ops.h"

namespace warpvp::reference {
namespace {

bool bit(std::uint64_t x, int i) { return (x >> i) & 1; }

// Position and length of a field. The ISA restricts them to 255; what is above counts for 64 bits alone, see
// docs/ptx.md.
int limited_field(Type t, std::uint64_t x) {
  return static_cast<int>(t.bits == 64 ? std::min<std::uint64_t>(cut(x, 32), 255) : x & 0xff);
}

std::uint64_t extract_field(Type t, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const int msb = t.bits - 1, pos = limited_field(t, b), len = limited_field(t, c);
  const bool sign = t.is_signed() && len != 0 && bit(a, std::min(pos + len - 1, msb));
  std::uint64_t d = 0;
  for (int i = 0; i <= msb; ++i) {
    const bool in_field = i < len && pos + i <= msb;
    if (in_field ? bit(a, pos + i) : sign) d |= 1ull << i;
  }
  return d;
}

std::uint64_t insert_field(Type t, const std::uint64_t* s) {
  const int msb = t.bits - 1, pos = limited_field(t, s[2]), len = limited_field(t, s[3]);
  std::uint64_t f = s[1];
  for (int i = 0; i < len && pos + i <= msb; ++i)
    f = (f & ~(1ull << (pos + i))) | (static_cast<std::uint64_t>(bit(s[0], i)) << (pos + i));
  return f;
}

std::uint64_t permute(const std::string& mode, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t bytes = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  // Which byte goes to places 3, 2, 1, 0 for each value of the selector's lowest two bits.
  static const std::map<std::string, std::vector<const char*>> kModes{
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
      {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  std::uint64_t d = 0;
  for (int place = 0; place < 4; ++place) {
    int from = 0;
    bool sign_only = false;
    if (mode.empty()) {
      from = static_cast<int>((c >> (4 * place)) & 7);
      sign_only = bit(c, 4 * place + 3);
    } else {
      from = kModes.at(mode)[c & 3][3 - place] - '0';
    }
    std::uint64_t byte = (bytes >> (8 * from)) & 0xff;
    if (sign_only) byte = byte & 0x80 ? 0xff : 0;
    d |= byte << (8 * place);
  }
  return d;
}

std::uint64_t find_nth_set(std::uint64_t mask, int base, int offset) {
  if (offset == 0) return bit(mask, base) ? static_cast<std::uint64_t>(base) : 0xffffffff;
  std::int64_t count = offset > 0 ? offset : -static_cast<std::int64_t>(offset);
  for (int pos = base; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
    if (bit(mask, pos) && --count == 0) return static_cast<std::uint64_t>(pos);
  return 0xffffffff;
}

std::uint64_t lookup3(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t d = 0;
  for (int i = 0; i < 32; ++i)
    d |= static_cast<std::uint64_t>(bit(table, bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i))) << i;
  return d;
}

std::uint64_t shift_pair(const Opcode& op, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t pair = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  const int n = op.has("wrap") ? static_cast<int>(c & 31) : static_cast<int>(std::min<std::uint64_t>(c, 32));
  return cut(op.has("l") ? pair >> (32 - n) : pair >> n, 32);
}

}  // namespace

ScalarOp bit_op(const Opcode& op) {
  const std::string name = op.name();
  const auto types = op.types();
  if (types.empty() || types[0].is_float()) return {};
  const Type t = types[0];
  const auto simple = [=](auto f) -> ScalarOp {
    return [=](const Sources& in, Results& out) {
      out.d = cut(f(cut(in.s[0], t.bits), cut(in.s[1], t.bits), in.s[2]), t.bits);
    };
  };
  // Shift amounts and counts are 32 bits whatever the type.
  const auto with_word = [=](auto f) -> ScalarOp {
    return [=](const Sources& in, Results& out) { out.d = f(cut(in.s[0], t.bits), cut(in.s[1], 32)); };
  };
  using U = std::uint64_t;
  if (name == "and") return simple([](U a, U b, U) { return a & b; });
  if (name == "or") return simple([](U a, U b, U) { return a | b; });
  if (name == "xor") return simple([](U a, U b, U) { return a ^ b; });
  if (name == "not") return simple([](U a, U, U) { return ~a; });
  if (name == "cnot") return simple([](U a, U, U) { return U{a == 0}; });
  if (name == "shl")
    return with_word([=](U a, U n) { return n >= static_cast<U>(t.bits) ? 0 : cut(a << n, t.bits); });
  if (name == "shr") {
    return with_word([=](U a, U n) {
      const int by = static_cast<int>(std::min<U>(n, static_cast<U>(t.bits)));
      return widened(t, static_cast<U>(number_of(t, a) >> by));
    });
  }
  if (name == "popc") {
    return with_word([](U a, U) {
      U n = 0;
      for (; a != 0; a >>= 1) n += a & 1;
      return n;
    });
  }
  if (name == "clz") {
    return with_word([=](U a, U) {
      U n = 0;
      while (n < static_cast<U>(t.bits) && !bit(a, t.bits - 1 - static_cast<int>(n))) ++n;
      return n;
    });
  }
  if (name == "brev") {
    return with_word([=](U a, U) {
      U d = 0;
      for (int i = 0; i < t.bits; ++i) d |= U{bit(a, i)} << (t.bits - 1 - i);
      return d;
    });
  }
  if (name == "bfind") {
    return with_word([=](U a, U) {
      if (t.is_signed() && bit(a, t.bits - 1)) a = cut(~a, t.bits);
      for (int i = t.bits - 1; i >= 0; --i)
        if (bit(a, i)) return static_cast<U>(op.has("shiftamt") ? t.bits - 1 - i : i);
      return U{0xffffffff};
    });
  }
  if (name == "bfe")
    return [=](const Sources& in, Results& out) { out.d = extract_field(t, in.s[0], in.s[1], in.s[2]); };
  if (name == "bfi") return [=](const Sources& in, Results& out) { out.d = insert_field(t, in.s); };
  if (name == "bmsk") {
    return simple([=](U a, U b, U) {
      if (op.has("wrap")) a &= 31, b &= 31;
      U d = 0;
      for (U i = 0; i < 32; ++i)
        if (i >= a && i - a < b) d |= U{1} << i;
      return d;
    });
  }
  if (name == "szext") {
    return [=](const Sources& in, Results& out) {
      const U a = cut(in.s[0], 32), b = cut(in.s[1], 32);
      const U width = op.has("wrap") ? b & 31 : std::min<U>(b, 32);
      const bool sign = t.is_signed() && width != 0 && bit(a, static_cast<int>(width) - 1);
      const U low = cut(a, static_cast<int>(width));
      out.d = width == 32 ? a : cut(sign ? low | ~U{0} << width : low, 32);
    };
  }
  if (name == "fns") {
    return [](const Sources& in, Results& out) {
      out.d = find_nth_set(in.s[0], static_cast<int>(in.s[1]),
                           static_cast<int>(static_cast<std::int32_t>(in.s[2])));
    };
  }
  if (name == "prmt") {
    std::string mode;
    for (const char* m : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
      if (op.has(m)) mode = m;
    return simple([=](U a, U b, U c) { return permute(mode, a, b, c); });
  }
  if (name == "shf") return simple([=](U a, U b, U c) { return shift_pair(op, a, b, cut(c, 32)); });
  if (name == "lop3") {
    return [=](const Sources& in, Results& out) {
      out.d = lookup3(in.s[0], in.s[1], in.s[2], in.s[3]);
      const bool p = out.d != 0, q = in.s[4] != 0;
      out.pair = op.has("and") ? p && q : p || q;
    };
  }
  return {};
}

ScalarOp scalar_op(const Instruction& in) {
  for (auto* family : {integer_op, bit_op, float_op, compare_op, convert_op})
    if (ScalarOp op = family(in.op)) return op;
  if (ScalarOp op = video_op(in)) return op;
  throw ReferenceError("reference: does not know " + in.source);
}

}  // namespace warpvp::reference
