#pragma once
// What the rows of an instruction are called: the scoreboard and the operand stage ask a front end that
// renames rows which row each operand is (FrontEnd::row_map). Without one, rows are the warp's own, in their
// places. Values are not concerned: they stay in the warp's registers, so a map changes time only.

#include <cstdint>
#include <type_traits>

#include "ptx/program.h"

namespace warpvp {

/// A register row: one of the warp that reads or writes it, or one that belongs to the SM (shared_rows.h).
class RowName {
 public:
  RowName() = default;
  /// Row `row` of the warp, counted from its first frame: below Program::rows_reserved(), or the row that the
  /// program names.
  static RowName own(std::uint32_t row) { return RowName(row); }
  static RowName shared(std::uint32_t row) { return RowName(row | kShared); }
  bool is_shared() const { return (value_ & kShared) != 0; }
  std::uint32_t row() const { return value_ & ~kShared; }

 private:
  static constexpr std::uint32_t kShared = 1u << 31;
  explicit RowName(std::uint32_t value) : value_(value) {}
  std::uint32_t value_ = 0;
};

/// Those of one instruction, in the order of Inst::reads and Inst::writes.
struct RowNames {
  RowName reads[std::extent_v<decltype(ptx::Inst::reads)>];
  RowName writes[std::extent_v<decltype(ptx::Inst::writes)>];
};

/// The names of those rows of an instruction that are not the warp's own in their places: bit i of `reads`
/// and of `writes` stands for the i-th, and `names` has the reads' names, then the writes', without gaps.
/// They lie elsewhere.
struct OtherNames {
  static constexpr unsigned kMostReads = std::extent_v<decltype(ptx::Inst::reads)>,
                            kMostWrites = std::extent_v<decltype(ptx::Inst::writes)>;
  std::uint16_t reads = 0, writes = 0;
  const RowName* names = nullptr;

  bool any() const { return (reads | writes) != 0; }
  unsigned read_count() const {
    // Most have one; counting bits is a call of a function on machines of the oldest kind.
    return (reads & (reads - 1)) == 0 ? reads != 0 : static_cast<unsigned>(__builtin_popcount(reads));
  }
  // Calls `f(i, name)` for each, in order.
  template <class F>
  void for_each_read(F&& f) const {
    for_each_of(reads, names, f);
  }
  template <class F>
  void for_each_write(F&& f) const {
    if (writes) for_each_of(writes, names + read_count(), f);
  }

 private:
  template <class F>
  static void for_each_of(unsigned operands, const RowName* name, F&& f) {
    for (; operands; operands &= operands - 1) f(static_cast<unsigned>(__builtin_ctz(operands)), *name++);
  }
};

class RowMap {
 public:
  virtual ~RowMap() = default;
  /// Puts other names in place of those of `inst`, the entry with `tag` of warp `warp` of this sub-core;
  /// `names` has the warp's own rows. The names of an entry stay the same while it is in the I-buffer.
  virtual void rename(unsigned /*warp*/, std::uint32_t /*tag*/, const ptx::Inst&, RowNames&) const {}
  /// The same for maps that keep names with their entries, where they stay until the entry has issued. Others
  /// get what rename() says, put into `room`, for kMostReads + kMostWrites. The warp's frame begins at
  /// `row_base`.
  virtual OtherNames names(unsigned warp, std::uint32_t tag, const ptx::Inst& inst, std::uint32_t row_base,
                           RowName* room) const;
  /// It keeps them, and needs no room. Asked once.
  virtual bool keeps_names() const { return false; }
  /// Operands are read from the banks of the warp's own rows, whatever they are called. Asked once.
  virtual bool own_banks() const { return false; }
};

}  // namespace warpvp
