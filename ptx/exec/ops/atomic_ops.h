#pragma once
// What atomics and reductions do to one element; shared by atomic.cpp and bulk.cpp.

#include "ptx/exec/ops/float_ops.h"
#include "ptx/exec/ops/small_floats.h"
#include "ptx/mbarrier.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

template <AtomOp op, class T>
T apply(T old, T b, T c, bool flush_subnormals) {
  if constexpr (std::is_floating_point_v<T>) {
    // Single-precision adds to global memory flush subnormals, those to shared memory do not.
    if (flush_subnormals) return flush<true>(settled(flush<true>(old) + flush<true>(b), old, b));
    return settled(old + b, old, b);
  } else {
    switch (op) {
      case AtomOp::and_:
        return old & b;
      case AtomOp::or_:
        return old | b;
      case AtomOp::xor_:
        return old ^ b;
      case AtomOp::exch:
        return b;
      case AtomOp::cas:
        return old == b ? c : old;
      case AtomOp::add: {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
      }
      case AtomOp::inc:
        return old >= b ? T(0) : T(old + 1);
      case AtomOp::dec:
        return old == 0 || old > b ? b : T(old - 1);
      case AtomOp::min:
        return old < b ? old : b;
      case AtomOp::max:
        return old < b ? b : old;
      case AtomOp::mbarrier:
        return static_cast<T>(mbarrier::changed(static_cast<u64>(old), static_cast<u64>(b)));
      default:
        return old;
    }
  }
}

/// Of f16 or bf16, without flushing.
template <class H>
u32 half_sum(u32 a, u32 b) {
  const auto single = [](u32 v) { return static_cast<float>(H::widen(v & 0xffff)); };
  return H::narrow(fma_to_odd(single(a), 1.0f, single(b)), Rounding::rn);
}

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
