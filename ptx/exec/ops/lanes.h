#pragma once
// Loops over the 32 lanes of a warp. Only for the files of this folder: everything here is compiled anew for
// each instruction-set level, in an unnamed namespace.
//
// A loop always computes all 32 lanes, which vectorises; when some are inactive it computes into a temporary
// that is then blended. Operations must therefore be harmless on any operand value.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ptx/exec/ops/level.h"
#include "ptx/exec/warp.h"

#if defined(__GNUC__) && !defined(__clang__)
#define WARPVP_LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < kWarpSize; ++i)
#else
#define WARPVP_LANES _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < kWarpSize; ++i)
#endif
#define WARPVP_INLINE inline __attribute__((always_inline))

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// Rows are 32-bit words, pairs of rows 64-bit values: these files are compiled with -fno-strict-aliasing.
using Row32 = std::uint32_t;
using Row64 = std::uint64_t;

template <class T>
using Cell = std::conditional_t<sizeof(T) == 8, Row64, Row32>;

/// The value of type T in a register cell: the low bits.
template <class T>
WARPVP_INLINE T get(Cell<T> cell) {
  if constexpr (std::is_floating_point_v<T>) {
    T v;
    std::memcpy(&v, &cell, sizeof(T));
    return v;
  } else {
    return static_cast<T>(cell);
  }
}

/// The register cell that holds a value; narrow integers are extended as their type says.
template <class T>
WARPVP_INLINE Cell<T> put(T v) {
  if constexpr (std::is_floating_point_v<T>) {
    Cell<T> cell;
    std::memcpy(&cell, &v, sizeof(T));
    return cell;
  } else {
    return static_cast<Cell<T>>(v);
  }
}

template <class T>
WARPVP_INLINE const Cell<T>* source(const Warp& w, const Operand& o) {
  return reinterpret_cast<const Cell<T>*>(w.source(o));
}
template <class T>
WARPVP_INLINE Cell<T>* destination(Warp& w, const Operand& o) {
  return reinterpret_cast<Cell<T>*>(w.row(o.index));
}

/// Lane i of `d` becomes lane i of `t` where bit i of `active` is set.
template <class C>
WARPVP_INLINE void blend(C* d, const C* t, LaneMask active) {
  WARPVP_LANES {
    const C keep = static_cast<C>(((active >> i) & 1) - C{1});
    d[i] = static_cast<C>((d[i] & keep) | (t[i] & ~keep));
  }
}

/// Runs `body(out)` on the destination itself where that is safe, else on a temporary that is then blended.
/// `in_place`: every source has cells as wide as the destination, so a shared row is read before it is
/// written.
template <class D, bool in_place, class Body>
WARPVP_INLINE void with_destination(const Inst& inst, Warp& w, LaneMask active, Body body) {
  Cell<D>* d = destination<D>(w, inst.dst[0]);
  alignas(64) Cell<D> t[kWarpSize];
  const bool direct = in_place && active == ~0u;
  body(direct ? d : t);
  if (!direct) blend(d, t, active);
}

template <class D, class A, class F>
WARPVP_INLINE void map1(const Inst& inst, Warp& w, LaneMask active, F f) {
  const Cell<A>* a = source<A>(w, inst.src[0]);
  with_destination<D, sizeof(Cell<D>) == sizeof(Cell<A>)>(
      inst, w, active, [&](Cell<D>* o) { WARPVP_LANES o[i] = put<D>(f(get<A>(a[i]))); });
}

template <class D, class A, class B, class F>
WARPVP_INLINE void map2(const Inst& inst, Warp& w, LaneMask active, F f) {
  const Cell<A>* a = source<A>(w, inst.src[0]);
  const Cell<B>* b = source<B>(w, inst.src[1]);
  constexpr bool in_place = sizeof(Cell<D>) == sizeof(Cell<A>) && sizeof(Cell<D>) == sizeof(Cell<B>);
  with_destination<D, in_place>(
      inst, w, active, [&](Cell<D>* o) { WARPVP_LANES o[i] = put<D>(f(get<A>(a[i]), get<B>(b[i]))); });
}

