#pragma once
// Who a memory access belongs to; travels with it through the whole memory system.

#include <cstdint>

namespace warpvp {

struct AccessOwner {
  std::uint32_t launch = 0;
  std::uint16_t kernel_slot = 0;
  std::uint16_t context = 0;
  std::uint16_t warp = 0;  ///< warp slot of the SM
};

}  // namespace warpvp
