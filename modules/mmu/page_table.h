#pragma once
// Page tables in device memory: radix trees of 64-bit entries, one tree for each context that has mappings of
// its own.
//
// A virtual address has 49 bits, as on NVIDIA's chips since Pascal. Those above the page are cut from below
// into groups of 9, each the index of one level; the top level has the rest. Level 0 is the root.
//
//   entry: bits 0 valid, 1 leaf, 12..63 the address of the next table (4 KiB aligned) or of the page

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "interconnect/device_memory.h"

namespace warpvp {

class PageTables {
 public:
  static constexpr unsigned kAddressBits = 49;
  static constexpr std::uint64_t kValid = 1, kLeaf = 2;
  static constexpr std::uint64_t kAddressMask = ~std::uint64_t{0xfff};

  /// `page_bytes`: a power of two of 4 KiB to 1 GiB.
  PageTables(DeviceMemory& memory, std::uint64_t page_bytes);

  /// Maps pages of a context: `bytes` from `virtual_address` on to those from `address` on. Both are
  /// multiples of the page. Tables are allocated as needed; throws InputError when device memory has no room
  /// for them.
  void map(unsigned context, std::uint64_t virtual_address, std::uint64_t address, std::uint64_t bytes);
  /// Where a virtual address lies in device memory; nullopt: not mapped.
  std::optional<std::uint64_t> translate(unsigned context, std::uint64_t virtual_address) const;

  /// Address of the last table on the way to a page, the one with the pages' entries; nullopt: there is none.
  std::optional<std::uint64_t> last_table(unsigned context, std::uint64_t page) const;

  unsigned levels() const { return levels_; }
  std::uint64_t page_bytes() const { return std::uint64_t{1} << page_bits_; }
  std::uint64_t page_of(std::uint64_t virtual_address) const { return virtual_address >> page_bits_; }
  /// Address of the table at the root of a context. One that nothing was mapped for shares the tables of
  /// context 0; 0: there are none.
  std::uint64_t root(unsigned context) const {
    auto it = roots_.find(context);
    if (it == roots_.end()) it = roots_.find(0);
    return it == roots_.end() ? 0 : it->second;
  }
  /// Address of the entry that `page` has in the table at `table`, which is one of `level`.
  std::uint64_t entry_address(std::uint64_t table, unsigned level, std::uint64_t page) const {
    return table + 8 * (page >> 9 * (levels_ - 1 - level) & 511);
  }
  /// The number that pages have in common which meet in one table of `level`.
  std::uint64_t table_key(unsigned level, std::uint64_t page) const { return page >> 9 * (levels_ - level); }

 private:
  std::uint64_t& entry(std::uint64_t address) const {
    return *reinterpret_cast<std::uint64_t*>(memory_.at(address));
  }
  std::uint64_t new_table();

  DeviceMemory& memory_;
  unsigned page_bits_;
  unsigned levels_;
  std::map<unsigned, std::uint64_t> roots_;
};

}  // namespace warpvp
