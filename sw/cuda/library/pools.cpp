// Memory pools (memory_pools.h), peers and hints, of a device that has no peer.

#include <cstdint>
#include <cstring>
#include <optional>

#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/memory_pools.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {
constexpr int kOnDevice = 1, kPinnedType = 1, kReadWrite = 3;  // cudaMem..., cudaMemAccessFlagsProtReadWrite
constexpr Error kPeerNotEnabled = static_cast<Error>(705);
}  // namespace

WARPVP_API cudaError_t cudaMallocAsync(void**, std::size_t, cudaStream_t);
WARPVP_API cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
WARPVP_API cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);

namespace {
cudaError_t give(void** pool, const PoolProperties& what) {
  PoolKind kind;
  if (pool == nullptr) return done(kInvalidValue);
  if (const Error error = find_pool(what, kind)) return done(error);
  *pool = handle_of(kind);
  return kSuccess;
}
}  // namespace

WARPVP_API cudaError_t cudaDeviceGetDefaultMemPool(void** pool, int device) {
  return give(pool, {kPinnedType, 0, kOnDevice, device});
}
WARPVP_API cudaError_t cudaDeviceGetMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
WARPVP_API cudaError_t cudaDeviceSetMemPool(int device, void*) {
  return done(device == 0 ? kSuccess : kInvalidDevice);
}
WARPVP_API cudaError_t cudaMemGetDefaultMemPool(void** pool, const int* location, int type) {
  return location == nullptr ? done(kInvalidValue) : give(pool, {type, 0, location[0], location[1]});
}
WARPVP_API cudaError_t cudaMemGetMemPool(void** pool, const int* location, int type) {
  return cudaMemGetDefaultMemPool(pool, location, type);
}
WARPVP_API cudaError_t cudaMemSetMemPool(const int* location, int type, void* pool) {
  void* its = nullptr;
  if (const cudaError_t error = cudaMemGetDefaultMemPool(&its, location, type)) return error;
  return done(its == pool ? kSuccess : kInvalidValue);
}
WARPVP_API cudaError_t cudaMemPoolCreate(void** pool, const PoolProperties* what) {
  return what == nullptr ? done(kInvalidValue) : give(pool, *what);
}
WARPVP_API cudaError_t cudaMemPoolDestroy(void*) { return kSuccess; }
WARPVP_API cudaError_t cudaMemPoolTrimTo(void*, std::size_t) { return kSuccess; }
WARPVP_API cudaError_t cudaMemPoolSetAttribute(void*, int, void*) { return kSuccess; }
WARPVP_API cudaError_t cudaMemPoolGetAttribute(void*, int attribute, void* value) {
  // Reuse policies are ints, the others 64 bits.
  std::memset(value, 0, attribute <= 3 ? sizeof(int) : sizeof(std::uint64_t));
  return kSuccess;
}
WARPVP_API cudaError_t cudaMemPoolSetAccess(void*, const void*, std::size_t) { return kSuccess; }
WARPVP_API cudaError_t cudaMemPoolGetAccess(int* flags, void*, const int* location) {
  if (flags == nullptr || location == nullptr) return done(kInvalidValue);
  *flags = location[0] == kOnDevice && location[1] == 0 ? kReadWrite : 0;
  return kSuccess;
}
WARPVP_API cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void* pool,
                                               cudaStream_t stream) {
  const std::optional<PoolKind> kind = pool_of(pool);
  if (!kind) return done(kInvalidValue);
  if (*kind == PoolKind::kDevice) return cudaMallocAsync(pointer, bytes, stream);
  if (pointer == nullptr) return done(kInvalidValue);
  return done(is_captured(stream) ? kNotSupported : allocate_from(*kind, bytes, *pointer));
}

WARPVP_API cudaError_t cudaDeviceDisablePeerAccess(int) { return done(kPeerNotEnabled); }
WARPVP_API cudaError_t cudaDeviceGetP2PAttribute(int* value, int, int, int) {
  *value = 0;
  return kSuccess;
}
WARPVP_API cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
WARPVP_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                           cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

// What an L2 keeps for a stream is its own choice.
WARPVP_API cudaError_t cudaStreamSetAttribute(cudaStream_t, int, const void*) { return kSuccess; }
WARPVP_API cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return kSuccess; }
WARPVP_API cudaError_t cudaCtxResetPersistingL2Cache() { return kSuccess; }
