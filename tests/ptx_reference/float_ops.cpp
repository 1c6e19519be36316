// Floating-point arithmetic (PTX ISA 9.7.3) without a floating-point unit.

#include <algorithm>

#include "tests/ptx_reference/scalar_ops.h"
#include "tests/ptx_reference/soft_float.h"

namespace warpvp::reference {
namespace {

Round rounding(const Opcode& op) {
  if (op.has("rz")) return Round::kZero;
  if (op.has("rm")) return Round::kDown;
  if (op.has("rp")) return Round::kUp;
  return Round::kNearestEven;
}

// min and max: a NaN loses against a number unless .NaN; -0 is below +0.
std::uint64_t extreme(const Opcode& op, Format f, std::uint64_t a, std::uint64_t b) {
  const bool least = op.name() == "min";
  const std::uint64_t sign = (a ^ b) & f.sign_bit();
  if (op.has("abs")) a &= ~f.sign_bit(), b &= ~f.sign_bit();
  const Real x = unpack(f, a), y = unpack(f, b);
  std::uint64_t d = 0;
  if ((x.is_nan() && y.is_nan()) || (op.has("NaN") && (x.is_nan() || y.is_nan()))) return f.canonical_nan();
  if (x.is_nan() || y.is_nan()) {
    d = x.is_nan() ? b : a;
  } else {
    int order = compare(x, y);
    if (order == 0) order = static_cast<int>(y.negative) - static_cast<int>(x.negative);
    d = (least ? order <= 0 : order >= 0) ? a : b;
  }
  return op.has("abs") ? d | sign : d;
}

bool has_property(const Opcode& op, Format f, std::uint64_t a) {
  const Real x = unpack(f, a);
  const bool small = (a & f.infinity()) == 0;
  const bool finite = !x.is_nan() && x.kind != Real::Kind::kInfinite;
  if (op.has("finite")) return finite;
  if (op.has("infinite")) return x.kind == Real::Kind::kInfinite;
  if (op.has("number")) return !x.is_nan();
  if (op.has("notanumber")) return x.is_nan();
  if (op.has("normal")) return (finite && !small) || x.is_zero();  // zeros are normal numbers here
  return small && !x.is_zero();
}

}  // namespace

ScalarOp float_op(const Opcode& op) {
  const std::string name = op.name();
  const auto types = op.types();
  if (types.size() != 1 || !types[0].is_float()) return {};
  const int bits = types[0].bits;
  const Format f = bits == 32 ? kF32 : kF64;
  const Round round = rounding(op);
  const auto source = [=](std::uint64_t x) { return op.has("ftz") ? flush(f, cut(x, bits)) : cut(x, bits); };
  if (name == "abs" || name == "neg") {
    return [=](const Sources& in, Results& out) {
      const std::uint64_t a = source(in.s[0]);
      out.d = f.is_nan(a) ? nan_of(f, &a, 1) : name == "abs" ? a & ~f.sign_bit() : a ^ f.sign_bit();
    };
  }
  if (name == "copysign") {
    return [=](const Sources& in, Results& out) {
      out.d = (in.s[0] & f.sign_bit()) | (cut(in.s[1], bits) & ~f.sign_bit());
    };
  }
  if (name == "testp")
    return [=](const Sources& in, Results& out) { out.d = has_property(op, f, cut(in.s[0], bits)); };
  if (name == "min" || name == "max")
    return [=](const Sources& in, Results& out) { out.d = extreme(op, f, source(in.s[0]), source(in.s[1])); };

  std::function<Real(const Real&, const Real&, const Real&)> compute;
  if (name == "add") compute = [=](const Real& a, const Real& b, const Real&) { return add(a, b, round); };
  if (name == "sub")
    compute = [=](const Real& a, const Real& b, const Real&) { return add(a, negate(b), round); };
  if (name == "mul") compute = [](const Real& a, const Real& b, const Real&) { return multiply(a, b); };
  if (name == "fma" || name == "mad")
    compute = [=](const Real& a, const Real& b, const Real& c) { return add(multiply(a, b), c, round); };
  if (!op.has("approx") && !op.has("full")) {
    if (name == "div") compute = [](const Real& a, const Real& b, const Real&) { return divide(a, b); };
    if (name == "rcp")
      compute = [](const Real& a, const Real&, const Real&) { return divide(Real::integer(false, 1), a); };
    if (name == "sqrt") compute = [](const Real& a, const Real&, const Real&) { return square_root(a); };
  }
  if (!compute) return {};
  const int operands = name == "fma" || name == "mad" ? 3 : name == "rcp" || name == "sqrt" ? 1 : 2;
  return [=](const Sources& in, Results& out) {
    const std::uint64_t values[3] = {source(in.s[0]), source(in.s[1]), source(in.s[2])};
    const Real r = compute(unpack(f, values[0]), unpack(f, values[1]), unpack(f, values[2]));
    if (op.has("sat")) {
      const Real one = Real::integer(false, 1);
      if (r.is_nan() || compare(r, Real::zero(false)) <= 0) {
        out.d = 0;
        return;
      }
      if (compare(r, one) >= 0) {
        out.d = pack(f, one, round);
        return;
      }
    }
    out.d = r.is_nan() ? nan_of(f, values, operands) : pack(f, r, round);
    if (op.has("ftz")) out.d = flush(f, out.d);
  };
}

}  // namespace warpvp::reference
