// Comparison and selection (PTX ISA 9.7.5 and 9.7.6).

#include "tests/ptx_reference/scalar_ops.h"
#include "tests/ptx_reference/soft_float.h"

namespace warpvp::reference {
namespace {

// Holds for an order of -1, 0 or 1.
bool holds(const std::string& relation, int order) {
  if (relation == "eq") return order == 0;
  if (relation == "ne") return order != 0;
  if (relation == "lt" || relation == "lo") return order < 0;
  if (relation == "le" || relation == "ls") return order <= 0;
  if (relation == "gt" || relation == "hi") return order > 0;
  return order >= 0;
}

bool float_relation(const std::string& relation, Format f, std::uint64_t a, std::uint64_t b) {
  const Real x = unpack(f, a), y = unpack(f, b);
  const bool unordered = x.is_nan() || y.is_nan();
  if (relation == "num") return !unordered;
  if (relation == "nan") return unordered;
  const bool with_nan = relation.size() == 3;  // equ, neu, ltu, ...
  if (unordered) return with_nan;
  return holds(relation.substr(0, 2), compare(x, y));
}

bool related(const Opcode& op, Type t, std::uint64_t a, std::uint64_t b) {
  const std::string& relation = op.parts[1];
  a = cut(a, t.bits);
  b = cut(b, t.bits);
  if (t.is_float()) {
    const Format f = t.bits == 32 ? kF32 : kF64;
    if (op.has("ftz")) a = flush(f, a), b = flush(f, b);
    return float_relation(relation, f, a, b);
  }
  const __int128 x = number_of(t, a), y = number_of(t, b);
  return holds(relation, x < y ? -1 : x > y ? 1 : 0);
}

bool combine(const Opcode& op, bool t, bool c) {
  if (op.has("and")) return t && c;
  if (op.has("or")) return t || c;
  if (op.has("xor")) return t != c;
  return t;
}

}  // namespace

ScalarOp compare_op(const Opcode& op) {
  const std::string name = op.name();
  const auto types = op.types();
  if (types.empty()) return {};
  if (name == "setp") {
    const Type t = types[0];
    return [=](const Sources& in, Results& out) {
      const bool r = related(op, t, in.s[0], in.s[1]), c = in.s[2] != 0;
      out.d = combine(op, r, c);
      out.pair = combine(op, !r, c);
    };
  }
  if (name == "set") {
    const Type to = types[0], from = types[1];
    return [=](const Sources& in, Results& out) {
      const bool r = combine(op, related(op, from, in.s[0], in.s[1]), in.s[2] != 0);
      out.d = !r ? 0 : to.is_float() ? 0x3f800000 : 0xffffffff;
    };
  }
  if (name == "selp")
    return [=](const Sources& in, Results& out) {
      out.d = cut(in.s[2] != 0 ? in.s[0] : in.s[1], types[0].bits);
    };
  if (name == "slct") {
    const Type by = types[1];
    return [=](const Sources& in, Results& out) {
      bool first = false;
      if (by.is_float()) {
        const std::uint64_t c = cut(in.s[2], 32);
        first = float_relation("ge", kF32, op.has("ftz") ? flush(kF32, c) : c, 0);
      } else {
        first = number_of(by, in.s[2]) >= 0;
      }
      out.d = cut(first ? in.s[0] : in.s[1], types[0].bits);
    };
  }
  return {};
}

}  // namespace warpvp::reference
