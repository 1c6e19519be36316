#include "modules/sm/memory/shared_memory.h"

#include <algorithm>

namespace warpvp {

using ptx::first_lane;
using ptx::kWarpSize;
using ptx::LaneMask;

namespace {
constexpr unsigned kMaxBanks = 64;

/// Lanes n and n ^ distance have one offset, wherever both are active.
bool same_in_pairs(const std::uint64_t* offset, LaneMask lanes, unsigned distance) {
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    const unsigned lane = first_lane(rest), other = lane ^ distance;
    if ((lanes >> other & 1) && offset[lane] != offset[other]) return false;
  }
  return true;
}
}  // namespace

SharedMemoryBanks::SharedMemoryBanks(unsigned banks, unsigned bank_bytes, bool packs_pairs)
    : banks_(banks), bank_bytes_(bank_bytes), packs_pairs_(packs_pairs) {
  while ((1u << word_shift_) < bank_bytes) ++word_shift_;
}

unsigned SharedMemoryBanks::cycles(const std::uint64_t* offset, LaneMask lanes, unsigned bytes,
                                   Use use) const {
  if (use == Use::kAtomic) return atomic_cycles(offset, lanes);
  if (bytes <= bank_bytes_ && banks_ >= kWarpSize) return std::max(1u, phase_cycles(offset, lanes, bytes));
  unsigned phase_lanes = std::clamp(banks_ * bank_bytes_ / std::max(bytes, bank_bytes_), 1u, kWarpSize);
  if (packs_pairs_ && use == Use::kLoad && phase_lanes < kWarpSize &&
      (same_in_pairs(offset, lanes, 1) || same_in_pairs(offset, lanes, 2)))
    phase_lanes *= 2;
  if (phase_lanes == kWarpSize) return std::max(1u, phase_cycles(offset, lanes, bytes));
  const LaneMask mask = (LaneMask{1} << phase_lanes) - 1;
  unsigned total = 0;
  for (unsigned lane = 0; lane < kWarpSize; lane += phase_lanes) {
    const LaneMask part = lanes & (mask << lane);
    if (part) total += phase_cycles(offset, part, bytes);
  }
  return std::max(1u, total);
}

unsigned SharedMemoryBanks::bulk_cycles(const ptx::BulkSpans& spans, LaneMask lanes) const {
  const unsigned row = banks_ * bank_bytes_;
  unsigned total = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1)
    total += 2 * ((spans.bytes[first_lane(rest)] + row - 1) / row);
  return total;
}

// Words that all lie in one row of the banks never meet in a bank.
bool SharedMemoryBanks::in_one_row(const std::uint64_t* offset, LaneMask lanes, unsigned bytes) const {
  const std::uint64_t first = offset[first_lane(lanes)];
  std::uint64_t differ = 0;
  if (lanes == ~LaneMask{0}) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) differ |= offset[lane] ^ first;
  } else {
    for (LaneMask rest = lanes; rest; rest &= rest - 1) differ |= offset[first_lane(rest)] ^ first;
  }
  return differ < std::uint64_t{banks_} * bank_bytes_ && ((differ | first) & (bytes - 1)) == 0;
}

// A word for each bank, from whichever on.
bool SharedMemoryBanks::one_block(const std::uint64_t* offset, LaneMask lanes, unsigned bytes) const {
  if (lanes != ~LaneMask{0} || bytes != bank_bytes_ || banks_ < kWarpSize) return false;
  std::uint64_t differ = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    differ |= offset[lane] ^ (offset[0] + std::uint64_t{lane} * bytes);
  return differ == 0;
}

unsigned SharedMemoryBanks::phase_cycles(const std::uint64_t* offset, LaneMask lanes, unsigned bytes) const {
  if (lanes == 0) return 0;
  if (in_one_row(offset, lanes, bytes) || one_block(offset, lanes, bytes)) return 1;
  // Words wanted, then rounds in which every bank serves the first word still wanted from it.
  std::uint64_t words[kWarpSize * 5];
  unsigned count = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    const std::uint64_t begin = offset[first_lane(rest)];
    for (std::uint64_t word = begin >> word_shift_; word <= (begin + bytes - 1) >> word_shift_; ++word)
      words[count++] = word;
  }
  unsigned rounds = 0;
  while (count) {
    std::uint64_t busy = 0;
    std::uint64_t serving[kMaxBanks];
    unsigned left = 0;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned bank = static_cast<unsigned>(words[i] & (banks_ - 1));
      const std::uint64_t bit = std::uint64_t{1} << bank;
      if (!(busy & bit)) {
        busy |= bit;
        serving[bank] = words[i];
      } else if (serving[bank] != words[i]) {
        words[left++] = words[i];
      }
    }
    count = left;
    ++rounds;
  }
  return rounds;
}

unsigned SharedMemoryBanks::atomic_cycles(const std::uint64_t* offset, LaneMask lanes) const {
  unsigned per_bank[kMaxBanks] = {};
  unsigned worst = 1;
  for (LaneMask rest = lanes; rest; rest &= rest - 1)
    worst = std::max(worst, ++per_bank[(offset[first_lane(rest)] >> word_shift_) & (banks_ - 1)]);
  return worst;
}

}  // namespace warpvp
