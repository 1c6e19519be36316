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

class RowMap {
 public:
  virtual ~RowMap() = default;
  /// Puts other names in place of those of `inst`, the entry with `tag` of warp `warp` of this sub-core;
  /// `names` has the warp's own rows. The names of an entry stay the same while it is in the I-buffer.
  virtual void rename(unsigned warp, std::uint32_t tag, const ptx::Inst& inst, RowNames& names) const = 0;
  /// Whether that entry has any other name than the warp's own; asked before rename().
  virtual bool renames(unsigned /*warp*/, std::uint32_t /*tag*/) const { return true; }
  /// Operands are read from the banks of the warp's own rows, whatever they are called. Asked once.
  virtual bool own_banks() const { return false; }
};

}  // namespace warpvp
