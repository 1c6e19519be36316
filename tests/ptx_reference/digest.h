#pragma once
// Digests by which results are told apart: FNV-1a, folded to 32 bits.

#include <cstddef>
#include <cstdint>

namespace warpvp::reference {

inline constexpr std::uint64_t kFnv = 0xcbf29ce484222325ull;

inline std::uint64_t fnv(std::uint64_t hash, const void* data, std::size_t bytes) {
  const auto* const p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001b3ull;
  return hash;
}
inline std::uint32_t folded(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ hash >> 32); }

}  // namespace warpvp::reference
