// Instructions that look across lanes: vote, match, redux, elect, activemask (PTX ISA 9.7.9
// and 9.7.13); shfl is in shuffle.cpp.
//
// Lanes outside the executing group take no part, whatever the member mask says: groups run in lock step, and
// lanes that diverged cannot be waited for. Values of lanes outside the mask are undefined by PTX.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

void set_all(Warp& w, const Operand& o, LaneMask lanes, u32 value) {
  if (o.kind != OperandKind::kReg) return;
  Row32* d = destination<u32>(w, o);
  for (LaneMask m = lanes; m != 0; m &= m - 1) d[__builtin_ctz(m)] = value;
}

/// Runs `body(group)` for every set of executing lanes with the same member mask; without a mask operand all
/// executing lanes are one group. A lane outside its own mask (undefined in PTX) gets no result.
template <class Body>
void for_groups(const Inst& inst, Warp& w, LaneMask active, unsigned operand, Body body) {
  if (inst.src[operand].kind == OperandKind::kNone) return body(active);
  const Row32* mask = source<u32>(w, inst.src[operand]);
  for (LaneMask rest = active; rest != 0;) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    LaneMask group = 0;
    for (LaneMask m = rest; m != 0; m &= m - 1) {
      const unsigned other = static_cast<unsigned>(__builtin_ctz(m));
      if (mask[other] == mask[lane]) group |= 1u << other;
    }
    rest &= ~group;
    body(group & mask[lane]);
  }
}

/// aux: VoteMode.
void vote(const Inst& inst, Warp& w, LaneMask active) {
  const LaneMask p = w.pred_value(inst.src[0]);
  for_groups(inst, w, active, 1, [&](LaneMask group) {
    const LaneMask yes = p & group;
    bool value = false;
    switch (static_cast<VoteMode>(inst.aux)) {
      case VoteMode::ballot:
        return set_all(w, inst.dst[0], group, yes);
      case VoteMode::all:
        value = yes == group;
        break;
      case VoteMode::any:
        value = yes != 0;
        break;
      case VoteMode::uni:
        value = yes == group || yes == 0;
        break;
      case VoteMode::kNone:
        break;
    }
    set_pred(w, inst.dst[0], value ? ~0u : 0u, group);
  });
}

template <class T>
void match_any(const Inst& inst, Warp& w, LaneMask active) {
  Cell<T> a[kWarpSize];
  std::memcpy(a, source<T>(w, inst.src[0]), sizeof(a));
  for_groups(inst, w, active, 1, [&](LaneMask group) {
    for (LaneMask m = group; m != 0; m &= m - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
      LaneMask same = 0;
      for (LaneMask n = group; n != 0; n &= n - 1) {
        const unsigned j = static_cast<unsigned>(__builtin_ctz(n));
        if (a[j] == a[i]) same |= 1u << j;
      }
      set_all(w, inst.dst[0], 1u << i, same);
    }
  });
}
template <class T>
void match_all(const Inst& inst, Warp& w, LaneMask active) {
  Cell<T> a[kWarpSize];
  std::memcpy(a, source<T>(w, inst.src[0]), sizeof(a));
  for_groups(inst, w, active, 1, [&](LaneMask group) {
    bool same = group != 0;
    for (LaneMask m = group; m != 0; m &= m - 1)
      same = same && a[__builtin_ctz(m)] == a[__builtin_ctz(group)];
    set_all(w, inst.dst[0], group, same ? group : 0);
    set_pred(w, inst.dst[1], same ? ~0u : 0u, group);
  });
}

/// aux: AtomOp. T decides how min and max compare.
template <class T>
void redux(const Inst& inst, Warp& w, LaneMask active) {
  Row32 a[kWarpSize];
  std::memcpy(a, source<u32>(w, inst.src[0]), sizeof(a));
  for_groups(inst, w, active, 1, [&](LaneMask group) {
    if (group == 0) return;
    u32 r = a[__builtin_ctz(group)];
    for (LaneMask m = group & (group - 1); m != 0; m &= m - 1) {
      const u32 v = a[__builtin_ctz(m)];
      switch (static_cast<AtomOp>(inst.aux)) {
        case AtomOp::add:
          r += v;
          break;
        case AtomOp::min:
          r = static_cast<T>(v) < static_cast<T>(r) ? v : r;
          break;
        case AtomOp::max:
          r = static_cast<T>(r) < static_cast<T>(v) ? v : r;
          break;
        case AtomOp::and_:
          r &= v;
          break;
        case AtomOp::or_:
          r |= v;
          break;
        default:
          r ^= v;
          break;
      }
    }
    set_all(w, inst.dst[0], group, r);
  });
}

/// The lowest lane of the group is elected.
void elect(const Inst& inst, Warp& w, LaneMask active) {
  for_groups(inst, w, active, 0, [&](LaneMask group) {
    if (group == 0) return;
    const unsigned leader = static_cast<unsigned>(__builtin_ctz(group));
    set_all(w, inst.dst[0], group, leader);
    set_pred(w, inst.dst[1], 1u << leader, group);
  });
}

/// The lanes that execute it, which its guard has already narrowed.
void activemask(const Inst& inst, Warp& w, LaneMask active) { set_all(w, inst.dst[0], active, active); }

ExecFn select_redux(Inst& inst, const Modifiers& m) {
  inst.aux = static_cast<u64>(m.atom);
  switch (m.atom) {
    case AtomOp::add:
    case AtomOp::min:
    case AtomOp::max:
      return m.type == Type::u32 ? &redux<u32> : m.type == Type::s32 ? &redux<s32> : nullptr;
    case AtomOp::and_:
    case AtomOp::or_:
    case AtomOp::xor_:
      return m.type == Type::b32 ? &redux<u32> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace baseline

ExecFn select_warp(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  switch (inst.opcode) {
    case Opcode::vote: {
      const OperandKind want = m.vote == VoteMode::ballot ? OperandKind::kReg : OperandKind::kPred;
      if (m.vote == VoteMode::kNone || inst.dst[0].kind != want || inst.src[0].kind != OperandKind::kPred)
        return nullptr;
      inst.aux = static_cast<u64>(m.vote);
      return &vote;
    }
    case Opcode::match:
      if (m.type == Type::b32) return m.match_all ? &match_all<u32> : &match_any<u32>;
      if (m.type == Type::b64) return m.match_all ? &match_all<u64> : &match_any<u64>;
      return nullptr;
    case Opcode::redux:
      return select_redux(inst, m);
    case Opcode::elect:
      return &elect;
    case Opcode::activemask:
      return &activemask;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx
