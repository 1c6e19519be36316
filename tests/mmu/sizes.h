#pragma once

#include <cstdint>

namespace warpvp {

constexpr std::uint64_t kKib = 1024, kMib = 1024 * kKib, kGib = 1024 * kMib;

}  // namespace warpvp
