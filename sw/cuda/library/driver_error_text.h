#pragma once
// Names of the driver API's errors.

#include <cstdint>

namespace warpvp::cuda {

/// CUDA_ERROR_... and what it means; nullptr where there is none of that number.
const char* driver_error_name(std::uint32_t number);
const char* driver_error_sentence(std::uint32_t number);

}  // namespace warpvp::cuda
