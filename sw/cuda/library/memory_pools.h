#pragma once
// Memory pools of a device that keeps no memory back: what a pool hands out is allocated, and what is given
// back to it is free. There is one of each kind, whatever a program makes; their handles are the same for
// runtime and driver.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sw/cuda/errors.h"

namespace warpvp::cuda {

enum class PoolKind : std::uint8_t { kDevice, kPinned, kManaged };

/// What a pool is made of: the first members of CUmemPoolProps and of cudaMemPoolProps.
struct PoolProperties {
  int type;          ///< CU_MEM_ALLOCATION_TYPE_...
  int handles;       ///< with which other processes may have it
  int location, id;  ///< CU_MEM_LOCATION_TYPE_..., and which of them
};

/// As the documentation of cuMemGetDefaultMemPool has it: kInvalidValue for a type or a location that is
/// none, kInvalidDevice for another device than 0.
Error find_pool(const PoolProperties& of, PoolKind& kind);
void* handle_of(PoolKind kind);
/// Nothing: it is no handle of a pool.
std::optional<PoolKind> pool_of(const void* handle);
/// Of kPinned and kManaged.
Error allocate_from(PoolKind kind, std::size_t bytes, void*& pointer);
/// Pinned memory of a pool, which is freed as memory of the device is.
bool is_pool_memory(const void* pointer);
/// Waits for the device. Requires is_pool_memory().
Error free_pool_memory(void* pointer);

}  // namespace warpvp::cuda
