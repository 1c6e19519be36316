#pragma once
// Levels of a core's interrupt lines, and since when an instruction sees them: an instruction sees what
// happened strictly before the time at which it starts. So it does not matter in which order things happen
// within one instant.

#include <array>
#include <cstdint>

namespace warpvp::riscv {

class InterruptLines {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// The line of bit `bit` in mip has this level from `now` on.
  void set(unsigned bit, bool level, std::uint64_t now) {
    Line& line = lines_[bit];
    if (line.level == level) return;
    if (now >= line.seen_from) line.before = line.level;  // else: the second change at one instant
    line.level = level;
    line.seen_from = now + 1;
  }
  /// Levels at this moment, as bits of mip.
  std::uint32_t levels() const {
    std::uint32_t mip = 0;
    for (unsigned bit = 0; bit < lines_.size(); ++bit) mip |= lines_[bit].level ? 1u << bit : 0;
    return mip;
  }
  /// Levels as an instruction sees them that starts at `now`, which must not lie before the last change.
  std::uint32_t visible(std::uint64_t now) const {
    std::uint32_t mip = 0;
    for (unsigned bit = 0; bit < lines_.size(); ++bit) {
      const Line& line = lines_[bit];
      mip |= (now >= line.seen_from ? line.level : line.before) ? 1u << bit : 0;
    }
    return mip;
  }
  /// The earliest time at which an instruction sees one of the lines `mask` high; kNever: none is.
  std::uint64_t high_from(std::uint32_t mask) const {
    std::uint64_t from = kNever;
    for (unsigned bit = 0; bit < lines_.size(); ++bit)
      if (lines_[bit].level && (mask >> bit & 1u) != 0 && lines_[bit].seen_from < from)
        from = lines_[bit].seen_from;
    return from;
  }
  /// An instruction that starts at `now` sees everything up to this moment: what woke a sleeping core.
  void show(std::uint64_t now) {
    for (Line& line : lines_)
      if (line.seen_from > now) line.seen_from = now;
  }

 private:
  struct Line {
    bool level = false, before = false;
    std::uint64_t seen_from = 0;
  };
  std::array<Line, 12> lines_;
};

}  // namespace warpvp::riscv
