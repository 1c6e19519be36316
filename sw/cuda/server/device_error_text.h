#pragma once
// cudaGetErrorName and cudaGetErrorString in kernels.

#include <map>
#include <string>

namespace warpvp::cuda {

/// In PTX, as copy_functions() (device_copies.h). They know the errors that functions of the device runtime
/// give here; of others they say that they do not.
const std::map<std::string, std::string>& error_text_functions();

}  // namespace warpvp::cuda
