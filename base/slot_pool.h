#pragma once
// A table of slots that are taken and given back, named by their index: what is in flight under a token.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace warpvp {

template <class T>
class SlotPool {
 public:
  /// `slots` to begin with, not touched before they are taken; more are made when all are taken. The one that
  /// was given back last is taken first, then the lowest of those that never were.
  explicit SlotPool(std::uint32_t slots = 0) : slots_(slots) { items_.reserve(slots); }

  /// Puts `item` into a free slot and returns its index.
  std::uint32_t take(const T& item) {
    if (free_.empty()) {
      items_.push_back(item);
      slots_ = std::max(slots_, made());
      return made() - 1;
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    items_[slot] = item;
    return slot;
  }
  /// The slot is free again; its content stays until it is taken.
  void give_back(std::uint32_t slot) {
    assert(slot < items_.size());
    free_.push_back(slot);
  }

  T& operator[](std::uint32_t slot) { return items_[slot]; }
  const T& operator[](std::uint32_t slot) const { return items_[slot]; }
  /// All there are so far, free ones included.
  std::uint32_t size() const { return slots_; }
  std::uint32_t in_use() const { return made() - static_cast<std::uint32_t>(free_.size()); }
  /// No slot is free without making one.
  bool full() const { return in_use() == slots_; }

 private:
  std::uint32_t made() const { return static_cast<std::uint32_t>(items_.size()); }

  std::uint32_t slots_;
  std::vector<T> items_;  // those that have been taken
  std::vector<std::uint32_t> free_;
};

}  // namespace warpvp
