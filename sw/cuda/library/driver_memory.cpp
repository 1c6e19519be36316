// Device memory, and host memory that it is copied from and to.

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_ranges.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/memory_pools.h"
#include "sw/cuda/library/shared_memory.h"

using namespace warpvp::cuda;

namespace {

constexpr std::size_t kPitchUnit = 512;
constexpr unsigned kAttachGlobal = 1, kAttachHost = 2;    // CU_MEM_ATTACH_...
constexpr unsigned kAllHostFlags = 7, kAllRegister = 15;  // CU_MEMHOSTALLOC_..., CU_MEMHOSTREGISTER_...

void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult allocate_device(CUdeviceptr* address, std::size_t bytes) {
  if (address == nullptr || bytes == 0) return kInvalidValue;
  Answer answer = request(Call::kAllocate, bytes);
  if (answer.error != kSuccess) return driver_error(answer.error);
  *address = answer.in.get<std::uint64_t>();
  add_range(*address, bytes, RangeKind::kDevice);
  return kSuccess;
}

CUresult free_device(std::uint64_t address) {
  if (is_graph_memory(pointer_to(address))) return kSuccess;  // until the graph goes
  if (is_pool_memory(pointer_to(address))) return driver_error(free_pool_memory(pointer_to(address)));
  if (is_pinned(pointer_to(address))) return kInvalidValue;
  if (is_managed(pointer_to(address)))
    return driver_error(free_shared(pointer_to(address), SharedKind::kManaged));
  const CUresult error = ask(Call::kFree, address);
  if (error == kSuccess) remove_range(address);
  return error;
}

/// `known`: it lies in `range`.
Error pointer_attribute(void* value, CUpointer_attribute attribute, CUdeviceptr address, bool known,
                        const Range& range) {
  const bool host = known && range.of_host(), reached = known && range.device != 0;
  const bool managed = known && range.kind == RangeKind::kManaged;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(value) = known ? reinterpret_cast<CUcontext>(current_context()) : nullptr;
      return kSuccess;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<std::uint32_t*>(value) =
          known ? (host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE) : CUmemorytype{};
      return kSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(value) = reached ? range.device + (address - range.address) : 0;
      return reached ? kSuccess : kInvalidValue;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void**>(value) = host || managed ? pointer_to(address) : nullptr;
      return host || managed ? kSuccess : kInvalidValue;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(value) = managed;
      return kSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(value) = known ? 0 : -2;  // as CUDA has it for memory that is not its own
      return kSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(value) = known ? range.address : 0;
      return kSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(value) = known ? range.bytes : 0;
      return kSuccess;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<unsigned*>(value) = known;
      return kSuccess;
  }
  return kNotSupported;
}

}  // namespace

// ---- device memory

WARPVP_API CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  const Error error = in_context();
  return error != kSuccess ? CUresult{error} : allocate_device(address, bytes);
}
WARPVP_API CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  if (const Error error = in_context_of(stream)) return error;
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  if (!is_captured(stream)) return allocate_device(address, bytes);
  NodeWork work;
  if (address == nullptr) return kInvalidValue;
  if (const Error error = GraphMemory::allocate(bytes, work.memory)) return driver_error(error);
  *address = work.memory->address();
  return driver_error(capture(stream, NodeType::kAllocate, work));
}
WARPVP_API CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width,
                                       std::size_t height, unsigned element) {
  if (const Error error = in_context()) return error;
  if (pitch == nullptr || (element != 4 && element != 8 && element != 16)) return kInvalidValue;
  *pitch = (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  return cuMemAlloc_v2(address, *pitch * height);
}
WARPVP_API CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  if (const Error error = in_context()) return error;
  if (address == nullptr || bytes == 0 || (flags != kAttachGlobal && flags != kAttachHost))
    return kInvalidValue;
  Error error;
  *address = address_of(allocate_shared(bytes, SharedKind::kManaged, flags, error));
  return driver_error(error);
}
// It waits for the device.
WARPVP_API CUresult cuMemFree_v2(CUdeviceptr address) {
  if (const Error error = initialized()) return error;
  return free_device(address);
}
WARPVP_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  if (const Error error = in_context_of(stream)) return error;
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  if (!is_captured(stream)) return free_device(address);
  if (!is_graph_memory(pointer_to(address))) return kInvalidValue;
  NodeWork work;
  work.freed = address;
  return driver_error(capture(stream, NodeType::kFree, work));
}
WARPVP_API CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (const Error error = in_context()) return error;
  if (free == nullptr || total == nullptr) return kInvalidValue;
  Answer answer = request(Call::kMemoryUse);
  if (answer.error != kSuccess) return driver_error(answer.error);
  *free = answer.in.get<std::uint64_t>();
  *total = answer.in.get<std::uint64_t>();
  return kSuccess;
}
WARPVP_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  if (const Error error = in_context()) return error;
  Range range;
  if (!find_range(address, range) || (range.of_host() && range.device == 0)) return kSymbolNotFound;
  if (base != nullptr) *base = range.of_host() ? range.device : range.address;
  if (bytes != nullptr) *bytes = range.bytes;
  return kSuccess;
}

