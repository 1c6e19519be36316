// Launches.

#include <cstring>

#include "sw/cuda/library/driver_copies.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"

using namespace warpvp::cuda;

namespace {

/// The buffer of arguments that `extra` describes.
Error find_buffer(void** extra, const char*& buffer, std::size_t& bytes) {
  bool sized = false;
  buffer = nullptr;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = static_cast<const char*>(at[1]);
    } else if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE && at[1] != nullptr) {
      bytes = *static_cast<const std::size_t*>(at[1]);
      sized = true;
    } else {
      return kInvalidValue;
    }
  }
  return buffer != nullptr && sized ? kSuccess : kInvalidValue;
}

/// Each argument's bytes, end to end.
Error put_arguments(std::vector<std::uint8_t>& to, const DriverKernel& kernel, void** arguments,
                    void** extra) {
  to.clear();
  const auto put_bytes = [&to](const void* from, std::size_t bytes) {
    const auto* const at = static_cast<const std::uint8_t*>(from);
    to.insert(to.end(), at, at + bytes);
  };
  if (arguments != nullptr && extra != nullptr) return kInvalidValue;
  if (kernel.parameters.empty()) return kSuccess;
  if (arguments != nullptr) {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
      put_bytes(arguments[i], kernel.parameters[i].bytes);
    return kSuccess;
  }
  if (extra == nullptr) return kInvalidValue;
  const char* buffer = nullptr;
  std::size_t bytes = 0;
  if (const Error error = find_buffer(extra, buffer, bytes)) return error;
  for (const DriverKernel::Parameter& parameter : kernel.parameters) {
    if (std::size_t{parameter.offset} + parameter.bytes > bytes) return kInvalidValue;
    put_bytes(buffer + parameter.offset, parameter.bytes);
  }
  return kSuccess;
}

CUresult launch(CUfunction function, const Launch& what, CUstream stream, void** arguments, void** extra) {
  if (const Error error = in_context()) return error;
  NodeWork work;
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  if (const Error error = read_call(function, what, arguments, extra, work.kernel)) return error;
  return driver_error(put(stream, NodeType::kKernel, work, run_kernel));
}

}  // namespace

namespace warpvp::cuda {

Error read_call(CUfunction function, const Launch& shape, void** arguments, void** extra, KernelCall& call) {
  const DriverKernel* const kernel = find_driver_kernel(function);
  if (kernel == nullptr) return kInvalidResourceHandle;
  if (std::int64_t{shape.dynamic_shared_bytes} > kernel->most_dynamic_shared) return kInvalidValue;
  call.function = function;
  call.what = shape;
  call.what.kernel = kernel->id;
  return put_arguments(call.arguments, *kernel, arguments, extra);
}

}  // namespace warpvp::cuda

WARPVP_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** arguments, void** extra) {
  const Launch what = {0, 0, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, 0};
  return launch(function, what, stream, arguments, extra);
}
WARPVP_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                              unsigned grid_z, unsigned block_x, unsigned block_y,
                                              unsigned block_z, unsigned shared, CUstream stream,
                                              void** arguments) {
  const Launch what = {0, 0, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, 1};
  return launch(function, what, stream, arguments, nullptr);
}
WARPVP_API CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                                     void** extra) {
  if (const Error error = in_context()) return error;
  if (config == nullptr) return kInvalidValue;
  Launch what = {0,
                 0,
                 {config->gridDimX, config->gridDimY, config->gridDimZ},
                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                 config->sharedMemBytes,
                 0};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) what.cooperative = attribute.value.cooperative != 0;
    const auto& cluster = attribute.value.clusterDim;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
        (cluster.x != 1 || cluster.y != 1 || cluster.z != 1))
      return kNotSupported;
  }
  return launch(function, what, config->hStream, arguments, extra);
}
