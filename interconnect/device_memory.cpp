#include "interconnect/device_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/error.h"

namespace warpvp {

DeviceMemory::DeviceMemory(std::uint64_t bytes) : size_(bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw InputError("device memory of " + std::to_string(bytes >> 20) +
                     " MiB cannot be reserved on this host; choose a smaller memory.capacity_mib");
  data_ = static_cast<std::byte*>(p);
}

DeviceMemory::~DeviceMemory() { munmap(data_, size_); }

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                    unsigned context) {
  alignment = std::max<std::uint64_t>(alignment, 256);
  bytes = std::max<std::uint64_t>(bytes, 1);
  std::uint64_t candidate = kBase;
  auto align = [&](std::uint64_t a) { return (a + alignment - 1) / alignment * alignment; };
  for (const auto& [begin, range] : ranges_) {
    if (align(candidate) + bytes <= begin) break;
    // One untouched gap byte at least between neighbours is not kept: a run off the end of a buffer whose
    // size is no multiple of 256 is still caught, because the padding belongs to nobody.
    candidate = range.end;
  }
  candidate = align(candidate);
  if (!contains(candidate, bytes)) return std::nullopt;
  ranges_[candidate] = {candidate, candidate + bytes, context};
  allocated_ += bytes;
  return candidate;
}

bool DeviceMemory::release(std::uint64_t address) {
  auto it = ranges_.find(address);
  if (it == ranges_.end()) return false;
  const auto heap = heaps_.find(it->second.context);
  if (heap != heaps_.end() && heap->second.begin == address) return false;
  allocated_ -= it->second.end - it->second.begin;
  ranges_.erase(it);
  ++generation_;
  return true;
}

bool DeviceMemory::create_heap(std::uint64_t bytes, unsigned context) {
  const auto begin = allocate(bytes, 256, context);
  if (!begin) return false;
  heaps_.emplace(context, Heap{*begin, BlockHeap(*begin, bytes)});
  return true;
}

std::uint64_t DeviceMemory::heap_allocate(std::uint64_t bytes, unsigned context) {
  const auto heap = heaps_.find(context);
  return heap == heaps_.end() ? 0 : heap->second.blocks.allocate(bytes);
}

bool DeviceMemory::heap_release(std::uint64_t address, unsigned context) {
  const auto heap = heaps_.find(context);
  return heap != heaps_.end() && heap->second.blocks.release(address);
}

std::optional<DeviceMemory::Range> DeviceMemory::range_of(std::uint64_t address) const {
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin()) return std::nullopt;
  --it;
  if (address >= it->second.end) return std::nullopt;
  return it->second;
}

}  // namespace warpvp
