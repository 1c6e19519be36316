// Integer arithmetic (PTX ISA 9.7.1 and 9.7.2). Everything is computed on unsigned types, so that wrap-around
// is defined; signedness enters where the result depends on it.

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// Unsigned arithmetic type without promotion to signed int.
template <class T>
using Work = std::conditional_t<sizeof(T) == 8, u64, u32>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Work<T>(a) + Work<T>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Work<T>(a) - Work<T>(b));
  }
};
WARPVP_INLINE s32 clamp32(s64 v) {
  constexpr s64 low = -0x80000000ll, high = 0x7fffffffll;
  v = v < low ? low : v;
  return static_cast<s32>(v > high ? high : v);
}
struct AddSat {
  s32 operator()(s32 a, s32 b) const { return clamp32(s64{a} + b); }
};
struct SubSat {
  s32 operator()(s32 a, s32 b) const { return clamp32(s64{a} - b); }
};
struct MulLo {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Work<T>(a) * Work<T>(b));
  }
};
WARPVP_INLINE u64 mul_hi_u64(u64 a, u64 b) {
  return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64);
}
struct MulHi {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (sizeof(T) == 8) {
      u64 high = mul_hi_u64(static_cast<u64>(a), static_cast<u64>(b));
      if constexpr (std::is_signed_v<T>) {
        if (a < 0) high -= static_cast<u64>(b);
        if (b < 0) high -= static_cast<u64>(a);
      }
      return static_cast<T>(high);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
      return static_cast<T>((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
    }
  }
};
/// D is twice as wide as T.
template <class D>
struct MulWide {
  template <class T>
  D operator()(T a, T b) const {
    return static_cast<D>(Work<D>(D(a)) * Work<D>(D(b)));
  }
};
struct MadLo {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulLo{}(a, b), c);
  }
};
struct MadHi {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulHi{}(a, b), c);
  }
};
struct MadHiSat {
  s32 operator()(s32 a, s32 b, s32 c) const { return clamp32(s64{MulHi{}(a, b)} + c); }
};
template <class D>
struct MadWide {
  template <class T>
  D operator()(T a, T b, D c) const {
    return Add{}(MulWide<D>{}(a, b), c);
  }
};

/// The low 24 bits, extended as the type says.
template <class T>
WARPVP_INLINE s64 low24(T v) {
  const u32 low = u32(v) & 0xffffff;
  if constexpr (std::is_signed_v<T>) return s64{static_cast<s32>(low << 8) >> 8};
  return s64{low};
}
struct Mul24Lo {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(low24(a) * low24(b));
  }
};
struct Mul24Hi {  // bits 16..47 of the 48-bit product
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(Mul24Lo{}(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(Mul24Hi{}(a, b), c);
  }
};
struct Mad24HiSat {
  s32 operator()(s32 a, s32 b, s32 c) const { return clamp32(s64{Mul24Hi{}(a, b)} + c); }
};

struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    const Work<T> d = a < b ? Work<T>(b) - Work<T>(a) : Work<T>(a) - Work<T>(b);
    return static_cast<T>(Work<T>(c) + d);
  }
};

