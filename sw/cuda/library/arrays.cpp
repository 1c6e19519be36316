// CUDA arrays, copies from and to them, and textures and surfaces (arrays.h).

#include "sw/cuda/library/arrays.h"

#include <algorithm>

#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/program.h"
#include "sw/cuda/library/runtime_copies.h"

using namespace warpvp::cuda;

namespace {

/// A run of bytes that goes on in the next row where one ends.
Error copy_run(const Array& array, std::size_t x, std::size_t y, char* other, std::size_t bytes,
               cudaMemcpyKind kind, bool to_array, std::uint64_t stream) {
  const std::size_t row = array.extent.width * texel_bytes(array.format);
  while (bytes != 0) {
    const std::size_t piece = std::min(bytes, row - std::min(x, row));
    if (piece == 0) return kInvalidValue;
    char* const place = array.texel(x, y, 0);
    if (const Error error =
            copy(to_array ? place : other, to_array ? other : place, piece, kind, stream, true))
      return error;
    other += piece;
    bytes -= piece;
    x = 0;
    ++y;
  }
  return kSuccess;
}

/// One that goes on in the next row where one ends, from the place (x, y) of the array on.
Error copy_run_of(cudaArray_t handle, std::size_t x, std::size_t y, void* other, std::size_t bytes,
                  cudaMemcpyKind kind, bool to_array) {
  const Array* const array = find_array(handle);
  if (array == nullptr) return kInvalidResourceHandle;
  return copy_run(*array, x, y, static_cast<char*>(other), bytes, kind, to_array, kLegacyStream);
}

BlockCopy rows_of_array(cudaArray_t array, std::size_t x, std::size_t y, const void* memory,
                        std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                        bool to_array) {
  BlockCopy what;
  CopySide &in_array = to_array ? what.to : what.from, &other = to_array ? what.from : what.to;
  in_array.array = array;
  in_array.x = x;
  in_array.y = y;
  other.memory = const_cast<void*>(memory);
  other.pitch = pitch;
  what.width = width;
  what.height = height;
  what.kind = kind;
  return what;
}

/// A copy that the caller waits for.
cudaError_t now(const BlockCopy& what) { return done(copy_block(what, kLegacyStream, true)); }

}  // namespace

namespace warpvp::cuda {

Error read_block(const cudaMemcpy3DParms* p, BlockCopy& what) {
  if (p == nullptr) return kInvalidValue;
  const Array* const array = find_array(p->srcArray != nullptr ? p->srcArray : p->dstArray);
  if (array == nullptr && (p->srcArray != nullptr || p->dstArray != nullptr)) return kInvalidResourceHandle;
  // Where an array takes part, texels count, on its side and in the block.
  const std::size_t unit = array != nullptr ? texel_bytes(array->format) : 1;
  const auto side = [unit](cudaArray_t handle, const cudaPos& at, const cudaPitchedPtr& plain) {
    return CopySide{handle, plain.ptr, plain.pitch, plain.ysize, at.x * (handle != nullptr ? unit : 1),
                    at.y,   at.z};
  };
  what.from = side(p->srcArray, p->srcPos, p->srcPtr);
  what.to = side(p->dstArray, p->dstPos, p->dstPtr);
  what.width = p->extent.width * unit;
  what.height = p->extent.height;
  what.depth = p->extent.depth;
  what.kind = p->kind;
  return kSuccess;
}

Error write_block(const BlockCopy& what, cudaMemcpy3DParms* p) {
  if (p == nullptr) return kInvalidValue;
  const Array* const array = find_array(what.from.array != nullptr ? what.from.array : what.to.array);
  const std::size_t unit = array != nullptr ? texel_bytes(array->format) : 1;
  const auto side = [unit](const CopySide& from, cudaArray_t& handle, cudaPos& at, cudaPitchedPtr& plain) {
    handle = static_cast<cudaArray_t>(from.array);
    at = {from.x / (from.array != nullptr ? unit : 1), from.y, from.z};
    plain = {from.memory, from.pitch, from.pitch, from.rows};
  };
  side(what.from, p->srcArray, p->srcPos, p->srcPtr);
  side(what.to, p->dstArray, p->dstPos, p->dstPtr);
  p->extent = {what.width / unit, what.height, what.depth};
  p->kind = what.kind;
  return kSuccess;
}

cudaError_t put_copy(const BlockCopy& what, cudaStream_t stream) {
  NodeWork work;
  work.copy = what;
  return done(put(stream, NodeType::kMemcpy, work, copy_in_stream));
}

}  // namespace warpvp::cuda

WARPVP_API cudaError_t cudaStreamSynchronize(cudaStream_t);

// ---- arrays

