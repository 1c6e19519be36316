// Products of two sparse matrices in CSR, step by step as programs ask for them. What lies between the steps
// is in memory of the descriptor's own, so the buffers that programs bring are not used.

#include <new>

#include "sw/cuda/sparse/transpose.h"

using namespace warpvp::cuda::sparse;

struct cusparseSpGEMMDescr {
  DeviceMemory first;     ///< long long of lines + 1: where the products of each line begin
  DeviceMemory starts;    ///< the same of what remains
  DeviceMemory columns;   ///< long long of all products
  DeviceMemory products;  ///< as many, of what is computed in
  std::int64_t all = 0;
};

namespace {

constexpr std::size_t kLeastBytes = 8;  // programs may want an address that is not null

bool fit(cusparseOperation_t operation_a, cusparseOperation_t operation_b, const cusparseSpMatDescr& a,
         const cusparseSpMatDescr& b, const cusparseSpMatDescr& c) {
  return !transposes(operation_a) && !transposes(operation_b) && a.columns == b.rows && c.rows == a.rows &&
         c.columns == b.columns && a.format == CUSPARSE_FORMAT_CSR && b.format == CUSPARSE_FORMAT_CSR &&
         c.format == CUSPARSE_FORMAT_CSR;
}
std::size_t starts_bytes(const cusparseSpMatDescr& a) {
  return sizeof(long long) * static_cast<std::size_t>(a.rows + 1);
}

/// How many products there are.
cusparseStatus_t estimate(cusparseHandle_t handle, const cusparseSpMatDescr& a, const cusparseSpMatDescr& b,
                          cusparseSpGEMMDescr& work) {
  SPARSE_TRY(status_of(work.first.get(starts_bytes(a))));
  auto* const first = work.first.as<long long>();
  SPARSE_TRY(launch_for(handle, "count_products", a.rows, view(a), view(b), first));
  SPARSE_TRY(sum_up(handle, a.rows, first));
  long long all = 0;
  SPARSE_TRY(read_back(handle, &all, first + a.rows, sizeof all));
  work.all = all;
  return CUSPARSE_STATUS_SUCCESS;
}
/// All products, or only their columns; c learns how many entries it has.
cusparseStatus_t multiply(cusparseHandle_t handle, const cusparseSpMatDescr& a, const cusparseSpMatDescr& b,
                          cusparseSpMatDescr& c, cudaDataType compute, bool with_values,
                          cusparseSpGEMMDescr& work) {
  const auto all = static_cast<std::size_t>(work.all);
  SPARSE_TRY(status_of(work.starts.get(starts_bytes(a))));
  SPARSE_TRY(status_of(work.columns.get(sizeof(long long) * (all + 1))));
  if (with_values) SPARSE_TRY(status_of(work.products.get(size_of(compute) * (all + 1))));
  SPARSE_TRY(with_floating(compute, [&](auto type) {
    using T = decltype(type);
    return launch_for(handle, KernelName<T>("multiply"), a.rows, view(a), view(b), work.first.as<long long>(),
                      work.columns.as<long long>(), with_values ? work.products.as<T>() : nullptr,
                      work.starts.as<long long>());
  }));
  SPARSE_TRY(sum_up(handle, a.rows, work.starts.as<long long>()));
  long long entries = 0;
  SPARSE_TRY(read_back(handle, &entries, work.starts.as<long long>() + a.rows, sizeof entries));
  c.entries = entries;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t finish(cusparseHandle_t handle, const cusparseSpMatDescr& c, Factor<T> alpha, Factor<T> beta,
                        bool with_values, const cusparseSpGEMMDescr& work) {
  return launch_for(handle, KernelName<T>("finish"), c.rows + 1, work.first.as<long long>(),
                    work.columns.as<long long>(), with_values ? work.products.as<T>() : nullptr,
                    work.starts.as<long long>(), view(c), alpha, beta);
}
/// Of both: a first call without a buffer asks for its size.
bool asks_for_size(std::size_t* bytes, const void* buffer) {
  if (buffer == nullptr) *bytes = kLeastBytes;
  return buffer == nullptr;
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* work) {
  if (work == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *work = new (std::nothrow) cusparseSpGEMMDescr;
  return *work == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t work) {
  delete work;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpGEMM_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t operation_a, cusparseOperation_t operation_b, const void*,
    const cusparseSpMatDescr* a, const cusparseSpMatDescr* b, const void*, cusparseSpMatDescr* c,
    cudaDataType, int, cusparseSpGEMMDescr_t work, std::size_t* bytes, void* buffer) {
  SPARSE_CHECK(handle, a && b && c && work && bytes);
  if (!fit(operation_a, operation_b, *a, *b, *c)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return asks_for_size(bytes, buffer) ? CUSPARSE_STATUS_SUCCESS : estimate(handle, *a, *b, *work);
}
WARPVP_API cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t work,
                                                          std::int64_t* products) {
  if (work == nullptr || products == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *products = work->all;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpGEMM_estimateMemory(
    cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void*,
    const cusparseSpMatDescr* a, const cusparseSpMatDescr* b, const void*, cusparseSpMatDescr* c,
    cudaDataType, int, cusparseSpGEMMDescr_t work, float, std::size_t* bytes_3, void*, std::size_t* bytes_2) {
  SPARSE_CHECK(handle, a && b && c && work && bytes_3);
  *bytes_3 = kLeastBytes;
  if (bytes_2 != nullptr) *bytes_2 = kLeastBytes;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                                   cusparseOperation_t operation_b, const void*,
                                                   const cusparseSpMatDescr* a, const cusparseSpMatDescr* b,
                                                   const void*, cusparseSpMatDescr* c, cudaDataType compute,
                                                   int, cusparseSpGEMMDescr_t work, std::size_t* bytes,
                                                   void* buffer) {
  SPARSE_CHECK(handle, a && b && c && work && bytes);
  if (!fit(operation_a, operation_b, *a, *b, *c) || !reads(compute, a->type) || !reads(compute, b->type) ||
      !writes(compute, c->type))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return asks_for_size(bytes, buffer) ? CUSPARSE_STATUS_SUCCESS
                                      : multiply(handle, *a, *b, *c, compute, true, *work);
}
WARPVP_API cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t,
                                                cusparseOperation_t, const void* alpha,
                                                const cusparseSpMatDescr* a, const cusparseSpMatDescr* b,
                                                const void* beta, cusparseSpMatDescr* c, cudaDataType compute,
                                                int, cusparseSpGEMMDescr_t work) {
  SPARSE_CHECK(handle, a && b && c && work && alpha && beta && c->first && work->products.as<void>());
  return with_floating(compute, [&](auto type) {
    using T = decltype(type);
    return finish(handle, *c, factor<T>(handle, alpha), factor<T>(handle, beta), true, *work);
  });
}

// The same with other values again and again: where entries are is found once.
WARPVP_API cusparseStatus_t cusparseSpGEMMreuse_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t operation_a, cusparseOperation_t operation_b,
    const cusparseSpMatDescr* a, const cusparseSpMatDescr* b, cusparseSpMatDescr* c, int,
    cusparseSpGEMMDescr_t work, std::size_t* bytes, void* buffer) {
  SPARSE_CHECK(handle, a && b && c && work && bytes);
  if (!fit(operation_a, operation_b, *a, *b, *c)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return asks_for_size(bytes, buffer) ? CUSPARSE_STATUS_SUCCESS : estimate(handle, *a, *b, *work);
}
WARPVP_API cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t,
                                                    cusparseOperation_t, const cusparseSpMatDescr* a,
                                                    const cusparseSpMatDescr* b, cusparseSpMatDescr* c, int,
                                                    cusparseSpGEMMDescr_t work, std::size_t* bytes_2,
                                                    void* buffer_2, std::size_t* bytes_3, void*,
                                                    std::size_t* bytes_4, void*) {
  SPARSE_CHECK(handle, a && b && c && work && bytes_2 && bytes_3 && bytes_4);
  *bytes_3 = *bytes_4 = kLeastBytes;
  return asks_for_size(bytes_2, buffer_2) ? CUSPARSE_STATUS_SUCCESS
                                          : multiply(handle, *a, *b, *c, CUDA_R_32F, false, *work);
}
WARPVP_API cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t,
                                                     cusparseOperation_t, const cusparseSpMatDescr* a,
                                                     const cusparseSpMatDescr* b, cusparseSpMatDescr* c, int,
                                                     cusparseSpGEMMDescr_t work, std::size_t* bytes,
                                                     void* buffer) {
  SPARSE_CHECK(handle, a && b && c && work && bytes);
  if (asks_for_size(bytes, buffer)) return CUSPARSE_STATUS_SUCCESS;
  if (c->first == nullptr || work->columns.as<void>() == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return finish(handle, *c, Factor<float>{}, Factor<float>{}, false, *work);
}
WARPVP_API cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t,
                                                        cusparseOperation_t, const void* alpha,
                                                        const cusparseSpMatDescr* a,
                                                        const cusparseSpMatDescr* b, const void* beta,
                                                        cusparseSpMatDescr* c, cudaDataType compute, int,
                                                        cusparseSpGEMMDescr_t work) {
  SPARSE_CHECK(handle, a && b && c && work && alpha && beta && c->first && work->first.address());
  if (!reads(compute, a->type) || !reads(compute, b->type) || !writes(compute, c->type))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  SPARSE_TRY(multiply(handle, *a, *b, *c, compute, true, *work));
  return with_floating(compute, [&](auto type) {
    using T = decltype(type);
    return finish(handle, *c, factor<T>(handle, alpha), factor<T>(handle, beta), true, *work);
  });
}
