// Copies and fills.

#include <algorithm>
#include <cstring>
#include <vector>

#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

/// In which stream, and whether the caller waits: of all but the Async functions it does.
struct Order {
  CUstream stream = nullptr;
  bool waits = true;
};

void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// With a direction in which one side is the device's, an address that is not is refused by the simulator.
CUresult copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Order order) {
  if (const Error error = in_context()) return error;
  std::uint64_t stream = 0;
  if (const Error error = find_stream(order.stream, stream)) return error;
  if (bytes == 0) return kSuccess;
  if (to == nullptr || from == nullptr) return kInvalidValue;
  if (kind == cudaMemcpyDefault && !on_device(to) && !on_device(from)) {
    // The CPU copies, when it is the copy's turn.
    if (const CUresult error = wait_for(Call::kSynchronizeStream, stream)) return error;
  }
  return driver_error(copy(to, from, bytes, kind, stream, order.waits));
}

/// Where one side of a block of rows begins.
struct Side {
  char* begin = nullptr;
  std::size_t pitch = 0;
  bool device = false;
};
Error find_side(CUmemorytype type, void* host, CUdeviceptr device, std::size_t x, std::size_t y,
                std::size_t pitch, std::size_t width, Side& side) {
  if (type == CU_MEMORYTYPE_ARRAY) return kNotSupported;
  if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
    return kInvalidValue;
  side.pitch = pitch != 0 ? pitch : x + width;
  if (x + width > side.pitch) return kInvalidValue;
  void* const base = type == CU_MEMORYTYPE_HOST ? host : pointer_to(device);
  if (base == nullptr) return kInvalidValue;
  side.device = type == CU_MEMORYTYPE_DEVICE || on_device(base);
  side.begin = static_cast<char*>(base) + y * side.pitch + x;
  return kSuccess;
}

CUresult copy_block(const CUDA_MEMCPY2D* what, Order order) {
  if (const Error error = in_context()) return error;
  if (what == nullptr) return kInvalidValue;
  std::uint64_t stream = 0;
  if (const Error error = find_stream(order.stream, stream)) return error;
  if (what->WidthInBytes == 0 || what->Height == 0) return kSuccess;
  Side to, from;
  if (const Error error = find_side(what->dstMemoryType, what->dstHost, what->dstDevice, what->dstXInBytes,
                                    what->dstY, what->dstPitch, what->WidthInBytes, to))
    return error;
  if (const Error error = find_side(what->srcMemoryType, const_cast<void*>(what->srcHost), what->srcDevice,
                                    what->srcXInBytes, what->srcY, what->srcPitch, what->WidthInBytes, from))
    return error;
  const auto kind = static_cast<cudaMemcpyKind>((to.device ? 1 : 0) + (from.device ? 2 : 0));
  return driver_error(copy_rows(to.begin, to.pitch, from.begin, from.pitch, what->WidthInBytes, what->Height,
                                kind, stream, order.waits));
}

/// `width` values a row. The device fills with one byte; rows of another pattern are copied to it.
template <class T>
CUresult fill_block(CUdeviceptr at, std::size_t pitch, T value, std::size_t width, std::size_t height,
                    Order order) {
  if (const Error error = in_context()) return error;
  std::uint64_t stream = 0;
  if (const Error error = find_stream(order.stream, stream)) return error;
  if (at % sizeof(T) != 0 || (height > 1 && pitch % sizeof(T) != 0)) return kInvalidValue;
  if (width == 0 || height == 0) return kSuccess;
  const std::size_t bytes = width * sizeof(T);
  if (height == 1) pitch = bytes;
  unsigned char of_value[sizeof(T)];
  std::memcpy(of_value, &value, sizeof(T));
  if (std::all_of(of_value, of_value + sizeof(T), [&](unsigned char b) { return b == of_value[0]; }))
    return driver_error(fill_rows(pointer_to(at), pitch, of_value[0], bytes, height, stream, order.waits));
  const std::vector<T> row(width, value);
  if (bytes > pitch) return kInvalidValue;
  for (std::size_t y = 0; y < height; ++y) {
    const bool waits = order.waits && y + 1 == height;
    if (const Error error =
            copy(pointer_to(at + y * pitch), row.data(), bytes, cudaMemcpyHostToDevice, stream, waits))
      return driver_error(error);
  }
  return kSuccess;
}

}  // namespace

