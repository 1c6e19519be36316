// Sparse matrices times dense vectors and matrices, and products of dense ones where a sparse one has
// entries.

#include "sw/cuda/sparse/transpose.h"

using namespace warpvp::cuda::sparse;
using warpvp::cuda::parts;

namespace {

std::int64_t rows_of(const cusparseSpMatDescr& m, cusparseOperation_t o) {
  return transposes(o) ? m.columns : m.rows;
}
std::int64_t columns_of(const cusparseSpMatDescr& m, cusparseOperation_t o) {
  return transposes(o) ? m.rows : m.columns;
}
std::int64_t rows_of(const cusparseDnMatDescr& m, cusparseOperation_t o) {
  return transposes(o) ? m.columns : m.rows;
}
std::int64_t columns_of(const cusparseDnMatDescr& m, cusparseOperation_t o) {
  return transposes(o) ? m.rows : m.columns;
}

/// Whether a matrix takes part in a batch: one of as many, or the same one in all.
template <class Descr>
bool goes_with(const Descr& m, int batches) {
  return m.batches == batches || m.batches == 1;
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation,
                                                    const void*, const cusparseSpMatDescr* a,
                                                    const cusparseDnVecDescr* x, const void*,
                                                    cusparseDnVecDescr* y, cudaDataType, int,
                                                    std::size_t* bytes) {
  SPARSE_CHECK(handle, a && x && y && bytes && is_operation(operation));
  *bytes = by_rows_bytes(*a, operation);
  return CUSPARSE_STATUS_SUCCESS;
}
/// There is nothing that would help a later product.
WARPVP_API cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t operation,
                                                    const void*, const cusparseSpMatDescr* a,
                                                    const cusparseDnVecDescr* x, const void*,
                                                    cusparseDnVecDescr* y, cudaDataType, int, void*) {
  SPARSE_CHECK(handle, a && x && y && is_operation(operation));
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t operation,
                                         const void* alpha, const cusparseSpMatDescr* a,
                                         const cusparseDnVecDescr* x, const void* beta, cusparseDnVecDescr* y,
                                         cudaDataType compute, int, void* buffer) {
  SPARSE_CHECK(handle, a && x && y && alpha && beta && is_operation(operation));
  if (rows_of(*a, operation) != y->size || columns_of(*a, operation) != x->size)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!reads(compute, a->type) || !reads(compute, x->type) || !writes(compute, y->type))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  DeviceMemory own;
  Sparse rows;
  SPARSE_TRY(by_rows(handle, *a, operation, buffer, own, &rows));
  // A warp for each row if it has work for one.
  const unsigned lanes = rows.lines != 0 && rows.entries / rows.lines >= 16 ? 32 : 1;
  return with_any(compute, [&](auto type) {
    using T = decltype(type);
    constexpr unsigned kThreads = 128;
    return launch(handle, KernelName<T>("spmv"), {parts(rows.lines * lanes, kThreads), 1, 1},
                  {kThreads, 1, 1}, rows, static_cast<int>(conjugates(operation)), factor<T>(handle, alpha),
                  values(x->values, x->type), factor<T>(handle, beta), values(y->values, y->type), lanes);
  });
}

WARPVP_API cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                                    cusparseOperation_t, const void*,
                                                    const cusparseSpMatDescr* a, const cusparseDnMatDescr* b,
                                                    const void*, cusparseDnMatDescr* c, cudaDataType, int,
                                                    std::size_t* bytes) {
  SPARSE_CHECK(handle, a && b && c && bytes && is_operation(operation_a));
  *bytes = by_rows_bytes(*a, operation_a);
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                                    cusparseOperation_t operation_b, const void*,
                                                    const cusparseSpMatDescr* a, const cusparseDnMatDescr* b,
                                                    const void*, cusparseDnMatDescr* c, cudaDataType, int,
                                                    void*) {
  SPARSE_CHECK(handle, a && b && c && is_operation(operation_a) && is_operation(operation_b));
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                         cusparseOperation_t operation_b, const void* alpha,
                                         const cusparseSpMatDescr* a, const cusparseDnMatDescr* b,
                                         const void* beta, cusparseDnMatDescr* c, cudaDataType compute, int,
                                         void* buffer) {
  SPARSE_CHECK(handle,
               a && b && c && alpha && beta && is_operation(operation_a) && is_operation(operation_b));
  if (rows_of(*a, operation_a) != c->rows || columns_of(*b, operation_b) != c->columns ||
      columns_of(*a, operation_a) != rows_of(*b, operation_b) || !goes_with(*a, c->batches) ||
      !goes_with(*b, c->batches))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!reads(compute, a->type) || !reads(compute, b->type) || !writes(compute, c->type))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  DeviceMemory own;
  Sparse rows;
  SPARSE_TRY(by_rows(handle, *a, operation_a, buffer, own, &rows));
  return with_any(compute, [&](auto type) {
    using T = decltype(type);
    constexpr unsigned kColumns = 32, kRows = 8;
    return launch(handle, KernelName<T>("spmm"),
                  {parts(c->columns, kColumns), parts(c->rows, kRows), static_cast<unsigned>(c->batches)},
                  {kColumns, kRows, 1}, rows, static_cast<int>(conjugates(operation_a)),
                  factor<T>(handle, alpha), view(*b, transposes(operation_b)),
                  static_cast<int>(conjugates(operation_b)), factor<T>(handle, beta), view(*c),
                  static_cast<long long>(c->columns));
  });
}

WARPVP_API cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                                     cusparseOperation_t, const void*,
                                                     const cusparseDnMatDescr* a, const cusparseDnMatDescr* b,
                                                     const void*, cusparseSpMatDescr* c, cudaDataType, int,
                                                     std::size_t* bytes) {
  SPARSE_CHECK(handle, a && b && c && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t,
                                                     cusparseOperation_t, const void*,
                                                     const cusparseDnMatDescr* a, const cusparseDnMatDescr* b,
                                                     const void*, cusparseSpMatDescr* c, cudaDataType, int,
                                                     void*) {
  SPARSE_CHECK(handle, a && b && c);
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                          cusparseOperation_t operation_b, const void* alpha,
                                          const cusparseDnMatDescr* a, const cusparseDnMatDescr* b,
                                          const void* beta, cusparseSpMatDescr* c, cudaDataType compute, int,
                                          void*) {
  SPARSE_CHECK(handle,
               a && b && c && alpha && beta && is_operation(operation_a) && is_operation(operation_b));
  if (rows_of(*a, operation_a) != c->rows || columns_of(*b, operation_b) != c->columns ||
      columns_of(*a, operation_a) != rows_of(*b, operation_b) || !goes_with(*a, c->batches) ||
      !goes_with(*b, c->batches))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!reads(compute, a->type) || !reads(compute, b->type) || !writes(compute, c->type))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with_floating(compute, [&](auto type) {
    using T = decltype(type);
    constexpr unsigned kThreads = 128;
    return launch(handle, KernelName<T>("sddmm"),
                  {parts(c->entries, kThreads), 1, static_cast<unsigned>(c->batches)}, {kThreads, 1, 1},
                  view(*c), static_cast<int>(!c->by_columns()), factor<T>(handle, alpha),
                  view(*a, transposes(operation_a)), static_cast<int>(conjugates(operation_a)),
                  view(*b, transposes(operation_b)), static_cast<int>(conjugates(operation_b)),
                  factor<T>(handle, beta), static_cast<long long>(columns_of(*a, operation_a)));
  });
}
