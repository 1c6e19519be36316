#pragma once
// PTX of the microbenchmarks whose code is one instruction over and over. It is made when a run needs it;
// what has more to it than a list of instructions is in sw/kernels/micro. Entries take the parameters of
// micro.h there, and what is said there of rounds, clocks and the loop holds for them.

#include <cstdint>
#include <string>
#include <vector>

namespace warpvp::apps {

/// An instruction to be measured, alone (`NAME_chain`: each copy needs the result of the one before) and
/// among others (`NAME_rate`: that of the eighth before).
struct MicroInstruction {
  const char* name;
  const char* type;    ///< of its registers: u32, s32, b32, u64, f32, f64
  const char* second;  ///< PTX that sets %b; null: %b is the parameter `stride`
  const char* first;   ///< PTX that sets %a0, what the first copy begins with; null: the same as %b
  const char* text;    ///< a copy: %a is destination and first operand, %b the second
  std::uint32_t instructions = 1;  ///< in `text`
  std::uint32_t apart = 1;         ///< how far what the copies of a rate begin with lies apart
  const char* head = nullptr;      ///< version and target of the module; null: sm_70's
};

/// Copies of an instruction in a round, and additions in a stretch of instruction_cache.
inline constexpr std::uint32_t kMicroCopies = 128;

/// All there are, in the order in which they are offered.
const std::vector<MicroInstruction>& micro_instructions();

/// A module with the entries NAME_chain and NAME_rate.
std::string micro_ptx(const MicroInstruction& instruction);

/// Stretches of code in instruction_cache.
inline constexpr std::uint32_t kMicroStretches = 80;

/// A module with the entry `instruction_cache`: straight code of kMicroStretches stretches of independent
/// additions (2 KiB each where an instruction is 16 bytes, as on Volta and later), of which a round runs the
/// last `stride`.
std::string instruction_cache_ptx();

}  // namespace warpvp::apps
