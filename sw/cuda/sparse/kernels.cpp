// The kernels of cuSPARSE's functions: PTX of sw/kernels/sparse.

#include "sw/cuda/sparse/kernels.h"

#include <string>

WARPVP_EMBED_PTX(sparse, products);
WARPVP_EMBED_PTX(sparse, solve);
WARPVP_EMBED_PTX(sparse, spgemm);
WARPVP_EMBED_PTX(sparse, structure);

namespace warpvp::cuda::sparse {
namespace {

/// That which has the kernel.
const char* text_of(const std::string& kernel) {
  const std::string function = kernel.substr(0, kernel.rfind('_'));
  for (const char* of_products :
       {"spmv", "spmm", "sddmm", "axpby_scale", "axpby_add", "gather", "scatter", "rot", "dot"})
    if (function == of_products) return products_ptx;
  for (const char* of_solve : {"solve", "set_diagonal", "ilu", "cholesky", "tridiagonal"})
    if (function == of_solve) return solve_ptx;
  if (kernel == "count_products" || function == "multiply" || function == "finish") return spgemm_ptx;
  return structure_ptx;
}

}  // namespace

cusparseStatus_t status_of(CUresult result) {
  constexpr CUresult kOutOfMemory = 2;
  if (result == 0) return CUSPARSE_STATUS_SUCCESS;
  if (result == kNoSuchKernel) return CUSPARSE_STATUS_INTERNAL_ERROR;
  return result == kOutOfMemory ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_EXECUTION_FAILED;
}

cusparseStatus_t launch(cusparseHandle_t handle, const char* name, const Grid& grid, const Grid& block,
                        void** arguments) {
  return status_of(start_kernel(text_of(name), name, grid, block, handle->stream, arguments));
}

bool reads(cudaDataType compute, cudaDataType type) {
  switch (compute) {
    case CUDA_R_32F:
      return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_8I;
    case CUDA_R_64F:
      return type == CUDA_R_64F || type == CUDA_R_32F;
    case CUDA_R_32I:
      return type == CUDA_R_32I || type == CUDA_R_8I;
    case CUDA_C_32F:
      return type == CUDA_C_32F || type == CUDA_R_32F;
    case CUDA_C_64F:
      return type == CUDA_C_64F || type == CUDA_R_64F;
    default:
      return false;
  }
}
bool writes(cudaDataType compute, cudaDataType type) {
  return type == compute || (compute == CUDA_R_32F && (type == CUDA_R_16F || type == CUDA_R_16BF));
}

cusparseStatus_t read_back(cusparseHandle_t handle, void* to, const void* from, std::size_t bytes) {
  return status_of(copy_result(to, reinterpret_cast<CUdeviceptr>(from), bytes, handle->stream));
}
cusparseStatus_t write(void* to, const void* from, std::size_t bytes) {
  return bytes == 0 ? CUSPARSE_STATUS_SUCCESS
                    : status_of(cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(to), from, bytes));
}
cusparseStatus_t copy(cusparseHandle_t handle, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return CUSPARSE_STATUS_SUCCESS;
  return status_of(cuMemcpyDtoDAsync_v2(reinterpret_cast<CUdeviceptr>(to),
                                        reinterpret_cast<CUdeviceptr>(from), bytes, handle->stream));
}
cusparseStatus_t clear(cusparseHandle_t handle, void* at, std::size_t bytes) {
  if (bytes == 0) return CUSPARSE_STATUS_SUCCESS;
  return status_of(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(at), 0, bytes, handle->stream));
}

}  // namespace warpvp::cuda::sparse
