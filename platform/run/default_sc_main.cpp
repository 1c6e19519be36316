// SystemC's library refers to sc_main, which a program with a main() of its own does not have. A program that
// has one gets its own.

#include <cstdio>
#include <systemc>

#include "base/error.h"

__attribute__((weak)) int sc_main(int, char**) {
  std::fputs("this program has neither main() nor sc_main()\n", stderr);
  return static_cast<int>(warpvp::ExitCode::kBadInput);
}
