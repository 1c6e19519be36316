// Copies and fills.

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/driver_copies.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"

namespace warpvp::cuda {

namespace {

/// kind: what of it is the device's.
Error read_side(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, std::size_t x,
                std::size_t y, std::size_t z, std::size_t pitch, std::size_t rows, const CUDA_MEMCPY3D& what,
                CopySide& side, bool& on) {
  side = {};
  side.x = x;
  side.y = y;
  side.z = z;
  if (type == CU_MEMORYTYPE_ARRAY) {
    side.array = array;
    on = true;
    return array != nullptr ? kSuccess : kInvalidValue;
  }
  if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
    return kInvalidValue;
  side.memory = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : reinterpret_cast<void*>(device);
  side.pitch = pitch != 0 ? pitch : x + what.WidthInBytes;
  side.rows = rows != 0 ? rows : y + what.Height;
  on = type == CU_MEMORYTYPE_DEVICE || on_device(side.memory);
  return side.memory != nullptr && x + what.WidthInBytes <= side.pitch ? kSuccess : kInvalidValue;
}

}  // namespace

Error read_block(const CUDA_MEMCPY3D* what, BlockCopy& block) {
  if (what == nullptr || what->srcLOD != 0 || what->dstLOD != 0) return kInvalidValue;
  const CUDA_MEMCPY3D& w = *what;
  bool to = false, from = false;
  if (const Error error = read_side(w.dstMemoryType, w.dstHost, w.dstDevice, w.dstArray, w.dstXInBytes,
                                    w.dstY, w.dstZ, w.dstPitch, w.dstHeight, w, block.to, to))
    return error;
  if (const Error error = read_side(w.srcMemoryType, w.srcHost, w.srcDevice, w.srcArray, w.srcXInBytes,
                                    w.srcY, w.srcZ, w.srcPitch, w.srcHeight, w, block.from, from))
    return error;
  block.width = w.WidthInBytes;
  block.height = w.Height;
  block.depth = w.Depth;
  block.kind = static_cast<cudaMemcpyKind>((to ? 1 : 0) + (from ? 2 : 0));
  return kSuccess;
}

Error write_block(const BlockCopy& block, CUDA_MEMCPY3D* what) {
  if (what == nullptr) return kInvalidValue;
  CUDA_MEMCPY3D& w = *what = {};
  const auto type = [](const CopySide& side) {
    return side.array != nullptr ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
  };
  w.srcMemoryType = type(block.from);
  w.srcArray = static_cast<CUarray>(block.from.array);
  w.srcDevice = address_of(block.from.memory);
  w.srcXInBytes = block.from.x;
  w.srcY = block.from.y;
  w.srcZ = block.from.z;
  w.srcPitch = block.from.pitch;
  w.srcHeight = block.from.rows;
  w.dstMemoryType = type(block.to);
  w.dstArray = static_cast<CUarray>(block.to.array);
  w.dstDevice = address_of(block.to.memory);
  w.dstXInBytes = block.to.x;
  w.dstY = block.to.y;
  w.dstZ = block.to.z;
  w.dstPitch = block.to.pitch;
  w.dstHeight = block.to.rows;
  w.WidthInBytes = block.width;
  w.Height = block.height;
  w.Depth = block.depth;
  return kSuccess;
}

}  // namespace warpvp::cuda

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
  if (!order.waits && is_captured(order.stream)) {
    NodeWork work;
    work.copy = plain_copy(to, from, bytes, kind);
    return driver_error(capture(order.stream, NodeType::kMemcpy, work));
  }
  if (kind == cudaMemcpyDefault && !on_device(to) && !on_device(from)) {
    // The CPU copies, when it is the copy's turn.
    if (const CUresult error = ask(Call::kSynchronizeStream, stream)) return error;
  }
  return driver_error(copy(to, from, bytes, kind, stream, order.waits || returns_late(to, from, kind)));
}

