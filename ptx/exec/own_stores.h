#pragma once
// Stores to global memory that an SM has executed and that nobody else sees yet: where their data are until
// they are written to memory, and what the SM's own loads read meanwhile.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cycle.h"
#include "ptx/native/native_code.h"
#include "ptx/program.h"

namespace warpvp::ptx {

/// Of one SM, for one thread of the host at a time.
class OwnStores {
 public:
  static constexpr unsigned kMostBytes = 32;  ///< of a lane: four elements of eight bytes

  virtual ~OwnStores();  // not inline: execution functions of other instruction sets include this
  OwnStores(const OwnStores&) = delete;
  OwnStores& operator=(const OwnStores&) = delete;

  bool empty() const { return empty_ && journal_.next == journal_.begin; }
  /// Whether an aligned access of up to kMostBytes at any address from `low` to `high` may read what is here.
  /// False is certain.
  bool within(std::uint64_t low, std::uint64_t high) const { return low <= high_ && high >= low_; }

  /// Takes a store of `bytes` by each of `lanes`, aligned. Sets to[i], of those lanes, to the host's address
  /// where lane i has to put its data now, lanes in ascending order. Edges ascend.
  virtual void add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                   std::uintptr_t* to) = 0;
  /// It says where loads need not look here, and has a journal.
  bool journals() const { return journals_; }
  /// Of those: there are stores to `range` from now on, until forget_ranges(). Returns where loads are to
  /// look here that need not have before; nothing: they have to already.
  virtual AddressRange note_range(const AddressRange&) { return {}; }
  /// Requires empty().
  virtual void forget_ranges() {}
  /// The part of `range` around `access` in which loads need not look here; nothing: `access` is not in such
  /// a one.
  virtual AddressRange free_around(const AddressRange& /*access*/, const AddressRange& /*range*/) const {
    return {};
  }
  /// Where code of the host puts stores to ranges that have been noted; they are as good as add()ed.
  StoreJournal& journal() { return journal_; }
  /// Where each of `lanes` finds the aligned `bytes` at its address at edge `now`: sets from[i] of those that
  /// are not in memory as they are. Bytes that are partly there come to `room`, i * bytes behind its start.
  virtual void find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now, std::byte* room,
                    std::uintptr_t* from) = 0;
  /// What `bytes`, at most kMostBytes and within as many aligned ones, are for a load at edge `now`.
  virtual void read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) = 0;
  /// Stores so far, for those that have to come before or after some of them.
  virtual std::uint64_t added() const = 0;

 protected:
  explicit OwnStores(bool journals) : journals_(journals) {}
  void note(std::uint64_t address) {
    empty_ = false;
    reach({address, address + 1});
  }
  /// There may be stores to `range`.
  void reach(const AddressRange& range) {
    low_ = std::min(low_, range.begin & ~std::uint64_t{kMostBytes - 1});
    high_ = std::max(high_, (range.end - 1) | (kMostBytes - 1));
  }
  void note_empty() {
    empty_ = true;
    low_ = ~std::uint64_t{0};
    high_ = 0;
  }

  StoreJournal journal_;

 private:
  const bool journals_;
  bool empty_ = true;
  std::uint64_t low_ = ~std::uint64_t{0}, high_ = 0;  // of all bytes that are here, and perhaps more
};

}  // namespace warpvp::ptx
