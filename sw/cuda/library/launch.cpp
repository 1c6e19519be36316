// Launches, and what can be asked of kernels.

#include <algorithm>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/program.h"
#include "sw/cuda/library/runtime_copies.h"

using namespace warpvp::cuda;

namespace {

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, bool cooperative) {
  NodeWork work;
  if (const Error error = read_call(function, grid, block, arguments, shared, cooperative, work.kernel))
    return done(error);
  return done(put(stream, NodeType::kKernel, work, run_kernel));
}

/// As cudaLaunchKernelExC takes it.
struct LaunchAttribute {
  std::uint32_t id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
struct LaunchConfig {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  const LaunchAttribute* attributes;
  unsigned count;
};
constexpr std::uint32_t kCooperative = 2, kClusterDimension = 4;  // cudaLaunchAttributeID

}  // namespace

namespace warpvp::cuda {

Error read_call(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                bool cooperative, KernelCall& call) {
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel == nullptr) return error;
  if (arguments == nullptr && !kernel->parameters.empty()) return kInvalidValue;
  call.function = function;
  call.what = {kernel->id,
               0,
               {grid.x, grid.y, grid.z},
               {block.x, block.y, block.z},
               static_cast<std::uint32_t>(shared),
               cooperative};
  call.arguments.clear();
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
    const auto* const bytes = static_cast<const std::uint8_t*>(arguments[i]);
    call.arguments.insert(call.arguments.end(), bytes, bytes + kernel->parameters[i]);
  }
  return kSuccess;
}

}  // namespace warpvp::cuda

WARPVP_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, false);
}
WARPVP_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                   void** arguments, std::size_t shared,
                                                   cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, true);
}
WARPVP_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                          std::size_t shared, cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, false);
}
WARPVP_API cudaError_t cudaLaunchKernelExC(const LaunchConfig* config, const void* function,
                                           void** arguments) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->count; ++i) {
    const LaunchAttribute& attribute = config->attributes[i];
    if (attribute.id == kCooperative) cooperative = attribute.value.cooperative != 0;
    const auto& cluster = attribute.value.cluster;
    if (attribute.id == kClusterDimension && (cluster.x != 1 || cluster.y != 1 || cluster.z != 1))
      return done(kNotSupported);
  }
  return launch(function, config->grid, config->block, arguments, config->shared, config->stream,
                cooperative);
}

WARPVP_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(kernel_handle(stub));
  return done(*kernel != nullptr ? kSuccess : kInvalidDeviceFunction);
}
WARPVP_API cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  return __cudaGetKernel(kernel, stub);
}

WARPVP_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel == nullptr) return done(error);
  const DeviceFacts& device = Connection::instance().facts();
  *attributes = {};
  attributes->sharedSizeBytes = kernel->facts.static_shared_bytes;
  attributes->localSizeBytes = kernel->facts.local_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->facts.threads_per_cta);
  attributes->numRegs = static_cast<int>(kernel->facts.registers);
  attributes->ptxVersion = static_cast<int>(kernel->facts.architecture);
  attributes->binaryVersion =
      std::max(attributes->ptxVersion, static_cast<int>(device.major * 10 + device.minor));
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(device.shared_per_cta_opt_in - kernel->facts.static_shared_bytes);
  attributes->preferredShmemCarveout = -1;
  return kSuccess;
}

// The most dynamic shared memory is what the device has; how it is divided with the L1 is the SM's own
// choice.
WARPVP_API cudaError_t cudaFuncSetAttribute(const void* function, int, int) {
  Error error;
  return done(find_kernel(function, error) != nullptr ? kSuccess : error);
}
WARPVP_API cudaError_t cudaFuncSetCacheConfig(const void* function, int) {
  return cudaFuncSetAttribute(function, 0, 0);
}
WARPVP_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, int) {
  return cudaFuncSetAttribute(function, 0, 0);
}

WARPVP_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, const void* function,
                                                                              int block, std::size_t shared,
                                                                              unsigned) {
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel == nullptr) return done(error);
  Writer arguments;
  arguments.put(kernel->id).put(static_cast<std::uint32_t>(block)).put(static_cast<std::uint32_t>(shared));
  Answer answer = Connection::instance().call(Call::kOccupancy, arguments);
  if (answer.error == kSuccess) *ctas = static_cast<int>(answer.in.get<std::uint32_t>());
  return done(answer.error);
}
WARPVP_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void* function,
                                                                     int block, std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, function, block, shared, 0);
}
WARPVP_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel != nullptr && name != nullptr) *name = kernel->name.c_str();
  return done(name == nullptr ? kInvalidValue : error);
}
WARPVP_API cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                            std::size_t* bytes) {
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel == nullptr) return done(error);
  if (offset == nullptr || index >= kernel->parameters.size()) return done(kInvalidValue);
  *offset = kernel->offsets[index];
  if (bytes != nullptr) *bytes = kernel->parameters[index];
  return kSuccess;
}
// The most with which that many blocks are on an SM at once, as the device itself counts them.
WARPVP_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* function,
                                                                 int ctas, int block) {
  if (shared == nullptr || ctas <= 0 || block <= 0) return done(kInvalidValue);
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel == nullptr) return done(error);
  std::size_t fits = 0, beyond = Connection::instance().facts().shared_per_cta_opt_in + std::size_t{1};
  int found = 0;
  if (const cudaError_t failed = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, function, block, 0))
    return failed;
  if (found < ctas) return done(kInvalidValue);
  while (beyond - fits > 1) {
    const std::size_t middle = (fits + beyond) / 2;
    if (const cudaError_t failed =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, function, block, middle))
      return failed;
    (found >= ctas ? fits : beyond) = middle;
  }
  *shared = fits;
  return kSuccess;
}
