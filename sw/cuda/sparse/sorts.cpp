// Other orders and forms of the same entries: sorted, transposed, with an index for each entry or for each
// row.

#include "sw/cuda/sparse/transpose.h"

using namespace warpvp::cuda::sparse;

namespace {

/// Of a sort in place: a copy of as many indices.
std::size_t sort_bytes(std::int64_t groups, std::int64_t entries) {
  return grouping_bytes(groups, entries) + sizeof(int) * static_cast<std::size_t>(entries);
}
cusparseStatus_t take_in_place(cusparseHandle_t handle, int entries, const long long* positions, void* copied,
                               int* all) {
  if (all == nullptr) return CUSPARSE_STATUS_SUCCESS;
  SPARSE_TRY(copy(handle, copied, all, sizeof(int) * static_cast<std::size_t>(entries)));
  return launch_for(handle, "take", entries, static_cast<long long>(entries), positions, copied, all,
                    static_cast<int>(sizeof(int)));
}
cusparseStatus_t sort_lines(cusparseHandle_t handle, int lines, int entries, const cusparseMatDescr* descr,
                            const int* starts, int* others, int* permutation, void* buffer) {
  SPARSE_CHECK(handle, descr && lines >= 0 && entries >= 0);
  if (entries == 0) return CUSPARSE_STATUS_SUCCESS;
  if (!starts || !others || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  const int base = static_cast<int>(descr->base);
  long long* const positions = static_cast<long long*>(buffer);
  void* const copied = positions + entries;
  SPARSE_TRY(launch_for(handle, "identity", entries, static_cast<long long>(entries), indices(positions)));
  SPARSE_TRY(launch_for(handle, "sort_groups", lines, static_cast<long long>(lines),
                        indices(starts, 32, base), positions, indices(others, 32, base)));
  SPARSE_TRY(take_in_place(handle, entries, positions, copied, others));
  return take_in_place(handle, entries, positions, copied, permutation);
}
/// By `first`, and where that is the same by `second`.
cusparseStatus_t sort_entries(cusparseHandle_t handle, int groups, int entries, int* first, int* second,
                              int* permutation, void* buffer) {
  SPARSE_CHECK(handle, groups >= 0 && entries >= 0);
  if (entries == 0) return CUSPARSE_STATUS_SUCCESS;
  if (!first || !second || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  // From which number on the indices count does not matter here: there is a group more.
  Grouped grouped;
  SPARSE_TRY(group(handle, groups + 1, entries, indices(first, 32), indices(second, 32), buffer, &grouped));
  void* const copied = grouped.positions + entries;
  SPARSE_TRY(take_in_place(handle, entries, grouped.positions, copied, first));
  SPARSE_TRY(take_in_place(handle, entries, grouped.positions, copied, second));
  return take_in_place(handle, entries, grouped.positions, copied, permutation);
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* to) {
  SPARSE_CHECK(handle, n >= 0 && (n == 0 || to));
  return launch_for(handle, "identity", n, static_cast<long long>(n), indices(to, 32));
}
WARPVP_API cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int rows, int columns,
                                                           int entries, const int*, const int*,
                                                           std::size_t* bytes) {
  SPARSE_CHECK(handle, bytes && rows >= 0 && columns >= 0 && entries >= 0);
  *bytes = sort_bytes(0, entries);
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int rows, int, int entries,
                                             const cusparseMatDescr* descr, const int* starts, int* columns,
                                             int* permutation, void* buffer) {
  return sort_lines(handle, rows, entries, descr, starts, columns, permutation, buffer);
}
WARPVP_API cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int rows, int columns,
                                                           int entries, const int*, const int*,
                                                           std::size_t* bytes) {
  SPARSE_CHECK(handle, bytes && rows >= 0 && columns >= 0 && entries >= 0);
  *bytes = sort_bytes(0, entries);
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int, int columns, int entries,
                                             const cusparseMatDescr* descr, const int* starts, int* rows,
                                             int* permutation, void* buffer) {
  return sort_lines(handle, columns, entries, descr, starts, rows, permutation, buffer);
}
WARPVP_API cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int rows, int columns,
                                                           int entries, const int*, const int*,
                                                           std::size_t* bytes) {
  SPARSE_CHECK(handle, bytes && rows >= 0 && columns >= 0 && entries >= 0);
  *bytes = sort_bytes((rows > columns ? rows : columns) + 1, entries);
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int rows, int, int entries,
                                                  int* row_at, int* column_at, int* permutation,
                                                  void* buffer) {
  return sort_entries(handle, rows, entries, row_at, column_at, permutation, buffer);
}
WARPVP_API cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int, int columns, int entries,
                                                     int* row_at, int* column_at, int* permutation,
                                                     void* buffer) {
  return sort_entries(handle, columns, entries, column_at, row_at, permutation, buffer);
}
WARPVP_API cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* row_at, int entries,
                                             int rows, int* starts, cusparseIndexBase_t base) {
  SPARSE_CHECK(handle, starts && entries >= 0 && rows >= 0 && is_base(base) && (entries == 0 || row_at));
  return launch_for(handle, "starts_of", rows + 1LL, static_cast<long long>(entries),
                    indices(row_at, 32, static_cast<int>(base)), static_cast<long long>(rows),
                    indices(starts, 32, static_cast<int>(base)));
}
WARPVP_API cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* starts, int entries,
                                             int rows, int* row_at, cusparseIndexBase_t base) {
  SPARSE_CHECK(handle, starts && entries >= 0 && rows >= 0 && is_base(base) && (entries == 0 || row_at));
  const long long* const none = nullptr;
  return launch_for(handle, "lines_of", entries,
                    view(rows, 0, entries, starts, nullptr, nullptr, CUDA_R_32F, base), none,
                    indices(row_at, 32, static_cast<int>(base)));
}

WARPVP_API cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int rows, int columns,
                                                          int entries, const void*, const int*, const int*,
                                                          void*, int*, int*, cudaDataType, cusparseAction_t,
                                                          cusparseIndexBase_t, int, std::size_t* bytes) {
  SPARSE_CHECK(handle, bytes && rows >= 0 && columns >= 0 && entries >= 0);
  *bytes = grouping_bytes(columns, entries);
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int rows, int columns, int entries,
                                               const void* all, const int* row_starts, const int* column_at,
                                               void* to_all, int* column_starts, int* row_at,
                                               cudaDataType type, cusparseAction_t action,
                                               cusparseIndexBase_t base, int, void* buffer) {
  SPARSE_CHECK(handle, rows >= 0 && columns >= 0 && entries >= 0 && is_base(base) && row_starts &&
                           column_starts && buffer);
  if (size_of(type) == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const Sparse a = view(rows, columns, entries, row_starts, column_at, all, type, base);
  Grouped grouped;
  SPARSE_TRY(group(handle, columns, entries, a.other, {}, buffer, &grouped));
  SPARSE_TRY(launch_for(handle, "convert", columns + 1LL, columns + 1LL, indices(grouped.starts),
                        indices(column_starts, 32, static_cast<int>(base))));
  SPARSE_TRY(launch_for(handle, "lines_of", entries, a, grouped.positions,
                        indices(row_at, 32, static_cast<int>(base))));
  if (action == CUSPARSE_ACTION_SYMBOLIC) return CUSPARSE_STATUS_SUCCESS;
  return launch_for(handle, "take", entries, static_cast<long long>(entries), grouped.positions, all, to_all,
                    static_cast<int>(size_of(type)));
}
