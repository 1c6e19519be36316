#pragma once
// First-in first-out queues in one block of memory: Ring has a fixed capacity, as the queues of hardware
// blocks have, and never allocates after construction; GrowingRing takes a larger block when it is full.

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace warpvp {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity = 0) { set_capacity(capacity); }
  Ring(Ring&& other) noexcept { swap(other); }
  Ring& operator=(Ring&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Ring() { release(); }

  /// Empties the ring and changes how many elements it holds.
  void set_capacity(std::size_t capacity) {
    release();
    capacity_ = capacity;
    while (slots_ < capacity) slots_ *= 2;
    // Not touched before it is used: queues are laid out for the worst case, which hardly a run comes to.
    memory_ = std::allocator<T>().allocate(slots_);
  }
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ >= capacity_; }
  T& front() {
    assert(size_ > 0);
    return memory_[head_];
  }
  const T& front() const {
    assert(size_ > 0);
    return memory_[head_];
  }
  /// The i-th oldest element.
  T& operator[](std::size_t i) { return memory_[(head_ + i) & (slots_ - 1)]; }
  void push(T value) {
    assert(!full());
    append(std::move(value));
  }
  void pop() {
    assert(size_ > 0);
    memory_[head_].~T();
    head_ = (head_ + 1) & (slots_ - 1);
    --size_;
  }

 protected:
  void append(T value) {
    ::new (static_cast<void*>(&memory_[(head_ + size_) & (slots_ - 1)])) T(std::move(value));
    ++size_;
  }
  /// Twice the capacity, which is a power of two.
  void grow() {
    Ring larger(slots_ * 2);
    for (; !empty(); pop()) larger.append(std::move(front()));
    swap(larger);
  }

 private:
  void swap(Ring& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(slots_, other.slots_);
    std::swap(capacity_, other.capacity_);
    std::swap(head_, other.head_);
    std::swap(size_, other.size_);
  }
  void release() {
    while (!empty()) pop();
    if (memory_ != nullptr) std::allocator<T>().deallocate(std::exchange(memory_, nullptr), slots_);
    slots_ = 1;
    head_ = capacity_ = 0;
  }

  T* memory_ = nullptr;
  std::size_t slots_ = 1;  // a power of two
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
  using Ring<T>::operator[];
  void push(T value) {
    if (this->full()) this->grow();
    this->append(std::move(value));
  }
};

}  // namespace warpvp
