// Comparison and selection (PTX ISA 9.7.5 and 9.7.6).

#include "ptx/exec/ops/comparisons.h"
#include "ptx/exec/ops/float_ops.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

template <Compare c, bool ftz, class T>
WARPVP_INLINE LaneMask compare_lanes(const Inst& inst, Warp& w) {
  const Cell<T>*a = source<T>(w, inst.src[0]), *b = source<T>(w, inst.src[1]);
  return mask_of([&](unsigned i) {
    if constexpr (std::is_floating_point_v<T>) {
      return holds(c, flush<ftz>(get<T>(a[i])), flush<ftz>(get<T>(b[i])));
    } else {
      return holds(c, get<T>(a[i]), get<T>(b[i]));
    }
  });
}

/// aux bits 0..7: BoolOp. p = (a cmp b) op c, q = !(a cmp b) op c.
template <Compare c, bool ftz, class T>
void setp(const Inst& inst, Warp& w, LaneMask active) {
  LaneMask p = compare_lanes<c, ftz, T>(inst, w);
  LaneMask q = ~p;
  if (inst.src[2].kind == OperandKind::kPred) {
    const LaneMask third = w.pred_value(inst.src[2]);
    p = combine(static_cast<BoolOp>(inst.aux & 0xff), p, third);
    q = combine(static_cast<BoolOp>(inst.aux & 0xff), q, third);
  }
  set_pred(w, inst.dst[0], p, active);
  set_pred(w, inst.dst[1], q, active);
}

/// The result, true, is in aux bits 32..63: all ones, or 1.0 of the type.
template <Compare c, bool ftz, class T>
void set(const Inst& inst, Warp& w, LaneMask active) {
  LaneMask p = compare_lanes<c, ftz, T>(inst, w);
  if (inst.src[2].kind == OperandKind::kPred) {
    p = combine(static_cast<BoolOp>(inst.aux & 0xff), p, w.pred_value(inst.src[2]));
  }
  const u32 yes = static_cast<u32>(inst.aux >> 32);
  with_destination<u32, true>(inst, w, active, [&](Row32* o) { WARPVP_LANES o[i] = (p >> i) & 1 ? yes : 0; });
}

template <class T>
void selp(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>*a = source<T>(w, inst.src[0]), *b = source<T>(w, inst.src[1]);
  const LaneMask p = w.pred_value(inst.src[2]);
  with_destination<T, true>(inst, w, active,
                            [&](Cell<T>* o) { WARPVP_LANES o[i] = (p >> i) & 1 ? a[i] : b[i]; });
}

template <class T, class S, bool ftz>
void slct(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>*a = source<T>(w, inst.src[0]), *b = source<T>(w, inst.src[1]);
  const Row32* c = source<u32>(w, inst.src[2]);
  with_destination<T, false>(inst, w, active, [&](Cell<T>* o) {
    WARPVP_LANES {
      S s = get<S>(c[i]);
      if constexpr (ftz) s = flush<true>(s);
      o[i] = s >= S(0) ? a[i] : b[i];
    }
  });
}

// ---- selection

enum class Kind { kSetp, kSet };
template <Kind kind, Compare c, bool ftz, class T>
constexpr ExecFn function() {
  return kind == Kind::kSetp ? &setp<c, ftz, T> : &set<c, ftz, T>;
}

/// The function of that comparison `c` of `cs`; nullptr: it is none of them.
template <Kind kind, class T, bool ftz, Compare... cs>
ExecFn one_of(Compare c) {
  ExecFn found = nullptr;
  (void)((c == cs && (found = function<kind, cs, ftz, T>(), true)) || ...);
  return found;
}

/// Comparisons of unsigned integers have names of their own besides the common ones.
constexpr Compare common_name(Compare c) {
  switch (c) {
    case Compare::lo:
      return Compare::lt;
    case Compare::ls:
      return Compare::le;
    case Compare::hi:
      return Compare::gt;
    case Compare::hs:
      return Compare::ge;
    default:
      return c;
  }
}
template <Kind kind, class T>
ExecFn ordered_of(Compare c) {
  using C = Compare;
  return one_of<kind, T, false, C::eq, C::ne, C::lt, C::le, C::gt, C::ge>(
      std::is_unsigned_v<T> ? common_name(c) : c);
}
/// Untyped operands can only be equal or not.
template <Kind kind, class T>
ExecFn bits_of(Compare c) {
  return c == Compare::eq || c == Compare::ne ? ordered_of<kind, T>(c) : nullptr;
}
template <Kind kind, class T, bool ftz>
ExecFn float_of(Compare c) {
  using C = Compare;
  return one_of<kind, T, ftz, C::eq, C::ne, C::lt, C::le, C::gt, C::ge, C::equ, C::neu, C::ltu, C::leu,
                C::gtu, C::geu, C::num, C::nan>(c);
}
template <Kind kind>
ExecFn compare_of(Type type, Compare c, bool ftz) {
  if (ftz && type != Type::f32) return nullptr;
  if (type == Type::f32) return ftz ? float_of<kind, float, true>(c) : float_of<kind, float, false>(c);
  if (type == Type::f64) return float_of<kind, double, false>(c);
  const ExecFn untyped = by_type(Bits{}, type, [&](auto t) { return bits_of<kind, decltype(t)>(c); });
  return untyped ? untyped
                 : by_type(Integers{}, type, [&](auto t) { return ordered_of<kind, decltype(t)>(c); });
}

template <class T>
ExecFn slct_of(const Modifiers& m) {
  if (m.src_type == Type::s32) return m.ftz ? nullptr : &slct<T, s32, false>;
  if (m.src_type == Type::f32) return m.ftz ? &slct<T, float, true> : &slct<T, float, false>;
  return nullptr;
}

}  // namespace

ExecFn select_compare(Inst& inst, const Modifiers& m) {
  switch (inst.opcode) {
    case Opcode::setp:
      if ((inst.src[2].kind == OperandKind::kPred) != (m.bool_op != BoolOp::kNone)) return nullptr;
      inst.aux = static_cast<u64>(m.bool_op);
      return compare_of<Kind::kSetp>(m.type, m.compare, m.ftz);
    case Opcode::set: {
      if ((inst.src[2].kind == OperandKind::kPred) != (m.bool_op != BoolOp::kNone)) return nullptr;
      u64 yes = 0xffffffff;
      if (m.type == Type::f32) {
        yes = 0x3f800000;
      } else if (m.type == Type::f16 || m.type == Type::bf16) {
        yes = m.type == Type::f16 ? 0x3c00 : 0x3f80;
      } else if (m.type != Type::u32 && m.type != Type::s32) {
        return nullptr;
      }
      inst.aux = static_cast<u64>(m.bool_op) | yes << 32;
      return compare_of<Kind::kSet>(m.src_type, m.compare, m.ftz);
    }
    case Opcode::selp:
      if (inst.src[2].kind != OperandKind::kPred) return nullptr;
      if (type_bits(m.type) == 0) return nullptr;
      return type_bits(m.type) == 64 ? &selp<u64> : &selp<u32>;
    case Opcode::slct:
      if (type_bits(m.type) == 0) return nullptr;
      return type_bits(m.type) == 64 ? slct_of<u64>(m) : slct_of<u32>(m);
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