// Division by zero gives an unspecified value; here all ones, quotient and remainder, as chips do.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~Work<T>{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return static_cast<T>(Work<T>{0} - Work<T>(a));
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~Work<T>{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? static_cast<T>(Work<T>{0} - Work<T>(a)) : a;
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(Work<T>{0} - Work<T>(a));
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
/// Two 16-bit operations in one word; F says what happens to T.
template <class F, class T>
struct Packed {
  u32 operator()(u32 a, u32 b) const {
    const auto half = [](T x, T y) { return u32{static_cast<u16>(F{}(x, y))}; };
    return half(static_cast<T>(a), static_cast<T>(b)) | half(static_cast<T>(a >> 16), static_cast<T>(b >> 16))
                                                            << 16;
  }
};
template <class F>
struct Relu {
  template <class T>
  T operator()(T a, T b) const {
    return Max{}(F{}(a, b), T{0});
  }
};

// ---- what the machine has and PTX has not

/// The sum of a, b and c, each negated where its bit of Inst::aux is set: -a is ~a + 1.
template <class T>
void add3(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>*a = source<T>(w, inst.src[0]), *b = source<T>(w, inst.src[1]), *c = source<T>(w, inst.src[2]);
  const T flip_a = static_cast<T>(T{0} - (inst.aux & 1)), flip_b = static_cast<T>(T{0} - (inst.aux >> 1 & 1)),
          flip_c = static_cast<T>(T{0} - (inst.aux >> 2 & 1));
  const T ones = static_cast<T>(T{0} - flip_a - flip_b - flip_c);
  with_destination<T, true>(inst, w, active, [&](Cell<T>* o) {
    WARPVP_LANES o[i] = (a[i] ^ flip_a) + (b[i] ^ flip_b) + (c[i] ^ flip_c) + ones;
  });
}
/// (a << Inst::aux) + b, the amount less than the width of T. A, that of a, is at most as wide.
template <class T, class A>
void lea(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<A>* a = source<A>(w, inst.src[0]);
  const Cell<T>* b = source<T>(w, inst.src[1]);
  const auto amount = static_cast<unsigned>(inst.aux);
  with_destination<T, sizeof(T) == sizeof(A)>(
      inst, w, active, [&](Cell<T>* o) { WARPVP_LANES o[i] = (static_cast<T>(a[i]) << amount) + b[i]; });
}

// ---- extended precision: CC.CF is a lane mask of the warp. There is one carry for additions and
// subtractions: a - b is a + ~b + 1, and subc takes the carry in place of the 1, so after a subtraction CF
// says "no borrow". Compiled code mixes the two: `subc.cc` then `addc r, 0, 0` reads that flag.

enum class CarryKind { kAdd, kSub, kMadLo, kMadHi };

template <class T, CarryKind kind, bool carry_in, bool carry_out>
void extended(const Inst& inst, Warp& w, LaneMask active) {
  // U: the sums do not depend on the type's sign; only mad's high half does.
  using U = Unsigned<T>;
  using Wide = std::conditional_t<sizeof(T) == 8, unsigned __int128, u64>;
  const Cell<T>* a = source<T>(w, inst.src[0]);
  const Cell<T>* b = source<T>(w, inst.src[1]);
  const Cell<T>* c =
      kind == CarryKind::kMadLo || kind == CarryKind::kMadHi ? source<T>(w, inst.src[2]) : nullptr;
  const LaneMask in = carry_in ? w.carry() : kind == CarryKind::kSub ? ~0u : 0;
  LaneMask out = 0;
  alignas(64) Cell<T> t[kWarpSize];
  for (unsigned i = 0; i < kWarpSize; ++i) {
    U x = static_cast<U>(a[i]), y = static_cast<U>(b[i]);
    if constexpr (kind == CarryKind::kMadLo) {
      x = static_cast<U>(MulLo{}(static_cast<T>(x), static_cast<T>(y)));
      y = static_cast<U>(c[i]);
    } else if constexpr (kind == CarryKind::kMadHi) {
      x = static_cast<U>(MulHi{}(static_cast<T>(x), static_cast<T>(y)));
      y = static_cast<U>(c[i]);
    }
    if constexpr (kind == CarryKind::kSub) y = static_cast<U>(~y);
    const Wide sum = Wide{x} + y + ((in >> i) & 1);
    t[i] = static_cast<U>(sum);
    out |= static_cast<LaneMask>((sum >> (8 * sizeof(T))) & 1) << i;
  }
  blend(destination<T>(w, inst.dst[0]), t, active);
  if (carry_out) w.carry() = (w.carry() & ~active) | (out & active);
}

template <CarryKind kind, bool carry_in, bool carry_out>
ExecFn extended_of(Type type) {
  return by_type(WideIntegers{}, type,
                 [](auto t) -> ExecFn { return &extended<decltype(t), kind, carry_in, carry_out>; });
}

// ---- selection by type

template <class F>
ExecFn packed_of(Type type) {
  return type == Type::u16x2 ? &binary<Packed<F, u16>, u32> : &binary<Packed<F, s16>, u32>;
}
template <class F>
ExecFn binary_of(Type type) {
  return by_type(Integers{}, type, [](auto t) -> ExecFn { return &binary<F, decltype(t)>; });
}
template <class F>
ExecFn ternary_of(Type type) {
  return by_type(Integers{}, type, [](auto t) -> ExecFn { return &ternary<F, decltype(t)>; });
}
template <class F>
ExecFn signed_unary_of(Type type) {
  return by_type(SignedIntegers{}, type, [](auto t) -> ExecFn { return &unary<F, decltype(t)>; });
}

ExecFn select_mul(const Modifiers& m) {
  switch (m.mul) {
    case MulMode::lo:
      return binary_of<MulLo>(m.type);
    case MulMode::hi:
      return binary_of<MulHi>(m.type);
    case MulMode::wide:
      switch (m.type) {
        case Type::u16:
          return &binary<MulWide<u32>, u32, u16, u16>;
        case Type::s16:
          return &binary<MulWide<s32>, s32, s16, s16>;
        case Type::u32:
          return &binary<MulWide<u64>, u64, u32, u32>;
        case Type::s32:
          return &binary<MulWide<s64>, s64, s32, s32>;
        default:
          return nullptr;
      }
    case MulMode::kNone:
      break;
  }
  return nullptr;
}

ExecFn select_mad(const Modifiers& m) {
  if (m.cc) {
    if (m.mul == MulMode::lo) return extended_of<CarryKind::kMadLo, false, true>(m.type);
    if (m.mul == MulMode::hi) return extended_of<CarryKind::kMadHi, false, true>(m.type);
    return nullptr;
  }
  if (m.sat) return m.mul == MulMode::hi && m.type == Type::s32 ? &ternary<MadHiSat, s32> : nullptr;
  switch (m.mul) {
    case MulMode::lo:
      return ternary_of<MadLo>(m.type);
    case MulMode::hi:
      return ternary_of<MadHi>(m.type);
    case MulMode::wide:
      switch (m.type) {
        case Type::u16:
          return &ternary<MadWide<u32>, u32, u16, u16, u32>;
        case Type::s16:
          return &ternary<MadWide<s32>, s32, s16, s16, s32>;
        case Type::u32:
          return &ternary<MadWide<u64>, u64, u32, u32, u64>;
        case Type::s32:
          return &ternary<MadWide<s64>, s64, s32, s32, s64>;
        default:
          return nullptr;
      }
    case MulMode::kNone:
      break;
  }
  return nullptr;
}

ExecFn select_packed(const Inst& inst, const Modifiers& m) {
  if (m.cc || m.sat || (m.relu && m.type != Type::s16x2)) return nullptr;
  switch (inst.opcode) {
    case Opcode::add:
      return m.relu ? nullptr : packed_of<Add>(m.type);
    case Opcode::min:
      return m.relu ? packed_of<Relu<Min>>(m.type) : packed_of<Min>(m.type);
    case Opcode::max:
      return m.relu ? packed_of<Relu<Max>>(m.type) : packed_of<Max>(m.type);
    default:
      return nullptr;
  }
}

}  // namespace

