// atom, red (PTX ISA 9.7.13) and cp.async. Lanes act one after the other, in ascending order.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/exec/ops/atomic_ops.h"
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/memory_access.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

/// The function that `pick` gives for the space as a constant; null where there are no atomics.
template <class Pick>
ExecFn by_space(Space space, Pick pick) {
  switch (space) {
    case Space::kGlobal:
      return pick(std::integral_constant<Space, Space::kGlobal>{});
    case Space::kShared:
      return pick(std::integral_constant<Space, Space::kShared>{});
    case Space::kGeneric:
    case Space::kNone:
      return pick(std::integral_constant<Space, Space::kGeneric>{});
    default:
      return nullptr;
  }
}

template <AtomOp op, class T, Space space>
void atomic(const Inst& inst, Warp& w, LaneMask active) {
  AccessLanes lanes;
  if (!lanes.resolve<space>(inst, w, active, sizeof(T), AccessKind::kAtomic)) return;
  if (AccessLanes::put_off(inst, w, active)) return;
  const Cell<T>* b = source<T>(w, inst.src[1]);
  const Cell<T>* c = op == AtomOp::cas ? source<T>(w, inst.src[2]) : b;
  const MemoryAccess& access = w.access();
  const LaneMask shared = access.space == Space::kShared ? access.lanes : access.shared_lanes;
  Cell<T> t[kWarpSize] = {};
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    std::byte* p = lanes.host(i);
    T old;
    std::memcpy(&old, p, sizeof(T));
    const bool flushes = std::is_same_v<T, float> && ((shared >> i) & 1) == 0;
    const T now = apply<op, T>(old, get<T>(b[i]), get<T>(c[i]), flushes);
    std::memcpy(p, &now, sizeof(T));
    t[i] = put<T>(old);
  }
  if (inst.dst_count != 0 && inst.dst[0].kind == OperandKind::kReg) {
    blend(destination<T>(w, inst.dst[0]), t, active);
  }
}

/// Addition of f16 or bf16, T u16, or of two of them, T u32: each on its own, without flushing.
template <class H, class T, Space space>
void atomic_add_half(const Inst& inst, Warp& w, LaneMask active) {
  AccessLanes lanes;
  if (!lanes.resolve<space>(inst, w, active, sizeof(T), AccessKind::kAtomic)) return;
  if (AccessLanes::put_off(inst, w, active)) return;
  const Row32* b = source<u32>(w, inst.src[1]);
  Row32 t[kWarpSize] = {};
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    T old;
    std::memcpy(&old, lanes.host(i), sizeof(T));
    u32 now = half_sum<H>(old, b[i]);
    if (sizeof(T) == 4) now |= half_sum<H>(u32{old} >> 16, b[i] >> 16) << 16;
    const T stored = static_cast<T>(now);
    std::memcpy(lanes.host(i), &stored, sizeof(T));
    t[i] = old;
  }
  if (inst.dst_count != 0 && inst.dst[0].kind == OperandKind::kReg)
    blend(destination<u32>(w, inst.dst[0]), t, active);
}
template <class H, class T>
ExecFn half_in_space(Space space) {
  return by_space(space, [](auto s) { return &atomic_add_half<H, T, s.value>; });
}

/// Addition on vectors of float: element by element, each on its own (PTX ISA 9.7.13, vector types). The
/// sources are src[1] on, the old values go to dst[0] on.
template <Space space>
void atomic_add_vector(const Inst& inst, Warp& w, LaneMask active) {
  const unsigned vector = inst.vector;
  AccessLanes lanes;
  if (!lanes.resolve<space>(inst, w, active, sizeof(float) * vector, AccessKind::kAtomic)) return;
  if (AccessLanes::put_off(inst, w, active)) return;
  const MemoryAccess& access = w.access();
  const LaneMask shared = access.space == Space::kShared ? access.lanes : access.shared_lanes;
  Row32 old[4][kWarpSize] = {};
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    for (unsigned k = 0; k < vector; ++k) {
      std::byte* p = lanes.host(i) + sizeof(float) * k;
      float before;
      std::memcpy(&before, p, sizeof(before));
      const float b = get<float>(source<float>(w, inst.src[1 + k])[i]);
      const float now = apply<AtomOp::add, float>(before, b, b, ((shared >> i) & 1) == 0);
      std::memcpy(p, &now, sizeof(now));
      old[k][i] = put<float>(before);
    }
  }
  for (unsigned k = 0; k < inst.dst_count; ++k) {
    if (inst.dst[k].kind == OperandKind::kReg) blend(destination<float>(w, inst.dst[k]), old[k], active);
  }
}

