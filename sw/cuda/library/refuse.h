#pragma once
// Functions of the API that are not offered.

#include "sw/cuda/library/abi.h"

namespace warpvp::cuda {

/// Says on standard error, once a function, that it is not offered; cudaErrorNotSupported.
cudaError_t refuse(const char* function);

}  // namespace warpvp::cuda
