#pragma once
// Types of cuSPARSE as compiled programs lay them out, the same from CUDA 11 to 13. Names and values are
// those that the cuSPARSE documentation has; only what this library uses is here.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/kernels/data_type.h"
#include "sw/cuda/library/driver_functions.h"

enum cusparseStatus_t : std::uint32_t {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,
  CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
};
enum cusparsePointerMode_t : std::uint32_t {
  CUSPARSE_POINTER_MODE_HOST = 0,
  CUSPARSE_POINTER_MODE_DEVICE = 1
};
enum cusparseAction_t : std::uint32_t { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 };
enum cusparseMatrixType_t : std::uint32_t {
  CUSPARSE_MATRIX_TYPE_GENERAL = 0,
  CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
};
enum cusparseFillMode_t : std::uint32_t { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 };
enum cusparseDiagType_t : std::uint32_t { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 };
enum cusparseIndexBase_t : std::uint32_t { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 };
enum cusparseOperation_t : std::uint32_t {
  CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
  CUSPARSE_OPERATION_TRANSPOSE = 1,
  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
};
enum cusparseDirection_t : std::uint32_t { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 };
enum cusparseFormat_t : std::uint32_t {
  CUSPARSE_FORMAT_CSR = 1,
  CUSPARSE_FORMAT_CSC = 2,
  CUSPARSE_FORMAT_COO = 3
};
enum cusparseOrder_t : std::uint32_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 };
enum cusparseIndexType_t : std::uint32_t { CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 };
enum cusparseSpMatAttribute_t : std::uint32_t { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 };
/// Which part of a triangle's values is new: of SpSV and of SpSM.
enum cusparseUpdate_t : std::uint32_t { CUSPARSE_UPDATE_GENERAL = 0, CUSPARSE_UPDATE_DIAGONAL = 1 };

struct cusparseContext;
struct cusparseMatDescr;
struct cusparseSpVecDescr;
struct cusparseDnVecDescr;
struct cusparseSpMatDescr;
struct cusparseDnMatDescr;
struct cusparseTriangleDescr;  ///< of SpSV and of SpSM
struct cusparseSpGEMMDescr;
struct cusparseFactorInfo;  ///< of csrilu02 and csric02
using cusparseHandle_t = cusparseContext*;
using cusparseMatDescr_t = cusparseMatDescr*;
using cusparseSpVecDescr_t = cusparseSpVecDescr*;
using cusparseDnVecDescr_t = cusparseDnVecDescr*;
using cusparseSpMatDescr_t = cusparseSpMatDescr*;
using cusparseDnMatDescr_t = cusparseDnMatDescr*;
using cusparseConstSpVecDescr_t = const cusparseSpVecDescr*;
using cusparseConstDnVecDescr_t = const cusparseDnVecDescr*;
using cusparseConstSpMatDescr_t = const cusparseSpMatDescr*;
using cusparseConstDnMatDescr_t = const cusparseDnMatDescr*;
using cusparseTriangleDescr_t = cusparseTriangleDescr*;
using cusparseSpGEMMDescr_t = cusparseSpGEMMDescr*;
using cusparseFactorInfo_t = cusparseFactorInfo*;
