#pragma once
// Whose device memory is: contexts by their numbers, and two more.

#include <cstdint>
#include <string>

namespace warpvp::memory_owner {

/// For what the driver keeps there itself: page tables, kernel images.
inline constexpr unsigned kDriver = 0xffff'ffff;
/// For the local memory of contexts that have none of their own: of context 0, and without page tables of
/// all.
inline constexpr unsigned kSms = 0xffff'fffe;

/// In messages: "context 3", "the driver", "the SMs".
inline std::string name(unsigned owner) {
  if (owner == kDriver) return "the driver";
  return owner == kSms ? "the SMs" : "context " + std::to_string(owner);
}

}  // namespace warpvp::memory_owner
