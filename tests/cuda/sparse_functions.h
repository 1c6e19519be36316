#pragma once
// The functions of cuSPARSE that the test program calls, as NVIDIA's header declares them.

#include <complex>

#include "sw/cuda/sparse/abi.h"

extern "C" {
cusparseStatus_t cusparseCreate(cusparseHandle_t*);
cusparseStatus_t cusparseDestroy(cusparseHandle_t);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int*);
const char* cusparseGetErrorName(cusparseStatus_t);
cusparseStatus_t cusparseSetStream(cusparseHandle_t, CUstream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t, cusparsePointerMode_t);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t*);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t, cusparseIndexBase_t);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr*);

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t*, std::int64_t, std::int64_t, void*, void*,
                                     cusparseIndexType_t, cusparseIndexBase_t, cudaDataType);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t*, std::int64_t, void*, cudaDataType);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t*, std::int64_t, std::int64_t, std::int64_t, void*,
                                     cudaDataType, cusparseOrder_t);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t, int, std::int64_t);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t*, std::int64_t, std::int64_t, std::int64_t,
                                        const void*, const void*, const void*, cusparseIndexType_t,
                                        cusparseIndexType_t, cusparseIndexBase_t, cudaDataType);
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t, std::int64_t*, std::int64_t*, std::int64_t*,
                                     const void**, const void**, const void**, cusparseIndexType_t*,
                                     cusparseIndexType_t*, cusparseIndexBase_t*, cudaDataType*);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t*, std::int64_t, std::int64_t, std::int64_t, void*,
                                   void*, void*, cusparseIndexType_t, cusparseIndexType_t,
                                   cusparseIndexBase_t, cudaDataType);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t*, std::int64_t, std::int64_t, std::int64_t, void*,
                                   void*, void*, cusparseIndexType_t, cusparseIndexType_t,
                                   cusparseIndexBase_t, cudaDataType);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t*, std::int64_t, std::int64_t, std::int64_t, void*,
                                   void*, void*, cusparseIndexType_t, cusparseIndexBase_t, cudaDataType);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t, std::int64_t*, std::int64_t*, std::int64_t*);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t, cusparseFormat_t*);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t, cusparseSpMatAttribute_t, void*,
                                           std::size_t);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t, cusparseSpMatAttribute_t, void*,
                                           std::size_t);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t, void*, void*, void*);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t, void*, void*, void*);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t, void*, void*, void*);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t, int, std::int64_t, std::int64_t);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t, int, std::int64_t);

cusparseStatus_t cusparseAxpby(cusparseHandle_t, const void*, cusparseConstSpVecDescr_t, const void*,
                               cusparseDnVecDescr_t);
cusparseStatus_t cusparseGather(cusparseHandle_t, cusparseConstDnVecDescr_t, cusparseSpVecDescr_t);
cusparseStatus_t cusparseScatter(cusparseHandle_t, cusparseConstSpVecDescr_t, cusparseDnVecDescr_t);
cusparseStatus_t cusparseRot(cusparseHandle_t, const void*, const void*, cusparseSpVecDescr_t,
                             cusparseDnVecDescr_t);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseConstSpVecDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cudaDataType, std::size_t*);
cusparseStatus_t cusparseSpVV(cusparseHandle_t, cusparseOperation_t, cusparseConstSpVecDescr_t,
                              cusparseConstDnVecDescr_t, void*, cudaDataType, void*);

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, int, std::size_t*);
cusparseStatus_t cusparseSpMV(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                              cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType, int,
                              void*);
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t, cudaDataType, int, std::size_t*);
cusparseStatus_t cusparseSpMM(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                              cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                              cusparseDnMatDescr_t, cudaDataType, int, void*);
cusparseStatus_t cusparseSDDMM(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                               cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                               cusparseSpMatDescr_t, cudaDataType, int, void*);

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t*);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t);
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                               const void*, cusparseConstSpMatDescr_t,
                                               cusparseConstSpMatDescr_t, const void*, cusparseSpMatDescr_t,
                                               cudaDataType, int, cusparseSpGEMMDescr_t, std::size_t*, void*);
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t, std::int64_t*);
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                        const void*, cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                                        const void*, cusparseSpMatDescr_t, cudaDataType, int,
                                        cusparseSpGEMMDescr_t, std::size_t*, void*);
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                     cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t, const void*,
                                     cusparseSpMatDescr_t, cudaDataType, int, cusparseSpGEMMDescr_t);
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t, cusparseOperation_t,
                                                    cusparseOperation_t, cusparseConstSpMatDescr_t,
                                                    cusparseConstSpMatDescr_t, cusparseSpMatDescr_t, int,
                                                    cusparseSpGEMMDescr_t, std::size_t*, void*);
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                                         cusparseSpMatDescr_t, int, cusparseSpGEMMDescr_t, std::size_t*,
                                         void*, std::size_t*, void*, std::size_t*, void*);
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                          cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                                          cusparseSpMatDescr_t, int, cusparseSpGEMMDescr_t, std::size_t*,
                                          void*);
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                             const void*, cusparseConstSpMatDescr_t,
                                             cusparseConstSpMatDescr_t, const void*, cusparseSpMatDescr_t,
                                             cudaDataType, int, cusparseSpGEMMDescr_t);

cusparseStatus_t cusparseSpSV_createDescr(cusparseTriangleDescr_t*);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseTriangleDescr_t);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t, const void*,
                                       cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                       cusparseDnVecDescr_t, cudaDataType, int, cusparseTriangleDescr_t,
                                       void*);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t, cusparseOperation_t, const void*,
                                    cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                    cusparseDnVecDescr_t, cudaDataType, int, cusparseTriangleDescr_t);
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t, cusparseTriangleDescr_t, void*,
                                           cusparseUpdate_t);
