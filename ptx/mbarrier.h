#pragma once
// mbarrier (PTX ISA 9.7.13.15): barriers of threads and asynchronous copies, objects of 64 bits in shared
// memory whose contents PTX leaves open. Here they are
//
//   bit 63       parity of the current phase
//   bits 40-62   bytes that the phase still waits for, two's complement
//   bits 20-39   arrivals that a phase needs
//   bits 0-19    arrivals that the current phase still waits for
//
// An arrival, and what is expected of copies, is one atomic (AtomOp::mbarrier) that takes its operand off
// these fields and, where nothing is left to wait for, begins the next phase. Who waits loads the word and
// looks at bit 63: waiting is the program's loop. The state that an arrival yields is the word before it.

#include <cstdint>
#include <vector>

#include "ptx/ir.h"
#include "ptx/opcode_table.h"
#include "ptx/replacement.h"

namespace warpvp::ptx {

/// Forms of mbarrier, and of cp.async.mbarrier, part of opcode_forms().
const std::vector<OpcodeForm>& mbarrier_forms();
/// Adds to `to` what an instruction of these forms does.
void expand_mbarrier(const ir::Instruction& i, const Replacement& to);

namespace mbarrier {
inline constexpr unsigned kCountBits = 20, kBytesBits = 23, kBytesAt = 2 * kCountBits, kPhaseAt = 63;
inline constexpr std::uint64_t kCounts = (std::uint64_t{1} << kCountBits) - 1;
inline constexpr std::uint64_t kBytes = (std::uint64_t{1} << kBytesBits) - 1;

/// What AtomOp::mbarrier does to a word: `change` has arrivals in bits 0 to 19, threads that leave in 20 to
/// 39, and in 40 to 62 bytes that the phase waits for no longer.
constexpr std::uint64_t changed(std::uint64_t word, std::uint64_t change) {
  const std::uint64_t expected = ((word >> kCountBits) - (change >> kCountBits)) & kCounts;
  const std::uint64_t bytes = ((word >> kBytesAt) - (change >> kBytesAt)) & kBytes;
  std::uint64_t pending = (word - change) & kCounts, phase = word >> kPhaseAt;
  if (pending == 0 && bytes == 0) {
    pending = expected;
    phase ^= 1;
  }
  return phase << kPhaseAt | bytes << kBytesAt | expected << kCountBits | pending;
}
}  // namespace mbarrier

}  // namespace warpvp::ptx