template <class D, class A, class B, class C, class F>
WARPVP_INLINE void map3(const Inst& inst, Warp& w, LaneMask active, F f) {
  const Cell<A>* a = source<A>(w, inst.src[0]);
  const Cell<B>* b = source<B>(w, inst.src[1]);
  const Cell<C>* c = source<C>(w, inst.src[2]);
  constexpr bool in_place = sizeof(Cell<D>) == sizeof(Cell<A>) && sizeof(Cell<D>) == sizeof(Cell<B>) &&
                            sizeof(Cell<D>) == sizeof(Cell<C>);
  with_destination<D, in_place>(inst, w, active, [&](Cell<D>* o) {
    WARPVP_LANES o[i] = put<D>(f(get<A>(a[i]), get<B>(b[i]), get<C>(c[i])));
  });
}

// Execution functions made of a stateless functor.
template <class F, class D, class A = D>
void unary(const Inst& inst, Warp& w, LaneMask active) {
  map1<D, A>(inst, w, active, F{});
}
template <class F, class D, class A = D, class B = A>
void binary(const Inst& inst, Warp& w, LaneMask active) {
  map2<D, A, B>(inst, w, active, F{});
}
template <class F, class D, class A = D, class B = A, class C = B>
void ternary(const Inst& inst, Warp& w, LaneMask active) {
  map3<D, A, B, C>(inst, w, active, F{});
}

// ---- Functions by type

/// A type of PTX and what stands for it here.
template <Type ptx, class T>
struct As {
  static constexpr Type kType = ptx;
  using Value = T;
};
template <class... Ts>
struct Types {};
using Bits = Types<As<Type::b16, u16>, As<Type::b32, u32>, As<Type::b64, u64>>;
using WideBits = Types<As<Type::b32, u32>, As<Type::b64, u64>>;
using Integers = Types<As<Type::u16, u16>, As<Type::s16, s16>, As<Type::u32, u32>, As<Type::s32, s32>,
                       As<Type::u64, u64>, As<Type::s64, s64>>;
using WideIntegers = Types<As<Type::u32, u32>, As<Type::s32, s32>, As<Type::u64, u64>, As<Type::s64, s64>>;
using SignedIntegers = Types<As<Type::s16, s16>, As<Type::s32, s32>, As<Type::s64, s64>>;

/// Of a type of 16 bits or more that is no predicate and not packed; 0: of none such.
WARPVP_INLINE unsigned type_bits(Type t) {
  switch (t) {
    case Type::b16:
    case Type::u16:
    case Type::s16:
      return 16;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
      return 32;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 64;
    default:
      return 0;
  }
}

/// What `make` gives for a value of the type that stands for `type`; nullptr: `type` is none of the list.
template <class... Ts, class Make>
ExecFn by_type(Types<Ts...>, Type type, Make make) {
  ExecFn found = nullptr;
  (void)((type == Ts::kType && (found = make(typename Ts::Value{}), true)) || ...);
  return found;
}

/// Bit i set where `f(i)` holds.
template <class F>
WARPVP_INLINE LaneMask mask_of(F f) {
  alignas(64) static constexpr std::uint32_t kBit[kWarpSize] = {
      1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
      1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
      1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
      1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
  LaneMask mask = 0;
  WARPVP_LANES mask |= f(i) ? kBit[i] : 0;
  return mask;
}

WARPVP_INLINE void set_pred(Warp& w, const Operand& p, LaneMask value, LaneMask active) {
  if (p.kind != OperandKind::kPred) return;
  LaneMask& reg = w.pred(p.index);
  reg = (reg & ~active) | (value & active);
}

// Widths, for selectors: an instruction whose operands do not have the width its type says is not legal.
WARPVP_INLINE bool is_wide(const Inst& inst, unsigned bit) { return (inst.wide >> bit) & 1; }
WARPVP_INLINE bool dst_wide(const Inst& inst, unsigned i = 0) { return is_wide(inst, i); }
WARPVP_INLINE bool src_wide(const Inst& inst, unsigned i) { return is_wide(inst, kMaxDst + i); }

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
