#include "ptx/exec/slice_stores.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpvp::ptx {

namespace {
constexpr std::size_t kFirstPlaces = 1024;
// Room for what one store of a warp can need, and as much again.
constexpr std::size_t kFirstJournalBytes = std::size_t{32} << 10;
static_assert(kFirstJournalBytes >=
              kWarpSize * (sizeof(StoreJournal::Record) + kWarpSize / 2 * OwnStores::kMostBytes));
constexpr unsigned kHalf = kWarpSize / 2;
constexpr LaneMask kAllOfHalf = (LaneMask{1} << kHalf) - 1;

constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};
/// The address of lane 0, there or not, if each of these lanes lies `bytes` behind the one before.
std::uint64_t first_of_block(const std::uint64_t* address, LaneMask lanes, unsigned bytes) {
  const auto lane0 = static_cast<unsigned>(__builtin_ctz(lanes));
  const std::uint64_t first = address[lane0] - std::uint64_t{lane0} * bytes;
  std::uint64_t differ = 0;
  for (unsigned i = 0; i < kHalf; ++i)
    if ((lanes >> i & 1) != 0) differ |= address[i] ^ (first + std::uint64_t{i} * bytes);
  return differ == 0 ? first : kNoBlock;
}

/// Bits of `bytes` bytes from byte `at` on.
std::uint64_t bits(unsigned at, unsigned bytes) { return ((std::uint64_t{1} << bytes) - 1) << at; }
}  // namespace

SliceStores::SliceStores(std::byte* host, std::uint64_t origin, std::size_t journal_bytes)
    : OwnStores(true),
      host_(host),
      origin_(origin),
      table_(kFirstPlaces, kNone),
      journal_bytes_(journal_bytes) {}

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

AddressRange SliceStores::note_range(const AddressRange& range) {
  const bool known = std::any_of(ranges_.begin(), ranges_.end(), [&](const AddressRange& of) {
    return of.begin <= range.begin && of.end >= range.end;
  });
  if (known) return {};
  AddressRange added = range;
  for (std::size_t i = 0; i < ranges_.size();) {
    const AddressRange& of = ranges_[i];
    const bool touches = of.begin <= added.end && of.end >= added.begin;
    if (touches || ranges_.size() >= kMostRanges) {
      added = {std::min(of.begin, added.begin), std::max(of.end, added.end)};
      ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;  // it may touch those before now
    } else {
      ++i;
    }
  }
  ranges_.push_back(added);
  reach(range);
  return added;
}

void SliceStores::forget_ranges() {
  ranges_.clear();
  note_empty();
}

AddressRange SliceStores::free_around(const AddressRange& access, const AddressRange& range) const {
  if (access.begin < range.begin || access.end > range.end) return {};
  AddressRange found = range;
  for (const AddressRange& of : ranges_) {
    if (of.begin < access.end && of.end > access.begin) return {};
    if (of.end <= access.begin)
      found.begin = std::max(found.begin, of.end);
    else
      found.end = std::min(found.end, of.begin);
  }
  return found;
}

template <class F>
void SliceStores::for_each_in_journal(F&& f) const {
  for (const std::byte* data = journal_.begin; data != journal_.next;) {
    StoreJournal::Record record;
    std::memcpy(&record, data, sizeof record);
    data += sizeof record;
    if (record.lanes == kAllOfHalf) {
      f(record.address, kHalf * record.bytes, data);
    } else {
      for (unsigned lanes = record.lanes; lanes != 0; lanes &= lanes - 1) {
        const unsigned from = static_cast<unsigned>(__builtin_ctz(lanes)) * record.bytes;
        f(record.address + from, record.bytes, data + from);
      }
    }
    data += std::size_t{kHalf} * record.bytes;
  }
}

void SliceStores::keep(std::uint64_t address, unsigned bytes, const std::byte* from) {
  while (bytes != 0) {
    const auto begin = static_cast<unsigned>(address % kLineBytes);
    const unsigned here = std::min(bytes, kLineBytes - begin);
    if (used_ == lines_.size()) grow();
    Line& to = line(address / kLineBytes);
    note(address);  // all of it is in reach already, and there may have been nothing but the journal
    std::memcpy(to.data + begin, from, here);
    for (unsigned at = begin; at < begin + here;) {
      const unsigned word = std::min(begin + here, (at / kWordBytes + 1) * kWordBytes) - at;
      to.stored[at / kWordBytes] |= word == kWordBytes ? ~std::uint64_t{0} : bits(at % kWordBytes, word);
      at += word;
    }
    address += here;
    from += here;
    bytes -= here;
  }
}

