// cp.async.bulk, its reductions and prefetches (PTX ISA 9.7.9.25.4). Each lane copies a span of its own;
// lanes act one after the other, in ascending order. Bytes are moved when the copy issues (or, to global
// memory, at the end of that edge); the mbarrier hears of them when they would have come.

#include <algorithm>

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/exec/ops/atomic_ops.h"
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/memory_access.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

constexpr u64 kUnit = 16, kBarrierBytes = 8;

/// What the lanes of a copy say.
struct Lanes {
  const Row64 *to = nullptr, *from = nullptr, *barrier = nullptr;
  const Row32* bytes = nullptr;
};
Lanes operands(const Inst& inst, const Warp& w) {
  if (inst.src_count == 2)
    return {nullptr, source<u64>(w, inst.src[0]), nullptr, source<u32>(w, inst.src[1])};
  return {source<u64>(w, inst.src[0]), source<u64>(w, inst.src[1]),
          inst.src_count == 4 ? source<u64>(w, inst.src[3]) : nullptr, source<u32>(w, inst.src[2])};
}

bool in_shared(Warp& w, u64 address, u64 bytes, u64 alignment, unsigned lane) {
  const u64 size = w.cta().shared_bytes();
  const bool outside = address > size || size - address < bytes;
  if (!outside && address % alignment == 0) return true;
  w.fault(fault_text(AccessKind::kCopy, Space::kShared, outside ? Reason::kBounds : Reason::kAlignment),
          static_cast<int>(lane), address, static_cast<unsigned>(bytes));
  return false;
}
bool in_global(Warp& w, u64 address, u64 bytes, unsigned lane) {
  ExecEnv& env = w.cta().env();
  Reason reason = Reason::kBounds;
  if (address < kNullPage) {
    reason = Reason::kNull;
  } else if (address % kUnit != 0) {
    reason = Reason::kAlignment;
  } else if (env.find_range(address, w.cta().context()) && env.range.end - address >= bytes) {
    return true;
  }
  w.fault(fault_text(AccessKind::kCopy, Space::kGlobal, reason), static_cast<int>(lane), address,
          static_cast<unsigned>(bytes));
  return false;
}

std::byte* global_host(Warp& w, u64 address) {
  const GlobalMemory& memory = *w.cta().env().global;
  return memory.host + (address - memory.origin);
}

/// Brings bytes of global memory, with what the SM itself has stored and others do not see yet.
void fetch(Warp& w, u64 address, u64 bytes, std::byte* to) {
  const ExecEnv& env = w.cta().env();
  if (env.stores == nullptr || env.stores->empty()) {
    std::memmove(to, global_host(w, address), bytes);
    return;
  }
  constexpr u64 kPart = OwnStores::kMostBytes;
  for (u64 at = 0; at < bytes;) {
    const u64 part = std::min(bytes - at, kPart - (address + at) % kPart);
    env.stores->read(address + at, static_cast<unsigned>(part), env.cycle, to + at);
    at += part;
  }
}

/// Puts a span to what is there.
using Combine = void (*)(std::byte* to, const std::byte* from, u64 bytes);

void copy(std::byte* to, const std::byte* from, u64 bytes) { std::memmove(to, from, bytes); }

template <AtomOp op, class T, bool flushes = false>
void reduce(std::byte* to, const std::byte* from, u64 bytes) {
  for (u64 at = 0; at < bytes; at += sizeof(T)) {
    T old, b;
    std::memcpy(&old, to + at, sizeof(T));
    std::memcpy(&b, from + at, sizeof(T));
    const T now = apply<op, T>(old, b, b, flushes);
    std::memcpy(to + at, &now, sizeof(T));
  }
}
template <AtomOp op, class H>
void reduce_half(std::byte* to, const std::byte* from, u64 bytes) {
  for (u64 at = 0; at < bytes; at += sizeof(u16)) {
    u16 old, b;
    std::memcpy(&old, to + at, sizeof old);
    std::memcpy(&b, from + at, sizeof b);
    u32 now;
    if constexpr (op == AtomOp::add) {
      now = half_sum<H>(old, b);
    } else if (H::is_nan(old) || H::is_nan(b)) {
      now = H::is_nan(old) ? (H::is_nan(b) ? H::kNan : b) : old;
    } else {
      // -0 is below +0.
      const double x = H::widen(old), y = H::widen(b);
      const bool below = x < y || (x == y && (old & H::kSign) != 0);
      now = below == (op == AtomOp::min) ? old : b;
    }
    const auto stored = static_cast<u16>(now);
    std::memcpy(to + at, &stored, sizeof stored);
  }
}

