// What can be asked of kernels, and how many of their blocks fit.

#include <algorithm>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

/// nullptr: `error` says why there is none. Kernels of libraries need no context, so that none is asked for.
DriverKernel* usable(CUfunction function, Error& error) {
  DriverKernel* kernel = nullptr;
  if ((error = initialized()) != kSuccess) return nullptr;
  kernel = find_driver_kernel(function);
  if (kernel == nullptr) error = kInvalidResourceHandle;
  return kernel;
}

CUresult check(CUfunction function) {
  Error error;
  usable(function, error);
  return error;
}

CUresult occupancy(const DriverKernel& kernel, int block, std::size_t shared, int& ctas) {
  if (block <= 0) return kInvalidValue;
  Writer arguments;
  arguments.put(kernel.id).put(static_cast<std::uint32_t>(block)).put(static_cast<std::uint32_t>(shared));
  Answer answer = Connection::instance().call(Call::kOccupancy, arguments);
  if (answer.error == kSuccess) ctas = static_cast<int>(answer.in.get<std::uint32_t>());
  return driver_error(answer.error);
}

}  // namespace

WARPVP_API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  Error error;
  const DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  if (value == nullptr) return kInvalidValue;
  const DeviceFacts& device = Connection::instance().facts();
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(kernel->facts.threads_per_cta);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel->facts.static_shared_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(kernel->facts.local_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = static_cast<int>(kernel->facts.registers);
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = static_cast<int>(device.major * 10 + device.minor);
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = kernel->most_dynamic_shared;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = kernel->carveout;
      break;
    default:
      if (attribute < 0 || attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        return kInvalidValue;
      *value = 0;
  }
  return kSuccess;
}
// How shared memory is divided with the L1 is the SM's own choice.
WARPVP_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  Error error;
  DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) return kInvalidValue;
    kernel->carveout = value;
    return kSuccess;
  }
  const auto most = static_cast<std::int64_t>(Connection::instance().facts().shared_per_cta_opt_in);
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      value > most - kernel->facts.static_shared_bytes)
    return kInvalidValue;
  kernel->most_dynamic_shared = value;
  return kSuccess;
}
WARPVP_API CUresult cuFuncSetCacheConfig(CUfunction function, int) { return check(function); }
WARPVP_API CUresult cuFuncSetSharedMemConfig(CUfunction function, int) { return check(function); }
WARPVP_API CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  Error error;
  const DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  if (module == nullptr) return kInvalidValue;
  *module = kernel->module;
  return kSuccess;
}
WARPVP_API CUresult cuFuncGetName(const char** name, CUfunction function) {
  Error error;
  const DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  if (name == nullptr) return kInvalidValue;
  *name = kernel->name.c_str();
  return kSuccess;
}
WARPVP_API CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                                       std::size_t* bytes) {
  Error error;
  const DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  if (offset == nullptr || index >= kernel->parameters.size()) return kInvalidValue;
  *offset = kernel->parameters[index].offset;
  if (bytes != nullptr) *bytes = kernel->parameters[index].bytes;
  return kSuccess;
}
WARPVP_API CUresult cuFuncIsLoaded(int* state, CUfunction function) {
  if (const CUresult error = check(function)) return error;
  if (state == nullptr) return kInvalidValue;
  *state = 1;  // CU_FUNCTION_LOADING_STATE_LOADED
  return kSuccess;
}
WARPVP_API CUresult cuFuncLoad(CUfunction function) { return check(function); }

WARPVP_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, CUfunction function,
                                                                         int block, std::size_t shared,
                                                                         unsigned) {
  if (const Error error = in_context()) return error;
  Error error;
  const DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  return ctas == nullptr ? CUresult{kInvalidValue} : occupancy(*kernel, block, shared, *ctas);
}
WARPVP_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, CUfunction function, int block,
                                                                std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, function, block, shared, 0);
}

// The largest block of whole warps with which most threads are on an SM, and as many as fill all.
WARPVP_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                              CUoccupancyB2DSize shared_of_block,
                                                              std::size_t shared, int limit, unsigned) {
  if (const Error error = in_context()) return error;
  Error error;
  const DriverKernel* const kernel = usable(function, error);
  if (kernel == nullptr) return error;
  if (grid == nullptr || block == nullptr || limit < 0) return kInvalidValue;
  const DeviceFacts& device = Connection::instance().facts();
  int most = static_cast<int>(std::min(kernel->facts.threads_per_cta, device.threads_per_cta));
  if (limit != 0) most = std::min(most, limit);
  constexpr int kWarp = 32;
  int most_threads = 0;
  *grid = *block = 0;
  for (int rounded = (most + kWarp - 1) / kWarp * kWarp; rounded > 0; rounded -= kWarp) {
    const int threads = std::min(rounded, most);
    int ctas = 0;
    const std::size_t dynamic = shared_of_block != nullptr ? shared_of_block(threads) : shared;
    if (const CUresult failed = occupancy(*kernel, threads, dynamic, ctas)) return failed;
    if (ctas * threads <= most_threads) continue;
    most_threads = ctas * threads;
    *block = threads;
    *grid = ctas * static_cast<int>(device.sms);
  }
  return kSuccess;
}
WARPVP_API CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                     CUoccupancyB2DSize shared_of_block, std::size_t shared,
                                                     int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of_block, shared, limit, 0);
}
