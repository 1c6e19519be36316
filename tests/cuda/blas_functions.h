#pragma once
// Functions of cuBLAS that tests call, as programs compiled with its header do. Matrices are in columns.

#include <cstddef>

#include "sw/cuda/blas/abi.h"

#define BLAS_FUNCTIONS(S, I, T)                                                                              \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t, int, const T*, const T*, int, T*, int);                  \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t, int, const T*, T*, int);                                 \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t, int, const T*, int, T*, int);                            \
  cublasStatus_t cublas##S##swap_v2(cublasHandle_t, int, T*, int, T*, int);                                  \
  cublasStatus_t cublas##S##rot_v2(cublasHandle_t, int, T*, int, T*, int, const T*, const T*);               \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t, int, const T*, int, const T*, int, T*);                   \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t, int, const T*, int, T*);                                 \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t, int, const T*, int, T*);                                 \
  cublasStatus_t cublasI##I##amax_v2(cublasHandle_t, int, const T*, int, int*);                              \
  cublasStatus_t cublasI##I##amin_v2(cublasHandle_t, int, const T*, int, int*);                              \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t, cublasOperation_t, int, int, const T*, const T*, int,    \
                                    const T*, int, const T*, T*, int);                                       \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t, int, int, const T*, const T*, int, const T*, int, T*,     \
                                   int);                                                                     \
  cublasStatus_t cublas##S##syr_v2(cublasHandle_t, cublasFillMode_t, int, const T*, const T*, int, T*, int); \
  cublasStatus_t cublas##S##symv_v2(cublasHandle_t, cublasFillMode_t, int, const T*, const T*, int,          \
                                    const T*, int, const T*, T*, int);                                       \
  cublasStatus_t cublas##S##trsv_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,   \
                                    int, const T*, int, T*, int);                                            \
  cublasStatus_t cublas##S##gemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,     \
                                    const T*, const T*, int, const T*, int, const T*, T*, int);              \
  cublasStatus_t cublas##S##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, \
                                        const T*, const T* const*, int, const T* const*, int, const T*,      \
                                        T* const*, int, int);                                                \
  cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,    \
                                               int, int, const T*, const T*, int, long long, const T*, int,  \
                                               long long, const T*, T*, int, long long, int);                \
  cublasStatus_t cublas##S##symm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int, int, const T*,  \
                                    const T*, int, const T*, int, const T*, T*, int);                        \
  cublasStatus_t cublas##S##syrk_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int, const T*, \
                                    const T*, int, const T*, T*, int);                                       \
  cublasStatus_t cublas##S##trmm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,   \
                                    cublasDiagType_t, int, int, const T*, const T*, int, const T*, int, T*,  \
                                    int);                                                                    \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,   \
                                    cublasDiagType_t, int, int, const T*, const T*, int, T*, int);           \
  cublasStatus_t cublas##S##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const T*,   \
                                 const T*, int, const T*, const T*, int, T*, int);                           \
  cublasStatus_t cublas##S##dgmm(cublasHandle_t, cublasSideMode_t, int, int, const T*, int, const T*, int,   \
                                 T*, int);                                                                   \
  cublasStatus_t cublas##S##gemvStridedBatched(cublasHandle_t, cublasOperation_t, int, int, const T*,        \
                                               const T*, int, long long, const T*, int, long long, const T*, \
                                               T*, int, long long, int);                                     \
  cublasStatus_t cublas##S##trsmBatched(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,                  \
                                        cublasOperation_t, cublasDiagType_t, int, int, const T*,             \
                                        const T* const*, int, T* const*, int, int);                          \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t, int, T* const*, int, int*, int*, int);              \
  cublasStatus_t cublas##S##getriBatched(cublasHandle_t, int, const T* const*, int, const int*, T* const*,   \
                                         int, int*, int);                                                    \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t, cublasOperation_t, int, int, const T* const*, int,  \
                                         const int*, T* const*, int, int*, int);

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t*);
cublasStatus_t cublasDestroy_v2(cublasHandle_t);
cublasStatus_t cublasSetStream_v2(cublasHandle_t, CUstream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t, cublasPointerMode_t);
const char* cublasGetStatusName(cublasStatus_t);
cublasStatus_t cublasSetMatrix(int, int, int, const void*, int, void*, int);
cublasStatus_t cublasGetMatrix(int, int, int, const void*, int, void*, int);
cublasStatus_t cublasSetVector(int, int, const void*, int, void*, int);
cublasStatus_t cublasGetVector(int, int, const void*, int, void*, int);
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                            const void*, cudaDataType, int, const void*, cudaDataType, int, const void*,
                            void*, cudaDataType, int, cublasComputeType_t, int);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                   const void*, const void* const*, cudaDataType, int, const void* const*,
                                   cudaDataType, int, const void*, void* const*, cudaDataType, int, int,
                                   cublasComputeType_t, int);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                          const void*, const void*, cudaDataType, int, long long, const void*,
                                          cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                          long long, int, cublasComputeType_t, int);