cusparseStatus_t cusparseSpSM_createDescr(cusparseTriangleDescr_t*);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseTriangleDescr_t);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                       const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                       cusparseDnMatDescr_t, cudaDataType, int, cusparseTriangleDescr_t,
                                       void*);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                    cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                    cusparseDnMatDescr_t, cudaDataType, int, cusparseTriangleDescr_t);

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t, int,
                                       void*);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t,
                                                  cusparseSpMatDescr_t, int, std::size_t*);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t, cusparseConstDnMatDescr_t,
                                                cusparseSpMatDescr_t, int, void*);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t, cusparseConstDnMatDescr_t,
                                               cusparseSpMatDescr_t, int, void*);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t, int, int*);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*,
                                                std::size_t*);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t, int, int, int, const cusparseMatDescr*, const int*, int*,
                                  int*, void*);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t, int, int, int, const cusparseMatDescr*, const int*, int*,
                                  int*, void*);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*,
                                                std::size_t*);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t, int, int, int, int*, int*, int*, void*);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t, int, int, int, int*, int*, int*, void*);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t, const int*, int, int, int*, cusparseIndexBase_t);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t, const int*, int, int, int*, cusparseIndexBase_t);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, const void*, const int*,
                                               const int*, void*, int*, int*, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, int, std::size_t*);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t, int, int, int, const void*, const int*, const int*,
                                    void*, int*, int*, cudaDataType, cusparseAction_t, cusparseIndexBase_t,
                                    int, void*);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t, int, int, const cusparseMatDescr*, int, const int*,
                                      const int*, const cusparseMatDescr*, int, const int*, const int*,
                                      const cusparseMatDescr*, int*, int*, void*);
cusparseStatus_t cusparseCreateCsrilu02Info(cusparseFactorInfo_t*);
cusparseStatus_t cusparseDestroyCsrilu02Info(cusparseFactorInfo_t);
cusparseStatus_t cusparseCreateCsric02Info(cusparseFactorInfo_t*);
cusparseStatus_t cusparseDestroyCsric02Info(cusparseFactorInfo_t);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t, cusparseFactorInfo_t, int*);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t, cusparseFactorInfo_t, int*);
cusparseStatus_t cusparseSbsrmv();

#define TYPED(S, T)                                                                                          \
  cusparseStatus_t cusparse##S##nnz(cusparseHandle_t, cusparseDirection_t, int, int,                         \
                                    const cusparseMatDescr*, const T*, int, int*, int*);                     \
  cusparseStatus_t cusparse##S##csrgeam2_bufferSizeExt(                                                      \
      cusparseHandle_t, int, int, const T*, const cusparseMatDescr*, int, const T*, const int*, const int*,  \
      const T*, const cusparseMatDescr*, int, const T*, const int*, const int*, const cusparseMatDescr*,     \
      const T*, const int*, const int*, std::size_t*);                                                       \
  cusparseStatus_t cusparse##S##csrgeam2(cusparseHandle_t, int, int, const T*, const cusparseMatDescr*, int, \
                                         const T*, const int*, const int*, const T*,                         \
                                         const cusparseMatDescr*, int, const T*, const int*, const int*,     \
                                         const cusparseMatDescr*, T*, int*, int*, void*);                    \
  cusparseStatus_t cusparse##S##csrilu02_analysis(cusparseHandle_t, int, int, const cusparseMatDescr*,       \
                                                  const T*, const int*, const int*, cusparseFactorInfo_t,    \
                                                  int, void*);                                               \
  cusparseStatus_t cusparse##S##csrilu02(cusparseHandle_t, int, int, const cusparseMatDescr*, T*,            \
                                         const int*, const int*, cusparseFactorInfo_t, int, void*);          \
  cusparseStatus_t cusparse##S##csrilu02_numericBoost(cusparseHandle_t, cusparseFactorInfo_t, int, double*,  \
                                                      T*);                                                   \
  cusparseStatus_t cusparse##S##csric02_analysis(cusparseHandle_t, int, int, const cusparseMatDescr*,        \
                                                 const T*, const int*, const int*, cusparseFactorInfo_t,     \
                                                 int, void*);                                                \
  cusparseStatus_t cusparse##S##csric02(cusparseHandle_t, int, int, const cusparseMatDescr*, T*, const int*, \
                                        const int*, cusparseFactorInfo_t, int, void*);                       \
  cusparseStatus_t cusparse##S##gtsv2_bufferSizeExt(cusparseHandle_t, int, int, const T*, const T*,          \
                                                    const T*, const T*, int, std::size_t*);                  \
  cusparseStatus_t cusparse##S##gtsv2(cusparseHandle_t, int, int, const T*, const T*, const T*, T*, int,     \
                                      void*);                                                                \
  cusparseStatus_t cusparse##S##gtsv2_nopivot(cusparseHandle_t, int, int, const T*, const T*, const T*, T*,  \
                                              int, void*);                                                   \
  cusparseStatus_t cusparse##S##gtsv2StridedBatch(cusparseHandle_t, int, const T*, const T*, const T*, T*,   \
                                                  int, int, void*);                                          \
  cusparseStatus_t cusparse##S##gtsvInterleavedBatch(cusparseHandle_t, int, int, T*, T*, T*, T*, int, void*)
TYPED(S, float);
TYPED(D, double);
TYPED(C, std::complex<float>);
TYPED(Z, std::complex<double>);
#undef TYPED
}
