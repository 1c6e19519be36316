#include "modules/sm_profile/config.h"

namespace warpvp {

void ProfileSmConfig::fields(FieldVisitor& v) {
  profiles.visit(
      v, "profiles",
      "Files of kernel profiles, written by hand or by `warpvp profile`: each has a mapping `kernels` of "
      "names to profiles. A name is a kernel's entry, or ENTRY@CTASxTHREADS for its launches of that "
      "shape.");
  v.field("schedulers", schedulers, "",
          "Warp schedulers of an SM, each of which issues one instruction a cycle.",
          Constraint::range(1, 16));
  v.field("issue_per_cycle", issue_per_cycle, "warp instructions/cycle",
          "What an SM issues at most; 0: one a scheduler.", Constraint::range(0, 1024));
  v.field("cta_launch_latency", cta_launch_latency, "cycles", "From a launch's arrival to the CTA's start.",
          Constraint::range(1, 100000));
  v.field(
      "memory_gb_s", memory_gb_s, "GB/s",
      "Memory bandwidth that all SMs share; 0: memory_share of the peak of the platform's memory channels.",
      Constraint::range(0, 1e6));
  v.field("memory_share", memory_share, "",
          "What kernels reach of the peak of the memory channels: as streams do at the grain of cycles.",
          Constraint::range(0.01, 1));
  v.field("interval_cycles", interval_cycles, "cycles",
          "Least time between two divisions of the memory bandwidth among the SMs.",
          Constraint::range(1, 1000000));
  v.group("context_switch", context_switch,
          "What taking CTAs off the SM costs (work_distributor.preemption). An SM's state moves at its equal "
          "share "
          "of the memory bandwidth; `requests` counts for nothing here.");
}

}  // namespace warpvp
