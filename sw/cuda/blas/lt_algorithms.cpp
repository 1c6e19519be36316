// cuBLASLt: what there is to choose among for a product, which is one algorithm that takes no memory. Any
// number of one may be asked for and set up: it computes the same.

#include <cstring>

#include "sw/cuda/blas/lt.h"

using namespace warpvp::cuda::blas;

namespace {

/// cublasLtMatmulHeuristicResult_t.
struct Found {
  union {
    LtAlgorithm algorithm;
    std::uint64_t words[8];
  };
  std::size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};
constexpr std::uint32_t kTile32By32 = 11;

Found found_one(const LtAlgorithm& algorithm) {
  Found made;
  std::memset(&made, 0, sizeof made);
  made.algorithm = algorithm;
  made.waves = 1;
  return made;
}
LtAlgorithm algorithm_of(std::uint32_t id) {
  LtAlgorithm made = {};
  made.id = id;
  made.tile = kTile32By32;
  return made;
}

}  // namespace

WARPVP_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                                         const LtOperation* operation, const LtLayout* a,
                                                         const LtLayout* b, const LtLayout* c,
                                                         const LtLayout* d, const void*, int wanted,
                                                         Found* results, int* found) {
  BLAS_CHECK(handle, operation && a && b && c && d && wanted >= 1 && results && found);
  *found = 0;
  LtProduct product;
  const LtKernel* kernel = nullptr;
  BLAS_TRY(describe(*operation, {*a, *b, *c, *d}, product, kernel));
  *results = found_one(algorithm_of(0));
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}
/// The same with the stream that it is for, which changes nothing here.
WARPVP_API cublasStatus_t cublasLtMatmulAlgoGetHeuristicForStream(cublasLtHandle_t handle,
                                                                  const LtOperation* operation,
                                                                  const LtLayout* a, const LtLayout* b,
                                                                  const LtLayout* c, const LtLayout* d,
                                                                  const void* preference, int wanted,
                                                                  Found* results, int* found, CUstream) {
  return cublasLtMatmulAlgoGetHeuristic(handle, operation, a, b, c, d, preference, wanted, results, found);
}
WARPVP_API cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, const LtOperation* operation,
                                                  const LtLayout* a, const LtLayout* b, const LtLayout* c,
                                                  const LtLayout* d, const LtAlgorithm* algorithm,
                                                  Found* result) {
  BLAS_CHECK(handle, operation && a && b && c && d && algorithm && result);
  LtProduct product;
  const LtKernel* kernel = nullptr;
  BLAS_TRY(describe(*operation, {*a, *b, *c, *d}, product, kernel));
  *result = found_one(*algorithm);
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType,
                                                   cudaDataType, cudaDataType, cudaDataType, cudaDataType,
                                                   int wanted, int* ids, int* found) {
  BLAS_CHECK(handle, wanted >= 1 && ids && found);
  ids[0] = 0;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType,
                                                 cudaDataType, cudaDataType, cudaDataType, cudaDataType,
                                                 int id, LtAlgorithm* algorithm) {
  BLAS_CHECK(handle, algorithm && id >= 0);
  std::memset(static_cast<void*>(algorithm), 0, sizeof(std::uint64_t[8]));
  *algorithm = algorithm_of(static_cast<std::uint32_t>(id));
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const LtAlgorithm* algorithm, int attribute,
                                                            void* to, std::size_t bytes,
                                                            std::size_t* written) {
  if (algorithm == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto give = [&](std::uint64_t value, std::size_t size) {
    if (written != nullptr) *written = size;
    if (bytes == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
    if (to == nullptr || bytes < size) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(to, &value, size);
    return CUBLAS_STATUS_SUCCESS;
  };
  constexpr std::size_t kInt = 4, kLong = 8;
  constexpr std::uint64_t kAnyPointers = 0x1f, kAnyEpilogue = 0x3ff;
  switch (attribute) {
    case 0:   // sums split
    case 1:   // their schemes
    case 2:   // CTAs in another order
    case 5:   // triangles
    case 7:   // options
    case 13:  // stages: the undefined one
    case 14:  // negative leading dimensions
    case 22:  // emulation
      return give(0, kInt);
    case 3:   // batches by strides
    case 4:   // results in another place
    case 10:  // orders of tiles
    case 16:  // least alignments of the four
    case 17:
    case 18:
    case 19:
    case 21:  // batches by addresses
      return give(1, kInt);
    case 6:
      return give(kTile32By32, kInt);
    case 11:
      return give(kAnyPointers, kInt);
    case 12:
      return give(kAnyEpilogue, kInt);
    case 15:  // the hardware of it, in bits: none of the units
      return give(0, kLong);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}
