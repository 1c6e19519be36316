// Video instructions (PTX ISA 9.7.17): bytes and half-words chosen by selectors behind the operands.

#include <algorithm>

#include "tests/ptx_reference/scalar_ops.h"

namespace warpvp::reference {
namespace {

using Number = __int128;

// What a selector such as b2 or h1 takes of a register, extended as the type says.
Number selected(Type type, const std::string& selector, std::uint64_t x) {
  const int bits = selector.empty() ? 32 : selector[0] == 'b' ? 8 : 16;
  const int at = selector.empty() ? 0 : (selector[1] - '0') * bits;
  return number_of({type.kind, bits}, cut(x, 32) >> at);
}

Number limited(bool is_signed, int bits, Number x) {
  const Number least = is_signed ? -(Number{1} << (bits - 1)) : 0;
  const Number most = (Number{1} << (bits - (is_signed ? 1 : 0))) - 1;
  return std::clamp(x, least, most);
}

Number distance(Number a, Number b) { return a < b ? b - a : a - b; }

bool video_holds(const Opcode& op, Number a, Number b) {
  if (op.has("eq")) return a == b;
  if (op.has("ne")) return a != b;
  if (op.has("lt")) return a < b;
  if (op.has("le")) return a <= b;
  if (op.has("gt")) return a > b;
  return a >= b;
}

// One element of vadd, vsub and their kin, whatever its width.
Number element(const Opcode& op, const std::string& what, Number a, Number b) {
  if (what == "vadd") return a + b;
  if (what == "vsub") return a - b;
  if (what == "vabsdiff") return distance(a, b);
  if (what == "vmin") return std::min(a, b);
  if (what == "vmax") return std::max(a, b);
  if (what == "vset") return video_holds(op, a, b);
  const Number sum = a + b;  // vavrg: rounded away from zero below, up above
  return (sum >= 0 ? sum + 1 : sum) >> 1;
}

// The 32-bit instructions: one element, then a secondary operation with c or a merge into c.
ScalarOp single(const Instruction& in, const std::string& what) {
  const Opcode op = in.op;
  const auto types = op.types();
  const bool is_set = what == "vset";
  const Type td = is_set ? Type{'u', 32} : types[0];
  const Type ta = types[is_set ? 0 : 1], tb = types[is_set ? 1 : 2];
  const std::string dsel = in.operands[0].name, asel = in.operands[1].name, bsel = in.operands[2].name;
  return [=](const Sources& s, Results& out) {
    const Number a = selected(ta, asel, s.s[0]), b = selected(tb, bsel, s.s[1]);
    Number r = 0;
    if (what == "vshl" || what == "vshr") {
      const auto by = op.has("clamp") ? std::min<std::uint64_t>(cut(static_cast<std::uint64_t>(b), 32), 32)
                                      : static_cast<std::uint64_t>(b) & 31;
      r = what == "vshl" ? a * (Number{1} << by) : a >> by;
    } else {
      r = element(op, what, a, b);
    }
    const int width = dsel.empty() ? 32 : dsel[0] == 'b' ? 8 : 16;
    if (op.has("sat")) r = limited(td.is_signed(), width, r);
    const auto value = static_cast<std::uint64_t>(r);
    if (!dsel.empty()) {
      const int at = (dsel[1] - '0') * width;
      const std::uint64_t field = cut(~0ull, width) << at;
      out.d = (s.s[2] & ~field) | ((value << at) & field);
      return;
    }
    // The intermediate result has a bit more than 32 and is not cut before the secondary operation.
    const Number c = number_of({td.kind, 32}, s.s[2]);
    if (op.has("add")) r += c;
    if (op.has("min")) r = std::min(r, c);
    if (op.has("max")) r = std::max(r, c);
    out.d = static_cast<std::uint64_t>(r);
    out.d = cut(out.d, 32);
  };
}

// Two half-words or four bytes at once.
ScalarOp several(const Instruction& in, const std::string& what, int count) {
  const Opcode op = in.op;
  const auto types = op.types();
  const bool is_set = what == "vset";
  const Type td = is_set ? Type{'u', 32} : types[0];
  const Type ta = types[is_set ? 0 : 1], tb = types[is_set ? 1 : 2];
  const int bits = 32 / count;
  // Digits of a selector stand for the elements from the highest down.
  const auto digits = [](const std::string& selector, const char* otherwise) {
    const std::string text = selector.empty() ? otherwise : selector.substr(1);
    std::vector<int> all;
    for (auto it = text.rbegin(); it != text.rend(); ++it) all.push_back(*it - '0');
    return all;
  };
  const auto mask = digits(in.operands[0].name, count == 2 ? "10" : "3210");
  const auto asel = digits(in.operands[1].name, count == 2 ? "10" : "3210");
  const auto bsel = digits(in.operands[2].name, count == 2 ? "32" : "7654");
  return [=](const Sources& s, Results& out) {
    const std::uint64_t both = cut(s.s[1], 32) << 32 | cut(s.s[0], 32);
    const bool accumulates = op.has("add");
    std::uint64_t d = accumulates ? 0 : s.s[2];
    Number sum = number_of({td.kind, 32}, s.s[2]);
    for (int i = 0; i < count; ++i) {
      const Number a = number_of({ta.kind, bits}, both >> (asel[static_cast<std::size_t>(i)] * bits));
      const Number b = number_of({tb.kind, bits}, both >> (bsel[static_cast<std::size_t>(i)] * bits));
      Number r = element(op, what, a, b);
      if (std::find(mask.begin(), mask.end(), i) == mask.end()) continue;
      if (op.has("sat")) r = limited(td.is_signed(), bits, r);
      sum += r;
      const std::uint64_t field = cut(~0ull, bits) << (i * bits);
      if (!accumulates) d = (d & ~field) | ((static_cast<std::uint64_t>(r) << (i * bits)) & field);
    }
    out.d = cut(accumulates ? static_cast<std::uint64_t>(sum) : d, 32);
  };
}

// vmad: the product takes a sign where an operand says so, c is added, the sum shifted and saturated.
ScalarOp multiply_add(const Instruction& in) {
  const Opcode op = in.op;
  const auto types = op.types();
  const Type ta = types[1], tb = types[2];
  const std::string asel = in.operands[1].name, bsel = in.operands[2].name;
  const bool negate_product = in.operands[1].negated != in.operands[2].negated;
  const bool negate_c = in.operands[3].negated;
  return [=](const Sources& s, Results& out) {
    const Number product = selected(ta, asel, s.s[0]) * selected(tb, bsel, s.s[1]);
    const bool is_signed = ta.is_signed() || tb.is_signed() || negate_product || negate_c;
    const Number c = number_of({is_signed ? 's' : 'u', 32}, s.s[2]);
    Number sum = (negate_product ? -product : product) + (negate_c ? -c : c) + (op.has("po") ? 1 : 0);
    sum >>= op.has("shr7") ? 7 : op.has("shr15") ? 15 : 0;
    if (op.has("sat")) sum = limited(is_signed, 32, sum);
    out.d = cut(static_cast<std::uint64_t>(sum), 32);
  };
}

}  // namespace

ScalarOp video_op(const Instruction& in) {
  std::string what = in.op.name();
  if (what[0] != 'v') return {};
  if (what == "vmad") return multiply_add(in);
  int count = 1;
  if (what.back() == '2' || what.back() == '4') {
    count = what.back() - '0';
    what.pop_back();
  }
  static const char* const kKnown[] = {"vadd", "vsub",  "vabsdiff", "vmin", "vmax",
                                       "vset", "vavrg", "vshl",     "vshr"};
  if (std::find(std::begin(kKnown), std::end(kKnown), what) == std::end(kKnown)) return {};
  return count == 1 ? single(in, what) : several(in, what, count);
}

}  // namespace warpvp::reference