cublasStatus_t cublasDotEx(cublasHandle_t, int, const void*, cudaDataType, int, const void*, cudaDataType,
                           int, void*, cudaDataType, cudaDataType);
cublasStatus_t cublasNrm2Ex(cublasHandle_t, int, const void*, cudaDataType, int, void*, cudaDataType,
                            cudaDataType);
cublasStatus_t cublasAxpyEx(cublasHandle_t, int, const void*, cudaDataType, const void*, cudaDataType, int,
                            void*, cudaDataType, int, cudaDataType);
cublasStatus_t cublasScalEx(cublasHandle_t, int, const void*, cudaDataType, void*, cudaDataType, int,
                            cudaDataType);
cublasStatus_t cublasUint8gemmBias();
BLAS_FUNCTIONS(S, s, float)
BLAS_FUNCTIONS(D, d, double)
}

// cuBLASLt; descriptors are opaque.
extern "C" {
struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;
struct LtWords {
  unsigned long long data[23];
};
cublasStatus_t cublasLtCreate(cublasLtHandle_t*);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t);
cublasStatus_t cublasLtMatmulDescCreate(LtWords**, cublasComputeType_t, cudaDataType);
cublasStatus_t cublasLtMatmulDescInit_internal(LtWords*, std::size_t, cublasComputeType_t, cudaDataType);
cublasStatus_t cublasLtMatmulDescDestroy(LtWords*);
cublasStatus_t cublasLtMatmulDescSetAttribute(LtWords*, int, const void*, std::size_t);
cublasStatus_t cublasLtMatmulDescGetAttribute(const LtWords*, int, void*, std::size_t, std::size_t*);
cublasStatus_t cublasLtMatrixLayoutCreate(LtWords**, cudaDataType, std::uint64_t, std::uint64_t,
                                          std::int64_t);
cublasStatus_t cublasLtMatrixLayoutDestroy(LtWords*);
cublasStatus_t cublasLtMatrixLayoutSetAttribute(LtWords*, int, const void*, std::size_t);
cublasStatus_t cublasLtMatmulPreferenceCreate(LtWords**);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(LtWords*, int, const void*, std::size_t);
cublasStatus_t cublasLtMatmulPreferenceDestroy(LtWords*);
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, const LtWords*, const LtWords*,
                                              const LtWords*, const LtWords*, const LtWords*, const LtWords*,
                                              int, LtWords*, int*);
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, const LtWords*, const void*, const void*, const LtWords*,
                              const void*, const LtWords*, const void*, const void*, const LtWords*, void*,
                              const LtWords*, const LtWords*, void*, std::size_t, CUstream);
cublasStatus_t cublasLtMatrixLayoutGetAttribute(const LtWords*, int, void*, std::size_t, std::size_t*);
cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t, cublasComputeType_t, cudaDataType, cudaDataType,
                                        cudaDataType, cudaDataType, cudaDataType, int, int*, int*);
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t, cublasComputeType_t, cudaDataType, cudaDataType,
                                      cudaDataType, cudaDataType, cudaDataType, int, LtWords*);
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, const LtWords*, const LtWords*, const LtWords*,
                                       const LtWords*, const LtWords*, const LtWords*, LtWords*);
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const LtWords*, int, void*, std::size_t, std::size_t*);
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(LtWords*, int, const void*, std::size_t);
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const LtWords*, int, void*, std::size_t, std::size_t*);
cublasStatus_t cublasLtMatrixTransformDescCreate(LtWords**, cudaDataType);
cublasStatus_t cublasLtMatrixTransformDescDestroy(LtWords*);
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(LtWords*, int, const void*, std::size_t);
cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t, const LtWords*, const void*, const void*,
                                       const LtWords*, const void*, const void*, const LtWords*, void*,
                                       const LtWords*, CUstream);
cublasStatus_t cublasLtEmulationDescCreate(LtWords**);
cublasStatus_t cublasLtEmulationDescDestroy(LtWords*);
cublasStatus_t cublasLtEmulationDescSetAttribute(LtWords*, int, const void*, std::size_t);
cublasStatus_t cublasLtGetProperty(int, int*);
const char* cublasLtGetStatusName(cublasStatus_t);
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(std::size_t);
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(std::size_t*);
}
