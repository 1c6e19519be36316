// Device memory, host memory that it is copied from and to, and copies.

#include <cstring>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/memory_pools.h"
#include "sw/cuda/library/program.h"
#include "sw/cuda/library/runtime_copies.h"
#include "sw/cuda/library/shared_memory.h"

using namespace warpvp::cuda;

namespace {

constexpr std::size_t kPitchUnit = 512;

Error allocate(void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(bytes));
  Answer answer = Connection::instance().call(Call::kAllocate, arguments);
  if (answer.error == kSuccess) *pointer = reinterpret_cast<void*>(answer.in.get<std::uint64_t>());
  return answer.error;
}

cudaError_t put_fill(void* at, std::size_t pitch, int value, std::size_t width, std::size_t height,
                     cudaStream_t stream) {
  NodeWork work;
  work.fill = {at, pitch, static_cast<unsigned>(value) & 0xff, 1, width, height};
  return done(put(stream, NodeType::kMemset, work, run_fill));
}
BlockCopy rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height, cudaMemcpyKind kind) {
  BlockCopy what = plain_copy(to, from, width, kind);
  what.to.pitch = to_pitch;
  what.from.pitch = from_pitch;
  what.height = height;
  return what;
}

std::uint64_t of_symbol(const void* symbol, std::size_t bytes, std::size_t offset, Error& error) {
  const VariableOfProgram* const variable = find_variable(symbol, error);
  if (variable == nullptr) return 0;
  if (offset > variable->bytes || bytes > variable->bytes - offset) error = kInvalidValue;
  return variable->address + offset;
}

/// One that the caller waits for.
cudaError_t copy_symbol(const void* symbol, std::size_t offset, const void* other, std::size_t bytes,
                        cudaMemcpyKind kind, bool to_symbol) {
  BlockCopy what;
  const Error error = copy_of_symbol(symbol, offset, other, bytes, kind, to_symbol, what);
  return done(error != kSuccess ? error : copy_block(what, kLegacyStream, true));
}
cudaError_t put_symbol(const void* symbol, std::size_t offset, const void* other, std::size_t bytes,
                       cudaMemcpyKind kind, bool to_symbol, cudaStream_t stream) {
  BlockCopy what;
  const Error error = copy_of_symbol(symbol, offset, other, bytes, kind, to_symbol, what);
  return error != kSuccess ? done(error) : put_copy(what, stream);
}

}  // namespace

namespace warpvp::cuda {

Error copy_of_symbol(const void* symbol, std::size_t offset, const void* other, std::size_t bytes,
                     cudaMemcpyKind kind, bool to_symbol, BlockCopy& what) {
  Error error;
  void* const at = reinterpret_cast<void*>(of_symbol(symbol, bytes, offset, error));
  what =
      to_symbol ? plain_copy(at, other, bytes, kind) : plain_copy(const_cast<void*>(other), at, bytes, kind);
  return error;
}

}  // namespace warpvp::cuda

// ---- device memory

WARPVP_API cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return done(allocate(pointer, bytes));
}
// In a capture, memory of the graph.
WARPVP_API cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (!is_captured(stream)) return cudaMalloc(pointer, bytes);
  NodeWork work;
  if (const Error error = GraphMemory::allocate(bytes, work.memory)) return done(error);
  *pointer = reinterpret_cast<void*>(work.memory->address());
  return done(capture(stream, NodeType::kAllocate, work));
}
WARPVP_API cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                       std::size_t height) {
  *pitch = (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  return cudaMalloc(pointer, *pitch * height);
}
WARPVP_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}
WARPVP_API cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  Error error;
  *pointer = allocate_shared(bytes, SharedKind::kManaged, flags, error);
  return done(error);
}
WARPVP_API cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return done(Connection::instance().open());  // programs begin with this
  if (is_graph_memory(pointer)) return kSuccess;                       // until the graph goes
  if (is_pool_memory(pointer)) return done(free_pool_memory(pointer));
  if (is_pinned(pointer)) return done(kInvalidValue);
  if (is_managed(pointer)) return done(free_shared(pointer, SharedKind::kManaged));
  Writer arguments;
  arguments.put(address_of(pointer));
  return done(Connection::instance().call(Call::kFree, arguments).error);
}
WARPVP_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!is_captured(stream)) return cudaFree(pointer);
  NodeWork work;
  work.freed = address_of(pointer);
  return done(is_graph_memory(pointer) ? capture(stream, NodeType::kFree, work) : kInvalidValue);
}
WARPVP_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  Answer answer = Connection::instance().call(Call::kMemoryUse);
  if (answer.error == kSuccess) {
    *free = answer.in.get<std::uint64_t>();
    *total = answer.in.get<std::uint64_t>();
  }
  return done(answer.error);
}

