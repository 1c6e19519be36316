// Logic, shifts and bit fields (PTX ISA 9.7.1 and 9.7.7), and the byte dot products.

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

template <class T>
constexpr unsigned kBits = 8 * sizeof(T);

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? 1 : 0;
  }
};

// Shift amounts are 32-bit; amounts beyond the width act like the width.
struct Shl {
  template <class T>
  T operator()(T a, u32 n) const {
    const T r = static_cast<T>(a << (n & (kBits<T> - 1)));
    return n < kBits<T> ? r : T{0};
  }
};
struct Shr {
  template <class T>
  T operator()(T a, u32 n) const {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (n < kBits<T> ? n : kBits<T> - 1));
    } else {
      const T r = static_cast<T>(a >> (n & (kBits<T> - 1)));
      return n < kBits<T> ? r : T{0};
    }
  }
};

// Counts are 32-bit whatever the operand. Written without builtins where these do not vectorise.
struct Popc {
  u32 operator()(u32 v) const {
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    return (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
  }
  u32 operator()(u64 v) const { return (*this)(static_cast<u32>(v)) + (*this)(static_cast<u32>(v >> 32)); }
};
struct Clz {
  u32 operator()(u32 v) const { return v == 0 ? 32 : static_cast<u32>(__builtin_clz(v)); }
  u32 operator()(u64 v) const { return v == 0 ? 64 : static_cast<u32>(__builtin_clzll(v)); }
};
/// Position of the most significant bit that differs from the sign, or all ones.
template <bool shift_amount>
struct Bfind {
  template <class T>
  u32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U v = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (v == 0) return ~0u;
    const u32 zeros = Clz{}(v);
    return shift_amount ? zeros : kBits<T> - 1 - zeros;
  }
};
struct Brev {
  u32 operator()(u32 v) const {
    v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
    v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
    v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(v);
  }
  u64 operator()(u64 v) const {
    return (u64{(*this)(static_cast<u32>(v))} << 32) | (*this)(static_cast<u32>(v >> 32));
  }
};
/// Position of the n-th set bit at or above (n > 0) or at or below (n < 0) `base`; n == 0: `base` itself if
/// set.
struct Fns {
  u32 operator()(u32 mask, u32 base, s32 n) const {
    if (base > 31) return ~0u;
    if (n == 0) return (mask >> base) & 1 ? base : ~0u;
    const s32 step = n > 0 ? 1 : -1;
    u32 left = n > 0 ? static_cast<u32>(n) : 0u - static_cast<u32>(n);
    for (s32 i = static_cast<s32>(base); i >= 0 && i < 32; i += step) {
      if (((mask >> i) & 1) != 0 && --left == 0) return static_cast<u32>(i);
    }
    return ~0u;
  }
};

// Bit fields: position and length count in their low 8 bits. The ISA restricts both to 255; of 64-bit fields,
// which the chip takes several instructions for, it looks at all 32 bits.
template <class T>
constexpr u32 kFieldMask = sizeof(T) == 8 ? ~0u : 0xffu;
struct Bfe {
  template <class T>
  T operator()(T a, u32 b, u32 c) const {
    using U = std::make_unsigned_t<T>;
    constexpr u32 msb = kBits<T> - 1;
    const u32 pos = b & kFieldMask<T>, len = c & kFieldMask<T>;
    const U v = static_cast<U>(a);
    const U keep = len <= msb ? static_cast<U>((U{1} << (len & msb)) - 1) : static_cast<U>(~U{0});
    U field = 0, sign = 0;
    if constexpr (std::is_signed_v<T>) {
      // Bits beyond the operand repeat its sign, as an arithmetic shift does.
      field = static_cast<U>(a >> (pos <= msb ? pos : msb));
      const u32 last = pos <= msb && len <= msb && pos + len - 1 < msb ? pos + len - 1 : msb;
      sign = len == 0 ? U{0} : static_cast<U>(U{0} - ((v >> (last & msb)) & 1));
    } else {
      field = pos <= msb ? static_cast<U>(v >> (pos & msb)) : U{0};
    }
    return static_cast<T>((field & keep) | (sign & ~keep));
  }
};
template <class T>
struct Bfi {
  T operator()(T a, T b, u32 c, u32 d) const {
    constexpr u32 msb = kBits<T> - 1;
    const u32 pos = c & kFieldMask<T>, len = d & kFieldMask<T>;
    const T ones = len <= msb ? static_cast<T>((T{1} << (len & msb)) - 1) : static_cast<T>(~T{0});
    const T keep = pos <= msb ? static_cast<T>(ones << (pos & msb)) : T{0};
    const T field = pos <= msb ? static_cast<T>(a << (pos & msb)) : T{0};
    return (b & ~keep) | (field & keep);
  }
};
template <class T>
void bfi(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>*a = source<T>(w, inst.src[0]), *b = source<T>(w, inst.src[1]);
  const Row32 *c = source<u32>(w, inst.src[2]), *d = source<u32>(w, inst.src[3]);
  with_destination<T, sizeof(T) == 4>(
      inst, w, active, [&](Cell<T>* o) { WARPVP_LANES o[i] = Bfi<T>{}(a[i], b[i], c[i], d[i]); });
}

