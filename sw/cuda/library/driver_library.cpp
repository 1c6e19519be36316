// Libraries and their kernels: the same as modules and functions, but for that no context need be current.

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_module.h"

using namespace warpvp::cuda;

namespace {
CUmodule module_of(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }
CUfunction function_of(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }
}  // namespace

WARPVP_API CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned,
                                      int*, void**, unsigned) {
  if (const Error error = initialized()) return error;
  if (library == nullptr) return kInvalidValue;
  CUmodule module = nullptr;
  const Error error = load_driver_module(image, module);
  *library = reinterpret_cast<CUlibrary>(module);
  return driver_error(error);
}
WARPVP_API CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option*, void**,
                                          unsigned, int*, void**, unsigned) {
  if (const Error error = initialized()) return error;
  if (library == nullptr) return kInvalidValue;
  CUmodule module = nullptr;
  const Error error = load_driver_module_file(file, module);
  *library = reinterpret_cast<CUlibrary>(module);
  return driver_error(error);
}
WARPVP_API CUresult cuLibraryUnload(CUlibrary library) {
  if (const Error error = initialized()) return error;
  return unload_driver_module(module_of(library));
}
WARPVP_API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  if (const Error error = initialized()) return error;
  if (kernel == nullptr) return kInvalidValue;
  DriverKernel* found = nullptr;
  const Error error = find_in_module(module_of(library), name, found);
  *kernel = reinterpret_cast<CUkernel>(found);
  return driver_error(error);
}
WARPVP_API CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  if (const Error error = in_context()) return error;
  if (module == nullptr) return kInvalidValue;
  *module = module_of(library);
  return kSuccess;
}
WARPVP_API CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library,
                                       const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, module_of(library), name);
}

WARPVP_API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  if (const Error error = in_context()) return error;
  if (function == nullptr) return kInvalidValue;
  if (find_driver_kernel(kernel) == nullptr) return kInvalidResourceHandle;
  *function = function_of(kernel);
  return kSuccess;
}
WARPVP_API CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  CUmodule module = nullptr;
  if (library == nullptr) return kInvalidValue;
  const CUresult error = cuFuncGetModule(&module, function_of(kernel));
  if (error == kSuccess) *library = reinterpret_cast<CUlibrary>(module);
  return error;
}
WARPVP_API CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                                         CUdevice device) {
  if (const Error error = check_device(device)) return error;
  return cuFuncGetAttribute(value, attribute, function_of(kernel));
}
WARPVP_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                         CUdevice device) {
  if (const Error error = check_device(device)) return error;
  return cuFuncSetAttribute(function_of(kernel), attribute, value);
}
WARPVP_API CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device) {
  if (const Error error = check_device(device)) return error;
  return cuFuncSetCacheConfig(function_of(kernel), config);
}
WARPVP_API CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, function_of(kernel));
}
WARPVP_API CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset,
                                         std::size_t* bytes) {
  return cuFuncGetParamInfo(function_of(kernel), index, offset, bytes);
}
