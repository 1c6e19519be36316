#pragma once
// cuSOLVER's face as compiled programs have it (cusolverDn.h of CUDA 11 to 13): types are the layout, names
// are NVIDIA's.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/blas/abi.h"

enum cusolverStatus_t : std::uint32_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9
};

struct cusolverDnContext;
struct cusolverDnParams;
using cusolverDnHandle_t = cusolverDnContext*;
using cusolverDnParams_t = cusolverDnParams*;
