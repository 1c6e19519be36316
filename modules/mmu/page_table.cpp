#include "modules/mmu/page_table.h"

#include <cassert>
#include <cstring>

#include "base/error.h"

namespace warpvp {

namespace {
constexpr std::uint64_t kTableBytes = 512 * 8;

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

std::uint64_t PageTables::new_table() {
  const auto table = memory_.allocate(kTableBytes, kTableBytes);
  if (!table) throw InputError("device memory has no room for page tables");
  std::memset(memory_.at(*table), 0, kTableBytes);
  return *table;
}

void PageTables::map(unsigned context, std::uint64_t virtual_address, std::uint64_t address,
                     std::uint64_t bytes) {
  assert((virtual_address | address | bytes) % page_bytes() == 0);
  std::uint64_t& root = roots_[context];
  if (!root) root = new_table();
  for (std::uint64_t offset = 0; offset < bytes; offset += page_bytes()) {
    const std::uint64_t page = page_of(virtual_address + offset);
    std::uint64_t table = root;
    for (unsigned level = 0; level + 1 < levels_; ++level) {
      std::uint64_t& next = entry(entry_address(table, level, page));
      if (!(next & kValid)) next = new_table() | kValid;
      table = next & kAddressMask;
    }
    entry(entry_address(table, levels_ - 1, page)) = (address + offset) | kValid | kLeaf;
  }
}

std::optional<std::uint64_t> PageTables::last_table(unsigned context, std::uint64_t page) const {
  std::uint64_t table = root(context);
  if (!table) return {};
  for (unsigned level = 0; level + 1 < levels_; ++level) {
    const std::uint64_t found = entry(entry_address(table, level, page));
    if (!(found & kValid)) return {};
    table = found & kAddressMask;
  }
  return table;
}

std::optional<std::uint64_t> PageTables::translate(unsigned context, std::uint64_t virtual_address) const {
  if (virtual_address >> kAddressBits) return {};
  const std::uint64_t page = page_of(virtual_address);
  const auto table = last_table(context, page);
  if (!table) return {};
  const std::uint64_t found = entry(entry_address(*table, levels_ - 1, page));
  if (!(found & kValid)) return {};
  return (found & kAddressMask) | (virtual_address & (page_bytes() - 1));
}

}  // namespace warpvp
