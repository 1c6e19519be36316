#pragma once
// Stores to global memory of an SM that computes a slice of time while other SMs compute theirs. All of them
// are written at the slice's end; until then they are kept by lines of memory, so that one more store or
// load costs the same however many there are.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/exec/own_stores.h"

namespace warpvp::ptx {

class SliceStores final : public OwnStores {
 public:
  /// Of memory that lies at `host` and has addresses from `origin` on.
  SliceStores(std::byte* host, std::uint64_t origin);

  void add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
           std::uintptr_t* to) override;
  /// All that have been added are seen, whatever `now` is.
  void find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now, std::byte* room,
            std::uintptr_t* from) const override;
  void read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) const override;
  std::uint64_t added() const override { return 0; }
  /// Writes all to memory and forgets them.
  void write();

 private:
  static constexpr unsigned kLineBytes = 128;
  static constexpr unsigned kWordBytes = 64;  // that a word of Line::stored stands for
  /// A line of memory, of which some bytes have been stored.
  struct Line {
    std::uint64_t number;                           // address / kLineBytes
    std::uint64_t stored[kLineBytes / kWordBytes];  // a bit a byte
    std::byte data[kLineBytes];
    std::uint32_t place;  // of its number in table_
  };
  /// Index into lines_, or kNone.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t index_of(std::uint64_t number) const;
  std::uint32_t place_of(std::uint64_t number) const;
  Line& line(std::uint64_t number);
  void grow();
  std::byte* at(std::uint64_t address) const { return host_ + (address - origin_); }

  std::byte* const host_;
  const std::uint64_t origin_;
  std::vector<Line> lines_;           // in the order of their first stores
  std::size_t used_ = 0;              // of lines_
  std::vector<std::uint32_t> table_;  // index into lines_, by a hash of the number; a power of two
};

}  // namespace warpvp::ptx
