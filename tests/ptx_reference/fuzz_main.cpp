// Runs many random programs: `ptx_fuzz SEED PROGRAMS`. Exit status 1 when the platform and the reference
// differ.

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/ptx_reference/differential.h"

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: {} SEED PROGRAMS\n", arguments[0]);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(arguments[1], nullptr, 0),
                      programs = std::strtoull(arguments[2], nullptr, 0);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < programs; ++i) {
    const std::string found = warpvp::reference::report(warpvp::reference::generate(seed + i));
    if (found.empty()) continue;
    ++wrong;
    fmt::print("{}\n", found);
    if (wrong == 10) {
      fmt::print("stopped after 10 programs that differ\n");
      return 1;
    }
  }
  fmt::print("{} programs from seed {}: {} differ\n", programs, seed, wrong);
  return wrong != 0;
}
