#pragma once
// What a tag array asks and tells where another rule than its own order of use decides which line goes.

#include <cstdint>

namespace warpvp {

/// Who accesses a cache. What is not known, or belongs to no kernel, is kNone.
struct CacheUser {
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t kernel_slot = kNone;
  std::uint16_t context = 0;
  std::uint16_t warp = kNone;  ///< slot of the SM
};

/// Some ways of a set: a view of a bit mask.
class WaySet {
 public:
  WaySet(const std::uint64_t* words, std::uint32_t ways) : words_(words), ways_(ways) {}

  /// Ways that there are; none from here on is in the set.
  std::uint32_t ways() const { return ways_; }
  bool has(std::uint32_t way) const { return way < ways_ && (words_[way / 64] >> way % 64 & 1) != 0; }
  std::uint32_t count() const {
    std::uint32_t sum = 0;
    for (std::uint32_t w = 0; w * 64 < ways_; ++w)
      sum += static_cast<std::uint32_t>(__builtin_popcountll(words_[w]));
    return sum;
  }
  /// Whether one of the ways begin .. end - 1 is in the set.
  bool any(std::uint32_t begin, std::uint32_t end) const {
    for (std::uint32_t way = begin; way < end && way < ways_; ++way)
      if (has(way)) return true;
    return false;
  }
  /// Calls f(way), the lowest way first.
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t w = 0; w * 64 < ways_; ++w)
      for (std::uint64_t rest = words_[w]; rest; rest &= rest - 1)
        f(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
  }

 private:
  const std::uint64_t* words_;
  std::uint32_t ways_;
};

/// Decides for a TagArray (TagArray::replace_by). Called in the order in which things happen to the lines.
class TagReplacement {
 public:
  /// A line comes into a set all of whose ways in use have lines.
  struct Full {
    std::uint32_t set;
    const WaySet& takeable;  ///< ways in use of which nothing is under fill; never empty
    std::uint32_t oldest;    ///< of these, the least recently used one
    CacheUser by;            ///< whose line comes
  };

  virtual ~TagReplacement() = default;
  /// The way whose line goes: one of `full.takeable`.
  virtual std::uint32_t victim(const Full& full) = 0;
  /// The line at `address` is in the way from now on; allocated() follows.
  virtual void placed(std::uint32_t /*set*/, std::uint32_t /*way*/, std::uint64_t /*address*/) {}
  /// A new line is in the way; what was there before has gone. Answers whether it is to be the oldest of its
  /// set in the order of use, and not the newest.
  virtual bool allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) = 0;
  /// The line in the way was used.
  virtual void touched(std::uint32_t set, std::uint32_t way, const CacheUser& by) = 0;
  /// The way has no line any more.
  virtual void removed(std::uint32_t set, std::uint32_t way) = 0;
  /// From now on the first `ways` of each set are in use.
  virtual void opened(std::uint32_t ways) = 0;
};

}  // namespace warpvp
