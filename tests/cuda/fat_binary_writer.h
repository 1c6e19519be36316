#pragma once
// Makes fat binaries as nvcc does (sw/cuda/server/fat_binary.h), for tests that need none of NVIDIA's tools.

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpvp::test {

enum class Packing { kPlain, kLz4, kZstd };

class FatBinaryWriter {
 public:
  static constexpr std::uint16_t kPtx = 1, kMachineCode = 2;

  FatBinaryWriter& add(std::uint16_t kind, std::uint32_t architecture, const std::string& content,
                       Packing packing) {
    std::vector<char> packed(content.begin(), content.end());
    std::uint64_t flags = 0x11;
    if (packing == Packing::kLz4) {
      packed.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(content.size()))));
      packed.resize(static_cast<std::size_t>(LZ4_compress_default(
          content.data(), packed.data(), static_cast<int>(content.size()), static_cast<int>(packed.size()))));
      flags |= 0x2000;
    } else if (packing == Packing::kZstd) {
      packed.resize(ZSTD_compressBound(content.size()));
      packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 3));
      flags |= 0x8000;
    }
    const std::size_t at = entries_.size();
    const auto bytes = static_cast<std::uint32_t>(packed.size());
    packed.resize((packed.size() + 7) / 8 * 8 + 8);
    entries_.resize(at + kHeader + packed.size());
    put<std::uint16_t>(at, kind);
    put<std::uint16_t>(at + 2, 0x101);
    put<std::uint32_t>(at + 4, kHeader);
    put<std::uint64_t>(at + 8, packed.size());
    put<std::uint32_t>(at + 16, packing == Packing::kPlain ? 0 : bytes);
    put<std::uint32_t>(at + 28, architecture);
    put<std::uint64_t>(at + 40, flags);
    put<std::uint64_t>(at + 56, packing == Packing::kPlain ? 0 : content.size());
    std::memcpy(entries_.data() + at + kHeader, packed.data(), packed.size());
    return *this;
  }
  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> all(16 + entries_.size());
    const std::uint32_t magic = 0xba55ed50;
    const std::uint16_t version = 1, header = 16;
    const std::uint64_t follow = entries_.size();
    std::memcpy(all.data(), &magic, 4);
    std::memcpy(all.data() + 4, &version, 2);
    std::memcpy(all.data() + 6, &header, 2);
    std::memcpy(all.data() + 8, &follow, 8);
    std::copy(entries_.begin(), entries_.end(), all.begin() + 16);
    return all;
  }

 private:
  static constexpr std::uint32_t kHeader = 64;
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(entries_.data() + at, &value, sizeof value);
  }
  std::vector<std::uint8_t> entries_;
};

}  // namespace warpvp::test
