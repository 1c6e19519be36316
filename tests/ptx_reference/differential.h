#pragma once
// One program on the platform's functional runner and on the reference interpreter.

#include <functional>
#include <string>
#include <vector>

#include "ptx/code_options.h"
#include "tests/ptx_reference/generator.h"

namespace warpvp::reference {

/// What a run left behind: memory, or why there was none.
struct Outcome {
  std::string error;  ///< refused, faulted, beyond the limit; empty: ran to the end
  std::vector<std::uint8_t> out, cells;
  bool same_as(const Outcome& other) const {
    return error.empty() && other.error.empty() && out == other.out && cells == other.cells;
  }
};

Outcome run_platform(const GeneratedProgram& program, ptx::Code code);
Outcome run_reference(const GeneratedProgram& program);

/// Empty when the reference and the platform, with both kinds of code, agree bit for bit; otherwise what
/// differs first.
std::string difference(const GeneratedProgram& program);

/// What differs first between two outcomes: "thread 3 byte 16: platform 0x.., reference 0x..", with the names
/// given; or empty.
std::string difference(const Outcome& a, const char* name_of_a, const Outcome& b, const char* name_of_b);

/// What is wrong with a program, as difference() says it.
using Judge = std::function<std::string(const GeneratedProgram&)>;
/// The program without the pieces it differs without. Differs as `program` does: in its results if that did
/// so, in what is refused otherwise.
GeneratedProgram shrunk(
    GeneratedProgram program, const Judge& judge = [](const GeneratedProgram& p) { return difference(p); });

/// difference(), then the smallest program found that still differs, with seed and launch.
std::string report(const GeneratedProgram& program);

}  // namespace warpvp::reference