/// `len` ones starting at bit `pos`.
template <bool wrap>
struct Bmsk {
  u32 operator()(u32 pos, u32 len) const {
    if (wrap) {
      pos &= 31;
      len &= 31;
    }
    const u64 ones = len >= 32 ? 0xffffffffull : (u64{1} << len) - 1;
    return pos >= 32 ? 0 : static_cast<u32>(ones << pos);
  }
};
/// Extends the low `n` bits.
template <bool wrap>
struct Szext {
  u32 operator()(u32 a, u32 n) const { return static_cast<u32>(extend(a, n, false)); }
  s32 operator()(s32 a, u32 n) const { return static_cast<s32>(extend(static_cast<u32>(a), n, true)); }
  static u32 extend(u32 a, u32 n, bool is_signed) {
    if (wrap) n &= 31;
    if (n >= 32) return a;
    if (n == 0) return 0;
    const u32 unused = 32 - n;
    const u32 top = a << unused;
    return is_signed ? static_cast<u32>(static_cast<s32>(top) >> unused) : top >> unused;
  }
};

/// Of the pair {b, a}: its high word after a shift to the left, its low word after one to the right.
template <Direction direction, ShiftMode mode>
struct Shf {
  u32 operator()(u32 a, u32 b, u32 c) const {
    // In words of 32 bits, as vectors of 64 hold half as many lanes. The other word's part is shifted twice,
    // as a shift by 32 is none.
    const u32 n = c & 31;
    const u32 within =
        direction == Direction::left ? (b << n) | ((a >> 1) >> (31 - n)) : (a >> n) | ((b << 1) << (31 - n));
    if (mode == ShiftMode::wrap) return within;
    const u32 beyond = direction == Direction::left ? a : b;
    return c < 32 ? within : beyond;
  }
};

/// A function of three bits by its table: bit 4*x + 2*y + z. `bit(k)`: bit k of it in all places.
template <class T, class Bit>
WARPVP_INLINE T look_up(T x, T y, T z, Bit bit) {
  const T low = (~y & ((~z & bit(0)) | (z & bit(1)))) | (y & ((~z & bit(2)) | (z & bit(3))));
  const T high = (~y & ((~z & bit(4)) | (z & bit(5)))) | (y & ((~z & bit(6)) | (z & bit(7))));
  return (~x & low) | (x & high);
}
/// Any table.
template <class T>
class Table {
 public:
  explicit Table(std::uint64_t table) {
    for (unsigned k = 0; k < 8; ++k) bits_[k] = (table >> k) & 1 ? static_cast<T>(~T{0}) : T{0};
  }
  WARPVP_INLINE T operator()(T x, T y, T z) const {
    return look_up(x, y, z, [this](unsigned k) { return bits_[k]; });
  }

 private:
  T bits_[8];
};
/// One that the compiler knows: one to three operations where any table takes some twenty.
template <class T, unsigned kTable>
struct KnownTable {
  explicit KnownTable(std::uint64_t) {}
  WARPVP_INLINE T operator()(T x, T y, T z) const {
    return look_up(x, y, z, [](unsigned k) { return (kTable >> k) & 1 ? static_cast<T>(~T{0}) : T{0}; });
  }
};
/// What programs and our own merging of two operations use, with their operands in any order.
using KnownTables = std::integer_sequence<unsigned,                //
                                          0x96, 0x80, 0xfe, 0xe8,  // x^y^z, x&y&z, x|y|z, majority
                                          0xca, 0xac, 0xe2, 0xb8, 0xe4, 0xd8,   // x ? y : z
                                          0xc0, 0xfc, 0x3c, 0x30, 0x0c,         // x&y, x|y, x^y, x&~y, ~x&y
                                          0x78, 0x6c, 0x6a, 0x1e, 0x36, 0x56,   // x^(y&z), x^(y|z)
                                          0xf8, 0xec, 0xea, 0xe0, 0xc8, 0xa8,   // x|(y&z), x&(y|z)
                                          0xf6, 0xde, 0xbe, 0x60, 0x48, 0x28,   // x|(y^z), x&(y^z)
                                          0xd2, 0xb4, 0xc6, 0x9c, 0xa6, 0x9a,   // x^(~y&z)
                                          0x2d, 0x4b, 0x39, 0x63, 0x59, 0x65>;  // x^(y|~z)