void SliceStores::close_journal() {
  for_each_in_journal([this](auto address, unsigned bytes, auto data) { keep(address, bytes, data); });
  journal_.next = journal_.begin;
}

// All SMs have one, and most slices store little: it is as long as one of them has needed.
bool SliceStores::make_room(std::size_t bytes) {
  const auto room = [&] { return static_cast<std::size_t>(journal_.end - journal_.next); };
  const auto size = static_cast<std::size_t>(journal_.end - journal_.begin);
  if (room() >= bytes) return true;
  if (size == journal_bytes_) return false;
  const std::size_t longer = std::min(journal_bytes_, std::max(kFirstJournalBytes, 2 * size));
  std::unique_ptr<std::byte[]> records(new std::byte[longer]);
  std::copy(journal_.begin, journal_.next, records.get());
  journal_.next = records.get() + (journal_.next - journal_.begin);
  journal_.begin = records.get();
  journal_.end = journal_.begin + longer;
  records_ = std::move(records);
  return room() >= bytes;
}

bool SliceStores::add_to_journal(const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                                 std::uintptr_t* to) {
  const std::size_t record_bytes = sizeof(StoreJournal::Record) + std::size_t{kHalf} * bytes;
  if (!make_room(kWarpSize * record_bytes)) return false;
  const auto append = [&](std::uint64_t first, LaneMask of) {
    const StoreJournal::Record record{first, static_cast<std::uint16_t>(of),
                                      static_cast<std::uint16_t>(bytes), 0};
    std::memcpy(journal_.next, &record, sizeof record);
    std::byte* const data = journal_.next + sizeof record;
    journal_.next += record_bytes;
    return reinterpret_cast<std::uintptr_t>(data);
  };
  for (unsigned half = 0; half < kWarpSize; half += kHalf) {
    const LaneMask its = lanes >> half & kAllOfHalf;
    if (its == 0) continue;
    const std::uint64_t first = first_of_block(address + half, its, bytes);
    const std::uintptr_t block = first != kNoBlock ? append(first, its) : 0;
    for (LaneMask rest = its; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(rest));
      to[half + i] = block != 0 ? block + std::uintptr_t{i} * bytes : append(address[half + i], 1);
    }
  }
  return true;
}

void SliceStores::add(Cycle, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                      std::uintptr_t* to) {
  bool block = true;
  for (unsigned half = 0; half < kWarpSize; half += kHalf)
    if (const LaneMask its = lanes >> half & kAllOfHalf)
      block &= first_of_block(address + half, its, bytes) != kNoBlock;
  scattered_ += !block;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) note(address[__builtin_ctz(rest)]);
  if (add_to_journal(address, lanes, bytes, to)) return;
  close_journal();
  // No line moves while pointers into it are handed out.
  if (used_ + kWarpSize > lines_.size()) grow();
  Line* last = nullptr;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t number = address[lane] / kLineBytes;
    const auto at = static_cast<unsigned>(address[lane] % kLineBytes);
    if (last == nullptr || last->number != number) last = &line(number);
    last->stored[at / kWordBytes] |= bits(at % kWordBytes, bytes);
    to[lane] = reinterpret_cast<std::uintptr_t>(last->data + at);
  }
}

void SliceStores::find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now,
                       std::byte* room, std::uintptr_t* from) {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    low = std::min(low, address[__builtin_ctz(rest)]);
    high = std::max(high, address[__builtin_ctz(rest)]);
  }
  looked_ += std::any_of(ranges_.begin(), ranges_.end(),
                         [&](const AddressRange& of) { return of.begin < high + bytes && of.end > low; });
  close_journal();
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

void SliceStores::read(std::uint64_t address, unsigned bytes, Cycle, std::byte* to) {
  close_journal();
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
  write_lines();
  // All in the journal is younger.
  for_each_in_journal(
      [this](auto address, unsigned bytes, auto data) { std::memcpy(at(address), data, bytes); });
  journal_.next = journal_.begin;
  looked_ = scattered_ = 0;
  note_empty();
  for (const AddressRange& range : ranges_) reach(range);
}

void SliceStores::write_lines() {
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
}

}  // namespace warpvp::ptx
