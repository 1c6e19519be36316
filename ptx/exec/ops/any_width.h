#pragma once
// Operands of cvt whose registers may be wider than their types. Only for the files of this folder (lanes.h).

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

WARPVP_INLINE unsigned bits_of(Type t) {
  switch (t) {
    case Type::u8:
    case Type::s8:
    case Type::b8:
      return 8;
    case Type::u16:
    case Type::s16:
    case Type::b16:
      return 16;
    case Type::u32:
    case Type::s32:
    case Type::b32:
    case Type::f32:
      return 32;
    default:
      return 64;
  }
}
WARPVP_INLINE bool signed_type(Type t) {
  return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
}
WARPVP_INLINE bool integer_type(Type t) {
  switch (t) {
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64:
      return true;
    default:
      return false;
  }
}

WARPVP_INLINE u64 extend(u64 v, unsigned bits, bool is_signed) {
  if (bits == 64) return v;
  const unsigned unused = 64 - bits;
  return is_signed ? static_cast<u64>(static_cast<s64>(v << unused) >> unused) : (v << unused) >> unused;
}

/// Reads a source of either register width, extended from its type's bits to 64.
inline void load_any(u64* v, const Inst& inst, const Warp& w, unsigned bits, bool is_signed) {
  if (src_wide(inst, 0)) {
    const Row64* a = source<u64>(w, inst.src[0]);
    for (unsigned i = 0; i < kWarpSize; ++i) v[i] = extend(a[i], bits, is_signed);
  } else {
    const Row32* a = source<u32>(w, inst.src[0]);
    for (unsigned i = 0; i < kWarpSize; ++i) v[i] = extend(a[i], bits, is_signed);
  }
}
inline void store_any(const u64* v, const Inst& inst, Warp& w, LaneMask active) {
  if (dst_wide(inst)) {
    with_destination<u64, false>(inst, w, active, [&](Row64* o) { WARPVP_LANES o[i] = v[i]; });
  } else {
    with_destination<u32, false>(inst, w, active,
                                 [&](Row32* o) { WARPVP_LANES o[i] = static_cast<u32>(v[i]); });
  }
}

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
