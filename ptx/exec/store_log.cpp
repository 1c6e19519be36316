#include "ptx/exec/store_log.h"

#include <algorithm>
#include <cstring>

namespace warpvp::ptx {

void StoreLog::add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                   std::uintptr_t* to) {
  if (free_.empty()) free_.push_back(std::make_unique<Entry>());
  entries_.push_back(std::move(free_.back()));
  free_.pop_back();
  Entry& entry = *entries_.back();
  entry.edge = edge;
  entry.lanes = lanes;
  entry.bytes = bytes;
  std::memcpy(entry.address, address, sizeof entry.address);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    ++stored_[counter_of(address[lane])];
    note(address[lane]);
    to[lane] = reinterpret_cast<std::uintptr_t>(entry.data + std::size_t{lane} * bytes);
  }
}

void StoreLog::write_first() {
  const Entry& entry = *entries_.front();
  for (LaneMask lanes = entry.lanes; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(lanes));
    std::memcpy(at(entry.address[lane]), entry.data + std::size_t{lane} * entry.bytes, entry.bytes);
    --stored_[counter_of(entry.address[lane])];
  }
  free_.push_back(std::move(entries_.front()));
  entries_.pop_front();
  ++written_;
  if (entries_.empty()) note_empty();
}

void StoreLog::find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now, std::byte* room,
                    std::uintptr_t* from) {
  static_assert(kMostBytes == 1u << kSectorBits, "an aligned access lies in one sector");
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (stored_[counter_of(address[lane])] == 0) continue;
    std::byte* const found = room + std::size_t{lane} * bytes;
    read(address[lane], bytes, now, found);
    from[lane] = reinterpret_cast<std::uintptr_t>(found);
  }
}

void StoreLog::read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) {
  std::memcpy(to, at(address), bytes);
  if (stored_[counter_of(address)] == 0) return;
  for (const auto& entry : entries_) {
    if (entry->edge >= now) break;
    for (LaneMask lanes = entry->lanes; lanes != 0; lanes &= lanes - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(lanes));
      const std::uint64_t begin = std::max(address, entry->address[lane]);
      const std::uint64_t end = std::min(address + bytes, entry->address[lane] + entry->bytes);
      if (begin >= end) continue;
      std::memcpy(to + (begin - address),
                  entry->data + std::size_t{lane} * entry->bytes + (begin - entry->address[lane]),
                  end - begin);
    }
  }
}

}  // namespace warpvp::ptx
