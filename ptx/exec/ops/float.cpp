// Floating-point arithmetic rounded to nearest even (PTX ISA 9.7.3); other roundings are in rounded.cpp, the
// approximate functions in approx.cpp.

#include "ptx/exec/ops/float_ops.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c) const {
    return fused(a, b, c);
  }
};
struct Rcp {
  template <class T>
  T operator()(T a) const {
    return T(1) / a;
  }
};
struct Sqrt {
  float operator()(float a) const { return __builtin_sqrtf(a); }
  double operator()(double a) const { return __builtin_sqrt(a); }
};

/// An arithmetic operation with its modifiers.
template <class Op, bool ftz, bool sat>
struct Rule {
  template <class T>
  T operator()(T a) const {
    return finish<ftz, sat>(settled(Op{}(flush<ftz>(a)), a));
  }
  template <class T>
  T operator()(T a, T b) const {
    return finish<ftz, sat>(settled(Op{}(flush<ftz>(a), flush<ftz>(b)), a, b));
  }
  template <class T>
  T operator()(T a, T b, T c) const {
    return finish<ftz, sat>(settled(Op{}(flush<ftz>(a), flush<ftz>(b), flush<ftz>(c)), a, b, c));
  }
};

/// Less, with -0 below +0; for operands that are not NaN.
template <class T>
WARPVP_INLINE bool below(T a, T b) {
  return a < b || (a == b && (to_bits(a) & FloatBits<T>::kSign) != 0);
}
template <bool is_max, bool ftz, bool nan, bool xor_sign>
struct MinMax {
  template <class T>
  T operator()(T a, T b) const {
    a = flush<ftz>(a);
    b = flush<ftz>(b);
    constexpr auto kSign = FloatBits<T>::kSign;
    const auto sign = (to_bits(a) ^ to_bits(b)) & kSign;
    if constexpr (xor_sign) {
      a = from_bits<T>(to_bits(a) & ~kSign);
      b = from_bits<T>(to_bits(b) & ~kSign);
    }
    const T ordered = below(a, b) != is_max ? a : b;
    T r;
    if constexpr (nan) {
      r = is_nan(a) || is_nan(b) ? from_bits<T>(FloatBits<T>::kNan) : ordered;
    } else {
      r = is_nan(a) ? canonical(b) : is_nan(b) ? a : ordered;
    }
    if constexpr (xor_sign) r = is_nan(r) ? r : from_bits<T>(to_bits(r) | sign);
    return r;
  }
};

// The chip adds to make these, so NaNs leave them as they leave an addition, with the sign that they had.
template <bool ftz>
struct Abs {
  template <class T>
  T operator()(T a) const {
    return is_nan(a) ? settled(a, a) : from_bits<T>(to_bits(flush<ftz>(a)) & ~FloatBits<T>::kSign);
  }
};
template <bool ftz>
struct Neg {
  template <class T>
  T operator()(T a) const {
    return is_nan(a) ? settled(a, a) : from_bits<T>(to_bits(flush<ftz>(a)) ^ FloatBits<T>::kSign);
  }
};
struct Copysign {  // sign of a, magnitude of b
  template <class T>
  T operator()(T a, T b) const {
    return from_bits<T>((to_bits(a) & FloatBits<T>::kSign) | (to_bits(b) & ~FloatBits<T>::kSign));
  }
};

template <class T, TestpMode mode>
void testp(const Inst& inst, Warp& w, LaneMask active) {
  using B = FloatBits<T>;
  const Cell<T>* a = source<T>(w, inst.src[0]);
  const LaneMask r = mask_of([&](unsigned i) {
    const typename B::U m = a[i] & ~B::kSign;
    switch (mode) {
      case TestpMode::finite:
        return m < B::kExponent;
      case TestpMode::infinite:
        return m == B::kExponent;
      case TestpMode::number:
        return m <= B::kExponent;
      case TestpMode::notanumber:
        return m > B::kExponent;
      case TestpMode::normal:
        return m < B::kExponent && (m > B::kFraction || m == 0);  // zeros are normal numbers here
      case TestpMode::subnormal:
        return m != 0 && m <= B::kFraction;
      default:
        return false;
    }
  });
  set_pred(w, inst.dst[0], r, active);
}
template <class T>
ExecFn testp_of(TestpMode mode) {
  switch (mode) {
    case TestpMode::finite:
      return &testp<T, TestpMode::finite>;
    case TestpMode::infinite:
      return &testp<T, TestpMode::infinite>;
    case TestpMode::number:
      return &testp<T, TestpMode::number>;
    case TestpMode::notanumber:
      return &testp<T, TestpMode::notanumber>;
    case TestpMode::normal:
      return &testp<T, TestpMode::normal>;
    case TestpMode::subnormal:
      return &testp<T, TestpMode::subnormal>;
    default:
      return nullptr;
  }
}

