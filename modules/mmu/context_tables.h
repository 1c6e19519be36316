#pragma once
// What a driver does with page tables: a tree for each context, in which a page is mapped as long as
// something of the context is allocated there.
//
// Virtual addresses are those of device memory, so the trees of two contexts differ in what is mapped, not in
// where. DeviceMemory keeps the contexts' allocations on pages of their own. The SMs' own range, local memory
// of context 0, is mapped in its tree alone; tables of the driver in none but, by chance of their neighbours,
// that of context 0.

#include <cstdint>
#include <functional>
#include <map>

#include "interconnect/address_spaces.h"
#include "interconnect/device_memory.h"
#include "modules/mmu/page_table.h"

namespace warpvp {

class ContextTables : public AddressSpaces, private DeviceMemory::Watcher {
 public:
  /// Maps what is allocated already. There is a tree of context 0 from the beginning. `unmapped` is told of
  /// pages that were mapped in a tree and are not any more: a virtual address and a length.
  ContextTables(DeviceMemory& memory, std::uint64_t page_bytes,
                std::function<void(unsigned context, std::uint64_t address, std::uint64_t bytes)> unmapped);
  ~ContextTables() override;
  ContextTables(const ContextTables&) = delete;

  std::uint64_t create(unsigned context) override;
  std::uint64_t root(unsigned context) const override;
  std::optional<std::uint64_t> translate(std::uint64_t root, std::uint64_t address) const override {
    return tables_.translate(root, address);
  }
  std::uint64_t page_bytes() const override { return tables_.page_bytes(); }

  /// To map what no allocation does.
  PageTables& tables() { return tables_; }
  const PageTables& tables() const { return tables_; }

 private:
  void allocated(const DeviceMemory::Range& range) override;
  void released(const DeviceMemory::Range& range) override;
  static unsigned tree_of(const DeviceMemory::Range& range) {
    return range.context == DeviceMemory::kSms ? 0 : range.context;
  }

  DeviceMemory& memory_;
  PageTables tables_;
  std::function<void(unsigned, std::uint64_t, std::uint64_t)> unmapped_;
  std::map<unsigned, std::uint64_t> roots_;  // by context
};

}  // namespace warpvp
