// Device memory, host memory that it is copied from and to, and copies.

#include <cstdlib>
#include <cstring>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/graphs.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {

constexpr std::size_t kPitchUnit = 512;
constexpr unsigned kMapped = 2;  // cudaHostAllocMapped

Error allocate(void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(bytes));
  Answer answer = Connection::instance().call(Call::kAllocate, arguments);
  if (answer.error == kSuccess) *pointer = reinterpret_cast<void*>(answer.in.get<std::uint64_t>());
  return answer.error;
}

/// Puts a copy or fill into the stream, or into the graph that it is captured for.
template <class F>
cudaError_t put(NodeType type, cudaStream_t stream, F&& run) {
  if (!is_captured(stream)) return done(run(stream_id(stream)));
  return done(capture(stream, type, [run](cudaStream_t s) { return run(stream_id(s)); }));
}

std::uint64_t of_symbol(const void* symbol, std::size_t bytes, std::size_t offset, Error& error) {
  const VariableOfProgram* const variable = find_variable(symbol, error);
  if (variable == nullptr) return 0;
  if (offset > variable->bytes || bytes > variable->bytes - offset) error = kInvalidValue;
  return variable->address + offset;
}

Error copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                     cudaMemcpyKind kind, std::uint64_t stream, bool waits) {
  Error error;
  const std::uint64_t to = of_symbol(symbol, bytes, offset, error);
  return error != kSuccess ? error : copy(reinterpret_cast<void*>(to), from, bytes, kind, stream, waits);
}
Error copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                       cudaMemcpyKind kind, std::uint64_t stream, bool waits) {
  Error error;
  const std::uint64_t from = of_symbol(symbol, bytes, offset, error);
  return error != kSuccess ? error : copy(to, reinterpret_cast<void*>(from), bytes, kind, stream, waits);
}

}  // namespace

// ---- device memory

WARPVP_API cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return done(allocate(pointer, bytes));
}
WARPVP_API cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
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
WARPVP_API cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  Error error;
  *pointer = allocate_managed(bytes, error);
  return done(error);
}
WARPVP_API cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return done(Connection::instance().open());  // programs begin with this
  Writer arguments;
  arguments.put(address_of(pointer));
  const Error error = Connection::instance().call(Call::kFree, arguments).error;
  pull_managed();
  forget_managed(pointer);
  return done(error);
}
WARPVP_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
WARPVP_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  Answer answer = Connection::instance().call(Call::kMemoryUse);
  if (answer.error == kSuccess) {
    *free = answer.in.get<std::uint64_t>();
    *total = answer.in.get<std::uint64_t>();
  }
  return done(answer.error);
}

// ---- host memory

// What the device may reach is memory of both; what is only pinned is as good as any.
WARPVP_API cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags & kMapped) return cudaMallocManaged(pointer, bytes, 1);
  *pointer = nullptr;
  if (const Error error = Connection::instance().open()) return done(error);
  return done(posix_memalign(pointer, 4096, bytes == 0 ? 1 : bytes) == 0 ? kSuccess : kMemoryAllocation);
}
WARPVP_API cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}
WARPVP_API cudaError_t cudaFreeHost(void* pointer) {
  if (is_managed(pointer)) return cudaFree(pointer);
  std::free(pointer);
  return kSuccess;
}
WARPVP_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return done(is_managed(host) ? kSuccess : kNotSupported);
}
WARPVP_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  *flags = is_managed(host) ? kMapped : 0;
  return kSuccess;
}
/// Of memory that the program has already nothing can be made that the device reaches: only to be copied.
WARPVP_API cudaError_t cudaHostRegister(void*, std::size_t, unsigned flags) {
  return done(flags & kMapped ? kNotSupported : kSuccess);
}
WARPVP_API cudaError_t cudaHostUnregister(void*) { return kSuccess; }

WARPVP_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  enum { kUnregistered, kHost, kDevice, kManagedMemory };
  *attributes = {};
  void* const p = const_cast<void*>(pointer);
  if (is_managed(pointer)) {
    attributes->type = kManagedMemory;
    attributes->devicePointer = attributes->hostPointer = p;
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
  return put(NodeType::kMemcpy, stream,
             [=](std::uint64_t s) { return copy(to, from, bytes, kind, s, false); });
}
WARPVP_API cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return done(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                         std::size_t from_pitch, std::size_t width, std::size_t height,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return put(NodeType::kMemcpy, stream, [=](std::uint64_t s) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, s, false);
  });
}
WARPVP_API cudaError_t cudaMemset(void* at, int value, std::size_t bytes) {
  return done(fill(address_of(at), value, bytes, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  return put(NodeType::kMemset, stream,
             [=](std::uint64_t s) { return fill(address_of(at), value, bytes, s, false); });
}
WARPVP_API cudaError_t cudaMemset2D(void* at, std::size_t pitch, int value, std::size_t width,
                                    std::size_t height) {
  return done(fill_rows(at, pitch, value, width, height, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width,
                                         std::size_t height, cudaStream_t stream) {
  return put(NodeType::kMemset, stream,
             [=](std::uint64_t s) { return fill_rows(at, pitch, value, width, height, s, false); });
}
WARPVP_API cudaError_t cudaMemset3D(cudaPitchedPtr at, int value, cudaExtent extent) {
  return done(
      fill_rows(at.ptr, at.pitch, value, extent.width, extent.height * extent.depth, kLegacyStream, true));
}

// ---- variables

WARPVP_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                          std::size_t offset, cudaMemcpyKind kind) {
  return done(copy_to_symbol(symbol, from, bytes, offset, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                            std::size_t offset, cudaMemcpyKind kind) {
  return done(copy_from_symbol(to, symbol, bytes, offset, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                               std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return put(NodeType::kMemcpy, stream,
             [=](std::uint64_t s) { return copy_to_symbol(symbol, from, bytes, offset, kind, s, false); });
}
WARPVP_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return put(NodeType::kMemcpy, stream,
             [=](std::uint64_t s) { return copy_from_symbol(to, symbol, bytes, offset, kind, s, false); });
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