CUresult copy_block(const CUDA_MEMCPY3D* what, Order order) {
  if (const Error error = in_context()) return error;
  NodeWork work;
  std::uint64_t stream = 0;
  if (const Error error = find_stream(order.stream, stream)) return error;
  if (what != nullptr && (what->WidthInBytes == 0 || what->Height == 0 || what->Depth == 0)) return kSuccess;
  if (const Error error = read_block(what, work.copy)) return error;
  if (!order.waits) return driver_error(put(order.stream, NodeType::kMemcpy, work, copy_in_stream));
  return driver_error(copy_block(work.copy, stream, true));
}
CUresult copy_block(const CUDA_MEMCPY2D* what, Order order) {
  if (what == nullptr) return copy_block(static_cast<const CUDA_MEMCPY3D*>(nullptr), order);
  CUDA_MEMCPY3D block{};
  block.srcXInBytes = what->srcXInBytes;
  block.srcY = what->srcY;
  block.srcMemoryType = what->srcMemoryType;
  block.srcHost = what->srcHost;
  block.srcDevice = what->srcDevice;
  block.srcArray = what->srcArray;
  block.srcPitch = what->srcPitch;
  block.dstXInBytes = what->dstXInBytes;
  block.dstY = what->dstY;
  block.dstMemoryType = what->dstMemoryType;
  block.dstHost = what->dstHost;
  block.dstDevice = what->dstDevice;
  block.dstArray = what->dstArray;
  block.dstPitch = what->dstPitch;
  block.WidthInBytes = what->WidthInBytes;
  block.Height = what->Height;
  block.Depth = 1;
  return copy_block(&block, order);
}

/// A run of bytes of an array's first row, from or to memory or another array's.
CopySide in_array(CUarray array, std::size_t offset) {
  CopySide side;
  side.array = array;
  side.x = offset;
  return side;
}
CopySide in_memory(const void* memory, std::size_t bytes) {
  CopySide side;
  side.memory = const_cast<void*>(memory);
  side.pitch = bytes;
  side.rows = 1;
  return side;
}
CUresult copy_run(const CopySide& to, const CopySide& from, std::size_t bytes, cudaMemcpyKind kind,
                  Order order) {
  if (const Error error = in_context()) return error;
  NodeWork work;
  std::uint64_t stream = 0;
  if (const Error error = find_stream(order.stream, stream)) return error;
  work.copy.to = to;
  work.copy.from = from;
  work.copy.width = bytes;
  work.copy.kind = kind;
  if (!order.waits) return driver_error(put(order.stream, NodeType::kMemcpy, work, copy_in_stream));
  return driver_error(copy_block(work.copy, stream, true));
}

/// `width` values a row.
template <class T>
CUresult fill_block(CUdeviceptr at, std::size_t pitch, T value, std::size_t width, std::size_t height,
                    Order order) {
  if (const Error error = in_context()) return error;
  NodeWork work;
  std::uint64_t stream = 0;
  if (const Error error = find_stream(order.stream, stream)) return error;
  work.fill = {pointer_to(at), pitch, value, sizeof(T), width, height};
  if (!order.waits) return driver_error(put(order.stream, NodeType::kMemset, work, run_fill));
  return driver_error(fill_block(work.fill, stream, true));
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
WARPVP_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* what) { return copy_block(what, {}); }
WARPVP_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* what, CUstream stream) {
  return copy_block(what, {stream, false});
}
WARPVP_API CUresult cuMemcpyDtoA_v2(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
  return copy_run(in_array(to, offset), in_memory(pointer_to(from), bytes), bytes, cudaMemcpyDeviceToDevice,
                  {});
}
WARPVP_API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_run(in_memory(pointer_to(to), bytes), in_array(from, offset), bytes, cudaMemcpyDeviceToDevice,
                  {});
}
WARPVP_API CUresult cuMemcpyAtoA_v2(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                                    std::size_t bytes) {
  return copy_run(in_array(to, to_offset), in_array(from, from_offset), bytes, cudaMemcpyDeviceToDevice, {});
}
WARPVP_API CUresult cuMemcpyHtoA_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
  return copy_run(in_array(to, offset), in_memory(from, bytes), bytes, cudaMemcpyHostToDevice, {});
}
WARPVP_API CUresult cuMemcpyHtoAAsync_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes,
                                         CUstream stream) {
  return copy_run(in_array(to, offset), in_memory(from, bytes), bytes, cudaMemcpyHostToDevice,
                  {stream, false});
}
WARPVP_API CUresult cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_run(in_memory(to, bytes), in_array(from, offset), bytes, cudaMemcpyDeviceToHost, {});
}
WARPVP_API CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes,
                                         CUstream stream) {
  return copy_run(in_memory(to, bytes), in_array(from, offset), bytes, cudaMemcpyDeviceToHost,
                  {stream, false});
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
