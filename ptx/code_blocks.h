#pragma once
// Blocks of a program: instructions that a stream which nobody watches instruction by instruction goes past
// as one, with the branch that ends them. They follow from the program alone.

#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

/// What may be done with an instruction of a block that is no branch.
enum class GoesOn : std::uint8_t {
  kNo,         ///< none of a block
  kAlways,     ///< for any active lanes
  kWholeWarp,  ///< if all 32 lanes are active
};
GoesOn goes_on(const Inst& inst);
/// It ends lanes, where its guard lets any, and is part of a block where it lets none.
bool ends_lanes(const Inst& inst);

/// By pc: atomics whose results nobody asks for. A stream goes on behind them, unless it puts them off, which
/// ends the block that they are the last ones of.
std::vector<bool> silent_atomics_of(const Program& program);

struct CodeBlock {
  Pc begin = 0, end = 0;
  bool branches = false;  ///< with its last instruction
};
/// The most instructions of one.
inline constexpr std::uint32_t kLongestCodeBlock = 64;
/// In the order of their places, for warps all of whose lanes are active or for others. None of them but the
/// first instruction of each is gone to from elsewhere than the one before.
/// `silent`: silent_atomics_of(program).
std::vector<CodeBlock> code_blocks_of(const Program& program, bool some_lanes,
                                      const std::vector<bool>& silent);

}  // namespace warpvp::ptx
