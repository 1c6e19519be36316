// The kernels of cuBLAS's functions: PTX of sw/kernels/blas.

#include <algorithm>
#include <initializer_list>
#include <string>

#include "sw/cuda/blas/handle.h"

WARPVP_EMBED_PTX(blas, gemm);
WARPVP_EMBED_PTX(blas, level1);
WARPVP_EMBED_PTX(blas, level2);
WARPVP_EMBED_PTX(blas, level3);
WARPVP_EMBED_PTX(blas, lt);
WARPVP_EMBED_PTX(blas, lu);
WARPVP_EMBED_PTX(blas, qr);

namespace warpvp::cuda::blas {
namespace {

/// Of a call of the driver.
cublasStatus_t status_of(CUresult result) {
  constexpr CUresult kOutOfMemory = 2;
  if (result == 0) return CUBLAS_STATUS_SUCCESS;
  if (result == kNoSuchKernel) return CUBLAS_STATUS_INTERNAL_ERROR;
  return result == kOutOfMemory ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// That which has the kernel: by the first part of its name.
const char* text_of(const std::string& kernel) {
  const std::string function = kernel.substr(0, kernel.find('_'));
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), function) != names.end();
  };
  if (function == "gemm") return gemm_ptx;
  if (function == "lt") return lt_ptx;
  if (is_one_of({"gemv", "mv", "trmv", "trsv", "rank", "restore"})) return level2_ptx;
  if (is_one_of({"trsm", "geam", "dgmm"})) return level3_ptx;
  if (is_one_of({"getrf", "getri", "getrs", "matinv"})) return lu_ptx;
  return is_one_of({"geqrf", "gels"}) ? qr_ptx : level1_ptx;
}

}  // namespace

cublasStatus_t be_ready() { return have_context() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED; }

cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      void** arguments) {
  return status_of(start_kernel(text_of(name), name, grid, block, handle.stream, arguments));
}

unsigned tile_of(int m, int n, int batches) {
  static const int sms = [] {
    constexpr int kMultiprocessorCount = 16;  // CUdevice_attribute
    int count = 0;
    CUdevice device = 0;
    const bool known =
        cuCtxGetDevice(&device) == 0 && cuDeviceGetAttribute(&count, kMultiprocessorCount, device) == 0;
    return known ? count : std::numeric_limits<int>::max();
  }();
  const auto tiles =
      std::uint64_t{parts(m, kLargeTile)} * parts(n, kLargeTile) * static_cast<unsigned>(batches);
  return tiles >= static_cast<std::uint64_t>(sms) && m > static_cast<int>(kSmallTile) &&
                 n > static_cast<int>(kSmallTile)
             ? kLargeTile
             : kSmallTile;
}

cublasStatus_t wait(const Handle& handle) { return status_of(cuStreamSynchronize(handle.stream)); }
cublasStatus_t read_back(const Handle& handle, void* to, CUdeviceptr from, std::size_t bytes) {
  return status_of(copy_result(to, from, bytes, handle.stream));
}

}  // namespace warpvp::cuda::blas
