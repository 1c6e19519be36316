#pragma once
// Random programs as the launches of one run of `warpvp`.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx_reference/generator.h"

namespace warpvp::reference {

/// Where and how the programs run.
struct PlatformRun {
  std::string program;   ///< path of warpvp
  std::string platform;  ///< of the run file, in YAML's flow form
  std::string limits = {};  ///< content of `limits`
  unsigned streams = 3;
  /// Each program has a context, a priority above those before it, and a time to begin drawn from `seed`, so
  /// that it takes SMs from programs that run.
  bool preempting = false;
  std::uint64_t seed = 0;
};

/// A small platform whose SMs are taken by context switch, with page tables of each context; `code` is "ptx"
/// or "machine", `front_end` what `sm.frontend.mode` is.
std::string preempting_platform(unsigned sms, const std::string& code,
                                const std::string& front_end = "separate");

/// Empty when the run ends well and every program left what the scalar interpreter leaves; otherwise what is
/// wrong first. `saved` grows by the CTAs that left their SMs before their ends and went on.
std::string difference_on_platform(const std::vector<GeneratedProgram>& programs, const PlatformRun& run,
                                   std::uint64_t* saved = nullptr);

}  // namespace warpvp::reference
