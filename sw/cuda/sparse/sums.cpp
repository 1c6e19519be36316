// Sums of sparse matrices whose rows are in order: c = alpha a + beta b (csrgeam2).

#include "sw/cuda/sparse/transpose.h"

using namespace warpvp::cuda::sparse;

namespace {

cusparseStatus_t sum_bytes(cusparseHandle_t handle, int rows, std::size_t* bytes) {
  SPARSE_CHECK(handle, bytes && rows >= 0);
  *bytes = sizeof(long long) * (static_cast<std::size_t>(rows) + 1);
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
cusparseStatus_t geam(cusparseHandle_t handle, cudaDataType type, int rows, int columns, const T* alpha,
                      const cusparseMatDescr* of_a, int entries_a, const T* values_a, const int* starts_a,
                      const int* columns_a, const T* beta, const cusparseMatDescr* of_b, int entries_b,
                      const T* values_b, const int* starts_b, const int* columns_b,
                      const cusparseMatDescr* of_c, T* values_c, const int* starts_c, int* columns_c) {
  SPARSE_CHECK(handle, of_a && of_b && of_c && alpha && beta && rows >= 0 && columns >= 0 && entries_a >= 0 &&
                           entries_b >= 0 && starts_a && starts_b && starts_c);
  return launch_for(handle, KernelName<T>("sums"), rows,
                    view(rows, columns, entries_a, starts_a, columns_a, values_a, type, of_a->base),
                    view(rows, columns, entries_b, starts_b, columns_b, values_b, type, of_b->base),
                    factor<T>(handle, alpha), factor<T>(handle, beta),
                    view(rows, columns, 0, starts_c, columns_c, values_c, type, of_c->base));
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int rows, int columns,
                                                 const cusparseMatDescr* of_a, int entries_a,
                                                 const int* starts_a, const int* columns_a,
                                                 const cusparseMatDescr* of_b, int entries_b,
                                                 const int* starts_b, const int* columns_b,
                                                 const cusparseMatDescr* of_c, int* starts_c, int* all,
                                                 void* buffer) {
  SPARSE_CHECK(handle, of_a && of_b && of_c && rows >= 0 && columns >= 0 && entries_a >= 0 &&
                           entries_b >= 0 && starts_a && starts_b && starts_c && all && buffer);
  auto* const starts = static_cast<long long*>(buffer);
  SPARSE_TRY(launch_for(handle, "count_sums", rows,
                        view(rows, columns, entries_a, starts_a, columns_a, nullptr, CUDA_R_32F, of_a->base),
                        view(rows, columns, entries_b, starts_b, columns_b, nullptr, CUDA_R_32F, of_b->base),
                        starts));
  SPARSE_TRY(sum_up(handle, rows, starts));
  SPARSE_TRY(launch_for(handle, "convert", rows + 1LL, rows + 1LL, indices(starts),
                        indices(starts_c, 32, static_cast<int>(of_c->base))));
  if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE)
    return launch_for(handle, "convert", 1, 1LL, indices(starts + rows), indices(all, 32));
  long long entries = 0;
  SPARSE_TRY(read_back(handle, &entries, starts + rows, sizeof entries));
  *all = static_cast<int>(entries);
  return CUSPARSE_STATUS_SUCCESS;
}

#define GEAM(letter, T, TYPE)                                                                               \
  WARPVP_API cusparseStatus_t cusparse##letter##csrgeam2_bufferSizeExt(                                     \
      cusparseHandle_t handle, int rows, int, const T*, const cusparseMatDescr*, int, const T*, const int*, \
      const int*, const T*, const cusparseMatDescr*, int, const T*, const int*, const int*,                 \
      const cusparseMatDescr*, const T*, const int*, const int*, std::size_t* bytes) {                      \
    return sum_bytes(handle, rows, bytes);                                                                  \
  }                                                                                                         \
  WARPVP_API cusparseStatus_t cusparse##letter##csrgeam2(                                                   \
      cusparseHandle_t handle, int rows, int columns, const T* alpha, const cusparseMatDescr* of_a,         \
      int entries_a, const T* values_a, const int* starts_a, const int* columns_a, const T* beta,           \
      const cusparseMatDescr* of_b, int entries_b, const T* values_b, const int* starts_b,                  \
      const int* columns_b, const cusparseMatDescr* of_c, T* values_c, int* starts_c, int* columns_c,       \
      void*) {                                                                                              \
    return geam(handle, TYPE, rows, columns, alpha, of_a, entries_a, values_a, starts_a, columns_a, beta,   \
                of_b, entries_b, values_b, starts_b, columns_b, of_c, values_c, starts_c, columns_c);       \
  }
GEAM(S, float, CUDA_R_32F)
GEAM(D, double, CUDA_R_64F)
GEAM(C, std::complex<float>, CUDA_C_32F)
GEAM(Z, std::complex<double>, CUDA_C_64F)
#undef GEAM
