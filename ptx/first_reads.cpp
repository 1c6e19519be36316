#include "ptx/first_reads.h"

#include <algorithm>

#include "ptx/live_rows.h"
#include "ptx/program_flow.h"

namespace warpvp::ptx {
namespace {

class FirstReads {
 public:
  explicit FirstReads(const Program& program)
      : program_(program), flow_(program), found_(program.rows_reserved()) {}

  RowSet find() {
    written_before_.assign(flow_.blocks().size(), RowSet());
    RowSet preset(found_.size());
    for (const PresetRow& p : program_.presets) {
      preset[p.row] = true;
      if (p.wide) preset[p.row + 1u] = true;
    }
    reach(flow_.roots()[0], preset);
    // Blocks are looked at anew whenever less is known to be written before them.
    while (!open_.empty()) {
      const unsigned block = open_.back();
      open_.pop_back();
      RowSet written = written_before_[block];
      pass(flow_.blocks()[block], written, false);
      for (const unsigned next : flow_.blocks()[block].successors) reach(next, written);
    }
    for (unsigned block = 0; block < flow_.blocks().size(); ++block)
      if (RowSet written = written_before_[block]; !written.empty())
        pass(flow_.blocks()[block], written, true);
    return found_;
  }

 private:
  void reach(unsigned block, const RowSet& written) {
    RowSet& known = written_before_[block];
    RowSet both = known.empty() ? written : known;
    if (!known.empty())
      for (std::size_t row = 0; row < both.size(); ++row) both[row] = both[row] && written[row];
    if (both == known) return;
    known = std::move(both);
    open_.push_back(block);
  }
  void pass(const FlowBlock& block, RowSet& written, bool finds) {
    for (Pc pc = block.begin; pc < block.end; ++pc) {
      const Inst& inst = program_.code[pc];
      if (inst.is_part) continue;  // what it stands for follows, and may be guarded
      if (finds)
        for_each_read_row(inst, [&](unsigned row) {
          if (!written[row] || reads_other_lanes(inst)) found_[row] = true;
        });
      if (inst.guard.kind != OperandKind::kNone) continue;  // what was there may stay
      for (unsigned i = 0; i < inst.written_rows; ++i) written[inst.writes[i]] = true;
    }
  }

  const Program& program_;
  const ProgramFlow flow_;
  RowSet found_;
  std::vector<RowSet> written_before_;  // by block; empty: it has not been reached
  std::vector<unsigned> open_;
};

}  // namespace

std::vector<RowRange> rows_read_first(const Program& program) {
  const bool whole = program.code.empty() || program.frames_grow() ||
                     std::any_of(program.code.begin(), program.code.end(), reads_whole_fragments);
  if (whole) return {{0, program.rows_reserved()}};
  const RowSet rows = FirstReads(program).find();
  std::vector<RowRange> ranges;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (!rows[row]) continue;
    if (!ranges.empty() && ranges.back().first + ranges.back().count == row)
      ++ranges.back().count;
    else
      ranges.push_back({row, 1});
  }
  return ranges;
}

}  // namespace warpvp::ptx