template <class T, class Value>
void lop3(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>*a = source<T>(w, inst.src[0]), *b = source<T>(w, inst.src[1]), *c = source<T>(w, inst.src[2]);
  const Value value(inst.aux);
  with_destination<T, true>(inst, w, active,
                            [&](Cell<T>* o) { WARPVP_LANES o[i] = value(a[i], b[i], c[i]); });
}
template <class T, unsigned... known>
ExecFn lop3_of(unsigned table, std::integer_sequence<unsigned, known...>) {
  ExecFn found = &lop3<T, Table<T>>;
  ((table == known ? static_cast<void>(found = &lop3<T, KnownTable<T, known>>) : void()), ...);
  return found;
}

/// With a predicate that tells whether any bit of the result is set, joined with another.
void lop3_and_test(const Inst& inst, Warp& w, LaneMask active) {
  const Row32 *a = source<u32>(w, inst.src[0]), *b = source<u32>(w, inst.src[1]),
              *c = source<u32>(w, inst.src[2]);
  const Table<u32> value(inst.aux);
  const LaneMask nonzero = mask_of([&](unsigned i) { return value(a[i], b[i], c[i]) != 0; });
  const LaneMask q = w.pred_value(inst.src[3]);
  if (inst.dst[0].kind == OperandKind::kReg) {
    with_destination<u32, true>(inst, w, active,
                                [&](Row32* o) { WARPVP_LANES o[i] = value(a[i], b[i], c[i]); });
  }
  const bool is_and = (inst.aux >> 8) & 1;
  set_pred(w, inst.dst[1], is_and ? nonzero & q : nonzero | q, active);
}

/// Machine code: whether any bit of the result is set or, with bit 8 of Inst::aux, none is.
void lop3_test(const Inst& inst, Warp& w, LaneMask active) {
  const Row32 *a = source<u32>(w, inst.src[0]), *b = source<u32>(w, inst.src[1]),
              *c = source<u32>(w, inst.src[2]);
  const Table<u32> value(inst.aux);
  const LaneMask nonzero = mask_of([&](unsigned i) { return value(a[i], b[i], c[i]) != 0; });
  set_pred(w, inst.dst[0], (inst.aux >> 8) & 1 ? ~nonzero : nonzero, active);
}

/// Byte `n` of the pair {b, a}.
WARPVP_INLINE u32 byte_of(u64 pair, u32 n) { return static_cast<u32>(pair >> (8 * (n & 7))) & 0xff; }
/// General prmt: each selector nibble names a byte, its top bit replicates that byte's sign.
struct Prmt {
  u32 operator()(u32 a, u32 b, u32 c) const {
    const u64 pair = (u64{b} << 32) | a;
    u32 r = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const u32 sel = (c >> (4 * k)) & 0xf;
      u32 v = byte_of(pair, sel);
      if ((sel & 8) != 0) v = (v & 0x80) != 0 ? 0xff : 0;
      r |= v << (8 * k);
    }
    return r;
  }
};
/// The named modes of prmt: which four bytes, given the low two bits of c.
template <PrmtMode mode>
struct PrmtNamed {
  u32 operator()(u32 a, u32 b, u32 c) const {
    const u64 pair = (u64{b} << 32) | a;
    const u32 n = c & 3;
    u32 r = 0;
    for (u32 k = 0; k < 4; ++k) {
      u32 sel = 0;
      switch (mode) {
        case PrmtMode::f4e:  // four consecutive bytes from byte n up
          sel = n + k;
          break;
        case PrmtMode::b4e:  // four consecutive bytes from byte n down
          sel = (n - k) & 7;
          break;
        case PrmtMode::rc8:  // byte n four times
          sel = n;
          break;
        case PrmtMode::ecl:  // byte k, not below n
          sel = k > n ? k : n;
          break;
        case PrmtMode::ecr:  // byte k, not above n
          sel = k < n ? k : n;
          break;
        case PrmtMode::rc16:  // half n twice
          sel = (n & 1) * 2 + (k & 1);
          break;
        case PrmtMode::kNone:
          break;
      }
      r |= byte_of(pair, sel) << (8 * k);
    }
    return r;
  }
};

