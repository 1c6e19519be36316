#pragma once
// What reached a block and is seen at a later edge: transport calls put things in between edges, the block
// takes them out when it evaluates.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/cycle.h"

namespace warpvp {

template <class T>
class Inbox {
 public:
  /// `item` is seen from edge `visible` on.
  void put(Cycle visible, T item) { items_.push_back({visible, std::move(item)}); }

  /// Takes out everything that is visible at edge `now`, in the order in which it was put in, and gives it to
  /// `use`, which may put in more.
  template <class Use>
  void take(Cycle now, Use&& use) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].visible > now) {
        if (kept != i) items_[kept] = std::move(items_[i]);
        ++kept;
      } else {
        T item = std::move(items_[i].item);
        use(item);
      }
    }
    items_.resize(kept);
  }

  bool empty() const { return items_.empty(); }
  /// The first edge at which something is visible, or kNever.
  Cycle next() const {
    Cycle next = kNever;
    for (const Entry& entry : items_) next = std::min(next, entry.visible);
    return next;
  }

 private:
  struct Entry {
    Cycle visible = 0;
    T item{};
  };
  std::vector<Entry> items_;
};

}  // namespace warpvp
