// Sparse vectors with dense ones.

#include "sw/cuda/sparse/kernels.h"

using namespace warpvp::cuda::sparse;

namespace {

Indices places(const cusparseSpVecDescr& x) {
  return indices(x.indices, bits_of(x.index_type), static_cast<int>(x.base));
}

/// In which numbers of this type are computed.
cudaDataType compute_type(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

}  // namespace

WARPVP_API cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha,
                                          const cusparseSpVecDescr* x, const void* beta,
                                          cusparseDnVecDescr* y) {
  SPARSE_CHECK(handle, x && y && alpha && beta && x->size == y->size && x->type == y->type);
  const Values from = values(x->values, x->type), to = values(y->values, y->type);
  return with_any(compute_type(y->type), [&](auto type) {
    using T = decltype(type);
    SPARSE_TRY(launch_for(handle, KernelName<T>("axpby_scale"), y->size, static_cast<long long>(y->size),
                          factor<T>(handle, beta), to));
    return launch_for(handle, KernelName<T>("axpby_add"), x->entries, static_cast<long long>(x->entries),
                      factor<T>(handle, alpha), places(*x), from, to);
  });
}
WARPVP_API cusparseStatus_t cusparseGather(cusparseHandle_t handle, const cusparseDnVecDescr* y,
                                           cusparseSpVecDescr* x) {
  SPARSE_CHECK(handle, x && y && x->size == y->size && x->type == y->type);
  return with_any(compute_type(y->type), [&](auto type) {
    return launch_for(handle, KernelName<decltype(type)>("gather"), x->entries,
                      static_cast<long long>(x->entries), places(*x), values(y->values, y->type),
                      values(x->values, x->type));
  });
}
WARPVP_API cusparseStatus_t cusparseScatter(cusparseHandle_t handle, const cusparseSpVecDescr* x,
                                            cusparseDnVecDescr* y) {
  SPARSE_CHECK(handle, x && y && x->size == y->size && x->type == y->type);
  return with_any(compute_type(y->type), [&](auto type) {
    return launch_for(handle, KernelName<decltype(type)>("scatter"), x->entries,
                      static_cast<long long>(x->entries), places(*x), values(x->values, x->type),
                      values(y->values, y->type));
  });
}
WARPVP_API cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* cosine, const void* sine,
                                        cusparseSpVecDescr* x, cusparseDnVecDescr* y) {
  SPARSE_CHECK(handle, x && y && cosine && sine && x->size == y->size && x->type == y->type);
  return with_floating(compute_type(y->type), [&](auto type) {
    using T = decltype(type);
    return launch_for(handle, KernelName<T>("rot"), x->entries, static_cast<long long>(x->entries),
                      factor<T>(handle, cosine), factor<T>(handle, sine), places(*x),
                      values(x->values, x->type), values(y->values, y->type));
  });
}
WARPVP_API cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                                    const cusparseSpVecDescr* x, const cusparseDnVecDescr* y,
                                                    const void*, cudaDataType, std::size_t* bytes) {
  SPARSE_CHECK(handle, x && y && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t operation,
                                         const cusparseSpVecDescr* x, const cusparseDnVecDescr* y,
                                         void* result, cudaDataType compute, void*) {
  SPARSE_CHECK(handle, x && y && result && x->size == y->size && is_operation(operation));
  if (!reads(compute, x->type) || !reads(compute, y->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with_any(compute, [&](auto type) {
    using T = decltype(type);
    const bool to_host = handle->pointers == CUSPARSE_POINTER_MODE_HOST;
    T* const to = to_host ? reinterpret_cast<T*>(handle->scratch) : static_cast<T*>(result);
    SPARSE_TRY(launch(handle, KernelName<T>("dot"), {1, 1, 1}, {256, 1, 1},
                      static_cast<long long>(x->entries), static_cast<int>(conjugates(operation)), places(*x),
                      values(x->values, x->type), values(y->values, y->type), to));
    return to_host ? read_back(handle, result, to, sizeof(T)) : CUSPARSE_STATUS_SUCCESS;
  });
}
