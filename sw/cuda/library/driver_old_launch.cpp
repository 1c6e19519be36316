// Launches as before CUDA 4 (driver API, "Execution Control [DEPRECATED]"): a function keeps the shape of its
// CTAs and its arguments from call to call. PyCUDA still calls some of it.

#include <cstring>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

constexpr std::size_t kMostArguments = 4096;  // bytes, of chips before compute capability 7.0

/// kInvalidResourceHandle: it is no function.
Error find(CUfunction function, DriverKernel*& kernel) {
  if (const Error error = in_context()) return error;
  kernel = find_driver_kernel(function);
  return kernel != nullptr ? kSuccess : kInvalidResourceHandle;
}

CUresult set_argument(CUfunction function, int offset, const void* value, std::size_t bytes) {
  DriverKernel* kernel = nullptr;
  if (const Error error = find(function, kernel)) return error;
  if (value == nullptr || offset < 0 || bytes > kMostArguments ||
      static_cast<std::size_t>(offset) > kMostArguments - bytes)
    return kInvalidValue;
  std::vector<std::uint8_t>& all = kernel->prepared.arguments;
  if (all.size() < static_cast<std::size_t>(offset) + bytes)
    all.resize(static_cast<std::size_t>(offset) + bytes);
  std::memcpy(all.data() + offset, value, bytes);
  return kSuccess;
}

CUresult launch(CUfunction function, int columns, int rows, CUstream stream) {
  DriverKernel* kernel = nullptr;
  if (const Error error = find(function, kernel)) return error;
  if (columns <= 0 || rows <= 0) return kInvalidValue;
  DriverKernel::Prepared& p = kernel->prepared;
  std::size_t bytes = p.arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, p.arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(function, static_cast<unsigned>(columns), static_cast<unsigned>(rows), 1, p.block[0],
                        p.block[1], p.block[2], p.shared, stream, nullptr, extra);
}

}  // namespace

WARPVP_API CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  DriverKernel* kernel = nullptr;
  if (const Error error = find(function, kernel)) return error;
  if (x <= 0 || y <= 0 || z <= 0) return kInvalidValue;
  const unsigned shape[] = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
  std::memcpy(kernel->prepared.block, shape, sizeof shape);
  return kSuccess;
}
WARPVP_API CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  DriverKernel* kernel = nullptr;
  if (const Error error = find(function, kernel)) return error;
  kernel->prepared.shared = bytes;
  return kSuccess;
}
WARPVP_API CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  DriverKernel* kernel = nullptr;
  if (const Error error = find(function, kernel)) return error;
  if (bytes > kMostArguments) return kInvalidValue;
  kernel->prepared.arguments.resize(bytes);
  return kSuccess;
}
WARPVP_API CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return set_argument(function, offset, &value, sizeof value);
}
WARPVP_API CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return set_argument(function, offset, &value, sizeof value);
}
WARPVP_API CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes) {
  return set_argument(function, offset, value, bytes);
}
WARPVP_API CUresult cuLaunch(CUfunction function) { return launch(function, 1, 1, nullptr); }
WARPVP_API CUresult cuLaunchGrid(CUfunction function, int columns, int rows) {
  return launch(function, columns, rows, nullptr);
}
WARPVP_API CUresult cuLaunchGridAsync(CUfunction function, int columns, int rows, CUstream stream) {
  return launch(function, columns, rows, stream);
}
