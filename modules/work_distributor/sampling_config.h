#pragma once
// Which CTAs of a kernel are simulated in cycle detail, in waves of CTAs (docs/sampling.md).

#include <cstdint>

#include "base/fields.h"

namespace warpvp {

struct SamplingConfig {
  std::uint32_t skip = 0, detail = 1, warm_up = 6, least_samples = 4;

  bool on() const { return skip != 0; }
  void fields(FieldVisitor& v) {
    v.field("skip", skip, "waves",
            "CTAs that are computed without cycles after each sample: so many times as the SMs hold at once. "
            "0: none, all CTAs of all kernels are simulated in cycle detail.",
            Constraint::range(0, 100000));
    v.field("detail", detail, "waves", "CTAs of a sample, in cycle detail.", Constraint::range(1, 1000));
    v.field("warm_up", warm_up, "waves",
            "CTAs before the first sample, in cycle detail: they fill SMs and caches.",
            Constraint::range(1, 1000));
    v.field("least_samples", least_samples, "",
            "A kernel that is too short for so many samples is simulated in cycle detail altogether.",
            Constraint::range(2, 1000));
  }
};

}  // namespace warpvp
