// From dense matrices to sparse ones and back.

#include "sw/cuda/sparse/transpose.h"

using namespace warpvp::cuda::sparse;

namespace {

/// In which elements are compared with 0 and moved.
cudaDataType moved_in(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}
/// Line by line as the sparse matrix lies.
Dense by_lines(const cusparseDnMatDescr& dense, const cusparseSpMatDescr& sparse) {
  return view(dense, sparse.by_columns());
}
cusparseStatus_t count(cusparseHandle_t handle, const cusparseDnMatDescr& dense,
                       const cusparseSpMatDescr& sparse, long long* starts) {
  const auto lines = static_cast<long long>(sparse.lines()), across = static_cast<long long>(sparse.across());
  SPARSE_TRY(with_floating(moved_in(dense.type), [&](auto type) {
    long long* const all = nullptr;
    return launch_for(handle, KernelName<decltype(type)>("count_dense"), lines, by_lines(dense, sparse),
                      lines, across, indices(starts), all);
  }));
  return sum_up(handle, lines, starts);
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                             const cusparseSpMatDescr* sparse,
                                                             cusparseDnMatDescr* dense, int,
                                                             std::size_t* bytes) {
  SPARSE_CHECK(handle, sparse && dense && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, const cusparseSpMatDescr* sparse,
                                                  cusparseDnMatDescr* dense, int, void*) {
  SPARSE_CHECK(handle, sparse && dense && sparse->rows == dense->rows && sparse->columns == dense->columns &&
                           sparse->type == dense->type);
  const Sparse from = view(*sparse);
  const Dense to = by_lines(*dense, *sparse);
  return with_floating(moved_in(dense->type), [&](auto type) {
    using T = decltype(type);
    SPARSE_TRY(launch_for(handle, KernelName<T>("fill_zeros"), from.lines * from.across, to, from.lines,
                          from.across));
    return launch_for(handle, KernelName<T>("fill_dense"), from.entries, from, to);
  });
}

WARPVP_API cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                             const cusparseDnMatDescr* dense,
                                                             cusparseSpMatDescr* sparse, int,
                                                             std::size_t* bytes) {
  SPARSE_CHECK(handle, sparse && dense && bytes);
  *bytes = sizeof(long long) * static_cast<std::size_t>(sparse->lines() + 1);
  return CUSPARSE_STATUS_SUCCESS;
}
/// Counts: the sparse matrix knows its number of entries, and where lines begin, afterwards.
WARPVP_API cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                           const cusparseDnMatDescr* dense,
                                                           cusparseSpMatDescr* sparse, int, void* buffer) {
  SPARSE_CHECK(handle, sparse && dense && buffer && sparse->rows == dense->rows &&
                           sparse->columns == dense->columns && sparse->type == dense->type);
  auto* const starts = static_cast<long long*>(buffer);
  SPARSE_TRY(count(handle, *dense, *sparse, starts));
  const Sparse to = view(*sparse);
  if (to.starts.at != nullptr)
    SPARSE_TRY(launch_for(handle, "convert", to.lines + 1, to.lines + 1, indices(starts), to.starts));
  long long entries = 0;
  SPARSE_TRY(read_back(handle, &entries, starts + to.lines, sizeof entries));
  sparse->entries = entries;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                                          const cusparseDnMatDescr* dense,
                                                          cusparseSpMatDescr* sparse, int, void* buffer) {
  SPARSE_CHECK(handle, sparse && dense && buffer && sparse->rows == dense->rows &&
                           sparse->columns == dense->columns && sparse->type == dense->type &&
                           (sparse->entries == 0 || sparse->second));
  auto* const starts = static_cast<long long*>(buffer);
  SPARSE_TRY(count(handle, *dense, *sparse, starts));
  const Sparse to = view(*sparse);
  if (to.starts.at != nullptr)
    SPARSE_TRY(launch_for(handle, "convert", to.lines + 1, to.lines + 1, indices(starts), to.starts));
  return with_floating(moved_in(dense->type), [&](auto type) {
    return launch_for(handle, KernelName<decltype(type)>("fill_sparse"), to.lines, by_lines(*dense, *sparse),
                      starts, to);
  });
}

namespace {

template <class T>
cusparseStatus_t nnz(cusparseHandle_t handle, cudaDataType type, cusparseDirection_t direction, int rows,
                     int columns, const cusparseMatDescr* descr, const T* a, int leading, int* each,
                     int* all) {
  SPARSE_CHECK(handle, descr && rows >= 0 && columns >= 0 && leading >= rows && all &&
                           direction <= CUSPARSE_DIRECTION_COLUMN);
  const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
  const Dense d = {values(a, type), by_rows ? 1 : leading, by_rows ? leading : 1, 0};
  auto* const total = reinterpret_cast<long long*>(handle->scratch);
  SPARSE_TRY(clear(handle, total, sizeof *total));
  const long long lines = by_rows ? rows : columns, across = by_rows ? columns : rows;
  SPARSE_TRY(
      launch_for(handle, KernelName<T>("count_dense"), lines, d, lines, across, indices(each, 32), total));
  if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE)
    return launch_for(handle, "convert", 1, 1LL, indices(total), indices(all, 32));
  long long found = 0;
  SPARSE_TRY(read_back(handle, &found, total, sizeof found));
  *all = static_cast<int>(found);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

#define NNZ(letter, T, TYPE)                                                                                \
  WARPVP_API cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t direction, \
                                                    int rows, int columns, const cusparseMatDescr* descr,   \
                                                    const T* a, int leading, int* each, int* all) {         \
    return nnz(handle, TYPE, direction, rows, columns, descr, a, leading, each, all);                       \
  }
NNZ(S, float, CUDA_R_32F)
NNZ(D, double, CUDA_R_64F)
NNZ(C, std::complex<float>, CUDA_C_32F)
NNZ(Z, std::complex<double>, CUDA_C_64F)
#undef NNZ
