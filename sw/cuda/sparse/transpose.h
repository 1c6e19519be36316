#pragma once
// Matrices by rows, whatever they lie by.

#include "sw/cuda/sparse/kernels.h"

namespace warpvp::cuda::sparse {

/// Bytes that `group` needs of device memory.
std::size_t grouping_bytes(std::int64_t groups, std::int64_t entries);
/// Numbers of entries by key, in each group in order of `second`, if there is one, and of their number.
struct Grouped {
  long long* starts;     ///< of groups + 1
  long long* positions;  ///< of entries
};
cusparseStatus_t group(cusparseHandle_t handle, std::int64_t groups, std::int64_t entries,
                       const Indices& keys, const Indices& second, void* buffer, Grouped* grouped);

/// Bytes that `by_rows` needs of device memory, 0 if the matrix lies that way already.
std::size_t by_rows_bytes(const cusparseSpMatDescr& matrix, cusparseOperation_t operation);
/// The matrix, or its transpose, so that its lines are rows; values stay where they are. `own` has the memory
/// for it if the program gives none.
cusparseStatus_t by_rows(cusparseHandle_t handle, const cusparseSpMatDescr& matrix,
                         cusparseOperation_t operation, void* buffer, DeviceMemory& own, Sparse* rows);
/// Where each line's entries begin, from 0, in numbers of 64 bits; `starts` has room for one more than lines.
cusparseStatus_t sum_up(cusparseHandle_t handle, long long lines, long long* starts);

}  // namespace warpvp::cuda::sparse