WARPVP_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
WARPVP_API cudaError_t cudaMalloc3DArray(void** handle, const cudaChannelFormatDesc* format,
                                         cudaExtent extent, unsigned flags) {
  return done(format == nullptr ? kInvalidValue : create_array(*format, extent, flags, handle));
}
WARPVP_API cudaError_t cudaMallocArray(void** handle, const cudaChannelFormatDesc* format, std::size_t width,
                                       std::size_t height, unsigned flags) {
  return cudaMalloc3DArray(handle, format, {width, height, 0}, flags);
}
WARPVP_API cudaError_t cudaFreeArray(cudaArray_t handle) {
  return handle == nullptr ? cudaError_t{kSuccess} : done(destroy_array(handle));
}
WARPVP_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                                        cudaArray_t handle) {
  const Array* const array = find_array(handle);
  if (array == nullptr) return done(kInvalidResourceHandle);
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_t handle) {
  return cudaArrayGetInfo(format, nullptr, nullptr, handle);
}

// ---- copies

WARPVP_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y,
                                                const void* from, std::size_t pitch, std::size_t width,
                                                std::size_t height, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return put_copy(rows_of_array(to, x, y, from, pitch, width, height, kind, true), stream);
}
WARPVP_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                           std::size_t pitch, std::size_t width, std::size_t height,
                                           cudaMemcpyKind kind) {
  return now(rows_of_array(to, x, y, from, pitch, width, height, kind, true));
}
WARPVP_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_t from,
                                                  std::size_t x, std::size_t y, std::size_t width,
                                                  std::size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return put_copy(rows_of_array(from, x, y, to, pitch, width, height, kind, false), stream);
}
WARPVP_API cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_t from, std::size_t x,
                                             std::size_t y, std::size_t width, std::size_t height,
                                             cudaMemcpyKind kind) {
  return now(rows_of_array(from, x, y, to, pitch, width, height, kind, false));
}
WARPVP_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t x, std::size_t y,
                                                cudaArray_t from, std::size_t from_x, std::size_t from_y,
                                                std::size_t width, std::size_t height, cudaMemcpyKind) {
  BlockCopy what = rows_of_array(to, x, y, nullptr, 0, width, height, cudaMemcpyDeviceToDevice, true);
  what.from.array = from;
  what.from.x = from_x;
  what.from.y = from_y;
  return now(what);
}
WARPVP_API cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                         std::size_t bytes, cudaMemcpyKind kind) {
  return done(copy_run_of(to, x, y, const_cast<void*>(from), bytes, kind, true));
}
WARPVP_API cudaError_t cudaMemcpyFromArray(void* to, cudaArray_t from, std::size_t x, std::size_t y,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return done(copy_run_of(from, x, y, to, bytes, kind, false));
}
WARPVP_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                              std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t error =
      cudaStreamSynchronize(stream);  // the caller waits, as CUDA allows for memory not pinned
  return error != kSuccess ? error : cudaMemcpyToArray(to, x, y, from, bytes, kind);
}
WARPVP_API cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_t from, std::size_t x, std::size_t y,
                                                std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t error = cudaStreamSynchronize(stream);
  return error != kSuccess ? error : cudaMemcpyFromArray(to, from, x, y, bytes, kind);
}
WARPVP_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  BlockCopy what;
  const Error error = read_block(parameters, what);
  return error != kSuccess ? done(error) : now(what);
}
WARPVP_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  BlockCopy what;
  const Error error = read_block(parameters, what);
  return error != kSuccess ? done(error) : put_copy(what, stream);
}

// ---- textures and surfaces

WARPVP_API cudaError_t cudaCreateTextureObject(std::uint64_t* handle, const cudaResourceDesc* resource,
                                               const cudaTextureDesc* how, const void* view) {
  if (resource == nullptr || how == nullptr) return done(kInvalidValue);
  return done(view != nullptr ? kNotSupported : create_texture(*resource, *how, handle));
}
WARPVP_API cudaError_t cudaDestroyTextureObject(std::uint64_t handle) { return done(destroy_image(handle)); }
WARPVP_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, std::uint64_t handle) {
  cudaTextureDesc how;
  return done(find_image(handle, resource, &how));
}
WARPVP_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* how, std::uint64_t handle) {
  return done(how == nullptr ? kInvalidValue : find_image(handle, nullptr, how));
}
WARPVP_API cudaError_t cudaCreateSurfaceObject(std::uint64_t* handle, const cudaResourceDesc* resource) {
  return done(resource == nullptr ? kInvalidValue : create_surface(*resource, handle));
}
WARPVP_API cudaError_t cudaDestroySurfaceObject(std::uint64_t handle) { return done(destroy_image(handle)); }
WARPVP_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, std::uint64_t handle) {
  return done(find_image(handle, resource, nullptr));
}
