#include "interconnect/device_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace warpvp {

namespace {
/// A file in memory that others may map; -1: the host has none. Nobody who maps it may change its length
/// under us.
int file_of(std::uint64_t bytes) {
  const int file = memfd_create("device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return file;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return file;
  close(file);
  return -1;
}

/// Asks for huge pages where [begin, end) covers them whole: the host provides large buffers in fewer steps,
/// and looks up their addresses faster. Advice: a refusal costs nothing but time.
void advise_huge_pages(std::byte* begin, std::byte* end) {
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  const std::uintptr_t first =
      (reinterpret_cast<std::uintptr_t>(begin) + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(end) / kHugePage * kHugePage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}
}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t bytes, bool shared) : size_(bytes) {
  void* p = MAP_FAILED;
  if (shared) {
    file_ = file_of(bytes);
    if (file_ >= 0) p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  } else {
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (p == MAP_FAILED)
    throw InputError("device memory of " + std::to_string(bytes >> 20) +
                     " MiB cannot be reserved on this host; choose a smaller memory.capacity_mib");
  data_ = static_cast<std::byte*>(p);
}

DeviceMemory::~DeviceMemory() {
  munmap(data_, size_);
  if (file_ >= 0) close(file_);
}

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                    unsigned context) {
  alignment = std::max<std::uint64_t>(alignment, 256);
  bytes = std::max<std::uint64_t>(bytes, 1);
  auto align = [](std::uint64_t a, std::uint64_t to) { return (a + to - 1) / to * to; };
  std::uint64_t candidate = align(kBase, alignment);
  for (const auto& [begin, range] : ranges_) {
    if (candidate + bytes <= begin && !too_close(context, candidate + bytes - 1, range.context, begin)) break;
    // One untouched gap byte at least between neighbours is not kept: a run off the end of a buffer whose
    // size is no multiple of 256 is still caught, because the padding belongs to nobody.
    candidate = align(range.end, alignment);
    if (too_close(range.context, range.end - 1, context, candidate))
      candidate = align(align(range.end, page_bytes_), alignment);
  }
  if (!contains(candidate, bytes)) return std::nullopt;
  return add({candidate, candidate + bytes, context});
}

std::optional<std::uint64_t> DeviceMemory::allocate_last(std::uint64_t bytes, std::uint64_t alignment,
                                                         unsigned context) {
  alignment = std::max<std::uint64_t>(alignment, 256);
  bytes = std::max<std::uint64_t>(bytes, 1);
  // Tries the gaps from the highest down: [floor, limit) between a range and the one above it.
  std::uint64_t limit = kBase + size_;
  const Range* above = nullptr;
  for (auto below = ranges_.rbegin();; ++below) {
    const bool lowest = below == ranges_.rend();
    const std::uint64_t floor = lowest ? kBase : below->second.end;
    for (std::uint64_t top = limit; top >= floor && top - floor >= bytes;) {
      const std::uint64_t candidate = (top - bytes) / alignment * alignment;
      if (candidate < floor || (!lowest && too_close(below->second.context, floor - 1, context, candidate)))
        break;
      if (above && too_close(context, candidate + bytes - 1, above->context, above->begin)) {
        top = above->begin / page_bytes_ * page_bytes_;
        continue;
      }
      return add({candidate, candidate + bytes, context});
    }
    if (lowest) return std::nullopt;
    limit = below->first;
    above = &below->second;
  }
}

std::uint64_t DeviceMemory::add(const Range& made) {
  ranges_[made.begin] = made;
  allocated_ += made.end - made.begin;
  if (lets_stray()) ++generation_;
  advise_huge_pages(at(made.begin), at(made.end));
  if (watcher_) watcher_->allocated(made);
  return made.begin;
}

bool DeviceMemory::grow(std::uint64_t address, std::uint64_t bytes, unsigned context) {
  const auto own = ranges_.find(address);
  const std::uint64_t had = own != ranges_.end() ? own->second.end - address : 0;
  if (address % 256 != 0 || bytes <= had || !contains(address, bytes)) return false;
  const std::uint64_t begin = address + had, end = address + bytes;
  if ((had != 0 && own->second.context != context) || occupied(begin, end)) return false;
  const auto next = ranges_.lower_bound(end);
  if (next != ranges_.end() && too_close(context, end - 1, next->second.context, next->first)) return false;
  if (had == 0 && next != ranges_.begin()) {
    const Range& before = std::prev(next)->second;
    if (too_close(before.context, before.end - 1, context, address)) return false;
  }
  ranges_[address] = {address, end, context};
  allocated_ += end - begin;
  ++generation_;
  advise_huge_pages(at(begin), at(end));
  if (watcher_) watcher_->allocated({begin, end, context});
  return true;
}

bool DeviceMemory::release(std::uint64_t address) {
  auto it = ranges_.find(address);
  if (it == ranges_.end()) return false;
  const auto heap = heaps_.find(it->second.context);
  if (heap != heaps_.end() && heap->second.begin == address) return false;
  const Range gone = it->second;
  for (auto own = shared_.lower_bound(gone.begin); own != shared_.end() && own->first < gone.end;) {
    // Others may have it mapped for as long as they like: the device gets other pages.
    (void)mmap(at(own->first), own->second - own->first, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    own = shared_.erase(own);
  }
  allocated_ -= gone.end - gone.begin;
  ranges_.erase(it);
  ++generation_;
  if (watcher_) watcher_->released(gone);
  return true;
}

int DeviceMemory::share(std::uint64_t address, std::uint64_t bytes) {
  // What is a file already would be two.
  if (file_ >= 0 || bytes == 0) return -1;
  const int file = file_of(bytes);
  if (file < 0) return -1;
  std::byte* const here = at(address);
  void* const there = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (there != MAP_FAILED) {
    // Pages of zeros, as those that nobody has touched, take no memory.
    constexpr std::size_t kPage = 4096;
    static const std::byte zeros[kPage] = {};
    for (std::uint64_t page = 0; page < bytes; page += kPage)
      if (std::memcmp(here + page, zeros, kPage) != 0)
        std::memcpy(static_cast<std::byte*>(there) + page, here + page, kPage);
    if (mremap(there, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, here) != MAP_FAILED) {
      shared_[address] = address + bytes;
      return file;
    }
    munmap(there, bytes);
  }
  close(file);
  return -1;
}

bool DeviceMemory::too_close(unsigned a, std::uint64_t last, unsigned b, std::uint64_t first) const {
  const auto pages_of = [](unsigned owner) { return owner == kDriver ? 0u : owner; };
  return page_bytes_ != 0 && pages_of(a) != pages_of(b) && last / page_bytes_ == first / page_bytes_;
}

bool DeviceMemory::occupied(std::uint64_t begin, std::uint64_t end) const {
  auto it = ranges_.lower_bound(end);
  return it != ranges_.begin() && std::prev(it)->second.end > begin;
}

bool DeviceMemory::create_heap(std::uint64_t bytes, unsigned context) {
  const auto begin = allocate(bytes, 256, context);
  if (!begin) return false;
  heaps_.emplace(context, Heap{*begin, BlockHeap(*begin, bytes)});
  return true;
}

std::optional<DeviceMemory::Range> DeviceMemory::heap_of(unsigned context) const {
  const auto heap = heaps_.find(context);
  return heap == heaps_.end() ? std::nullopt : range_of(heap->second.begin);
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

std::optional<DeviceMemory::Range> DeviceMemory::surroundings_of(std::uint64_t address,
                                                                 unsigned context) const {
  if (!lets_stray() || !contains(address, 1)) return std::nullopt;
  const std::uint64_t page = address / stray_bytes_ * stray_bytes_;
  const std::uint64_t page_end = std::min(page + stray_bytes_, kBase + size_);
  Range found{page, page_end, context};
  bool own = false;
  auto range = ranges_.upper_bound(page);
  if (range != ranges_.begin()) --range;
  for (; range != ranges_.end() && range->first < page_end; ++range) {
    const Range& there = range->second;
    if (there.end <= page) continue;
    if (there.context == context) {
      own = true;
    } else if (there.end <= address) {
      found.begin = std::max(found.begin, there.end);
    } else if (there.begin > address) {
      found.end = std::min(found.end, there.begin);
    } else {
      return std::nullopt;
    }
  }
  return own ? std::optional(found) : std::nullopt;
}

}  // namespace warpvp
