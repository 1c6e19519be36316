#pragma once
// Sorting by one thread.

#include "sparse/types.h"

/// Heap sort of items 0 to n - 1: no memory of its own, and n log n steps at worst. `less(i, j)`, `swap(i,
/// j)`.
template <class Less, class Swap>
INLINE void heap_sort(long long n, const Less& less, const Swap& swap) {
  long long root = n / 2, end = n;
  ONCE while (end > 1) {
    if (root > 0) {
      --root;
    } else {
      swap(0, --end);
    }
    ONCE for (long long parent = root, child; (child = 2 * parent + 1) < end; parent = child) {
      if (child + 1 < end && less(child, child + 1)) ++child;
      if (!less(parent, child)) break;
      swap(parent, child);
    }
  }
}
