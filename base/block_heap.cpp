#include "base/block_heap.h"

#include <iterator>

namespace warpvp {

BlockHeap::BlockHeap(std::uint64_t begin, std::uint64_t bytes) {
  bytes -= bytes % kAlignment;
  if (bytes != 0) free_[begin] = bytes;
}

std::uint64_t BlockHeap::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > UINT64_MAX - kAlignment) return 0;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < bytes) continue;
    const std::uint64_t begin = it->first, rest = it->second - bytes;
    free_.erase(it);
    if (rest != 0) free_[begin + bytes] = rest;
    live_[begin] = bytes;
    return begin;
  }
  return 0;
}

bool BlockHeap::release(std::uint64_t address) {
  const auto block = live_.find(address);
  if (block == live_.end()) return false;
  std::uint64_t bytes = block->second;
  live_.erase(block);
  const auto after = free_.find(address + bytes);
  if (after != free_.end()) {
    bytes += after->second;
    free_.erase(after);
  }
  const auto next = free_.lower_bound(address);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += bytes;
      return true;
    }
  }
  free_[address] = bytes;
  return true;
}

}  // namespace warpvp