// ---- host memory

WARPVP_API cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr) return done(kInvalidValue);
  Error error;
  *pointer = allocate_shared(bytes, SharedKind::kPinned, flags, error);
  return done(error);
}
WARPVP_API cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}
WARPVP_API cudaError_t cudaFreeHost(void* pointer) {
  return done(pointer == nullptr ? kSuccess : free_shared(pointer, SharedKind::kPinned));
}
WARPVP_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  SharedRange range;
  if (device == nullptr || !find_shared(host, range)) return done(kInvalidValue);
  *device = reinterpret_cast<void*>(on_the_device(host));
  return done(range.device != 0 ? kSuccess : kNotSupported);
}
WARPVP_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  SharedRange range;
  if (flags == nullptr || !find_shared(host, range) || is_managed(host)) return done(kInvalidValue);
  *flags = range.flags;
  return kSuccess;
}
WARPVP_API cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return done(register_shared(pointer, bytes, flags));
}
WARPVP_API cudaError_t cudaHostUnregister(void* pointer) { return done(unregister_shared(pointer)); }

WARPVP_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  enum { kUnregistered, kHost, kDevice, kManagedMemory };
  *attributes = {};
  void* const p = const_cast<void*>(pointer);
  SharedRange range;
  if (find_shared(pointer, range)) {
    attributes->type = is_managed(pointer) ? kManagedMemory : kHost;
    attributes->devicePointer = range.device != 0 ? reinterpret_cast<void*>(on_the_device(p)) : nullptr;
    attributes->hostPointer = p;
  } else if (on_device(pointer)) {
    attributes->type = kDevice;
    attributes->devicePointer = p;
  } else {
    attributes->type = kUnregistered;
    attributes->device = -2;
    attributes->hostPointer = p;
  }
  return kSuccess;
}

// Hints.
WARPVP_API cudaError_t cudaMemAdvise(const void*, std::size_t, int, int) { return kSuccess; }
WARPVP_API cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return kSuccess; }
WARPVP_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return kSuccess;
}

// ---- copies

WARPVP_API cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return done(copy(to, from, bytes, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  if (is_captured(stream)) return put_copy(plain_copy(to, from, bytes, kind), stream);
  return done(copy(to, from, bytes, kind, stream_id(stream), returns_late(to, from, kind)));
}
WARPVP_API cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return done(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                         std::size_t from_pitch, std::size_t width, std::size_t height,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return put_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), stream);
}
WARPVP_API cudaError_t cudaMemset(void* at, int value, std::size_t bytes) {
  return done(fill(address_of(at), value, bytes, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  return put_fill(at, bytes, value, bytes, 1, stream);
}
WARPVP_API cudaError_t cudaMemset2D(void* at, std::size_t pitch, int value, std::size_t width,
                                    std::size_t height) {
  return done(fill_rows(at, pitch, value, width, height, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width,
                                         std::size_t height, cudaStream_t stream) {
  return put_fill(at, pitch, value, width, height, stream);
}
WARPVP_API cudaError_t cudaMemset3D(cudaPitchedPtr at, int value, cudaExtent extent) {
  return done(
      fill_rows(at.ptr, at.pitch, value, extent.width, extent.height * extent.depth, kLegacyStream, true));
}

WARPVP_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr at, int value, cudaExtent extent,
                                         cudaStream_t stream) {
  return put_fill(at.ptr, at.pitch, value, extent.width, extent.height * extent.depth, stream);
}

// ---- variables

WARPVP_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                          std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, from, bytes, kind, true);
}
WARPVP_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                            std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, to, bytes, kind, false);
}
WARPVP_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                               std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return put_symbol(symbol, offset, from, bytes, kind, true, stream);
}
WARPVP_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return put_symbol(symbol, offset, to, bytes, kind, false, stream);
}
WARPVP_API cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  Error error;
  const VariableOfProgram* const variable = find_variable(symbol, error);
  if (variable != nullptr) *address = reinterpret_cast<void*>(variable->address);
  return done(error);
}
WARPVP_API cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  Error error;
  const VariableOfProgram* const variable = find_variable(symbol, error);
  if (variable != nullptr) *bytes = variable->bytes;
  return done(error);
}
