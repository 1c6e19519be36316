#pragma once
// What `sm.type: functional` is given in YAML.

#include <cstdint>
#include <string>

#include "base/fields.h"

namespace warpvp {

struct FunctionalSmConfig {
  PolicyChoice instructions = "ptx";
  double instructions_per_cycle = 1;
  std::uint32_t slice_cycles = 500, longest_slice_cycles = 16000;
  std::string exchange = "at_once";
  std::uint32_t cta_launch_latency = 20;
  std::uint32_t most_followers = 15;
  bool independent_threads = true;

  void fields(FieldVisitor& v);
};

}  // namespace warpvp