template <AtomOp op>
Combine on_bits(Type t) {
  return t == Type::b32 ? &reduce<op, u32> : t == Type::b64 ? &reduce<op, u64> : nullptr;
}
template <AtomOp op>
Combine in_order(Type t) {
  switch (t) {
    case Type::u32:
      return &reduce<op, u32>;
    case Type::s32:
      return &reduce<op, s32>;
    case Type::u64:
      return &reduce<op, u64>;
    case Type::s64:
      return &reduce<op, s64>;
    case Type::f16:
      return &reduce_half<op, F16>;
    case Type::bf16:
      return &reduce_half<op, Bf16>;
    default:
      return nullptr;
  }
}
Combine sum_of(Type t) {
  switch (t) {
    case Type::u32:
    case Type::s32:
      return &reduce<AtomOp::add, u32>;
    case Type::u64:
      return &reduce<AtomOp::add, u64>;
    case Type::f32:
      return &reduce<AtomOp::add, float, true>;
    case Type::f64:
      return &reduce<AtomOp::add, double>;
    case Type::f16:
      return &reduce_half<AtomOp::add, F16>;
    case Type::bf16:
      return &reduce_half<AtomOp::add, Bf16>;
    default:
      return nullptr;
  }
}
/// nullptr: there is no such reduction.
Combine combination(AtomOp op, Type t) {
  switch (op) {
    case AtomOp::kNone:
      return &copy;
    case AtomOp::and_:
      return on_bits<AtomOp::and_>(t);
    case AtomOp::or_:
      return on_bits<AtomOp::or_>(t);
    case AtomOp::xor_:
      return on_bits<AtomOp::xor_>(t);
    case AtomOp::add:
      return sum_of(t);
    case AtomOp::inc:
      return t == Type::u32 ? &reduce<AtomOp::inc, u32> : nullptr;
    case AtomOp::dec:
      return t == Type::u32 ? &reduce<AtomOp::dec, u32> : nullptr;
    case AtomOp::min:
      return in_order<AtomOp::min>(t);
    case AtomOp::max:
      return in_order<AtomOp::max>(t);
    default:
      return nullptr;
  }
}

bool to_global(AsyncOp a) { return a == AsyncOp::bulk_out; }
bool from_global(AsyncOp a) { return a == AsyncOp::bulk_in || a == AsyncOp::bulk_ahead; }

