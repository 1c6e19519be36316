#include "sw/cuda/sparse/transpose.h"

namespace warpvp::cuda::sparse {
namespace {

bool exchanges(const cusparseSpMatDescr& matrix, cusparseOperation_t operation) {
  return matrix.by_columns() != transposes(operation);
}

}  // namespace

std::size_t grouping_bytes(std::int64_t groups, std::int64_t entries) {
  return sizeof(long long) * static_cast<std::size_t>(2 * (groups + 1) + entries);
}

cusparseStatus_t sum_up(cusparseHandle_t handle, long long lines, long long* starts) {
  return launch(handle, "prefix_sums", {1, 1, 1}, {1024, 1, 1}, lines, starts);
}

cusparseStatus_t group(cusparseHandle_t handle, std::int64_t groups, std::int64_t entries,
                       const Indices& keys, const Indices& second, void* buffer, Grouped* grouped) {
  const auto ends = static_cast<std::size_t>(groups + 1);
  long long* const starts = static_cast<long long*>(buffer);
  long long* const next = starts + ends;
  long long* const positions = next + ends;
  SPARSE_TRY(clear(handle, starts, ends * sizeof *starts));
  SPARSE_TRY(launch_for(handle, "count", entries, static_cast<long long>(entries), keys, starts));
  SPARSE_TRY(sum_up(handle, groups, starts));
  SPARSE_TRY(copy(handle, next, starts, ends * sizeof *starts));
  SPARSE_TRY(launch_for(handle, "place", entries, static_cast<long long>(entries), keys, next, positions));
  *grouped = {starts, positions};
  return launch_for(handle, "sort_groups", groups, static_cast<long long>(groups), indices(starts), positions,
                    second);
}

std::size_t by_rows_bytes(const cusparseSpMatDescr& matrix, cusparseOperation_t operation) {
  if (!exchanges(matrix, operation)) return 0;
  return grouping_bytes(matrix.across(), matrix.entries) +
         sizeof(long long) * static_cast<std::size_t>(matrix.entries);
}

cusparseStatus_t by_rows(cusparseHandle_t handle, const cusparseSpMatDescr& matrix,
                         cusparseOperation_t operation, void* buffer, DeviceMemory& own, Sparse* rows) {
  const Sparse a = view(matrix);
  *rows = a;
  if (!exchanges(matrix, operation)) return CUSPARSE_STATUS_SUCCESS;
  if (matrix.batches > 1) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (buffer == nullptr) {
    SPARSE_TRY(status_of(own.get(by_rows_bytes(matrix, operation))));
    buffer = own.as<void>();
  }
  Grouped grouped;
  SPARSE_TRY(group(handle, a.across, a.entries, a.other, {}, buffer, &grouped));
  long long* const lines = grouped.positions + a.entries;
  SPARSE_TRY(launch_for(handle, "lines_of", a.entries, a, grouped.positions, indices(lines)));
  *rows = {a.across,          a.lines, a.entries, indices(grouped.starts), {}, indices(lines), a.values,
           grouped.positions, 0,       0};
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace warpvp::cuda::sparse
