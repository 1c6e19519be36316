#pragma once
// Blocks of an address range, given out and taken back: what device-side malloc and free do with the device
// heap. Only addresses are managed here; what a block holds, and whether an access lies in one, is others'
// business.

#include <cstdint>
#include <map>

namespace warpvp {

class BlockHeap {
 public:
  /// Blocks lie at multiples of this, as device-side malloc promises.
  static constexpr std::uint64_t kAlignment = 16;

  /// Manages [begin, begin + bytes); `begin` is a multiple of kAlignment and not 0.
  BlockHeap(std::uint64_t begin, std::uint64_t bytes);

  /// The lowest free place of `bytes` bytes (first fit), so the same calls give the same addresses. 0 when
  /// none is large enough, and for 0 bytes.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Frees a block by its start and merges it with free neighbours; false if no live block starts there.
  bool release(std::uint64_t address);

  std::uint64_t live_blocks() const { return live_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> free_, live_;  // begin: bytes
};

}  // namespace warpvp
