#include "sw/cuda/library/memory_pools.h"

#include <mutex>
#include <set>

#include "sw/cuda/library/shared_memory.h"

namespace warpvp::cuda {
namespace {

constexpr int kPinnedType = 1, kManagedType = 2;                               // CU_MEM_ALLOCATION_TYPE_...
constexpr int kNowhere = 0, kOnDevice = 1, kOnHost = 2, kLastOfLocations = 4;  // CU_MEM_LOCATION_TYPE_...
constexpr unsigned kAttachGlobal = 1;                                          // CU_MEM_ATTACH_GLOBAL

/// Handles mean nothing but their places here.
char marks[3];

std::mutex mutex;
std::set<const void*>& pinned() {
  static std::set<const void*> pointers;
  return pointers;
}

}  // namespace

Error find_pool(const PoolProperties& of, PoolKind& kind) {
  if (of.location < kNowhere || of.location > kLastOfLocations) return kInvalidValue;
  if (of.location == kOnDevice && of.id != 0) return kInvalidDevice;
  if (of.type == kManagedType) {
    kind = PoolKind::kManaged;
  } else if (of.type == kPinnedType && of.location >= kOnDevice) {
    kind = of.location >= kOnHost ? PoolKind::kPinned : PoolKind::kDevice;
  } else {
    return kInvalidValue;
  }
  return kSuccess;
}

void* handle_of(PoolKind kind) { return &marks[static_cast<unsigned>(kind)]; }

std::optional<PoolKind> pool_of(const void* handle) {
  for (const PoolKind kind : {PoolKind::kDevice, PoolKind::kPinned, PoolKind::kManaged})
    if (handle == handle_of(kind)) return kind;
  return {};
}

Error allocate_from(PoolKind kind, std::size_t bytes, void*& pointer) {
  if (bytes == 0) return kInvalidValue;
  Error error;
  const bool of_host = kind == PoolKind::kPinned;
  pointer = allocate_shared(bytes, of_host ? SharedKind::kPinned : SharedKind::kManaged,
                            of_host ? 0 : kAttachGlobal, error);
  if (error != kSuccess || !of_host) return error;
  const std::lock_guard<std::mutex> lock(mutex);
  pinned().insert(pointer);
  return kSuccess;
}

bool is_pool_memory(const void* pointer) {
  const std::lock_guard<std::mutex> lock(mutex);
  return pinned().count(pointer) != 0;
}

Error free_pool_memory(void* pointer) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    pinned().erase(pointer);
  }
  return free_shared(pointer, SharedKind::kPinned);
}

}  // namespace warpvp::cuda
