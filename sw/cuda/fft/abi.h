#pragma once
// Types of cuFFT as compiled programs lay them out, the same from CUDA 11 to 13. Names and values are those
// that the cuFFT documentation has; only what this library uses is here.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/kernels/data_type.h"
#include "sw/cuda/library/driver_functions.h"

enum cufftResult : std::uint32_t {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_TYPE = 3,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_NOT_SUPPORTED = 16
};
enum cufftType : std::uint32_t {
  CUFFT_C2C = 0x29,
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c
};
inline constexpr int CUFFT_FORWARD = -1, CUFFT_INVERSE = 1;
using cufftHandle = int;