template <class T, unsigned bits>
WARPVP_INLINE s32 element(T v, unsigned k) {
  const u32 field = static_cast<u32>(v) >> (bits * k);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<s32>(field << (32 - bits)) >> (32 - bits);
  } else {
    return static_cast<s32>(bits == 32 ? field : field & ((1u << (bits % 32)) - 1));
  }
}
/// c plus the dot product of four bytes each.
template <class A, class B>
struct Dp4a {
  u32 operator()(A a, B b, u32 c) const {
    for (unsigned k = 0; k < 4; ++k) c += static_cast<u32>(element<A, 8>(a, k) * element<B, 8>(b, k));
    return c;
  }
};
/// c plus the dot product of two halves of a and two bytes of b.
template <class A, class B, bool high>
struct Dp2a {
  u32 operator()(A a, B b, u32 c) const {
    for (unsigned k = 0; k < 2; ++k) {
      c += static_cast<u32>(element<A, 16>(a, k)) * static_cast<u32>(element<B, 8>(b, k + (high ? 2 : 0)));
    }
    return c;
  }
};
template <template <class, class> class Op>
ExecFn dot_of(const Modifiers& m) {
  const bool sa = m.type == Type::s32, sb = m.src_type == Type::s32;
  if ((!sa && m.type != Type::u32) || (!sb && m.src_type != Type::u32)) return nullptr;
  if (sa) return sb ? &ternary<Op<s32, s32>, u32, s32, s32, u32> : &ternary<Op<s32, u32>, u32, s32, u32, u32>;
  return sb ? &ternary<Op<u32, s32>, u32, u32, s32, u32> : &ternary<Op<u32, u32>, u32, u32, u32, u32>;
}
template <class A, class B>
using Dp2aLo = Dp2a<A, B, false>;
template <class A, class B>
using Dp2aHi = Dp2a<A, B, true>;

// ---- predicates: a lane mask each

template <Opcode op>
void pred_logic(const Inst& inst, Warp& w, LaneMask active) {
  const LaneMask a = w.pred_value(inst.src[0]);
  LaneMask r = 0;
  if constexpr (op == Opcode::not_) {
    r = ~a;
  } else {
    const LaneMask b = w.pred_value(inst.src[1]);
    r = op == Opcode::and_ ? a & b : op == Opcode::or_ ? a | b : a ^ b;
  }
  set_pred(w, inst.dst[0], r, active);
}

template <class F>
ExecFn logic_of(Type type) {
  return by_type(Bits{}, type, [](auto t) -> ExecFn { return &binary<F, decltype(t)>; });
}
template <class F>
ExecFn unary_logic_of(Type type) {
  return by_type(Bits{}, type, [](auto t) -> ExecFn { return &unary<F, decltype(t)>; });
}
template <class F>
ExecFn count_of(Type type) {
  return by_type(WideBits{}, type, [](auto t) -> ExecFn { return &unary<F, u32, decltype(t)>; });
}
template <bool shift_amount>
ExecFn bfind_of(Type type) {
  return by_type(WideIntegers{}, type,
                 [](auto t) -> ExecFn { return &unary<Bfind<shift_amount>, u32, decltype(t)>; });
}

ExecFn select_prmt(const Modifiers& m) {
  if (m.type != Type::b32) return nullptr;
  switch (m.prmt) {
    case PrmtMode::kNone:
      return &ternary<Prmt, u32>;
    case PrmtMode::f4e:
      return &ternary<PrmtNamed<PrmtMode::f4e>, u32>;
    case PrmtMode::b4e:
      return &ternary<PrmtNamed<PrmtMode::b4e>, u32>;
    case PrmtMode::rc8:
      return &ternary<PrmtNamed<PrmtMode::rc8>, u32>;
    case PrmtMode::ecl:
      return &ternary<PrmtNamed<PrmtMode::ecl>, u32>;
    case PrmtMode::ecr:
      return &ternary<PrmtNamed<PrmtMode::ecr>, u32>;
    case PrmtMode::rc16:
      return &ternary<PrmtNamed<PrmtMode::rc16>, u32>;
  }
  return nullptr;
}

ExecFn select_shf(const Modifiers& m) {
  if (m.type != Type::b32) return nullptr;
  if (m.direction == Direction::left) {
    if (m.shift == ShiftMode::wrap) return &ternary<Shf<Direction::left, ShiftMode::wrap>, u32>;
    if (m.shift == ShiftMode::clamp) return &ternary<Shf<Direction::left, ShiftMode::clamp>, u32>;
  } else if (m.direction == Direction::right) {
    if (m.shift == ShiftMode::wrap) return &ternary<Shf<Direction::right, ShiftMode::wrap>, u32>;
    if (m.shift == ShiftMode::clamp) return &ternary<Shf<Direction::right, ShiftMode::clamp>, u32>;
  }
  return nullptr;
}

