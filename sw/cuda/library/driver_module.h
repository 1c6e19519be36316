#pragma once
// Modules: device code that the simulator has loaded, and what is found in them by name.

#include "sw/cuda/library/driver_state.h"

namespace warpvp::cuda {

/// Loads what a program hands in as one: the text of PTX, a fat binary, or what nvcc points to one with.
Error load_driver_module(const void* image, CUmodule& module);
/// The same from a file.
Error load_driver_module_file(const char* file, CUmodule& module);
/// Its handles are none from then on; what it has in device memory stays.
Error unload_driver_module(CUmodule module);
/// Always the same for the same name. kSymbolNotFound: there is none.
Error find_in_module(CUmodule module, const char* name, DriverKernel*& kernel);
/// Either result may be unwanted.
Error find_variable_in_module(CUmodule module, const char* name, CUdeviceptr* address, std::size_t* bytes);

}  // namespace warpvp::cuda
