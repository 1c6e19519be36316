// alloca, stacksave and stackrestore (PTX ISA 9.7.x, "Stack Manipulation Instructions").
//
// A thread's stack is the start of its depot, Program::stack_bytes long; it grows upwards. Its pointers are
// local addresses. Allocating more than is left is a fault.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kLeastAlignment = 8;

/// aux: alignment asked for.
template <class T>
void allocate(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>* size = source<T>(w, inst.src[0]);
  const u64 alignment = inst.aux > kLeastAlignment ? inst.aux : kLeastAlignment;
  const u64 limit = w.cta().program().stack_bytes;
  Cell<T> place[kWarpSize];
  u32 top[kWarpSize];
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    const u64 base = (w.stack_top()[i] + alignment - 1) & ~(alignment - 1);
    if (base > limit || size[i] > limit - base) {
      w.fault("stack overflow: alloca of more than is left of the thread's stack", static_cast<int>(i));
      return;
    }
    place[i] = static_cast<Cell<T>>(base);
    top[i] = static_cast<u32>(base + size[i]);
  }
  Cell<T>* d = destination<T>(w, inst.dst[0]);
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    d[i] = place[i];
    w.stack_top()[i] = top[i];
  }
}

template <class T>
void save(const Inst& inst, Warp& w, LaneMask active) {
  Cell<T>* d = destination<T>(w, inst.dst[0]);
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    d[i] = w.stack_top()[i];
  }
}

template <class T>
void restore(const Inst& inst, Warp& w, LaneMask active) {
  const Cell<T>* a = source<T>(w, inst.src[0]);
  const u64 limit = w.cta().program().stack_bytes;
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    if (a[i] > limit) {
      w.fault("stackrestore to a place outside the thread's stack", static_cast<int>(i), a[i], 0);
      return;
    }
  }
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
    w.stack_top()[i] = static_cast<u32>(a[i]);
  }
}

}  // namespace
}  // namespace baseline

ExecFn select_stack(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  const bool wide = m.type == Type::u64;
  if (!wide && m.type != Type::u32) return nullptr;
  switch (inst.opcode) {
    case Opcode::alloca_:
      return wide ? &allocate<u64> : &allocate<u32>;
    case Opcode::stacksave:
      return wide ? &save<u64> : &save<u32>;
    case Opcode::stackrestore:
      return wide ? &restore<u64> : &restore<u32>;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx
