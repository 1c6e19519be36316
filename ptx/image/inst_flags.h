#pragma once
// The flags of an instruction as bits of its record in section kCode.

#include <cstdint>

#include "ptx/program.h"

namespace warpvp::ptx::image {

inline constexpr std::uint16_t kAllFlags = 0x7f;

inline std::uint16_t flags_of(const Inst& i) {
  return static_cast<std::uint16_t>(i.is_part | i.is_store << 1 | i.is_atomic << 2 | i.is_volatile << 3 |
                                    i.is_async << 4 | i.depot << 5 | i.uniform << 6);
}
inline void set_flags(Inst& i, std::uint16_t flags) {
  i.is_part = flags & 1;
  i.is_store = flags >> 1 & 1;
  i.is_atomic = flags >> 2 & 1;
  i.is_volatile = flags >> 3 & 1;
  i.is_async = flags >> 4 & 1;
  i.depot = flags >> 5 & 1;
  i.uniform = flags >> 6 & 1;
}

// What the record holds; a field more, and it and kVersion need one more too.
static_assert(sizeof(Inst) == 192);

}  // namespace warpvp::ptx::image