// Only single precision knows .ftz and .sat.
template <class Op>
ExecFn binary_rule(const Modifiers& m) {
  if (m.type == Type::f64) return m.ftz || m.sat ? nullptr : &binary<Rule<Op, false, false>, double>;
  if (m.type != Type::f32) return nullptr;
  if (m.ftz) return m.sat ? &binary<Rule<Op, true, true>, float> : &binary<Rule<Op, true, false>, float>;
  return m.sat ? &binary<Rule<Op, false, true>, float> : &binary<Rule<Op, false, false>, float>;
}
ExecFn fma_rule(const Modifiers& m) {
  if (m.type == Type::f64) return m.ftz || m.sat ? nullptr : &ternary<Rule<Fma, false, false>, double>;
  if (m.type != Type::f32) return nullptr;
  if (m.ftz) return m.sat ? &ternary<Rule<Fma, true, true>, float> : &ternary<Rule<Fma, true, false>, float>;
  return m.sat ? &ternary<Rule<Fma, false, true>, float> : &ternary<Rule<Fma, false, false>, float>;
}
template <class Op>
ExecFn unary_rule(const Modifiers& m) {
  if (m.sat) return nullptr;
  if (m.type == Type::f64) return m.ftz ? nullptr : &unary<Rule<Op, false, false>, double>;
  if (m.type != Type::f32) return nullptr;
  return m.ftz ? &unary<Rule<Op, true, false>, float> : &unary<Rule<Op, false, false>, float>;
}
template <bool is_max>
ExecFn min_max(const Modifiers& m) {
  if (m.sat || m.relu) return nullptr;
  if (m.type == Type::f64) {
    return m.ftz || m.nan || m.xor_sign_abs ? nullptr : &binary<MinMax<is_max, false, false, false>, double>;
  }
  if (m.type != Type::f32) return nullptr;
  const unsigned which = (m.ftz ? 4u : 0u) | (m.nan ? 2u : 0u) | (m.xor_sign_abs ? 1u : 0u);
  static constexpr ExecFn kTable[8] = {
      &binary<MinMax<is_max, false, false, false>, float>, &binary<MinMax<is_max, false, false, true>, float>,
      &binary<MinMax<is_max, false, true, false>, float>,  &binary<MinMax<is_max, false, true, true>, float>,
      &binary<MinMax<is_max, true, false, false>, float>,  &binary<MinMax<is_max, true, false, true>, float>,
      &binary<MinMax<is_max, true, true, false>, float>,   &binary<MinMax<is_max, true, true, true>, float>};
  return kTable[which];
}

}  // namespace

ExecFn select_float(Inst& inst, const Modifiers& m) {
  const bool nearest = m.rounding == Rounding::rn;
  const bool nearest_or_default = nearest || m.rounding == Rounding::kNone;
  switch (inst.opcode) {
    case Opcode::add:
      return nearest_or_default ? binary_rule<Add>(m) : nullptr;
    case Opcode::sub:
      return nearest_or_default ? binary_rule<Sub>(m) : nullptr;
    case Opcode::mul:
      return nearest_or_default ? binary_rule<Mul>(m) : nullptr;
    case Opcode::fma:
    case Opcode::mad:
      return nearest && !m.relu ? fma_rule(m) : nullptr;
    case Opcode::div:
      return nearest && !m.sat ? binary_rule<Div>(m) : nullptr;
    case Opcode::rcp:
      return nearest ? unary_rule<Rcp>(m) : nullptr;
    case Opcode::sqrt:
      return nearest ? unary_rule<Sqrt>(m) : nullptr;
    case Opcode::min:
      return min_max<false>(m);
    case Opcode::max:
      return min_max<true>(m);
    case Opcode::abs:
      if (m.type == Type::f64) return m.ftz ? nullptr : &unary<Abs<false>, double>;
      return m.ftz ? &unary<Abs<true>, float> : &unary<Abs<false>, float>;
    case Opcode::neg:
      if (m.type == Type::f64) return m.ftz ? nullptr : &unary<Neg<false>, double>;
      return m.ftz ? &unary<Neg<true>, float> : &unary<Neg<false>, float>;
    case Opcode::copysign:
      return m.type == Type::f32   ? &binary<Copysign, float>
             : m.type == Type::f64 ? &binary<Copysign, double>
                                   : nullptr;
    case Opcode::testp:
      return m.type == Type::f32   ? testp_of<float>(m.testp)
             : m.type == Type::f64 ? testp_of<double>(m.testp)
                                   : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
