#pragma once
// All register blocks of a device with their places: what lies at an address, for messages and traces, and
// the documents made from the blocks' declarations.

#include <cstdint>
#include <string>
#include <vector>

#include "interconnect/register_block.h"

namespace warpvp {

class RegisterDirectory {
 public:
  /// `block` is kept by reference. `name` heads names ("QUEUES.TAKE"), `prefix` those of the C header
  /// (QC_TAKE); an empty prefix keeps the block out of that header. `instances` equal blocks, one every
  /// `stride`.
  void add(std::string name, std::string prefix, const RegisterBlock& block, std::uint64_t base,
           unsigned instances = 1, std::uint64_t stride = 0);

  /// "QUEUES.HEAD_TYPE[3]", "DMA[1].START"; the plain number where no register is.
  std::string name_of(std::uint64_t address) const;
  /// Calls `visit(name, block, base of its first instance)` for each block.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& e : entries_) visit(e.name, *e.block, e.base);
  }
  /// The registers in CMSIS-SVD (docs/warpvp.svd), from which debuggers show them by name.
  std::string svd() const;
  /// Sections of docs/register-map.md, in order of address.
  std::string markdown() const;
  /// sw/firmware/hal/registers.h.
  std::string c_header() const;

 private:
  struct Entry {
    std::string name, prefix;
    const RegisterBlock* block;
    std::uint64_t base;
    unsigned instances;
    std::uint64_t stride;
  };
  std::vector<Entry> entries_;  // by base
};

}  // namespace warpvp
