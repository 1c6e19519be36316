#pragma once
// What `sm.type: profile` is given in YAML.

#include "base/fields.h"
#include "base/kernel_profile.h"
#include "modules/sm/context_switch_config.h"

namespace warpvp {

struct ProfileSmConfig {
  KernelProfiles profiles;
  std::uint32_t schedulers = 4;
  double issue_per_cycle = 0;
  std::uint32_t cta_launch_latency = 20;
  double memory_gb_s = 0;
  double memory_share = 0.88;
  std::uint32_t interval_cycles = 100;
  ContextSwitchConfig context_switch;

  void fields(FieldVisitor& v);
  /// Warp instructions that an SM issues in a cycle.
  double issue() const { return issue_per_cycle > 0 ? issue_per_cycle : schedulers; }
};

}  // namespace warpvp
