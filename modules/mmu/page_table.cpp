#include "modules/mmu/page_table.h"

#include <cassert>
#include <cstring>

#include "base/error.h"

namespace warpvp {

namespace {
unsigned log2_of(std::uint64_t power) {
  unsigned bits = 0;
  while (std::uint64_t{1} << bits < power) ++bits;
  return bits;
}
}  // namespace

PageTables::PageTables(DeviceMemory& memory, std::uint64_t page_bytes)
    : memory_(memory), page_bits_(log2_of(page_bytes)), levels_((kAddressBits - page_bits_ + 8) / 9) {
  assert(page_bytes >= 4096 && page_bytes == this->page_bytes());
}

// Of each level as many as it takes to map all of device memory.
std::uint64_t PageTables::tables_for_all() const {
  const std::uint64_t first = page_of(memory_.base()), last = page_of(memory_.base() + memory_.size() - 1);
  std::uint64_t tables = 0;
  for (unsigned level = 0; level < levels_; ++level)
    tables += table_key(level, last) - table_key(level, first) + 1;
  return tables;
}

std::uint64_t PageTables::create() {
  if (next_table_ == pool_end_) {
    const std::uint64_t bytes = tables_for_all() * kTableBytes;
    const auto pool = memory_.allocate(bytes, kTableBytes, DeviceMemory::kDriver);
    if (!pool) throw InputError("device memory has no room for page tables");
    next_table_ = *pool;
    pool_end_ = *pool + bytes;
  }
  const std::uint64_t table = next_table_;
  next_table_ += kTableBytes;
  std::memset(memory_.at(table), 0, kTableBytes);
  return table;
}

void PageTables::map(std::uint64_t root, std::uint64_t virtual_address, std::uint64_t address,
                     std::uint64_t bytes) {
  assert((virtual_address | address | bytes) % page_bytes() == 0);
  for (std::uint64_t offset = 0; offset < bytes; offset += page_bytes()) {
    const std::uint64_t page = page_of(virtual_address + offset);
    std::uint64_t table = root;
    for (unsigned level = 0; level + 1 < levels_; ++level) {
      std::uint64_t& next = entry(entry_address(table, level, page));
      if (!(next & kValid)) next = create() | kValid;
      table = next & kAddressMask;
    }
    entry(entry_address(table, levels_ - 1, page)) = (address + offset) | kValid | kLeaf;
  }
}

void PageTables::unmap(std::uint64_t root, std::uint64_t virtual_address, std::uint64_t bytes) {
  for (std::uint64_t offset = 0; offset < bytes; offset += page_bytes()) {
    const std::uint64_t page = page_of(virtual_address + offset);
    if (const auto table = last_table(root, page)) entry(entry_address(*table, levels_ - 1, page)) = 0;
  }
}

std::optional<std::uint64_t> PageTables::last_table(std::uint64_t root, std::uint64_t page) const {
  if (!is_table(root)) return {};
  std::uint64_t table = root;
  for (unsigned level = 0; level + 1 < levels_; ++level) {
    const std::uint64_t found = entry(entry_address(table, level, page));
    if (!(found & kValid)) return {};
    table = found & kAddressMask;
  }
  return table;
}

std::optional<std::uint64_t> PageTables::translate(std::uint64_t root, std::uint64_t virtual_address) const {
  if (virtual_address >> kAddressBits) return {};
  const std::uint64_t page = page_of(virtual_address);
  const auto table = last_table(root, page);
  if (!table) return {};
  const std::uint64_t found = entry(entry_address(*table, levels_ - 1, page));
  if (!(found & kValid)) return {};
  return (found & kAddressMask) | (virtual_address & (page_bytes() - 1));
}

}  // namespace warpvp
