#pragma once
// What a user may have observed of the core that runs the firmware.

#include <string>

#include "base/fields.h"

namespace warpvp {

struct CoreObservationConfig {
  std::string trace;
  std::string profile;
  bool checks = false;

  bool any() const { return !trace.empty() || !profile.empty() || checks; }
  void fields(FieldVisitor& v) {
    v.field("trace", trace,
            "File for a line per instruction: time, function, disassembly, what changed; empty: none.");
    v.field("profile", profile, "File for calls and cycles by function, self and inclusive; empty: none.");
    v.field(
        "checks", checks,
        "Make null and wild accesses, stores to code and stack overflow device faults at their instruction, "
        "and measure how deep the stack gets.");
  }
};

}  // namespace warpvp
