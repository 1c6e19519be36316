#pragma once
// Page tables in device memory: radix trees of 64-bit entries, one for each address space, known by the
// address of its root.
//
// A virtual address has 49 bits, as on NVIDIA's chips since Pascal. Those above the page are cut from below
// into groups of 9, each the index of one level; the top level has the rest. Level 0 is the root.
//
//   entry: bits 0 valid, 1 leaf, 12..63 the address of the next table (4 KiB aligned) or of the page

#include <cstdint>
#include <optional>

#include "interconnect/device_memory.h"

namespace warpvp {

class PageTables {
 public:
  static constexpr unsigned kAddressBits = 49;
  static constexpr std::uint64_t kTableBytes = 512 * 8;
  static constexpr std::uint64_t kValid = 1, kLeaf = 2;
  static constexpr std::uint64_t kAddressMask = ~std::uint64_t{0xfff};

  /// `page_bytes`: a power of two of 4 KiB to 1 GiB. Room for as many tables as it takes to map all of
  /// `memory` once is reserved at the first need, and as much again whenever it is used up.
  PageTables(DeviceMemory& memory, std::uint64_t page_bytes);

  /// A tree in which nothing is mapped; the address of its root. This and map() throw InputError when device
  /// memory has no room for tables.
  std::uint64_t create();
  /// Maps pages: `bytes` from `virtual_address` on to those from `address` on. Both are multiples of the
  /// page.
  void map(std::uint64_t root, std::uint64_t virtual_address, std::uint64_t address, std::uint64_t bytes);
  /// From now on no page of [virtual_address, virtual_address + bytes) is mapped. Tables stay.
  void unmap(std::uint64_t root, std::uint64_t virtual_address, std::uint64_t bytes);
  /// Where a virtual address lies in device memory; nullopt: not mapped, or `root` is 0.
  std::optional<std::uint64_t> translate(std::uint64_t root, std::uint64_t virtual_address) const;

  /// Address of the last table on the way to a page, the one with the pages' entries; nullopt: there is none.
  std::optional<std::uint64_t> last_table(std::uint64_t root, std::uint64_t page) const;

  /// Whether a table can lie at `address`: whoever walks from a root that somebody else gave asks.
  bool is_table(std::uint64_t address) const {
    return address % kTableBytes == 0 && memory_.contains(address, kTableBytes);
  }
  unsigned levels() const { return levels_; }
  std::uint64_t page_bytes() const { return std::uint64_t{1} << page_bits_; }
  std::uint64_t page_of(std::uint64_t virtual_address) const { return virtual_address >> page_bits_; }
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
  std::uint64_t tables_for_all() const;

  DeviceMemory& memory_;
  unsigned page_bits_;
  unsigned levels_;
  std::uint64_t next_table_ = 0, pool_end_ = 0;
};

}  // namespace warpvp
