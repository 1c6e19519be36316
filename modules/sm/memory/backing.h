#pragma once
// What the caches of an SM have to know of the memory system behind them.

#include <cstdint>

namespace warpvp {

class AddressMap;
class DeviceMemory;

struct SmBacking {
  const DeviceMemory* memory = nullptr;  ///< nullptr: without bounds
  /// Nothing is prefetched across the bounds of pages of this size; power of two.
  std::uint64_t page_bytes = std::uint64_t{2} << 20;
  /// Reads of kind AccessKind::kRecall to keep open at each bank of the L2 of which the L1 holds lines; 0:
  /// the L2 recalls nothing.
  unsigned recalls_at_once = 0;
  const AddressMap* map = nullptr;    ///< not nullptr where it does
  std::uint32_t l2_line_bytes = 128;  ///< what a recall is for
};

}  // namespace warpvp
