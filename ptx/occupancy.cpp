#include "ptx/occupancy.h"

#include <algorithm>

namespace warpvp::ptx {
namespace {

constexpr std::uint32_t kWarpThreads = 32;

std::uint64_t round_up(std::uint64_t value, std::uint32_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

}  // namespace

const char* limiter_name(Limiter l) {
  switch (l) {
    case Limiter::kCtas:
      return "CTA slots";
    case Limiter::kWarps:
      return "warps";
    case Limiter::kRegisters:
      return "registers";
    case Limiter::kShared:
      return "shared memory";
    case Limiter::kBarriers:
      return "barriers";
  }
  return "";
}

std::uint32_t registers_per_warp(const SmLimits& sm, std::uint32_t registers_per_thread) {
  return static_cast<std::uint32_t>(round_up(
      static_cast<std::uint64_t>(std::max(registers_per_thread, 1u)) * kWarpThreads, sm.register_unit));
}

Occupancy occupancy(const SmLimits& sm, const CtaNeeds& cta) {
  Occupancy o;
  const std::uint32_t warps = (std::max(cta.threads, 1u) + kWarpThreads - 1) / kWarpThreads;
  o.by_ctas = sm.max_ctas;
  o.by_warps = cta.threads > sm.max_threads_per_cta
                   ? 0
                   : std::min(sm.max_warps, sm.max_threads / kWarpThreads) / warps;

  // A warp's registers lie in one partition of the register file.
  if (cta.registers_per_thread <= sm.max_registers_per_thread) {
    const std::uint32_t partitions = std::max(sm.warp_unit, 1u);
    const std::uint32_t warps_held =
        sm.registers / partitions / registers_per_warp(sm, cta.registers_per_thread) * partitions;
    o.by_registers = warps_held / warps;
  }

  const std::uint64_t shared =
      round_up(static_cast<std::uint64_t>(cta.shared_bytes) + sm.reserved_shared, sm.shared_unit);
  if (cta.shared_bytes > sm.max_shared_per_cta)
    o.by_shared = 0;
  else
    o.by_shared = shared == 0 ? sm.max_ctas : static_cast<std::uint32_t>(sm.shared_bytes / shared);

  o.by_barriers = sm.barriers == 0 || cta.barriers == 0 ? sm.max_ctas : sm.barriers / cta.barriers;

  o.ctas = o.by_ctas;
  const auto limit = [&](std::uint32_t n, Limiter by) {
    if (n < o.ctas) {
      o.ctas = n;
      o.limiter = by;
    }
  };
  limit(o.by_warps, Limiter::kWarps);
  limit(o.by_registers, Limiter::kRegisters);
  limit(o.by_shared, Limiter::kShared);
  limit(o.by_barriers, Limiter::kBarriers);
  o.warps = o.ctas * warps;
  return o;
}

}  // namespace warpvp::ptx
