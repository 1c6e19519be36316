#include "modules/vfio_user/dma_regions.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace warpvp::vfio_user {

namespace {

constexpr std::uint64_t kPage = 4096;

/// 0, or why the file is not one that the region can have.
int check_file(const FileDescriptor& file, const DmaMap& map) {
  struct stat status {};
  struct statfs system {};
  if (fstat(file.get(), &status) != 0 || fstatfs(file.get(), &system) != 0) return errno;
  if (!S_ISREG(status.st_mode) || (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC))
    return EINVAL;
  const auto length = static_cast<std::uint64_t>(status.st_size);
  if (map.offset > length || map.bytes > length - map.offset) return EINVAL;
  const int mode = fcntl(file.get(), F_GETFL) & O_ACCMODE;
  if ((map.flags & DmaMap::kReadable) != 0 && mode == O_WRONLY) return EACCES;
  if ((map.flags & DmaMap::kWriteable) != 0 && mode == O_RDONLY) return EACCES;
  return 0;
}

bool access_file(int file, bool write, std::uint64_t at, std::uint8_t* data, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t moved = write ? pwrite(file, data, bytes, static_cast<off_t>(at))
                                : pread(file, data, bytes, static_cast<off_t>(at));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    at += static_cast<std::uint64_t>(moved);
    data += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

int DmaRegions::add(const DmaMap& map, FileDescriptor file, std::uint64_t limit) {
  const bool whole = map.address % kPage == 0 && map.bytes % kPage == 0 && map.offset % kPage == 0;
  if (map.bytes == 0 || !whole || map.address >= limit || map.bytes > limit - map.address ||
      (map.flags & (DmaMap::kReadable | DmaMap::kWriteable)) == 0)
    return EINVAL;
  if (regions_.size() >= kMaxDmaRegions) return ENOSPC;
  const auto next = regions_.lower_bound(map.address);
  if (next != regions_.end() && next->first - map.address < map.bytes) return EEXIST;
  if (next != regions_.begin() && map.address - std::prev(next)->first < std::prev(next)->second.bytes)
    return EEXIST;
  if (file.open())
    if (const int problem = check_file(file, map)) return problem;
  regions_.emplace(map.address, Region{map.bytes, map.flags, map.offset, std::move(file)});
  return 0;
}

// A client with an IOMMU of its own, as QEMU's, unmaps what its guest invalidates: ranges in which several
// regions lie, or none.
int DmaRegions::remove(std::uint64_t address, std::uint64_t bytes, std::uint64_t& removed) {
  removed = 0;
  if (bytes == 0 || bytes - 1 > ~address) return EINVAL;
  const std::uint64_t last = address + (bytes - 1);
  auto begin = regions_.lower_bound(address);
  if (begin != regions_.begin()) {
    const auto& [at, region] = *std::prev(begin);
    if (address - at < region.bytes) return EINVAL;
  }
  const auto end = regions_.upper_bound(last);
  if (begin != end) {
    const auto& [at, region] = *std::prev(end);
    if (region.bytes - 1 > last - at) return EINVAL;
  }
  for (auto region = begin; region != end; ++region) removed += region->second.bytes;
  regions_.erase(begin, end);
  return 0;
}

std::uint64_t DmaRegions::clear() {
  std::uint64_t bytes = 0;
  for (const auto& [at, region] : regions_) bytes += region.bytes;
  regions_.clear();
  return bytes;
}

const DmaRegions::Region* DmaRegions::find(std::uint64_t address, bool write, std::uint64_t& begin) const {
  const auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return nullptr;
  const auto& [at, region] = *std::prev(next);
  begin = at;
  const std::uint32_t needed = write ? DmaMap::kWriteable : DmaMap::kReadable;
  return address - at < region.bytes && (region.flags & needed) != 0 ? &region : nullptr;
}

bool DmaRegions::access(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes,
                        const ByMessages& by_messages) const {
  while (bytes != 0) {
    std::uint64_t begin = 0;
    const Region* const region = find(address, write, begin);
    if (region == nullptr) return false;
    const std::uint64_t offset = address - begin;
    const std::size_t piece = std::min<std::uint64_t>(bytes, region->bytes - offset);
    if (region->file.open()) {
      if (!access_file(region->file.get(), write, region->offset + offset, data, piece)) return false;
    } else {
      // The client may close the region before it answers: nothing of it is looked at afterwards.
      if (!by_messages(write, address, data, piece)) return false;
    }
    address += piece;
    data += piece;
    bytes -= piece;
  }
  return true;
}

}  // namespace warpvp::vfio_user
