// Addresses and memory apart (CUDA Driver API, "Virtual Memory Management"). Here an address is a place in
// the device's memory: a small range that is reserved has the memory behind it, a large one (pools reserve
// more than there is) gets it from its begin on as far as something is mapped. A handle stands for its size
// alone. So memory is at one range in its life, and what lies there stays as long as the range.

#include <map>
#include <mutex>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_ranges.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;  // as chips have it
constexpr int kPinned = 1, kOnDevice = 1;  // CU_MEM_ALLOCATION_TYPE_..., CU_MEM_LOCATION_TYPE_...

struct Reserved {
  std::uint64_t allocated = 0;  ///< where what is behind it begins
  std::size_t bytes = 0;
  std::size_t backed = 0;  ///< as far as there is memory behind it
};
/// What a CUmemGenericAllocationHandle is.
struct Physical {
  std::size_t bytes = 0;
  CUmemAllocationProp properties{};
  unsigned holders = 1;  ///< cuMemCreate, cuMemRetainAllocationHandle
  std::uint64_t at = 0;  ///< where it is, or was; 0: nowhere yet
  bool mapped = false;
  unsigned long long access = 0;
};
struct Spaces {
  std::mutex mutex;
  std::map<std::uint64_t, Reserved> reserved;
  std::map<std::uint64_t, Physical> handles;
  std::uint64_t last = 0;

  /// The handle mapped exactly there; end(): none is.
  auto mapped_at(std::uint64_t address) {
    auto found = handles.begin();
    while (found != handles.end() && !(found->second.mapped && found->second.at <= address &&
                                       address - found->second.at < found->second.bytes))
      ++found;
    return found;
  }
  /// The reservation that has all of it; end(): none has.
  auto covering(std::uint64_t address, std::size_t bytes) {
    auto range = reserved.upper_bound(address);
    if (range == reserved.begin()) return reserved.end();
    --range;
    const bool inside = address - range->first <= range->second.bytes &&
                        bytes <= range->second.bytes - (address - range->first);
    return inside ? range : reserved.end();
  }
  /// Where a reservation begins that has no memory yet: in the middle of what is left below others, and of
  /// all but the highest quarter, where pinned memory and kernels lie.
  std::uint64_t place(std::uint64_t base, std::uint64_t bytes, std::uint64_t unit) const {
    std::uint64_t below = bytes / 4 * 3;
    for (const auto& [begin, range] : reserved)
      if (range.backed < range.bytes && begin - base < below) below = begin - base;
    return (base + below / 2) / unit * unit;
  }
  void drop_if_unheld(std::uint64_t handle) {
    const auto found = handles.find(handle);
    if (found->second.holders == 0 && !found->second.mapped) handles.erase(found);
  }
};
Spaces& spaces() {
  static auto* const one = new Spaces;
  return *one;
}
bool whole(std::size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

}  // namespace

