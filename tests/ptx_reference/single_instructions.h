#pragma once
// Programs of a single instruction each, for what the reference interpreter does not know: half precision and
// narrower floats, matrices, exchange between the lanes of a warp. What they give is compared with a chip
// alone (data/).

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx_reference/generator.h"

namespace warpvp::reference {

/// A program in which each thread loads operands, executes the instruction once, and stores what it gives in
/// the first `result_words` words of its output.
struct SingleInstruction {
  std::string name;  ///< the opcode with all suffixes; of mma.sp the selector behind it
  GeneratedProgram program;
  unsigned result_words = 1;
  bool approximate = false;  ///< PTX allows an error: no two machines need agree
};

/// All of them, always the same.
std::vector<SingleInstruction> single_instructions();

/// Digest of what warp `warp` has stored in `out`, the output of all threads.
std::uint32_t warp_digest(const SingleInstruction& i, const std::vector<std::uint8_t>& out, unsigned warp);
unsigned warps_of(const SingleInstruction& i);

}  // namespace warpvp::reference
