// Random programs for a time: `ptx_preemption_fuzz SEED SECONDS`. Each runs as text and as machine code on
// its own, and eight at a time on a platform where they take SMs from each other and translate addresses.
// Exit status 1 when one differs from the scalar interpreter.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/ptx_reference/differential.h"
#include "tests/ptx_reference/on_platform.h"

int main(int count, char** arguments) {
  using namespace warpvp::reference;
  using Clock = std::chrono::steady_clock;
  if (count != 3) {
    fmt::print(stderr, "usage: {} SEED SECONDS\n", arguments[0]);
    return 2;
  }
  constexpr unsigned kTogether = 8;
  const std::uint64_t seed = std::strtoull(arguments[1], nullptr, 0);
  const auto end = Clock::now() + std::chrono::duration<double>(std::strtod(arguments[2], nullptr));
  std::uint64_t programs = 0, saved = 0;
  do {
    std::vector<GeneratedProgram> together;
    PlatformRun run;
    run.program = WARPVP_PROGRAM;
    run.preempting = true;
    run.seed = seed + programs;
    for (unsigned i = 0; i < kTogether; ++i) {
      together.push_back(generate(run.seed + i));
      const std::string found = report(together.back());
      if (!found.empty()) {
        fmt::print("{}\n", found);
        return 1;
      }
    }
    run.platform = preempting_platform(1 + static_cast<unsigned>(run.seed / kTogether % 2),
                                       run.seed / kTogether / 2 % 2 ? "ptx" : "machine");
    const std::string found = difference_on_platform(together, run, &saved);
    if (!found.empty()) {
      fmt::print("{} programs from seed {} on {}: {}\n", kTogether, run.seed, run.platform, found);
      return 1;
    }
    programs += kTogether;
  } while (Clock::now() < end);
  fmt::print("{} programs from seed {}, {} CTAs taken off their SMs: none differs\n", programs, seed, saved);
  return 0;
}
