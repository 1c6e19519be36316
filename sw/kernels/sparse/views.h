#pragma once
// How kernels of cuSPARSE see vectors and matrices (docs/cuda.md). The host includes this too: it fills these
// structs, and kernels take them as parameters.

namespace sparse_kernels {

/// Numbers of type cudaDataType.
struct Values {
  void* at;
  int type;
};
/// Whole numbers of 32 or 64 bits that count from `base` on.
struct Indices {
  void* at;
  int bits;
  int base;
};
/// A matrix line by line: rows of CSR and COO, columns of CSC. Where `starts.at` is null, `line` has the line
/// of each entry, in order (COO).
struct Sparse {
  long long lines, across, entries;
  Indices starts, line, other;  ///< other: an entry's place in its line
  Values values;
  const long long* source;                  ///< where an entry's value lies; null: at the entry's own number
  long long starts_stride, entries_stride;  ///< from one matrix of a batch to the next
};
/// An element is `row * row_step + column * column_step` from the first; batches are `batch_step` apart.
struct Dense {
  Values values;
  long long row_step, column_step, batch_step;
};
/// A factor: at the address, or itself where that is null.
template <class T>
struct Factor {
  const T* at;
  T value;
};

/// Rows of a triangle, or of a matrix to be factored, in an order in which each depends on earlier levels
/// only.
struct Levels {
  const long long* rows;
  const long long* starts;  ///< of each level in `rows`
};
/// A matrix to be factored in place.
struct Factored {
  Sparse matrix;
  Levels levels;
};
/// What is solved: entries beside the diagonal by row, each with its column and the place of its value; and
/// the place of each diagonal's.
struct Triangle {
  /// In place of a diagonal's: it is 1; or 0, as there is none.
  static constexpr long long kOne = -1, kMissing = -2;
  Levels levels;
  const long long *starts, *columns, *places, *diagonal;
  Values values;
};
/// Smaller magnitudes on the diagonal than `tolerance` become `value`, if `enabled`.
struct Boost {
  double tolerance, re, im;
  int enabled;
};
/// Tridiagonal systems: diagonals and right sides have `step` from an element to the next, and `system_step`
/// from a system to the next.
struct Tridiagonal {
  const void *lower, *middle, *upper;
  void* right;
  long long step, system_step, right_step, right_system_step;
  int size, systems;
};

}  // namespace sparse_kernels
