// Memory pools, of a device that keeps no memory back: what a pool hands out is allocated, and what is given
// back to it is free.

#include <cstring>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {
/// Handles of pools mean nothing but that they are not null.
char pool_mark;
constexpr int kLastOfPolicies = 3,
              kLastAttribute = 11;            // CU_MEMPOOL_ATTR_...: policies are ints, all others 64 bits
constexpr int kOnDevice = 1, kReadWrite = 3;  // CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_...

CUresult usable(CUmemoryPool pool) {
  if (const Error error = in_context()) return error;
  return pool == reinterpret_cast<CUmemoryPool>(&pool_mark) ? kSuccess : kInvalidValue;
}
}  // namespace

WARPVP_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  if (pool == nullptr) return kInvalidValue;
  *pool = reinterpret_cast<CUmemoryPool>(&pool_mark);
  return kSuccess;
}
WARPVP_API CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
WARPVP_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  if (const Error error = check_device(device)) return error;
  return usable(pool);
}
WARPVP_API CUresult cuMemPoolCreate(CUmemoryPool* pool, const void* what) {
  return what == nullptr ? CUresult{kInvalidValue} : cuDeviceGetDefaultMemPool(pool, 0);
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
  const CUresult error = usable(pool);
  return error != kSuccess ? error : cuMemAllocAsync(address, bytes, stream);
}
