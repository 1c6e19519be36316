#pragma once
// What the driver puts into modules: what is linked to kernels on the device (CUDA's libcudadevrt), and where
// grids wait for themselves.

#include <cstdint>
#include <string>

namespace warpvp::cuda {

/// Where a cooperative kernel finds, as the upper and the lower half of an address in %envreg1 and 2, two
/// words that its grid counts in when it waits for itself (cooperative_groups/details/driver_abi.h of the
/// toolkit). The driver's to provide: the module with those registers as numbers.
bool has_grid_workspace(const std::string& ptx);
std::string with_grid_workspace_at(const std::string& ptx, std::uint64_t address);

/// The module with those functions that it calls and the device runtime has, behind its own text, so that its
/// lines keep their numbers. There is cudaGraphSetConditional (CUDA Runtime API, "Graph Management"): it
/// writes the word of device memory that a conditional node of a graph reads, whose address is the handle.
std::string with_device_runtime(const std::string& ptx);

}  // namespace warpvp::cuda
