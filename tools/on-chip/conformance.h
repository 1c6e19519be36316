#pragma once
// What the chip answers to the programs of tests/ptx_reference, and whether the platform and the reference
// say the same.

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "tests/ptx_reference/differential.h"

namespace warpvp::chip {

/// Runs a program on the GPU. `error`: it was refused by the driver's compiler, or did not end in time; after
/// a fault of the chip the process can use it no more, see `lost`.
struct ChipOutcome : reference::Outcome {
  bool lost = false;
};
/// `level`: of the optimisations that the driver compiles it with, 0 to 4.
ChipOutcome run_chip(const reference::GeneratedProgram& program, unsigned level = 4);

struct ConformanceRequest {
  std::string what;                    ///< "forms", "random", "cases", "approximate", "single"
  std::uint64_t first = 0, count = 0;  ///< seeds of random programs
  unsigned jobs = 1;                   ///< processes
  unsigned shrink = 2;  ///< programs that differ of which each process looks for the smallest part
};
/// Every program runs compiled with and without optimisations: what then differs depends on the compiler and
/// is no answer of the chip. Writes the chip's answers to `answers` in the form of tests/ptx_reference/data,
/// and what differs from the platform and the reference to `log`. Returns the number of programs that differ.
unsigned ask_chip(const ConformanceRequest& request, std::ostream& answers, std::ostream& log);

/// Calls `visit` with the name and the PTX of each program asked for; needs no GPU.
void for_each_program(const ConformanceRequest& request,
                      const std::function<void(const std::string& name, const std::string& text)>& visit);

}  // namespace warpvp::chip