ExecFn select_shr(Type type) {
  const auto shr = [](auto t) -> ExecFn { return &binary<Shr, decltype(t), decltype(t), u32>; };
  const ExecFn untyped = by_type(Bits{}, type, shr);
  return untyped ? untyped : by_type(Integers{}, type, shr);
}

ExecFn select_bfe(Type type) {
  return by_type(WideIntegers{}, type,
                 [](auto t) -> ExecFn { return &ternary<Bfe, decltype(t), decltype(t), u32, u32>; });
}

}  // namespace

ExecFn select_bits(Inst& inst, const Modifiers& m) {
  const bool pred = m.type == Type::pred;
  switch (inst.opcode) {
    case Opcode::and_:
      return pred ? &pred_logic<Opcode::and_> : logic_of<And>(m.type);
    case Opcode::or_:
      return pred ? &pred_logic<Opcode::or_> : logic_of<Or>(m.type);
    case Opcode::xor_:
      return pred ? &pred_logic<Opcode::xor_> : logic_of<Xor>(m.type);
    case Opcode::not_:
      return pred ? &pred_logic<Opcode::not_> : unary_logic_of<Not>(m.type);
    case Opcode::cnot:
      return unary_logic_of<Cnot>(m.type);
    case Opcode::shl:
      return by_type(Bits{}, m.type,
                     [](auto t) -> ExecFn { return &binary<Shl, decltype(t), decltype(t), u32>; });
    case Opcode::shr:
      return select_shr(m.type);
    case Opcode::shf:
      return select_shf(m);
    case Opcode::popc:
      return count_of<Popc>(m.type);
    case Opcode::clz:
      return count_of<Clz>(m.type);
    case Opcode::bfind:
      return m.shiftamt ? bfind_of<true>(m.type) : bfind_of<false>(m.type);
    case Opcode::brev:
      return m.type == Type::b32 ? &unary<Brev, u32> : m.type == Type::b64 ? &unary<Brev, u64> : nullptr;
    case Opcode::fns:
      return m.type == Type::b32 ? &ternary<Fns, u32, u32, u32, s32> : nullptr;
    case Opcode::bfe:
      return select_bfe(m.type);
    case Opcode::bfi:
      return m.type == Type::b32 ? &bfi<u32> : m.type == Type::b64 ? &bfi<u64> : nullptr;
    case Opcode::bmsk:
      if (m.type != Type::b32) return nullptr;
      return m.shift == ShiftMode::wrap    ? &binary<Bmsk<true>, u32>
             : m.shift == ShiftMode::clamp ? &binary<Bmsk<false>, u32>
                                           : nullptr;
    case Opcode::szext:
      if (m.shift == ShiftMode::kNone) return nullptr;
      if (m.type == Type::u32) {
        return m.shift == ShiftMode::wrap ? &binary<Szext<true>, u32, u32, u32>
                                          : &binary<Szext<false>, u32, u32, u32>;
      }
      if (m.type == Type::s32) {
        return m.shift == ShiftMode::wrap ? &binary<Szext<true>, s32, s32, u32>
                                          : &binary<Szext<false>, s32, s32, u32>;
      }
      return nullptr;
    case Opcode::lop3: {
      if (m.type == Type::b64) return lop3_of<u64>(inst.aux & 0xff, KnownTables());  // machine code only
      if (m.type != Type::b32) return nullptr;
      if (inst.dst[0].kind == OperandKind::kPred) return &lop3_test;
      if (inst.dst[1].kind == OperandKind::kPred) {
        if (m.bool_op != BoolOp::and_ && m.bool_op != BoolOp::or_) return nullptr;
        if (inst.src[3].kind != OperandKind::kPred) return nullptr;
        inst.aux = (inst.aux & 0xff) | (m.bool_op == BoolOp::and_ ? 0x100u : 0u);
        return &lop3_and_test;
      }
      return lop3_of<u32>(inst.aux & 0xff, KnownTables());
    }
    case Opcode::prmt:
      return select_prmt(m);
    case Opcode::dp4a:
      return dot_of<Dp4a>(m);
    case Opcode::dp2a:
      return m.mul == MulMode::lo ? dot_of<Dp2aLo>(m) : m.mul == MulMode::hi ? dot_of<Dp2aHi>(m) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
