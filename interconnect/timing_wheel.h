#pragma once
// Timing wheels: what is due at which of the coming cycles. A wheel has a slot for each cycle of its span and
// turns with time, so that nothing is sorted and nothing allocated.

#include <cassert>
#include <cstdint>
#include <vector>

#include "base/cycle.h"

namespace warpvp {

/// Which of the coming cycles have something due.
class DueCycles {
 public:
  static constexpr unsigned kMaxSpan = 2048;

  /// `span` cycles, a power of two from 64 to kMaxSpan. All that is added at one time lies within so many.
  explicit DueCycles(unsigned span) : mask_(span - 1) {
    assert(span >= 64 && span <= kMaxSpan && (span & mask_) == 0);
  }
  unsigned span() const { return mask_ + 1; }
  /// The slot of a cycle, below span().
  unsigned slot(Cycle cycle) const { return static_cast<unsigned>(cycle) & mask_; }

  void add(Cycle cycle) { bits_[slot(cycle) / 64] |= std::uint64_t{1} << (cycle % 64); }
  void remove(Cycle cycle) { bits_[slot(cycle) / 64] &= ~(std::uint64_t{1} << (cycle % 64)); }
  /// The first one at or after `from`, before which none is left; kNever if there is none.
  Cycle first(Cycle from) const {
    const unsigned start = slot(from), words = (mask_ + 1) / 64;
    unsigned word = start / 64;
    std::uint64_t bits = bits_[word] & (~std::uint64_t{0} << (start % 64));
    for (unsigned looked = 0; looked <= words; ++looked) {
      if (bits) {
        const unsigned found = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
        return from + ((found - start) & mask_);
      }
      word = word + 1 == words ? 0 : word + 1;
      bits = bits_[word];
    }
    return kNever;
  }

 private:
  unsigned mask_;
  std::uint64_t bits_[kMaxSpan / 64] = {};
};

/// Sets of numbered things that are due, one set a cycle.
class SetWheel {
 public:
  /// As DueCycles; the sets have `words` words of 64 things.
  SetWheel(unsigned span, unsigned words) : due_(span), words_(words), sets_(std::size_t{span} * words, 0) {}
  unsigned span() const { return due_.span(); }
  unsigned words() const { return words_; }

  void add(Cycle cycle, unsigned thing) {
    at(cycle)[thing / 64] |= std::uint64_t{1} << (thing % 64);
    due_.add(cycle);
  }
  /// The set of a cycle, which is the caller's to empty, and which no longer counts as due.
  std::uint64_t* take(Cycle cycle) {
    due_.remove(cycle);
    return at(cycle);
  }
  /// As DueCycles::first.
  Cycle first(Cycle from) const { return due_.first(from); }

 private:
  std::uint64_t* at(Cycle cycle) { return &sets_[std::size_t{due_.slot(cycle)} * words_]; }

  DueCycles due_;
  unsigned words_;
  std::vector<std::uint64_t> sets_;
};

}  // namespace warpvp