template <AtomOp op, class T>
ExecFn in_space(Space space) {
  return by_space(space, [](auto s) { return &atomic<op, T, s.value>; });
}
template <AtomOp op>
ExecFn bits_op(Type type, Space space) {
  return type == Type::b32   ? in_space<op, u32>(space)
         : type == Type::b64 ? in_space<op, u64>(space)
                             : nullptr;
}
template <AtomOp op>
ExecFn order_op(Type type, Space space) {
  switch (type) {
    case Type::u32:
      return in_space<op, u32>(space);
    case Type::s32:
      return in_space<op, s32>(space);
    case Type::u64:
      return in_space<op, u64>(space);
    case Type::s64:
      return in_space<op, s64>(space);
    default:
      return nullptr;
  }
}

/// Address operand `k` of one lane, with its offset: computed in the width of the address register.
u64 effective_address(const Inst& inst, const Warp& w, unsigned k, unsigned lane, u64 offset) {
  if (inst.src[k].kind == OperandKind::kNone) return offset;
  if (src_wide(inst, k)) return source<u64>(w, inst.src[k])[lane] + offset;
  return static_cast<u32>(source<u32>(w, inst.src[k])[lane] + static_cast<u32>(offset));
}

// ---- cp.async: the copy happens now; waiting is a matter of timing.

/// aux: bytes added to the global address.
void copy_async(const Inst& inst, Warp& w, LaneMask active) {
  const unsigned bytes = inst.access_bytes;
  AccessLanes to;
  if (!to.resolve<Space::kShared>(inst, w, active, bytes, AccessKind::kCopy)) return;
  std::byte* target[kWarpSize];
  std::uint64_t shared_address[kWarpSize];
  for (unsigned i = 0; i < kWarpSize; ++i) {
    target[i] = to.host(i);
    shared_address[i] = w.access().address[i];
  }
  MemoryAccess& access = w.access_for_exec();
  std::uint64_t* a = access.address;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    a[i] = effective_address(inst, w, 1, i, inst.aux);
  }
  unsigned size[kWarpSize];  // bytes read; the rest is zeros
  LaneMask reading = 0;
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    size[i] = bytes;
    if (inst.src[2].kind == OperandKind::kPred) {
      if (((w.pred_value(inst.src[2]) >> i) & 1) != 0) size[i] = 0;
    } else if (inst.src[2].kind != OperandKind::kNone) {
      const u32 given = source<u32>(w, inst.src[2])[i];
      size[i] = given < bytes ? given : bytes;
    }
    if (size[i] != 0) reading |= 1u << i;
  }
  if (reading != 0) {
    const u64 some = a[__builtin_ctz(reading)];
    for (unsigned i = 0; i < kWarpSize; ++i) {
      if (((reading >> i) & 1) == 0) a[i] = some;
    }
    AccessLanes from;
    if (!from.check<Space::kGlobal>(w, a, reading, bytes, AccessKind::kCopy)) return;
    access.lanes = reading;
    from.see_own_stores(w, reading, bytes);
    for (LaneMask m = active; m != 0; m &= m - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
      std::memset(target[i], 0, bytes);
      std::memcpy(target[i], from.host(i), size[i]);
    }
    return;
  }
  // Nothing is read: a plain store of zeros to shared memory.
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    std::memset(target[i], 0, bytes);
  }
  access.space = Space::kShared;
  access.store = true;
  access.async = false;
  std::memcpy(a, shared_address, sizeof(shared_address));
}
void nothing(const Inst&, Warp&, LaneMask) {}