// ---- host memory

WARPVP_API CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (const Error error = in_context()) return error;
  if (pointer == nullptr || bytes == 0 || flags > kAllHostFlags) return kInvalidValue;
  Error error;
  *pointer = allocate_shared(bytes, SharedKind::kPinned, flags, error);
  return driver_error(error);
}
WARPVP_API CUresult cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
WARPVP_API CUresult cuMemFreeHost(void* pointer) {
  if (const Error error = initialized()) return error;
  return driver_error(free_shared(pointer, SharedKind::kPinned));
}
WARPVP_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags) {
  if (const Error error = in_context()) return error;
  Range range;
  if (address == nullptr || flags != 0 || !find_range(address_of(pointer), range)) return kInvalidValue;
  if (range.device == 0) return kNotSupported;
  *address = range.device + (address_of(pointer) - range.address);
  return kSuccess;
}
WARPVP_API CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  if (const Error error = in_context()) return error;
  Range range;
  if (flags == nullptr || !find_range(address_of(pointer), range) || !range.of_host()) return kInvalidValue;
  *flags = range.flags;
  return kSuccess;
}
WARPVP_API CUresult cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  if (const Error error = in_context()) return error;
  return flags > kAllRegister ? CUresult{kInvalidValue}
                              : driver_error(register_shared(pointer, bytes, flags));
}
WARPVP_API CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return cuMemHostRegister_v2(pointer, bytes, flags);
}
WARPVP_API CUresult cuMemHostUnregister(void* pointer) {
  if (const Error error = initialized()) return error;
  return driver_error(unregister_shared(pointer));
}

// ---- what a pointer points to

WARPVP_API CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  if (const Error error = in_context()) return error;
  Range range;
  if (value == nullptr || !find_range(address, range)) return kInvalidValue;
  return pointer_attribute(value, attribute, address, true, range);
}
// Of memory that is not CUDA's all are nothing, and that is no error.
WARPVP_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                           CUdeviceptr address) {
  if (const Error error = in_context()) return error;
  if (count == 0 || attributes == nullptr || values == nullptr) return kInvalidValue;
  Range range;
  const bool known = find_range(address, range);
  for (unsigned i = 0; i < count; ++i)
    if (pointer_attribute(values[i], attributes[i], address, known, range) == kNotSupported)
      return kNotSupported;
  return kSuccess;
}

// Hints.
WARPVP_API CUresult cuMemAdvise(CUdeviceptr, std::size_t, int, CUdevice) { return in_context(); }
WARPVP_API CUresult cuMemAdvise_v2(CUdeviceptr, std::size_t, int, CUmemLocation) { return in_context(); }
WARPVP_API CUresult cuMemPrefetchAsync(CUdeviceptr, std::size_t, CUdevice, CUstream) { return in_context(); }
WARPVP_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr, std::size_t, CUmemLocation, unsigned, CUstream) {
  return in_context();
}
WARPVP_API CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, std::size_t, unsigned) {
  return in_context();
}
