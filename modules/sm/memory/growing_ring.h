#pragma once
// A first-in first-out queue in one array that grows when full, so that the hot path never allocates.

#include <cassert>
#include <cstddef>
#include <vector>

namespace warpvp {

template <class T>
class GrowingRing {
 public:
  /// `capacity` items fit before the ring has to grow.
  explicit GrowingRing(std::size_t capacity = 16) {
    std::size_t size = 1;
    while (size < capacity) size *= 2;
    items_.resize(size);
  }

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  T& front() { return items_[head_ & (items_.size() - 1)]; }
  const T& front() const { return items_[head_ & (items_.size() - 1)]; }
  void push(const T& item) {
    if (size() == items_.size()) grow();
    items_[tail_++ & (items_.size() - 1)] = item;
  }
  void pop() {
    assert(!empty());
    ++head_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = items_[(head_ + i) & (items_.size() - 1)];
    items_ = std::move(larger);
    head_ = 0;
    tail_ = count;
  }

  std::vector<T> items_;
  std::size_t head_ = 0, tail_ = 0;
};

}  // namespace warpvp