ExecFn select_integer(Inst& inst, const Modifiers& m) {
  if (m.type == Type::u16x2 || m.type == Type::s16x2) return select_packed(inst, m);
  switch (inst.opcode) {
    case Opcode::add:
      if (m.cc) return m.sat ? nullptr : extended_of<CarryKind::kAdd, false, true>(m.type);
      if (m.sat) return m.type == Type::s32 ? &binary<AddSat, s32> : nullptr;
      return binary_of<Add>(m.type);
    case Opcode::add3:
      return type_bytes(m.type) == 8 ? &add3<u64> : &add3<u32>;
    case Opcode::lea:
      if (type_bytes(m.type) == 4) return &lea<u32, u32>;
      return src_wide(inst, 0) ? &lea<u64, u64> : &lea<u64, u32>;
    case Opcode::addc:
      return m.cc ? extended_of<CarryKind::kAdd, true, true>(m.type)
                  : extended_of<CarryKind::kAdd, true, false>(m.type);
    case Opcode::sub:
      if (m.cc) return m.sat ? nullptr : extended_of<CarryKind::kSub, false, true>(m.type);
      if (m.sat) return m.type == Type::s32 ? &binary<SubSat, s32> : nullptr;
      return binary_of<Sub>(m.type);
    case Opcode::subc:
      return m.cc ? extended_of<CarryKind::kSub, true, true>(m.type)
                  : extended_of<CarryKind::kSub, true, false>(m.type);
    case Opcode::mul:
      return select_mul(m);
    case Opcode::mad:
      return select_mad(m);
    case Opcode::madc:
      if (m.mul == MulMode::lo) {
        return m.cc ? extended_of<CarryKind::kMadLo, true, true>(m.type)
                    : extended_of<CarryKind::kMadLo, true, false>(m.type);
      }
      if (m.mul == MulMode::hi) {
        return m.cc ? extended_of<CarryKind::kMadHi, true, true>(m.type)
                    : extended_of<CarryKind::kMadHi, true, false>(m.type);
      }
      return nullptr;
    case Opcode::mul24:
      if (m.type == Type::u32) {
        return m.mul == MulMode::lo   ? &binary<Mul24Lo, u32>
               : m.mul == MulMode::hi ? &binary<Mul24Hi, u32>
                                      : nullptr;
      }
      if (m.type == Type::s32) {
        return m.mul == MulMode::lo   ? &binary<Mul24Lo, s32>
               : m.mul == MulMode::hi ? &binary<Mul24Hi, s32>
                                      : nullptr;
      }
      return nullptr;
    case Opcode::mad24:
      if (m.sat) return m.type == Type::s32 && m.mul == MulMode::hi ? &ternary<Mad24HiSat, s32> : nullptr;
      if (m.type == Type::u32) {
        return m.mul == MulMode::lo   ? &ternary<Mad24Lo, u32>
               : m.mul == MulMode::hi ? &ternary<Mad24Hi, u32>
                                      : nullptr;
      }
      if (m.type == Type::s32) {
        return m.mul == MulMode::lo   ? &ternary<Mad24Lo, s32>
               : m.mul == MulMode::hi ? &ternary<Mad24Hi, s32>
                                      : nullptr;
      }
      return nullptr;
    case Opcode::sad:
      return ternary_of<Sad>(m.type);
    case Opcode::div:
      return binary_of<Div>(m.type);
    case Opcode::rem:
      return binary_of<Rem>(m.type);
    case Opcode::abs:
      return signed_unary_of<Abs>(m.type);
    case Opcode::neg:
      return signed_unary_of<Neg>(m.type);
    case Opcode::min:
      if (m.relu) return m.type == Type::s32 ? &binary<Relu<Min>, s32> : nullptr;
      return binary_of<Min>(m.type);
    case Opcode::max:
      if (m.relu) return m.type == Type::s32 ? &binary<Relu<Max>, s32> : nullptr;
      return binary_of<Max>(m.type);
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
