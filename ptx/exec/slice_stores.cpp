#include "ptx/exec/slice_stores.h"

#include <algorithm>
#include <cstring>

namespace warpvp::ptx {

namespace {
constexpr std::size_t kFirstPlaces = 1024;

/// Bits of `bytes` bytes from byte `at` on.
std::uint64_t bits(unsigned at, unsigned bytes) { return ((std::uint64_t{1} << bytes) - 1) << at; }
}  // namespace

SliceStores::SliceStores(std::byte* host, std::uint64_t origin)
    : host_(host), origin_(origin), table_(kFirstPlaces, kNone) {}

std::uint32_t SliceStores::place_of(std::uint64_t number) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = (number ^ number >> 10 ^ number >> 20) & mask;
  while (table_[place] != kNone && lines_[table_[place]].number != number) place = (place + 1) & mask;
  return static_cast<std::uint32_t>(place);
}

std::uint32_t SliceStores::index_of(std::uint64_t number) const { return table_[place_of(number)]; }

SliceStores::Line& SliceStores::line(std::uint64_t number) {
  const std::uint32_t place = place_of(number);
  if (table_[place] != kNone) return lines_[table_[place]];
  table_[place] = static_cast<std::uint32_t>(used_);
  Line& added = lines_[used_++];
  added.number = number;
  added.stored[0] = added.stored[1] = 0;
  added.place = place;
  return added;
}

void SliceStores::grow() {
  lines_.resize(std::max<std::size_t>(kFirstPlaces / 2, 2 * lines_.size()));
  table_.assign(2 * lines_.size(), kNone);
  for (std::size_t i = 0; i < used_; ++i) {
    lines_[i].place = place_of(lines_[i].number);
    table_[lines_[i].place] = static_cast<std::uint32_t>(i);
  }
}

void SliceStores::add(Cycle, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                      std::uintptr_t* to) {
  // No line moves while pointers into it are handed out.
  if (used_ + kWarpSize > lines_.size()) grow();
  Line* last = nullptr;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t number = address[lane] / kLineBytes;
    const auto at = static_cast<unsigned>(address[lane] % kLineBytes);
    if (last == nullptr || last->number != number) {
      last = &line(number);
      note(number * kLineBytes);
      note(number * kLineBytes + kLineBytes - 1);
    }
    last->stored[at / kWordBytes] |= bits(at % kWordBytes, bytes);
    to[lane] = reinterpret_cast<std::uintptr_t>(last->data + at);
  }
}

void SliceStores::find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now,
                       std::byte* room, std::uintptr_t* from) const {
  std::uint64_t number = ~std::uint64_t{0};
  const Line* line = nullptr;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (address[lane] / kLineBytes != number) {
      number = address[lane] / kLineBytes;
      const std::uint32_t index = index_of(number);
      line = index == kNone ? nullptr : &lines_[index];
    }
    if (line == nullptr) continue;
    const auto at = static_cast<unsigned>(address[lane] % kLineBytes);
    const std::uint64_t wanted = bits(at % kWordBytes, bytes);
    const std::uint64_t here = line->stored[at / kWordBytes] & wanted;
    if (here == wanted) {
      from[lane] = reinterpret_cast<std::uintptr_t>(line->data + at);
    } else if (here != 0) {
      std::byte* const mixed = room + std::size_t{lane} * bytes;
      read(address[lane], bytes, now, mixed);
      from[lane] = reinterpret_cast<std::uintptr_t>(mixed);
    }
  }
}

void SliceStores::read(std::uint64_t address, unsigned bytes, Cycle, std::byte* to) const {
  std::memcpy(to, at(address), bytes);
  const std::uint32_t index = index_of(address / kLineBytes);
  if (index == kNone) return;
  const auto from = static_cast<unsigned>(address % kLineBytes);
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned byte = from + i;
    if ((lines_[index].stored[byte / kWordBytes] >> byte % kWordBytes & 1) != 0)
      to[i] = lines_[index].data[byte];
  }
}

void SliceStores::write() {
  if (empty()) return;
  for (std::size_t i = 0; i < used_; ++i) {
    const Line& line = lines_[i];
    table_[line.place] = kNone;
    std::byte* const to = at(line.number * kLineBytes);
    for (unsigned word = 0; word < kLineBytes / kWordBytes; ++word) {
      const std::byte* const data = line.data + word * kWordBytes;
      std::byte* const there = to + word * kWordBytes;
      std::uint64_t stored = line.stored[word];
      if (stored == ~std::uint64_t{0}) {
        std::memcpy(there, data, kWordBytes);
        continue;
      }
      for (; stored != 0; stored &= stored - 1) {
        const int byte = __builtin_ctzll(stored);
        there[byte] = data[byte];
      }
    }
  }
  used_ = 0;
  note_empty();
}

}  // namespace warpvp::ptx
