#pragma once
// Names and texts of statuses, of cuBLAS and cuBLASLt.

#include "sw/cuda/blas/abi.h"

namespace warpvp::cuda::blas {

/// As the library documentation has it.
const char* name_of(cublasStatus_t status);
const char* text_of(cublasStatus_t status);

}  // namespace warpvp::cuda::blas
