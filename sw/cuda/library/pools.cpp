// Memory pools, peers and hints, of a device that keeps no memory back and has no peer: what a pool hands out
// is allocated, and what is given back to it is free.

#include <cstdint>
#include <cstring>

#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {
/// Handles of pools mean nothing but that they are not null.
char pool_mark;
constexpr int kOnDevice = 1, kReadWrite = 3;  // cudaMemLocationTypeDevice, cudaMemAccessFlagsProtReadWrite
constexpr Error kPeerNotEnabled = static_cast<Error>(705);
}  // namespace

WARPVP_API cudaError_t cudaMallocAsync(void**, std::size_t, cudaStream_t);
WARPVP_API cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
WARPVP_API cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);

WARPVP_API cudaError_t cudaDeviceGetDefaultMemPool(void** pool, int device) {
  *pool = &pool_mark;
  return done(device == 0 ? kSuccess : kInvalidDevice);
}
WARPVP_API cudaError_t cudaDeviceGetMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
WARPVP_API cudaError_t cudaDeviceSetMemPool(int device, void*) {
  return done(device == 0 ? kSuccess : kInvalidDevice);
}
WARPVP_API cudaError_t cudaMemPoolCreate(void** pool, const void*) {
  *pool = &pool_mark;
  return kSuccess;
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
WARPVP_API cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*,
                                               cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, stream);
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
