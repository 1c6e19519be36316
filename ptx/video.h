#pragma once
// Grammar of the video instructions (PTX ISA 9.7.x, "Video Instructions"): forms, selectors, and how both are
// packed for execution.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/opcode_table.h"

namespace warpvp::ptx {

/// Forms of all video instructions, part of opcode_forms().
const std::vector<OpcodeForm>& video_forms();
/// Operation and number of lanes of a mnemonic such as "vadd4".
void name_video(std::string_view mnemonic, VideoModifiers& m);
/// Meaning of a suffix that only video instructions have; others are left alone.
void apply_video(const std::string& role, const std::string& name, Modifiers& m);

/// Selectors and negations of one video instruction, as Inst::aux carries them.
///   One word:  d, a, b: 0 all, 1 to 4 byte 0 to 3, 5 and 6 half-word 0 and 1.
///   SIMD:      d: mask of the elements written. a, b: for each element, lowest first, the number in {b, a}
///   of the
///              element it takes, in 4 bits.
struct VideoSelectors {
  std::uint64_t d : 8, a : 16, b : 16, negate_a : 1, negate_b : 1, negate_c : 1, unused : 21;
};
static_assert(sizeof(VideoSelectors) == 8);

/// Code of a selector ("h1", "b3210") of the destination or of source `operand` (0: a, 1: b); empty text
/// gives the default. nullopt if an instruction with so many lanes has none of that name there.
std::optional<std::uint16_t> destination_selector(unsigned lanes, std::string_view text);
std::optional<std::uint16_t> source_selector(unsigned lanes, unsigned operand, std::string_view text);

}  // namespace warpvp::ptx
