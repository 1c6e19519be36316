#pragma once
// Functions of the API that are not offered.

#include "sw/cuda/library/abi.h"

namespace warpvp::cuda {

/// Says on standard error, once a function, that it is not offered.
void tell_refused(const char* function);
/// The same; cudaErrorNotSupported, which is the last error of the runtime from then on.
cudaError_t refuse(const char* function);

}  // namespace warpvp::cuda