/// A prefetch changes no value and never faults; only lanes with a valid global address are reported.
void prefetch(const Inst& inst, Warp& w, LaneMask active) {
  MemoryAccess& access = w.access_for_exec();
  access.space = Space::kGlobal;
  access.lanes = 0;
  access.bytes = 1;
  access.store = access.atomic = access.async = access.returns_value = false;
  access.cache_op = inst.cache_op;
  access.shared_lanes = 0;
  if (inst.space == Space::kLocal) return;
  ExecEnv& env = w.cta().env();
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    const u64 a = effective_address(inst, w, 0, i, static_cast<u64>(inst.offset));
    access.address[i] = a;
    if (env.find_range(a, w.cta().context())) access.lanes |= 1u << i;
  }
}

}  // namespace
}  // namespace baseline

ExecFn select_atomic(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  const Type t = m.type;
  const Space s = inst.space;
  const bool is_red = inst.opcode == Opcode::red;
  if (inst.vector > 1) {
    if (t != Type::f32 || m.atom != AtomOp::add || (inst.vector != 2 && inst.vector != 4)) return nullptr;
    if (s == Space::kGlobal) return &atomic_add_vector<Space::kGlobal>;
    return s == Space::kGeneric ? &atomic_add_vector<Space::kGeneric> : nullptr;
  }
  switch (m.atom) {
    case AtomOp::and_:
      return bits_op<AtomOp::and_>(t, s);
    case AtomOp::or_:
      return bits_op<AtomOp::or_>(t, s);
    case AtomOp::xor_:
      return bits_op<AtomOp::xor_>(t, s);
    case AtomOp::exch:
      return is_red ? nullptr : bits_op<AtomOp::exch>(t, s);
    case AtomOp::cas:
      if (is_red) return nullptr;
      return t == Type::b16 ? in_space<AtomOp::cas, u16>(s) : bits_op<AtomOp::cas>(t, s);
    case AtomOp::add:
      switch (t) {
        case Type::u32:
        case Type::s32:
          return in_space<AtomOp::add, u32>(s);
        case Type::u64:
        case Type::s64:
          return in_space<AtomOp::add, u64>(s);
        case Type::f32:
          return in_space<AtomOp::add, float>(s);
        case Type::f64:
          return in_space<AtomOp::add, double>(s);
        case Type::f16:
          return half_in_space<F16, u16>(s);
        case Type::f16x2:
          return half_in_space<F16, u32>(s);
        case Type::bf16:
          return half_in_space<Bf16, u16>(s);
        case Type::bf16x2:
          return half_in_space<Bf16, u32>(s);
        default:
          return nullptr;
      }
    case AtomOp::inc:
      return t == Type::u32 ? in_space<AtomOp::inc, u32>(s) : nullptr;
    case AtomOp::dec:
      return t == Type::u32 ? in_space<AtomOp::dec, u32>(s) : nullptr;
    case AtomOp::min:
      return order_op<AtomOp::min>(t, s);
    case AtomOp::max:
      return order_op<AtomOp::max>(t, s);
    case AtomOp::mbarrier:
      return t == Type::b64 && s != Space::kGlobal ? in_space<AtomOp::mbarrier, u64>(s) : nullptr;
    case AtomOp::kNone:
      break;
  }
  return nullptr;
}

ExecFn select_async(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  switch (m.async) {
    case AsyncOp::copy: {
      const bool legal = inst.access_bytes == 4 || inst.access_bytes == 8 || inst.access_bytes == 16;
      return legal ? &copy_async : nullptr;
    }
    case AsyncOp::commit_group:
    case AsyncOp::wait_group:
    case AsyncOp::wait_all:
    case AsyncOp::bulk_wait:
      return &nothing;
    case AsyncOp::bulk_wait_read:
      inst.aux |= kReadsAlone;
      return &nothing;
    default:
      break;
  }
  return nullptr;
}

ExecFn select_prefetch(Inst& inst, const Modifiers& m) { return &baseline::prefetch; }

}  // namespace warpvp::ptx
