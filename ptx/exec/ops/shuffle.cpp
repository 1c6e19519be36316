// shfl: registers of other lanes (PTX ISA 9.7.9). Of which lanes are outside the executing group see
// warp_ops.cpp.

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

/// shfl.mode: c holds the clamp value in bits 0..4 and the segment mask in bits 8..12.
template <ShuffleMode mode>
void shfl(const Inst& inst, Warp& w, LaneMask active) {
  alignas(64) Row32 a[kWarpSize], t[kWarpSize];
  alignas(64) s32 from[kWarpSize];
  std::memcpy(a, source<u32>(w, inst.src[0]), sizeof(a));
  const Row32 *b = source<u32>(w, inst.src[1]), *c = source<u32>(w, inst.src[2]);
  // The source lane, or one outside of the warp: the lane has its own value then.
  WARPVP_LANES {
    const s32 lane = static_cast<s32>(i), by = static_cast<s32>(b[i] & 0x1f);
    const s32 clamp = static_cast<s32>(c[i] & 0x1f), segment = static_cast<s32>((c[i] >> 8) & 0x1f);
    const s32 first = lane & segment, last = first | (clamp & ~segment);
    const s32 j = mode == ShuffleMode::up     ? lane - by
                  : mode == ShuffleMode::down ? lane + by
                  : mode == ShuffleMode::bfly ? lane ^ by
                                              : first | (by & ~segment);
    const bool inside = mode == ShuffleMode::up ? j >= last : j <= last;
    from[i] = inside ? j : -1;
  }
  WARPVP_LANES t[i] = a[(from[i] < 0 ? static_cast<s32>(i) : from[i]) & 31];
  if (inst.dst[0].kind == OperandKind::kReg) blend(destination<u32>(w, inst.dst[0]), t, active);
  if (inst.dst[1].kind == OperandKind::kPred)
    set_pred(w, inst.dst[1], mask_of([&](unsigned i) { return from[i] >= 0; }), active);
}

}  // namespace

ExecFn select_shuffle(Inst&, const Modifiers& m) {
  if (m.type != Type::b32) return nullptr;
  switch (m.shuffle) {
    case ShuffleMode::up:
      return &shfl<ShuffleMode::up>;
    case ShuffleMode::down:
      return &shfl<ShuffleMode::down>;
    case ShuffleMode::bfly:
      return &shfl<ShuffleMode::bfly>;
    case ShuffleMode::idx:
      return &shfl<ShuffleMode::idx>;
    case ShuffleMode::kNone:
      break;
  }
  return nullptr;
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
