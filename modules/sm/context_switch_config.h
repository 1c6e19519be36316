#pragma once
// What taking CTAs off an SM costs (`sm.context_switch`), for all types of SM.

#include <cstdint>

#include "base/fields.h"
#include "base/sm_resources.h"

namespace warpvp {

struct ContextSwitchConfig {
  std::uint32_t warp_state_bytes = 128;
  std::uint32_t requests = 64;

  void fields(FieldVisitor& v) {
    v.field("warp_state_bytes", warp_state_bytes, "B",
            "Saved of each warp beside its registers: program counters, masks and stack of its paths, "
            "predicates, what it waits for. Registers and shared memory are saved as they are allotted.",
            Constraint::range(0, 4096));
    v.field("requests", requests, "", "Lines of saved state that an SM has under way at once.",
            Constraint::range(1, 4096));
  }
  /// Bytes of a CTA of which `warps` warps have not ended; `needs` are those of the whole CTA.
  std::uint64_t state_bytes(const CtaNeeds& needs, std::uint32_t warps) const {
    if (needs.warps == 0) return 0;
    return std::uint64_t{needs.registers} * sizeof(std::uint32_t) * warps / needs.warps + needs.shared_bytes +
           std::uint64_t{warp_state_bytes} * warps;
  }
};

}  // namespace warpvp
