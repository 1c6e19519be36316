#include "sw/runtime/mapped_bars.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

#include "interconnect/register_map.h"

namespace warpvp::rt {

namespace ep = regmap::ep;
using Bar = DeviceLink::Bar;

namespace {

/// Calls `access` with the widest words that an access to a register or to memory can have.
template <class Access>
void in_words(std::uint64_t offset, std::size_t bytes, const Access& access) {
  for (std::size_t done = 0; done < bytes;) {
    std::size_t word = 8;
    while (word > bytes - done || (offset + done) % word != 0) word /= 2;
    access(done, word);
    done += word;
  }
}

template <class Word>
void store(volatile unsigned char* to, const unsigned char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  *reinterpret_cast<volatile Word*>(to) = word;
}

template <class Word>
void load(unsigned char* to, volatile unsigned char* from) {
  const Word word = *reinterpret_cast<volatile Word*>(from);
  std::memcpy(to, &word, sizeof word);
}

}  // namespace

MappedBars::~MappedBars() {
  for (const Window& window : windows_)
    if (window.at != nullptr) munmap(const_cast<unsigned char*>(window.at), window.bytes);
}

bool MappedBars::map(Bar bar, int file, std::uint64_t bytes, std::uint64_t offset) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return false;
  windows_[bar == Bar::kMemory ? 1 : 0] = {static_cast<volatile unsigned char*>(at), bytes};
  return true;
}

volatile unsigned char* MappedBars::place(Bar bar, std::uint64_t offset, std::size_t bytes) const {
  const Window& w = window(bar);
  if (offset > w.bytes || bytes > w.bytes - offset)
    throw TransportError(
        fmt::format("an access of {} bytes at {:#x} is beyond the end of the BAR", bytes, offset));
  if (bar == Bar::kRegisters && (bytes % 4 != 0 || offset % 4 != 0))
    throw TransportError(
        fmt::format("an access of {} bytes to registers at {:#x}; allowed: words of 4", bytes, offset));
  return w.at + offset;
}

void MappedBars::read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes) const {
  volatile unsigned char* const at = place(bar, offset, bytes);
  auto* const to = static_cast<unsigned char*>(data);
  in_words(offset, bytes, [&](std::size_t done, std::size_t word) {
    switch (word) {
      case 8:
        return load<std::uint64_t>(to + done, at + done);
      case 4:
        return load<std::uint32_t>(to + done, at + done);
      case 2:
        return load<std::uint16_t>(to + done, at + done);
      default:
        return load<std::uint8_t>(to + done, at + done);
    }
  });
}

void MappedBars::write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes) const {
  volatile unsigned char* const at = place(bar, offset, bytes);
  const auto* const from = static_cast<const unsigned char*>(data);
  in_words(offset, bytes, [&](std::size_t done, std::size_t word) {
    switch (word) {
      case 8:
        return store<std::uint64_t>(at + done, from + done);
      case 4:
        return store<std::uint32_t>(at + done, from + done);
      case 2:
        return store<std::uint16_t>(at + done, from + done);
      default:
        return store<std::uint8_t>(at + done, from + done);
    }
  });
}

void MappedBars::write_endpoint(std::uint64_t offset, std::uint64_t value) const {
  write(Bar::kRegisters, ep::kBase + offset, &value, sizeof value);
}

void MappedBars::fill_burst_data(const void* data, std::size_t bytes) const {
  std::uint8_t words[ep::kBurstBytes] = {};
  if (bytes > sizeof words) throw TransportError(fmt::format("a burst of {} bytes", bytes));
  std::memcpy(words, data, bytes);
  write(Bar::kRegisters, ep::kBase + ep::kBurstData, words, (bytes + 7) / 8 * 8);
}

void MappedBars::burst_to_memory(std::uint64_t offset, const void* data, std::size_t bytes,
                                 bool untimed) const {
  place(Bar::kMemory, offset, bytes);
  fill_burst_data(data, bytes);
  write_endpoint(ep::kMemoryBurst,
                 std::uint64_t{bytes} << 48 | offset | (untimed ? std::uint64_t{1} << 63 : 0));
}

void MappedBars::burst_to_registers(std::uint64_t offset, const void* data, std::size_t bytes) const {
  fill_burst_data(data, bytes);
  write_endpoint(ep::kBurst, std::uint64_t{bytes} << 32 | offset);
}

}  // namespace warpvp::rt
