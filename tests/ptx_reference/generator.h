#pragma once
// Random PTX programs whose results the PTX ISA fixes: free of races, of unspecified values and of dependence
// on how threads are scheduled.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx_reference/random.h"

namespace warpvp::reference {

/// A piece of a program: its text, pieces inside, text behind them. Leaving out a droppable piece with what
/// is in it leaves a program that is still valid.
struct Piece {
  std::string text, behind;
  std::vector<Piece> inside;
  bool droppable = true;
};

/// A program with its inputs. The entry is k(in, out, cells): `in` has kInputBytes for each thread, `out`
/// kOutputBytes, `cells` is shared by all.
struct GeneratedProgram {
  static constexpr std::size_t kInputBytes = 256, kOutputBytes = 512, kCellBytes = 256;
  std::uint64_t seed = 0;
  std::array<std::uint32_t, 3> block{1, 1, 1}, grid{1, 1, 1};
  Piece root;
  std::vector<std::uint8_t> in, cells;
  std::size_t threads() const;
  std::string text() const;
};

/// Gives every thread of the program values for the registers of for_each_input (registers.h).
void put_inputs(Random& random, GeneratedProgram& program);

/// What programs may have: all that the platform takes, or only what the assembler of chips since sm_70 takes
/// and what PTX leaves them no choice in (no vote without .sync, no activemask).
enum class Dialect : std::uint8_t { kPlatform, kChip };
/// Always the same program for the same seed and dialect.
GeneratedProgram generate(std::uint64_t seed, Dialect dialect = Dialect::kPlatform);

}  // namespace warpvp::reference
