#pragma once
// cudaDataType as compiled programs lay it out: of the types that libraries are told, those that are used
// here.

#include <cstdint>

enum cudaDataType : std::uint32_t {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_C_16F = 6,
  CUDA_C_8I = 7,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
  CUDA_C_16BF = 15,
  CUDA_R_8F_E4M3 = 28,
  CUDA_R_8F_E5M2 = 29,
  CUDA_R_4F_E2M1 = 33
};
