#pragma once
// Stores to global memory of an SM that computes a slice of time while other SMs compute theirs. All of them
// are written at the slice's end. Until then they are in a journal, and, from when a load has looked for them
// or the journal is full, by lines of memory: one more store or load costs the same however many there are.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/exec/own_stores.h"

namespace warpvp::ptx {

class SliceStores final : public OwnStores {
 public:
  /// Of memory that lies at `host` and has addresses from `origin` on.
  /// The journal grows to `journal_bytes`.
  SliceStores(std::byte* host, std::uint64_t origin, std::size_t journal_bytes = std::size_t{1} << 20);

  void add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
           std::uintptr_t* to) override;
  AddressRange note_range(const AddressRange& range) override;
  void forget_ranges() override;
  AddressRange free_around(const AddressRange& access, const AddressRange& range) const override;
  /// All that have been added are seen, whatever `now` is.
  void find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now, std::byte* room,
            std::uintptr_t* from) override;
  void read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) override;
  std::uint64_t added() const override { return 0; }
  /// Writes all to memory and forgets them.
  void write();
  /// Since then: loads from ranges of stores, and stores to places apart from each other. They are called on
  /// any host.
  std::uint64_t looked() const { return looked_; }
  std::uint64_t scattered() const { return scattered_; }

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
  /// Of the journal, which may move; false: it is as long as may be.
  bool make_room(std::size_t bytes);
  /// False: there is no room.
  bool add_to_journal(const std::uint64_t* address, LaneMask lanes, unsigned bytes, std::uintptr_t* to);
  /// Brings what is in the journal to lines.
  void close_journal();
  /// Calls f(address, bytes, data) for what is in the journal, oldest first.
  template <class F>
  void for_each_in_journal(F&& f) const;
  void keep(std::uint64_t address, unsigned bytes, const std::byte* from);
  void write_lines();
  std::byte* at(std::uint64_t address) const { return host_ + (address - origin_); }

  std::byte* const host_;
  const std::uint64_t origin_;
  std::vector<Line> lines_;           // in the order of their first stores
  std::size_t used_ = 0;              // of lines_
  std::vector<std::uint32_t> table_;  // index into lines_, by a hash of the number; a power of two
  const std::size_t journal_bytes_;
  std::unique_ptr<std::byte[]> records_;  // of the journal; made when there is a store, and longer ones
  static constexpr std::size_t kMostRanges = 32;
  std::uint64_t looked_ = 0, scattered_ = 0;
  std::vector<AddressRange> ranges_;  // note_range(): apart from each other; one for all where they were more
};

}  // namespace warpvp::ptx
