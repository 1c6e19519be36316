#include "sw/cuda/server/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace warpvp::cuda {

namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;  // of an entry's flags
/// What a byte of LZ4 can stand for at most.
constexpr std::uint64_t kLz4Most = 255;
constexpr std::uint64_t kMostDecompressed = std::uint64_t{128} << 20;

template <class T>
T value_at(const std::uint8_t* data, std::size_t at) {
  T value;
  std::memcpy(&value, data + at, sizeof value);
  return value;
}

/// Of an entry's header, what is known of it.
struct EntryHeader {
  static constexpr std::size_t kBytes = 64;
  explicit EntryHeader(const std::uint8_t* at)
      : kind(value_at<std::uint16_t>(at, 0)),
        header_bytes(value_at<std::uint32_t>(at, 4)),
        padded_bytes(value_at<std::uint64_t>(at, 8)),
        compressed_bytes(value_at<std::uint32_t>(at, 16)),
        architecture(value_at<std::uint32_t>(at, 28)),
        flags(value_at<std::uint64_t>(at, 40)),
        bytes(value_at<std::uint64_t>(at, 56)) {}
  std::uint16_t kind;
  std::uint32_t header_bytes;
  std::uint64_t padded_bytes;
  std::uint32_t compressed_bytes, architecture;
  std::uint64_t flags, bytes;
};

std::vector<std::uint8_t> decompress(const std::string& place, const EntryHeader& header,
                                     const std::uint8_t* payload) {
  if (header.compressed_bytes == 0 || header.compressed_bytes > header.padded_bytes)
    throw InputError(fmt::format("{}: damaged: a compressed payload of {} bytes in {}", place,
                                 header.compressed_bytes, header.padded_bytes));
  // Memory is taken for no more than the compressed data says itself.
  const std::uint64_t most = header.flags & kZstd ? ZSTD_getFrameContentSize(payload, header.compressed_bytes)
                                                  : kLz4Most * header.compressed_bytes;
  if (header.bytes == 0 || header.bytes > kMostDecompressed || header.bytes > most)
    throw InputError(fmt::format("{}: damaged: {} bytes once decompressed", place, header.bytes));
  std::vector<std::uint8_t> out(header.bytes);
  bool right;
  if (header.flags & kZstd) {
    const std::size_t n = ZSTD_decompress(out.data(), out.size(), payload, header.compressed_bytes);
    right = !ZSTD_isError(n) && n == out.size();
  } else {
    const int n =
        LZ4_decompress_safe(reinterpret_cast<const char*>(payload), reinterpret_cast<char*>(out.data()),
                            static_cast<int>(header.compressed_bytes), static_cast<int>(out.size()));
    right = n >= 0 && static_cast<std::size_t>(n) == out.size();
  }
  if (!right)
    throw InputError(fmt::format("{}: damaged: its {} data does not decompress", place,
                                 header.flags & kZstd ? "zstd" : "LZ4"));
  return out;
}

/// The highest that the device has, else the lowest that it has not.
bool fits_better(std::uint32_t a, std::uint32_t b, std::uint32_t capability) {
  if ((a <= capability) != (b <= capability)) return a <= capability;
  return a <= capability ? a > b : a < b;
}

}  // namespace

std::vector<FatBinaryEntry> read_fat_binary(const std::string& name, const std::uint8_t* data,
                                            std::size_t bytes) {
  if (bytes < 16 || value_at<std::uint32_t>(data, 0) != kMagic)
    throw InputError(name + ": no fat binary: it does not begin with the magic number of one");
  const std::size_t header = value_at<std::uint16_t>(data, 6);
  const std::uint64_t follow = value_at<std::uint64_t>(data, 8);
  if (header < 16 || header > bytes || follow > bytes - header)
    throw InputError(fmt::format("{}: damaged fat binary: {} bytes after a header of {}, of {} in all", name,
                                 follow, header, bytes));
  std::vector<FatBinaryEntry> entries;
  std::size_t at = header;
  const std::size_t end = header + follow;
  while (at < end) {
    const std::string place = fmt::format("{}: entry {} of the fat binary", name, entries.size());
    if (end - at < EntryHeader::kBytes) throw InputError(place + ": damaged: cut off in its header");
    const EntryHeader entry(data + at);
    if (entry.header_bytes < EntryHeader::kBytes || entry.header_bytes > end - at ||
        entry.padded_bytes > end - at - entry.header_bytes)
      throw InputError(fmt::format("{}: damaged: {} and {} bytes of header and payload, {} are left", place,
                                   entry.header_bytes, entry.padded_bytes, end - at));
    const std::uint8_t* const payload = data + at + entry.header_bytes;
    FatBinaryEntry found;
    found.kind = entry.kind;
    found.architecture = entry.architecture;
    if (entry.flags & (kLz4 | kZstd))
      found.payload = decompress(place, entry, payload);
    else
      found.payload.assign(payload, payload + entry.padded_bytes);
    entries.push_back(std::move(found));
    at += entry.header_bytes + entry.padded_bytes;
  }
  return entries;
}

std::string ptx_for(const std::string& name, const std::uint8_t* data, std::size_t bytes,
                    std::uint32_t capability) {
  const auto text_of = [](const std::uint8_t* begin, std::size_t size) {
    // It ends with its first zero, and is padded with more.
    return std::string(begin, std::find(begin, begin + size, std::uint8_t{0}));
  };
  if (bytes < 4 || value_at<std::uint32_t>(data, 0) != kMagic) {
    const std::string text = text_of(data, bytes);
    if (text.find(".version") == std::string::npos) throw InputError(name + ": neither a fat binary nor PTX");
    return text;
  }
  const FatBinaryEntry* best = nullptr;
  std::string there;
  const std::vector<FatBinaryEntry> entries = read_fat_binary(name, data, bytes);
  for (const FatBinaryEntry& entry : entries) {
    const bool ptx = entry.kind == FatBinaryEntry::kPtx;
    there += fmt::format("{}{} {}", there.empty() ? "" : ", ", ptx ? "PTX of compute" : "machine code of sm",
                         entry.architecture);
    if (ptx && (best == nullptr || fits_better(entry.architecture, best->architecture, capability)))
      best = &entry;
  }
  if (best == nullptr)
    throw NoPtx(fmt::format(
        "{}: no PTX in it, but {}; compile with -gencode arch=compute_{},code=compute_{}, or a later "
        "architecture",
        name, there.empty() ? "nothing" : there, std::max(capability, 75u), std::max(capability, 75u)));
  return text_of(best->payload.data(), best->payload.size());
}

std::uint32_t architecture_of(const std::string& ptx) {
  const std::size_t target = ptx.find(".target");
  const std::size_t name = target == std::string::npos ? target : ptx.find("sm_", target);
  if (name == std::string::npos || name > ptx.find('\n', target)) return 0;
  std::uint32_t architecture = 0;
  for (std::size_t at = name + 3; at < ptx.size() && at < name + 7 && std::isdigit(ptx[at]) != 0; ++at)
    architecture = architecture * 10 + static_cast<std::uint32_t>(ptx[at] - '0');
  return architecture;
}

}  // namespace warpvp::cuda
