// createpolicy (PTX ISA 9.7.x, "Data Movement and Conversion"): an opaque description of an eviction
// priority, for instructions with .L2::cache_hint. No cache here follows the hint, so the value only has to
// be well defined: it says what was asked for. Bits 0 to 3 the kind (1 fractional, 2 range), 4 to 7 and 8 to
// 11 the primary and the secondary priority (1 last, 2 normal, 3 first, 4 unchanged), 32 to 63 the fraction
// as a float.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kOne = 0x3f800000;  // 1.0f: the fraction that is not written

void policy(const Inst& inst, Warp& w, LaneMask active) {
  const bool has_fraction = (inst.aux & 0xf) == 1 && inst.src_count != 0;
  const Row32* fraction = has_fraction ? source<u32>(w, inst.src[0]) : nullptr;
  with_destination<u64, false>(inst, w, active, [&](Row64* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) o[i] = inst.aux | u64{has_fraction ? fraction[i] : kOne} << 32;
  });
}
void converted(const Inst& inst, Warp& w, LaneMask active) {
  map1<u64, u64>(inst, w, active, [](u64 a) { return a; });
}

}  // namespace
}  // namespace baseline

ExecFn select_policy(Inst& inst, const Modifiers& m) {
  if (m.policy_convert) return &baseline::converted;
  inst.aux = (m.policy_range ? 2u : 1u) | m.priority[0] << 4 | m.priority[1] << 8;
  return &baseline::policy;
}

}  // namespace warpvp::ptx
