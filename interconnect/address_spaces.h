#pragma once
// The page tables of contexts as those see them who make contexts, set SMs up and carry out copies. Whoever
// translates (`mmu.type: page_tables`) implements it; without translation there is none.

#include <cstdint>
#include <optional>

namespace warpvp {

class AddressSpaces {
 public:
  virtual ~AddressSpaces() = default;

  /// Makes the page tables of a context, unless it has some; the device address of their root, which is what
  /// a base page table register gets. Throws InputError when device memory has no room for them.
  virtual std::uint64_t create(unsigned context) = 0;
  /// That address; 0: the context has no page tables.
  virtual std::uint64_t root(unsigned context) const = 0;
  /// Where `address` lies in device memory, by a walk through the tables at `root` as they are now; nullopt:
  /// no valid entry, or `root` is 0. Takes no time.
  virtual std::optional<std::uint64_t> translate(std::uint64_t root, std::uint64_t address) const = 0;
  /// Bytes of a page.
  virtual std::uint64_t page_bytes() const = 0;
};

}  // namespace warpvp
