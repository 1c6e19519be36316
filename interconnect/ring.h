#pragma once
// A first-in first-out queue of fixed capacity in one block of memory: what the queues of the hardware blocks
// are made of. No allocation after construction.

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace warpvp {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity = 0) { set_capacity(capacity); }
  /// Empties the ring and changes how many elements it holds.
  void set_capacity(std::size_t capacity) {
    capacity_ = capacity;
    std::size_t slots = 1;
    while (slots < capacity) slots *= 2;
    slots_.assign(slots, T{});
    head_ = size_ = 0;
  }
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ >= capacity_; }
  T& front() {
    assert(size_ > 0);
    return slots_[head_];
  }
  const T& front() const {
    assert(size_ > 0);
    return slots_[head_];
  }
  /// The i-th oldest element.
  T& operator[](std::size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  void push(T value) {
    assert(!full());
    slots_[(head_ + size_) & (slots_.size() - 1)] = std::move(value);
    ++size_;
  }
  void pop() {
    assert(size_ > 0);
    head_ = (head_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  std::vector<T> slots_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace warpvp
