#pragma once
// Executes a grid under the limit study, its warps in turns that the caller chooses.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/functional_runner.h"
#include "ptx/redundancy_study.h"

namespace warpvp::ptx {

struct Turn {
  unsigned warp, steps;
};

/// Of each CTA, `next(warps)` says which warp has its turn; one that waits or has ended has none. What stops
/// it, if anything does.
inline std::string run_watched(const Program& program, const std::array<std::uint32_t, 3>& block,
                               unsigned ctas, const std::vector<std::uint8_t>& arguments, FlatMemory& memory,
                               RedundancyStudy& study, const std::function<Turn(unsigned warps)>& next) {
  ExecEnv env;
  ExecFault fault;
  env.global = &memory;
  env.fault = &fault;
  Cta cta;
  std::vector<std::unique_ptr<Warp>> warps;
  for (unsigned id = 0; id < ctas; ++id) {
    cta.start(program, env, {ctas, 1, 1}, {block[0], block[1], block[2]}, {id, 0, 0}, 0, 0, 1,
              arguments.data());
    study.cta_started(id);
    const unsigned count = cta.warps();
    while (warps.size() < count) warps.push_back(std::make_unique<Warp>());
    for (unsigned w = 0; w < count; ++w) warps[w]->launch(cta, w);
    std::uint64_t runnable = (std::uint64_t{1} << count) - 1, exited = 0;
    const std::uint64_t all = runnable;
    for (std::uint64_t steps = 0; exited != all;) {
      if (runnable == 0) return "all warps wait";
      const auto [w, at_once] = next(count);
      for (unsigned turn = at_once; turn != 0 && (runnable >> w & 1); --turn) {
        if (++steps > 2'000'000) return "endless";
        Warp& warp = *warps[w];
        const Pc pc = warp.pc();
        const LaneMask active = warp.active();
        const StepKind kind = warp.step();
        if (kind == StepKind::kFault) return fault.what;
        study.executed(id, warp, pc, active);
        if (kind == StepKind::kExited) exited |= std::uint64_t{1} << w;
        if (kind == StepKind::kExited || kind == StepKind::kBarrier) runnable &= ~(std::uint64_t{1} << w);
        runnable |= cta.take_released();
      }
    }
    study.cta_finished(id);
  }
  return {};
}

}  // namespace warpvp::ptx