/// aux: AsyncOp, AtomOp and Type, a byte each.
void bulk_copy(const Inst& inst, Warp& w, LaneMask active) {
  const auto async = static_cast<AsyncOp>(inst.aux & 0xff);
  const auto op = static_cast<AtomOp>(inst.aux >> 8 & 0xff);
  const auto type = static_cast<Type>(inst.aux >> 16 & 0xff);
  const Lanes lanes = operands(inst, w);
  ExecEnv& env = w.cta().env();
  BulkSpans& spans = env.bulk;
  const bool outside = to_global(async) || from_global(async);
  LaneMask moving = 0;
  CopySignal signal;
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = first_lane(m);
    const u64 bytes = lanes.bytes[i];
    if (bytes % kUnit != 0) {
      w.fault("bulk copy whose size is no multiple of 16", static_cast<int>(i));
      return;
    }
    if (lanes.barrier != nullptr) {
      if (!in_shared(w, lanes.barrier[i], kBarrierBytes, kBarrierBytes, i)) return;
      signal.lanes |= 1u << i;
      signal.barrier[i] = static_cast<u32>(lanes.barrier[i]);
      signal.bytes[i] = static_cast<u32>(bytes);
    }
    if (bytes == 0) continue;
    moving |= 1u << i;
    spans.bytes[i] = static_cast<u32>(bytes);
    spans.address[i] = to_global(async) || async == AsyncOp::bulk_within ? lanes.to[i] : lanes.from[i];
    if (async == AsyncOp::bulk_ahead) {
      // As other prefetches, one of nothing that there is does nothing.
      const u64 address = lanes.from[i];
      const bool there = address % kUnit == 0 && env.find_range(address, w.cta().context()) &&
                         env.range.end - address >= bytes;
      if (!there) moving &= ~(1u << i);
      continue;
    }
    if (from_global(async) ? !in_global(w, lanes.from[i], bytes, i)
                           : !in_shared(w, lanes.from[i], bytes, kUnit, i))
      return;
    if (to_global(async) ? !in_global(w, lanes.to[i], bytes, i) : !in_shared(w, lanes.to[i], bytes, kUnit, i))
      return;
  }

  MemoryAccess& access = w.access_for_exec();
  access.space = outside ? Space::kGlobal : Space::kShared;
  access.lanes = moving;
  access.shared_lanes = 0;
  access.bytes = kUnit;
  access.store = to_global(async) && op == AtomOp::kNone;
  access.atomic = to_global(async) && op != AtomOp::kNone;
  access.async = access.returns_value = false;
  access.cache_op = static_cast<std::uint8_t>(CacheOp::bulk);
  access.bulk = &spans;
  std::memcpy(access.address, spans.address, sizeof access.address);
  spans.signal = BulkSpans::kNoSignal;
  if (async == AsyncOp::bulk_ahead) return;
  if (to_global(async) && w.put_off(inst, active)) return;

  const Combine combine = combination(op, type);
  std::byte* const shared = w.cta().shared_data();
  for (LaneMask m = moving; m != 0; m &= m - 1) {
    const unsigned i = first_lane(m);
    if (from_global(async)) {
      fetch(w, lanes.from[i], lanes.bytes[i], shared + lanes.to[i]);
      continue;
    }
    combine(to_global(async) ? global_host(w, lanes.to[i]) : shared + lanes.to[i], shared + lanes.from[i],
            lanes.bytes[i]);
  }
  if (signal.lanes == 0) return;
  if (env.defer_signals && moving != 0)
    spans.signal = w.cta().keep_signal(signal);
  else
    w.cta().deliver(signal);
}

}  // namespace
}  // namespace baseline

ExecFn select_bulk(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  const AsyncOp a = m.async;
  const unsigned sources = a == AsyncOp::bulk_ahead ? 2 : a == AsyncOp::bulk_out ? 3 : 4;
  if (a < AsyncOp::bulk_in || a > AsyncOp::bulk_ahead || inst.src_count != sources) return nullptr;
  for (unsigned k = 0; k < sources; ++k) {
    const bool address = k != (a == AsyncOp::bulk_ahead ? 1 : 2);
    if (inst.src[k].kind != OperandKind::kReg && inst.src[k].kind != OperandKind::kConst) return nullptr;
    if (src_wide(inst, k) != address) return nullptr;
  }
  const bool reduces = m.atom != AtomOp::kNone;
  if (combination(m.atom, m.type) == nullptr) return nullptr;
  if (reduces && a != AsyncOp::bulk_out && a != AsyncOp::bulk_within) return nullptr;
  inst.aux = static_cast<u64>(a) | static_cast<u64>(m.atom) << 8 | static_cast<u64>(m.type) << 16;
  return &bulk_copy;
}

}  // namespace warpvp::ptx