WARPVP_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_bytes(pointer_to(to), pointer_to(from), bytes, cudaMemcpyDefault, {});
}
WARPVP_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_bytes(pointer_to(to), pointer_to(from), bytes, cudaMemcpyDefault, {stream, false});
}
WARPVP_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return copy_bytes(pointer_to(to), from, bytes, cudaMemcpyHostToDevice, {});
}
WARPVP_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                                         CUstream stream) {
  return copy_bytes(pointer_to(to), from, bytes, cudaMemcpyHostToDevice, {stream, false});
}
WARPVP_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return copy_bytes(to, pointer_to(from), bytes, cudaMemcpyDeviceToHost, {});
}
WARPVP_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_bytes(to, pointer_to(from), bytes, cudaMemcpyDeviceToHost, {stream, false});
}
WARPVP_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_bytes(pointer_to(to), pointer_to(from), bytes, cudaMemcpyDeviceToDevice, {});
}
WARPVP_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                         CUstream stream) {
  return copy_bytes(pointer_to(to), pointer_to(from), bytes, cudaMemcpyDeviceToDevice, {stream, false});
}
// All contexts have one memory.
WARPVP_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
WARPVP_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                      std::size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

WARPVP_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* what) { return copy_block(what, {}); }
WARPVP_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* what) { return copy_block(what, {}); }
WARPVP_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* what, CUstream stream) {
  return copy_block(what, {stream, false});
}

WARPVP_API CUresult cuMemsetD8_v2(CUdeviceptr at, unsigned char value, std::size_t count) {
  return fill_block(at, 0, value, count, 1, {});
}
WARPVP_API CUresult cuMemsetD16_v2(CUdeviceptr at, unsigned short value, std::size_t count) {
  return fill_block(at, 0, value, count, 1, {});
}
WARPVP_API CUresult cuMemsetD32_v2(CUdeviceptr at, unsigned value, std::size_t count) {
  return fill_block(at, 0, value, count, 1, {});
}
WARPVP_API CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream) {
  return fill_block(at, 0, value, count, 1, {stream, false});
}
WARPVP_API CUresult cuMemsetD16Async(CUdeviceptr at, unsigned short value, std::size_t count,
                                     CUstream stream) {
  return fill_block(at, 0, value, count, 1, {stream, false});
}
WARPVP_API CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, std::size_t count, CUstream stream) {
  return fill_block(at, 0, value, count, 1, {stream, false});
}
WARPVP_API CUresult cuMemsetD2D8_v2(CUdeviceptr at, std::size_t pitch, unsigned char value, std::size_t width,
                                    std::size_t height) {
  return fill_block(at, pitch, value, width, height, {});
}
WARPVP_API CUresult cuMemsetD2D16_v2(CUdeviceptr at, std::size_t pitch, unsigned short value,
                                     std::size_t width, std::size_t height) {
  return fill_block(at, pitch, value, width, height, {});
}
WARPVP_API CUresult cuMemsetD2D32_v2(CUdeviceptr at, std::size_t pitch, unsigned value, std::size_t width,
                                     std::size_t height) {
  return fill_block(at, pitch, value, width, height, {});
}
WARPVP_API CUresult cuMemsetD2D8Async(CUdeviceptr at, std::size_t pitch, unsigned char value,
                                      std::size_t width, std::size_t height, CUstream stream) {
  return fill_block(at, pitch, value, width, height, {stream, false});
}
WARPVP_API CUresult cuMemsetD2D16Async(CUdeviceptr at, std::size_t pitch, unsigned short value,
                                       std::size_t width, std::size_t height, CUstream stream) {
  return fill_block(at, pitch, value, width, height, {stream, false});
}
WARPVP_API CUresult cuMemsetD2D32Async(CUdeviceptr at, std::size_t pitch, unsigned value, std::size_t width,
                                       std::size_t height, CUstream stream) {
  return fill_block(at, pitch, value, width, height, {stream, false});
}
