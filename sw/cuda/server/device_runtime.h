#pragma once
// What kernels call that is linked to them on the device (CUDA's libcudadevrt).

#include <string>

namespace warpvp::cuda {

/// The module with those functions that it calls and the device runtime has, behind its own text, so that its
/// lines keep their numbers. There is cudaGraphSetConditional (CUDA Runtime API, "Graph Management"): it
/// writes the word of device memory that a conditional node of a graph reads, whose address is the handle.
std::string with_device_runtime(const std::string& ptx);

}  // namespace warpvp::cuda
