// Memory pools (memory_pools.h) for programs of the driver.

#include <cstring>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/memory_pools.h"

using namespace warpvp::cuda;

namespace {
constexpr int kLastOfPolicies = 3,
              kLastAttribute = 11;  // CU_MEMPOOL_ATTR_...: policies are ints, all others 64 bits
constexpr int kOnDevice = 1, kPinnedType = 1, kReadWrite = 3;  // CU_MEM_..., CU_MEM_ACCESS_FLAGS_...

// A pool is of a device: it needs no context.
CUresult usable(CUmemoryPool pool) {
  if (const Error error = initialized()) return error;
  return pool_of(pool) ? kSuccess : kInvalidValue;
}
CUresult give(CUmemoryPool* pool, const PoolProperties& what) {
  PoolKind kind;
  if (pool == nullptr) return kInvalidValue;
  if (const Error error = find_pool(what, kind)) return error;
  *pool = static_cast<CUmemoryPool>(handle_of(kind));
  return kSuccess;
}
}  // namespace

WARPVP_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  return give(pool, {kPinnedType, 0, kOnDevice, 0});
}
WARPVP_API CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
WARPVP_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  if (const Error error = check_device(device)) return error;
  return usable(pool);
}
WARPVP_API CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location, int type) {
  if (const Error error = initialized()) return error;
  return location == nullptr ? CUresult{kInvalidValue} : give(pool, {type, 0, location->type, location->id});
}
WARPVP_API CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, int type) {
  return cuMemGetDefaultMemPool(pool, location, type);
}
WARPVP_API CUresult cuMemSetMemPool(CUmemLocation* location, int type, CUmemoryPool pool) {
  CUmemoryPool its{};
  if (const CUresult error = cuMemGetDefaultMemPool(&its, location, type)) return error;
  return its == pool ? kSuccess : kInvalidValue;
}
WARPVP_API CUresult cuMemPoolCreate(CUmemoryPool* pool, const PoolProperties* what) {
  if (const Error error = initialized()) return error;
  return what == nullptr ? CUresult{kInvalidValue} : give(pool, *what);
}
WARPVP_API CUresult cuMemPoolDestroy(CUmemoryPool pool) { return usable(pool); }
WARPVP_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) { return usable(pool); }
WARPVP_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int, void* value) {
  return value == nullptr ? CUresult{kInvalidValue} : usable(pool);
}
WARPVP_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void* value) {
  if (const CUresult error = usable(pool)) return error;
  if (value == nullptr || attribute < 1 || attribute > kLastAttribute) return kInvalidValue;
  std::memset(value, 0, attribute <= kLastOfPolicies ? sizeof(int) : sizeof(std::uint64_t));
  return kSuccess;
}
WARPVP_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc*, std::size_t) {
  return usable(pool);
}
WARPVP_API CUresult cuMemPoolGetAccess(int* flags, CUmemoryPool pool, CUmemLocation* location) {
  if (const CUresult error = usable(pool)) return error;
  if (flags == nullptr || location == nullptr) return kInvalidValue;
  *flags = location->type == kOnDevice && location->id == 0 ? kReadWrite : 0;
  return kSuccess;
}
WARPVP_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                            CUstream stream) {
  if (const Error error = in_context_of(stream)) return error;
  if (const CUresult error = usable(pool)) return error;
  const PoolKind kind = *pool_of(pool);
  if (kind == PoolKind::kDevice) return cuMemAllocAsync(address, bytes, stream);
  if (address == nullptr) return kInvalidValue;
  if (is_captured(stream)) return kNotSupported;
  void* pointer = nullptr;
  const Error error = allocate_from(kind, bytes, pointer);
  *address = address_of(pointer);
  return driver_error(error);
}