WARPVP_API CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* what, int) {
  if (const Error error = initialized()) return error;
  if (bytes == nullptr || what == nullptr) return kInvalidValue;
  *bytes = kGranularity;
  return kSuccess;
}
WARPVP_API CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                                        CUdeviceptr, unsigned long long flags) {
  if (const Error error = in_context()) return error;
  if (address == nullptr || !whole(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0)
    return kInvalidValue;
  const std::size_t unit = alignment > kGranularity ? alignment : kGranularity;
  std::size_t free = 0, total = 0;
  if (const CUresult error = cuMemGetInfo_v2(&free, &total)) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  if (bytes > free / 8) {
    *address = spaces().place(Connection::instance().facts().memory_base, total, unit);
    spaces().reserved[*address] = {*address, bytes, 0};
    return kSuccess;
  }
  Answer answer = request(Call::kAllocate, bytes + unit);
  if (answer.error != kSuccess) return driver_error(answer.error);
  const auto allocated = answer.in.get<std::uint64_t>();
  *address = (allocated + unit - 1) / unit * unit;
  spaces().reserved[*address] = {allocated, bytes, bytes};
  return kSuccess;
}
WARPVP_API CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  if (const Error error = in_context()) return error;
  std::uint64_t allocated = 0;
  {
    const std::lock_guard<std::mutex> lock(spaces().mutex);
    const auto found = spaces().reserved.find(address);
    if (found == spaces().reserved.end() || found->second.bytes != bytes) return kInvalidValue;
    for (std::uint64_t at = address; at < address + bytes; at += kGranularity)
      if (spaces().mapped_at(at) != spaces().handles.end()) return kInvalidValue;
    if (found->second.backed != 0) allocated = found->second.allocated;
    spaces().reserved.erase(found);
  }
  return allocated != 0 ? ask(Call::kFree, allocated) : CUresult{kSuccess};
}
WARPVP_API CUresult cuMemCreate(std::uint64_t* handle, std::size_t bytes, const CUmemAllocationProp* what,
                                unsigned long long flags) {
  if (const Error error = in_context()) return error;
  if (handle == nullptr || what == nullptr || !whole(bytes) || flags != 0) return kInvalidValue;
  if (what->type != kPinned || what->location.type != kOnDevice) return kNotSupported;
  if (what->location.id != 0) return kInvalidDevice;
  if (what->requestedHandleTypes != 0) return kNotSupported;  // for other processes
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  *handle = ++spaces().last;
  Physical made;
  made.bytes = bytes;
  made.properties = *what;
  spaces().handles[*handle] = made;
  return kSuccess;
}
WARPVP_API CUresult cuMemRelease(std::uint64_t handle) {
  if (const Error error = in_context()) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  const auto found = spaces().handles.find(handle);
  if (found == spaces().handles.end() || found->second.holders == 0) return kInvalidValue;
  --found->second.holders;
  spaces().drop_if_unheld(handle);
  return kSuccess;
}
WARPVP_API CUresult cuMemRetainAllocationHandle(std::uint64_t* handle, void* address) {
  if (const Error error = in_context()) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  const auto found = spaces().mapped_at(reinterpret_cast<std::uint64_t>(address));
  if (handle == nullptr || found == spaces().handles.end()) return kInvalidValue;
  ++found->second.holders;
  *handle = found->first;
  return kSuccess;
}
WARPVP_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* what, std::uint64_t handle) {
  if (const Error error = in_context()) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  const auto found = spaces().handles.find(handle);
  if (what == nullptr || found == spaces().handles.end()) return kInvalidValue;
  *what = found->second.properties;
  return kSuccess;
}
WARPVP_API CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                             unsigned long long flags) {
  if (const Error error = in_context()) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  const auto found = spaces().handles.find(handle);
  if (found == spaces().handles.end() || offset != 0 || flags != 0 || bytes != found->second.bytes ||
      address % kGranularity != 0)
    return kInvalidValue;
  const auto range = spaces().covering(address, bytes);
  if (range == spaces().reserved.end()) return kInvalidValue;
  for (std::uint64_t at = address; at < address + bytes; at += kGranularity)
    if (spaces().mapped_at(at) != spaces().handles.end()) return kInvalidValue;
  Physical& memory = found->second;
  if (memory.mapped || (memory.at != 0 && memory.at != address)) return kNotSupported;  // in two places
  const std::size_t backed = address + bytes - range->first;
  if (backed > range->second.backed) {
    if (const CUresult error = ask(Call::kGrow, range->first, backed)) return error;
    range->second.backed = backed;
  }
  memory.mapped = true;
  memory.at = address;
  memory.access = 0;
  add_range(address, bytes, RangeKind::kDevice);
  return kSuccess;
}
WARPVP_API CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  if (const Error error = in_context()) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address; at < end;) {  // whole ones alone
    const auto found = spaces().mapped_at(at);
    if (found == spaces().handles.end() || found->second.at != at || found->second.bytes > end - at)
      return kInvalidValue;
    at += found->second.bytes;
  }
  while (address < end) {
    const auto found = spaces().mapped_at(address);
    const std::uint64_t handle = found->first;
    remove_range(address);
    address += found->second.bytes;
    found->second.mapped = false;
    spaces().drop_if_unheld(handle);
  }
  return kSuccess;
}
WARPVP_API CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* what,
                                   std::size_t count) {
  if (const Error error = in_context()) return error;
  if (what == nullptr || count == 0) return kInvalidValue;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  for (std::size_t i = 0; i < count; ++i)
    if (what[i].location.type != kOnDevice || what[i].location.id != 0) return kInvalidDevice;
  for (std::uint64_t at = address; at < address + bytes; at += kGranularity)
    if (spaces().mapped_at(at) == spaces().handles.end()) return kInvalidValue;
  for (std::uint64_t at = address; at < address + bytes; at += kGranularity)
    spaces().mapped_at(at)->second.access = what[count - 1].flags;
  return kSuccess;
}
WARPVP_API CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* where,
                                   CUdeviceptr address) {
  if (const Error error = in_context()) return error;
  const std::lock_guard<std::mutex> lock(spaces().mutex);
  const auto found = spaces().mapped_at(address);
  if (flags == nullptr || where == nullptr || found == spaces().handles.end()) return kInvalidValue;
  *flags = where->id == 0 ? found->second.access : 0;
  return kSuccess;
}
