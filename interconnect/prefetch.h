#pragma once
// Hints to the host's memory. A transaction spends most of its life waiting, in a queue or for its latency,
// while hundreds of blocks tick: by the time it moves on it has left the host's near caches. A block that
// asks for it in `evaluate` has it there in `commit`.

#include <cstddef>
#include <tlm>

#include "interconnect/transaction.h"

namespace warpvp {

inline constexpr std::size_t kHostCacheLine = 64;

/// Begins to load what the next hop will look at of a payload.
inline void prefetch(const tlm::tlm_generic_payload& payload) {
  constexpr std::size_t kBytes = sizeof(Transaction) - Transaction::kScratchBytes;
  const char* const begin = reinterpret_cast<const char*>(&payload);
  for (std::size_t at = 0; at < kBytes; at += kHostCacheLine) __builtin_prefetch(begin + at);
}
/// Begins to load an object in a table.
template <class T>
void prefetch_object(const T& object) {
  const char* const begin = reinterpret_cast<const char*>(&object);
  __builtin_prefetch(begin);
  if (sizeof(T) > 1) __builtin_prefetch(begin + sizeof(T) - 1);
}

}  // namespace warpvp
