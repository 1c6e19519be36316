#pragma once
// What handles and descriptors of cuSPARSE hold, and how kernels see them.

#include "sw/cuda/sparse/abi.h"
#include "sw/kernels/sparse/views.h"

struct cusparseContext {
  CUstream stream = nullptr;
  cusparsePointerMode_t pointers = CUSPARSE_POINTER_MODE_HOST;
  CUdeviceptr scratch = 0;  ///< kScratchBytes, for a result on its way to the host
};
struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};
struct cusparseSpVecDescr {
  std::int64_t size, entries;
  void *indices, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
};
struct cusparseDnVecDescr {
  std::int64_t size;
  void* values;
  cudaDataType type;
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  std::int64_t rows, columns, entries;
  void* first;   ///< offsets of rows (CSR) or columns (CSC), or rows of entries (COO)
  void* second;  ///< columns of entries, or rows (CSC)
  void* values;
  cusparseIndexType_t first_type, second_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  int batches = 1;
  std::int64_t first_stride = 0, entries_stride = 0;  ///< from one of a batch to the next

  bool by_columns() const { return format == CUSPARSE_FORMAT_CSC; }
  std::int64_t lines() const { return by_columns() ? columns : rows; }
  std::int64_t across() const { return by_columns() ? rows : columns; }
};
struct cusparseDnMatDescr {
  std::int64_t rows, columns, leading;
  void* values;
  cudaDataType type;
  cusparseOrder_t order;
  int batches = 1;
  std::int64_t batch_stride = 0;
};

namespace warpvp::cuda::sparse {

using namespace sparse_kernels;
inline constexpr std::size_t kScratchBytes = 64;

inline bool transposes(cusparseOperation_t operation) {
  return operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
}
inline bool conjugates(cusparseOperation_t operation) {
  return operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}
inline bool is_operation(cusparseOperation_t o) { return o <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE; }
inline bool is_base(cusparseIndexBase_t base) { return base <= CUSPARSE_INDEX_BASE_ONE; }
inline bool is_index_type(cusparseIndexType_t t) {
  return t == CUSPARSE_INDEX_32I || t == CUSPARSE_INDEX_64I;
}
/// Bytes of a number, 0 of a type that is not offered.
std::size_t size_of(cudaDataType type);

inline int bits_of(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? 64 : 32; }
inline Indices indices(const void* at, int bits = 64, int base = 0) {
  return {const_cast<void*>(at), bits, base};
}
inline Values values(const void* at, cudaDataType type) {
  return {const_cast<void*>(at), static_cast<int>(type)};
}
/// Line by line, as it lies in memory.
Sparse view(const cusparseSpMatDescr& matrix);
/// One in CSR with indices of 32 bits, as functions take it that have no descriptor.
Sparse view(int rows, int columns, int entries, const int* starts, const int* others, const void* values,
            cudaDataType type, cusparseIndexBase_t base);
/// Rows and columns exchanged where it is to be transposed.
Dense view(const cusparseDnMatDescr& matrix, bool transposed = false);

}  // namespace warpvp::cuda::sparse
