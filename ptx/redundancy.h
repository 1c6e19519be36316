#pragma once
// Which instructions yield the same values in all warps of a CTA: the marking pass of DARSIE (Yeh's thesis,
// section 7.2), on programs as the SM runs them, after register allocation.
//
// What it says holds among warps that have come the same way, that is, have taken the same branches since all
// of the CTA's warps were last in one place. It is the hardware that keeps to such warps (7.3.3).
//
// Three classes. Definitely redundant: made of nothing but blockIdx, blockDim, gridDim, constants, kernel
// parameters and the base of shared memory. Conditionally redundant: of tid.x as well, which repeats from
// warp to warp if the CTA's shape lets it (Promotion). Everything else is vector. An instruction takes the
// weakest class of what it reads: sources, guard, the old value where the guard may leave it; a load that of
// its address. Where ways meet that a branch had parted, what was written on them is no stronger than the
// branch. Atomics, volatile loads, loads of a thread's own memory, and what lanes exchange are vector.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

enum class Redundancy : std::uint8_t {
  kDefinite,         ///< one value in all lanes of the CTA
  kConditional,      ///< depends on tid.x
  kConditionalByXy,  ///< depends on tid.y too (the thesis's chapter 4, for blocks of three dimensions)
  kVector,
};
/// "DR", "CR", "CR2", "V".
const char* redundancy_name(Redundancy r);

struct RedundancyMark {
  Redundancy value = Redundancy::kVector;  ///< of its results; kVector where it has none
  bool affine = false;  ///< they are a sum of tid.x, tid.y and tid.z, each times one number for the CTA
  /// Of a barrier of the whole CTA: the class of the branches that decide whether a warp arrives at it.
  /// kVector: warps may meet here which have come there by different ways, and have other values.
  Redundancy gathers = Redundancy::kVector;
};

/// What becomes of loads of a thread's own memory.
enum class LocalLoads : std::uint8_t {
  kVector,
  kByAddress,  ///< they take the class of their address, as other loads do; right only where all threads
               ///< have stored the same
};

/// By program counter. A part (Inst::is_part) has the mark of the instruction that it belongs to, one that
/// takes control elsewhere none.
std::vector<RedundancyMark> analyse_redundancy(const Program& program,
                                               LocalLoads local = LocalLoads::kVector);

/// What the shape of a CTA makes of conditional redundancy (7.2): definite if tid.x repeats from warp to
/// warp, vector otherwise.
class Promotion {
 public:
  /// tid.x repeats in blocks of two or three dimensions whose x is a power of two not above the warp size.
  /// `by_xy`: tid.y is looked at as well, which repeats in blocks of three dimensions if x times y is such a
  /// number.
  static Promotion of(const std::array<std::uint32_t, 3>& block, bool by_xy = false);
  bool redundant(Redundancy r) const { return r <= weakest_; }

 private:
  Redundancy weakest_ = Redundancy::kDefinite;  ///< of those that are redundant
};

/// The program with its marks: "DR 0x0040 mov.u32 ...". `block`: the shape of its CTAs, zeros if unknown;
/// with it a star stands before what is redundant in such CTAs.
std::string redundancy_listing(const Program& program, const std::array<std::uint32_t, 3>& block, bool by_xy);

}  // namespace warpvp::ptx
