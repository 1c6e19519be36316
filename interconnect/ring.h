#pragma once
// First-in first-out queues in one block of memory: Ring has a fixed capacity, as the queues of hardware
// blocks have, and never allocates after construction; GrowingRing takes a larger block when it is full.

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
    append(std::move(value));
  }
  void pop() {
    assert(size_ > 0);
    head_ = (head_ + 1) & (slots_.size() - 1);
    --size_;
  }

 protected:
  void append(T value) {
    slots_[(head_ + size_) & (slots_.size() - 1)] = std::move(value);
    ++size_;
  }
  /// Twice the capacity, which is a power of two.
  void grow() {
    std::vector<T> larger(slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    capacity_ = slots_.size();
    head_ = 0;
  }

 private:
  std::vector<T> slots_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

template <class T>
class GrowingRing : private Ring<T> {
 public:
  /// `capacity`, a power of two: how many elements fit before the ring has to grow.
  explicit GrowingRing(std::size_t capacity = 16) : Ring<T>(capacity) {}
  using Ring<T>::empty;
  using Ring<T>::size;
  using Ring<T>::front;
  using Ring<T>::pop;
  void push(T value) {
    if (this->full()) this->grow();
    this->append(std::move(value));
  }
};

}  // namespace warpvp
