#pragma once
// Which rows of its registers a warp may still read, at each place of an executable program. What is written
// to others before it is read need not be kept.

#include <cstdint>
#include <vector>

#include "ptx/program.h"
#include "ptx/program_flow.h"

namespace warpvp::ptx {

/// Calls `f(row)` for each row that the instruction reads, some more than once.
template <class F>
void for_each_read_row(const Inst& inst, F&& f) {
  for (unsigned i = 0; i < inst.read_rows; ++i) f(unsigned{inst.reads[i]});
  for (unsigned i = 0; i < inst.src_count; ++i) {
    const Operand& o = inst.source(i);
    if (o.kind != OperandKind::kReg) continue;
    f(unsigned{o.index});
    if (inst.wide >> (kMaxDst + i) & 1) f(o.index + 1u);
  }
}
/// It reads what other lanes have, which may be elsewhere, or have ended.
bool reads_other_lanes(const Inst& inst);
/// Its rows are not all told by its operands.
bool reads_whole_fragments(const Inst& inst);

/// By row of the program.
using RowSet = std::vector<bool>;

class LiveRows {
 public:
  explicit LiveRows(const Program& program);

  /// Those that may be read behind the instruction at `pc`, by the lanes that have executed it or by others
  /// of theirs. All, where the program calls functions, whose frames move, or has matrix instructions.
  RowSet behind(Pc pc) const;
  /// From those behind an instruction to those before it.
  void step_back(const Inst& inst, RowSet& live) const;

 private:
  const Program& program_;
  const ProgramFlow flow_;
  bool all_ = false;
  RowSet always_;             // what lanes read of others; all, with `all_`
  std::vector<RowSet> into_;  // by block: before its first instruction; none with `all_`
};

}  // namespace warpvp::ptx
