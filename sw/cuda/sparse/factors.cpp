// Incomplete factors of sparse matrices, without new entries: LU (csrilu02) and Cholesky (csric02).

#include <algorithm>
#include <limits>
#include <new>

#include "sw/cuda/sparse/levels.h"

using namespace warpvp::cuda::sparse;

struct cusparseFactorInfo {
  LevelPlan plan;
  DeviceMemory pivot;  ///< int: the least row whose pivot is 0
  int missing = -1;    ///< the first row without a diagonal
  int rows = -1;
  int base = 0;
  Boost boost = {};
};

namespace {

constexpr int kNone = std::numeric_limits<int>::max();

cusparseStatus_t create(cusparseFactorInfo_t* info) {
  if (info == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *info = new (std::nothrow) cusparseFactorInfo;
  return *info == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t destroy(cusparseFactorInfo_t info) {
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}
/// No memory of the program's is used, but programs may want an address.
cusparseStatus_t buffer_size(cusparseHandle_t handle, cusparseFactorInfo_t info, int* bytes) {
  SPARSE_CHECK(handle, info && bytes);
  *bytes = 8;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t analyse(cusparseHandle_t handle, int rows, int entries, const cusparseMatDescr* descr,
                         const int* starts_at, const int* columns_at, cusparseFactorInfo_t info) {
  SPARSE_CHECK(handle,
               info && descr && rows >= 0 && entries >= 0 && starts_at && (entries == 0 || columns_at));
  if (descr->type != CUSPARSE_MATRIX_TYPE_GENERAL) return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  const int base = static_cast<int>(descr->base);
  std::vector<long long> starts, columns, below(1, 0), needed;
  SPARSE_TRY(read_indices(handle, indices(starts_at, 32, base), rows + 1LL, &starts));
  SPARSE_TRY(read_indices(handle, indices(columns_at, 32, base), entries, &columns));
  info->missing = -1;
  for (int row = 0; row < rows; ++row) {
    bool found = false;
    for (auto e = static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]);
         e < static_cast<std::size_t>(starts[static_cast<std::size_t>(row) + 1]); ++e) {
      // Rows are searched by halves: their columns are in order, as the documentation wants it.
      if (e != static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]) &&
          columns.at(e) <= columns[e - 1])
        return CUSPARSE_STATUS_INVALID_VALUE;
      if (columns.at(e) < row) needed.push_back(columns[e]);
      found |= columns[e] == row;
    }
    if (!found && info->missing < 0) info->missing = row;
    below.push_back(static_cast<long long>(needed.size()));
  }
  SPARSE_TRY(info->plan.make(below, needed, false));
  SPARSE_TRY(status_of(info->pivot.get(sizeof(int))));
  info->rows = rows;
  info->base = base;
  return write(info->pivot.as<void>(), info->missing < 0 ? &kNone : &info->missing, sizeof(int));
}
template <class T>
cusparseStatus_t factor_in_place(cusparseHandle_t handle, cudaDataType type, bool is_lu, int rows,
                                 int entries, const cusparseMatDescr* descr, T* all, const int* starts,
                                 const int* columns, cusparseFactorInfo_t info) {
  SPARSE_CHECK(handle, info && descr && all && starts && columns && info->rows == rows);
  SPARSE_TRY(write(info->pivot.as<void>(), &kNone, sizeof(int)));
  const Sparse a = view(rows, rows, entries, starts, columns, all, type, descr->base);
  int* const pivot = info->pivot.as<int>();
  const KernelName<T> kernel(is_lu ? "ilu" : "cholesky");
  const Factored what = {a, info->plan.view()};
  if (is_lu) return info->plan.launch_levels(handle, kernel, 1, what, info->boost, pivot);
  return info->plan.launch_levels(handle, kernel, 1, what, pivot);
}
cusparseStatus_t zero_pivot(cusparseHandle_t handle, cusparseFactorInfo_t info, int* position) {
  SPARSE_CHECK(handle, info && position && info->rows >= 0);
  int found = kNone;
  SPARSE_TRY(read_back(handle, &found, info->pivot.as<void>(), sizeof found));
  const int told = found == kNone ? -1 : found + info->base;
  if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
    SPARSE_TRY(write(position, &told, sizeof told));
  } else {
    *position = told;
  }
  return found == kNone ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
template <class T>
cusparseStatus_t boost(cusparseHandle_t handle, cusparseFactorInfo_t info, int enabled,
                       const double* tolerance, const T* value) {
  SPARSE_CHECK(handle, info && (enabled == 0 || (tolerance && value)));
  if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const std::complex<double> v = enabled != 0 ? std::complex<double>(*value) : 0.0;
  info->boost = {enabled != 0 ? *tolerance : 0, v.real(), v.imag(), enabled != 0};
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseCreateCsrilu02Info(cusparseFactorInfo_t* info) { return create(info); }
WARPVP_API cusparseStatus_t cusparseDestroyCsrilu02Info(cusparseFactorInfo_t info) { return destroy(info); }
WARPVP_API cusparseStatus_t cusparseCreateCsric02Info(cusparseFactorInfo_t* info) { return create(info); }
WARPVP_API cusparseStatus_t cusparseDestroyCsric02Info(cusparseFactorInfo_t info) { return destroy(info); }
WARPVP_API cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, cusparseFactorInfo_t info,
                                                        int* position) {
  return zero_pivot(handle, info, position);
}
WARPVP_API cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, cusparseFactorInfo_t info,
                                                       int* position) {
  return zero_pivot(handle, info, position);
}

#define FACTORS(letter, T, TYPE, name, is_lu)                                                      \
  WARPVP_API cusparseStatus_t cusparse##letter##name##_bufferSize(                                 \
      cusparseHandle_t handle, int, int, const cusparseMatDescr*, T*, const int*, const int*,      \
      cusparseFactorInfo_t info, int* bytes) {                                                     \
    return buffer_size(handle, info, bytes);                                                       \
  }                                                                                                \
  WARPVP_API cusparseStatus_t cusparse##letter##name##_analysis(                                   \
      cusparseHandle_t handle, int rows, int entries, const cusparseMatDescr* descr, const T*,     \
      const int* starts, const int* columns, cusparseFactorInfo_t info, int, void*) {              \
    return analyse(handle, rows, entries, descr, starts, columns, info);                           \
  }                                                                                                \
  WARPVP_API cusparseStatus_t cusparse##letter##name(                                              \
      cusparseHandle_t handle, int rows, int entries, const cusparseMatDescr* descr, T* all,       \
      const int* starts, const int* columns, cusparseFactorInfo_t info, int, void*) {              \
    return factor_in_place(handle, TYPE, is_lu, rows, entries, descr, all, starts, columns, info); \
  }
#define LU_AND_CHOLESKY(letter, T, TYPE)                                                              \
  FACTORS(letter, T, TYPE, csrilu02, true)                                                            \
  FACTORS(letter, T, TYPE, csric02, false)                                                            \
  WARPVP_API cusparseStatus_t cusparse##letter##csrilu02_numericBoost(                                \
      cusparseHandle_t handle, cusparseFactorInfo_t info, int enabled, double* tolerance, T* value) { \
    return boost(handle, info, enabled, tolerance, value);                                            \
  }
LU_AND_CHOLESKY(S, float, CUDA_R_32F)
LU_AND_CHOLESKY(D, double, CUDA_R_64F)
LU_AND_CHOLESKY(C, std::complex<float>, CUDA_C_32F)
LU_AND_CHOLESKY(Z, std::complex<double>, CUDA_C_64F)
#undef FACTORS
#undef LU_AND_CHOLESKY
