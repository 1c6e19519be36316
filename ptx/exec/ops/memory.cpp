// ld, ldu and st (PTX ISA 9.7.9): all spaces, vectors, sub-word elements, generic addresses.
//
// An access first computes the 32 addresses and resolves the space, then checks all lanes, then moves the
// data: a faulting instruction takes no effect. Lanes that do not take part are given the address of one that
// does, so that the checks need no mask.

#include "ptx/exec/ops/memory_access.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

template <class T>
WARPVP_INLINE T read(const std::byte* p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

/// One element per lane into a register of its width.
template <class T>
WARPVP_INLINE void load_lanes(const Inst& inst, Warp& w, const AccessLanes& lanes, LaneMask active) {
  with_destination<T, true>(inst, w, active, [&](Cell<T>* o) {
    if (sizeof(T) != sizeof(Cell<T>)) {
      for (unsigned i = 0; i < kWarpSize; ++i) o[i] = put<T>(read<T>(lanes.host(i)));
      return;
    }
    constexpr unsigned kHalf = AccessLanes::kHalf;
    for (unsigned first = 0; first < kWarpSize; first += kHalf) {
      const auto shape = lanes.shape(first, sizeof(T));
      if (shape == AccessLanes::Shape::kBlock) {
        std::memcpy(o + first, lanes.host(first), sizeof(T) * kHalf);
      } else if (shape == AccessLanes::Shape::kOne) {
        const Cell<T> same = put<T>(read<T>(lanes.host(first)));
        for (unsigned i = 0; i < kHalf; ++i) o[first + i] = same;
      } else {
        for (unsigned i = first; i < first + kHalf; ++i) o[i] = put<T>(read<T>(lanes.host(i)));
      }
    }
  });
}

/// Register cells for one vector element from host memory. `wide`: a 64-bit register.
template <class T>
void load_element(Warp& w, const Operand& dst, bool wide, const AccessLanes& lanes, unsigned skip,
                  LaneMask active) {
  if (dst.kind != OperandKind::kReg) return;
  if (sizeof(T) == 8 || wide) {
    alignas(64) Row64 t[kWarpSize];
    for (unsigned i = 0; i < kWarpSize; ++i) {
      const T v = read<T>(lanes.host(i) + skip);
      t[i] = static_cast<u64>(v);  // extends as T says
    }
    blend(reinterpret_cast<Row64*>(w.row(dst.index)), t, active);
  } else {
    alignas(64) Row32 t[kWarpSize];
    for (unsigned i = 0; i < kWarpSize; ++i) t[i] = static_cast<u32>(read<T>(lanes.host(i) + skip));
    blend(reinterpret_cast<Row32*>(w.row(dst.index)), t, active);
  }
}

/// Four lanes of four rows as four elements of four lanes, or the other way round.
typedef u32 Four __attribute__((vector_size(16)));
WARPVP_INLINE void transpose(const Four (&from)[4], Four (&to)[4]) {
  const Four ab_low = __builtin_shufflevector(from[0], from[1], 0, 4, 1, 5),
             ab_high = __builtin_shufflevector(from[0], from[1], 2, 6, 3, 7),
             cd_low = __builtin_shufflevector(from[2], from[3], 0, 4, 1, 5),
             cd_high = __builtin_shufflevector(from[2], from[3], 2, 6, 3, 7);
  to[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  to[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  to[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// Rows of the `n` 32-bit elements of each lane, 2 or 4: what belongs to a lane is read together.
template <unsigned n>
WARPVP_INLINE void rows_of_vectors(const AccessLanes& lanes, Row32 (*rows)[kWarpSize]) {
  if constexpr (n == 2) {
    alignas(64) Row64 pair[kWarpSize];
    for (unsigned i = 0; i < kWarpSize; ++i) pair[i] = read<u64>(lanes.host(i));
    WARPVP_LANES rows[0][i] = static_cast<Row32>(pair[i]);
    WARPVP_LANES rows[1][i] = static_cast<Row32>(pair[i] >> 32);
  } else {
    for (unsigned i = 0; i < kWarpSize; i += 4) {
      Four elements[4], row[4];
      for (unsigned k = 0; k < 4; ++k) elements[k] = read<Four>(lanes.host(i + k));
      transpose(elements, row);
      for (unsigned k = 0; k < 4; ++k) std::memcpy(rows[k] + i, &row[k], sizeof row[k]);
    }
  }
}

/// A vector of 32-bit elements into registers of their width.
template <unsigned n>
void load_vector(const Inst& inst, Warp& w, const AccessLanes& lanes, LaneMask active) {
  alignas(64) Row32 rows[n][kWarpSize];
  if (lanes.one_address()) {
    for (unsigned k = 0; k < n; ++k) {
      const u32 same = read<u32>(lanes.host(0) + k * sizeof(u32));
      WARPVP_LANES rows[k][i] = same;
    }
  } else {
    rows_of_vectors<n>(lanes, rows);
  }
  for (unsigned k = 0; k < n; ++k) {
    if (inst.dst[k].kind != OperandKind::kReg) continue;
    Row32* const to = reinterpret_cast<Row32*>(w.row(inst.dst[k].index));
    if (active == ~0u) {
      std::memcpy(to, rows[k], sizeof rows[k]);
    } else {
      blend(to, rows[k], active);
    }
  }
}

template <class T, Space space>
void load(const Inst& inst, Warp& w, LaneMask active) {
  AccessLanes lanes;
  const unsigned vector = inst.vector;
  if (!lanes.resolve<space>(inst, w, active, sizeof(T) * vector, AccessKind::kLoad)) return;
  if (vector == 1 && dst_wide(inst) == (sizeof(T) == 8) && inst.dst[0].kind == OperandKind::kReg) {
    load_lanes<T>(inst, w, lanes, active);
    return;
  }
  if constexpr (std::is_same_v<T, u32>) {
    bool any_wide = false;
    for (unsigned k = 0; k < vector; ++k) any_wide |= dst_wide(inst, k);
    if (!any_wide && vector == 2) return load_vector<2>(inst, w, lanes, active);
    if (!any_wide && vector == 4) return load_vector<4>(inst, w, lanes, active);
  }
  for (unsigned k = 0; k < vector; ++k) {
    load_element<T>(w, inst.dst[k], dst_wide(inst, k), lanes, k * sizeof(T), active);
  }
}

/// In ascending order: where lanes collide, the highest wins.
template <class T>
WARPVP_INLINE void store_lanes(const AccessLanes& lanes, const T* values, LaneMask active) {
  if (active == ~0u) {
    for (unsigned i = 0; i < kWarpSize; ++i) std::memcpy(lanes.host(i), values + i, sizeof(T));
  } else {
    for (LaneMask m = active; m != 0; m &= m - 1) {
      const unsigned i = first_lane(m);
      std::memcpy(lanes.host(i), values + i, sizeof(T));
    }
  }
}
template <class T>
void store_narrowed(const Inst& inst, Warp& w, const AccessLanes& lanes, LaneMask active) {
  alignas(64) T values[kWarpSize];
  if (src_wide(inst, 1)) {
    const Row64* const from = source<u64>(w, inst.src[1]);
    WARPVP_LANES values[i] = static_cast<T>(from[i]);
  } else {
    const Row32* const from = source<u32>(w, inst.src[1]);
    WARPVP_LANES values[i] = static_cast<T>(from[i]);
  }
  store_lanes(lanes, values, active);
}
/// `n` 32-bit elements of each lane, 2 or 4, from registers of their width.
template <unsigned n>
void store_vector(const Inst& inst, Warp& w, const AccessLanes& lanes, LaneMask active) {
  const Row32* from[n];
  for (unsigned k = 0; k < n; ++k) from[k] = source<u32>(w, inst.src[1 + k]);
  if constexpr (n == 2) {
    alignas(64) Row64 pairs[kWarpSize];
    WARPVP_LANES pairs[i] = from[0][i] | Row64{from[1][i]} << 32;
    store_lanes(lanes, pairs, active);
  } else {
    alignas(64) Four values[kWarpSize];
    for (unsigned i = 0; i < kWarpSize; i += 4) {
      Four rows[4], elements[4];
      for (unsigned k = 0; k < 4; ++k) std::memcpy(&rows[k], from[k] + i, sizeof rows[k]);
      transpose(rows, elements);
      for (unsigned k = 0; k < 4; ++k) values[i + k] = elements[k];
    }
    store_lanes(lanes, values, active);
  }
}

template <class T, Space space>
void store(const Inst& inst, Warp& w, LaneMask active) {
  AccessLanes lanes;
  const unsigned vector = inst.vector;
  if (!lanes.resolve<space>(inst, w, active, sizeof(T) * vector, AccessKind::kStore)) return;
  if (lanes.put_off_store(inst, w, active, sizeof(T) * vector)) return;
  if (vector == 1 && active == ~0u && sizeof(T) == sizeof(Cell<T>) && src_wide(inst, 1) == (sizeof(T) == 8) &&
      lanes.contiguous(sizeof(T))) {
    std::memcpy(lanes.host(0), source<T>(w, inst.src[1]), sizeof(T) * kWarpSize);
    return;
  }
  if (vector == 1) return store_narrowed<T>(inst, w, lanes, active);
  if constexpr (std::is_same_v<T, u32>) {
    bool any_wide = false;
    for (unsigned k = 0; k < vector; ++k) any_wide |= src_wide(inst, 1 + k);
    if (!any_wide && vector == 2) return store_vector<2>(inst, w, lanes, active);
    if (!any_wide && vector == 4) return store_vector<4>(inst, w, lanes, active);
  }
  const Row32* from[4];
  bool wide[4];
  for (unsigned k = 0; k < vector; ++k) {
    from[k] = source<u32>(w, inst.src[1 + k]);
    wide[k] = src_wide(inst, 1 + k);
  }
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (((active >> i) & 1) == 0) continue;
    std::byte* to = lanes.host(i);
    for (unsigned k = 0; k < vector; ++k) {
      const u64 value = wide[k] ? reinterpret_cast<const Row64*>(from[k])[i] : from[k][i];
      const T v = static_cast<T>(value);
      std::memcpy(to + k * sizeof(T), &v, sizeof(T));
    }
  }
}

template <Space space>
ExecFn load_of(Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
      return &load<u8, space>;
    case Type::s8:
      return &load<s8, space>;
    case Type::b16:
    case Type::u16:
      return &load<u16, space>;
    case Type::s16:
      return &load<s16, space>;
    case Type::b32:
    case Type::u32:
    case Type::f32:
      return &load<u32, space>;
    case Type::s32:
      return &load<s32, space>;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return &load<u64, space>;
    default:
      return nullptr;
  }
}
template <Space space>
ExecFn store_of(Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return &store<u8, space>;
    case Type::b16:
    case Type::u16:
    case Type::s16:
      return &store<u16, space>;
    case Type::b32:
    case Type::u32:
    case Type::f32:
    case Type::s32:
      return &store<u32, space>;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return &store<u64, space>;
    default:
      return nullptr;
  }
}

}  // namespace

ExecFn select_memory(Inst& inst, const Modifiers& m) {
  const bool is_store = inst.opcode == Opcode::st;
  if (!is_store && inst.opcode != Opcode::ld && inst.opcode != Opcode::ldu) return nullptr;
  if (inst.vector != 1 && inst.vector != 2 && inst.vector != 4) return nullptr;
  switch (inst.space) {
    case Space::kGlobal:
      return is_store ? store_of<Space::kGlobal>(m.type) : load_of<Space::kGlobal>(m.type);
    case Space::kConst:
      return is_store ? nullptr : load_of<Space::kConst>(m.type);
    case Space::kShared:
      return is_store ? store_of<Space::kShared>(m.type) : load_of<Space::kShared>(m.type);
    case Space::kLocal:
      return is_store ? store_of<Space::kLocal>(m.type) : load_of<Space::kLocal>(m.type);
    case Space::kParam:
      if (inst.depot) return is_store ? store_of<Space::kLocal>(m.type) : load_of<Space::kLocal>(m.type);
      return is_store ? nullptr : load_of<Space::kParam>(m.type);
    case Space::kGeneric:
    case Space::kNone:
      return is_store ? store_of<Space::kGeneric>(m.type) : load_of<Space::kGeneric>(m.type);
  }
  return nullptr;
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
