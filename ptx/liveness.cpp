#include "ptx/liveness.h"

#include <algorithm>

namespace warpvp::ptx {
namespace {

void collect(const ir::Operand& o, std::vector<int>& out) {
  using Kind = ir::Operand::Kind;
  if (o.kind == Kind::kRegister || (o.kind == Kind::kAddress && o.base == ir::Operand::Base::kRegister)) {
    out.push_back(o.index);
  }
  for (const ir::Operand& e : o.elements) collect(e, out);
}

class BitSet {
 public:
  explicit BitSet(std::size_t size) : words_((size + 63) / 64) {}
  bool test(int i) const { return words_[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1; }
  void set(int i) { words_[static_cast<std::size_t>(i) / 64] |= 1ull << (i % 64); }
  void reset(int i) { words_[static_cast<std::size_t>(i) / 64] &= ~(1ull << (i % 64)); }
  std::vector<std::uint64_t>& words() { return words_; }
  /// Large kernels have tens of thousands of registers, of which few are alive at once.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        visit(static_cast<int>(64 * w) + __builtin_ctzll(left));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace

unsigned rows_of(Type t) { return t == Type::pred ? 0 : type_bytes(t) == 8 ? 2 : 1; }

void registers_read(const ir::Instruction& i, std::vector<int>& out) {
  out.clear();
  if (i.guard >= 0) out.push_back(i.guard);
  for (std::size_t k = i.dst_count; k < i.operands.size(); ++k) collect(i.operands[k], out);
}

void registers_written(const ir::Instruction& i, std::vector<int>& out) {
  out.clear();
  for (std::size_t k = 0; k < i.dst_count; ++k) collect(i.operands[k], out);
}

bool ends_old_values(const ir::Instruction& i) { return i.guard < 0 || i.fresh; }

bool keeps_sources(const ir::Function& f, const ir::Instruction& i) {
  switch (i.opcode) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::mma:
    case Opcode::movmatrix:
    case Opcode::ldmatrix:
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::atom:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::vprintf:
    case Opcode::call:
      return true;
    default:
      break;
  }
  std::vector<int> written, read;
  registers_written(i, written);
  if (written.size() != 1) return true;
  registers_read(i, read);
  const Type type = f.registers[static_cast<std::size_t>(written[0])].type;
  for (const int r : read) {
    const Type other = f.registers[static_cast<std::size_t>(r)].type;
    if ((type == Type::pred) == (other == Type::pred) && rows_of(type) != rows_of(other)) return true;
  }
  return false;
}

namespace {

std::vector<BitSet> live_sets_behind_blocks(const ir::Function& f, const ControlFlowGraph& cfg) {
  const std::vector<Block>& blocks = cfg.blocks();
  // What a block reads before it writes it, and what it writes.
  const std::vector<BitSet> none(blocks.size(), BitSet(f.registers.size()));
  std::vector<BitSet> use = none, kill = none;
  std::vector<int> read, written;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      registers_read(f.code[i], read);
      for (const int r : read) {
        if (!kill[b].test(r)) use[b].set(r);
      }
      registers_written(f.code[i], written);
      if (ends_old_values(f.code[i])) {
        for (const int r : written) kill[b].set(r);
      }
    }
  }

  // Wanted at a beginning: read, or wanted at the end and not written. At an end: at a successor's beginning.
  std::vector<BitSet> live_in = none, live_out = none;
  std::vector<bool> queued(blocks.size(), true);
  std::vector<int> work;
  for (std::size_t b = 0; b < blocks.size(); ++b) work.push_back(static_cast<int>(b));
  while (!work.empty()) {
    const auto b = static_cast<std::size_t>(work.back());
    work.pop_back();
    queued[b] = false;
    std::vector<std::uint64_t>& out = live_out[b].words();
    for (const int s : blocks[b].successors) {
      const std::vector<std::uint64_t>& in = live_in[static_cast<std::size_t>(s)].words();
      for (std::size_t w = 0; w < out.size(); ++w) out[w] |= in[w];
    }
    bool changed = false;
    std::vector<std::uint64_t>& in = live_in[b].words();
    for (std::size_t w = 0; w < out.size(); ++w) {
      const std::uint64_t now = use[b].words()[w] | (out[w] & ~kill[b].words()[w]);
      changed |= now != in[w];
      in[w] = now;
    }
    if (!changed) continue;
    for (const int p : blocks[b].predecessors) {
      if (!queued[static_cast<std::size_t>(p)]) {
        queued[static_cast<std::size_t>(p)] = true;
        work.push_back(p);
      }
    }
  }

  return live_out;
}

/// Live ranges of a function's registers, found by walking over its code backwards.
class RangeWalk {
 public:
  explicit RangeWalk(const ir::Function& f)
      : f_(f), ranges_(f.registers.size()), end_(f.registers.size()), alive_(f.registers.size()) {}

  /// Blocks come from the last to the first.
  void walk(const Block& block, const BitSet& live_behind) {
    opened_.clear();
    live_behind.each([&](int r) { open(r, 2 * block.end - 1); });
    for (std::uint32_t i = block.end; i-- > block.begin;) walk(i);
    for (const int r : opened_)
      if (alive_[static_cast<std::size_t>(r)]) close(r, 2 * block.begin);
  }
  /// By register, in the order of the code.
  std::vector<std::vector<LiveRange>> ranges() && {
    for (std::vector<LiveRange>& list : ranges_) std::reverse(list.begin(), list.end());
    return std::move(ranges_);
  }

 private:
  void walk(std::uint32_t i) {
    const ir::Instruction& instruction = f_.code[i];
    registers_written(instruction, registers_);
    const std::uint32_t first = 2 * i + (keeps_sources(f_, instruction) ? 0 : 1);
    for (const int r : registers_) {
      open(r, 2 * i + 1);
      if (ends_old_values(instruction)) close(r, first);
    }
    registers_read(instruction, registers_);
    for (const int r : registers_) open(r, 2 * i);
  }
  // Unless it is alive already.
  void open(int r, std::uint32_t end) {
    const auto u = static_cast<std::size_t>(r);
    if (alive_[u]) return;
    alive_[u] = true;
    end_[u] = end;
    opened_.push_back(r);
  }
  void close(int r, std::uint32_t begin) {
    const auto u = static_cast<std::size_t>(r);
    std::vector<LiveRange>& list = ranges_[u];
    // Neighbouring blocks: one range.
    if (!list.empty() && list.back().begin <= end_[u] + 1)
      list.back().begin = std::min(begin, list.back().begin);
    else
      list.push_back({begin, end_[u]});
    alive_[u] = false;
  }

  const ir::Function& f_;
  std::vector<std::vector<LiveRange>> ranges_;
  std::vector<std::uint32_t> end_;  // of the range of a register that is alive
  std::vector<bool> alive_;
  std::vector<int> registers_;
  std::vector<int> opened_;  // in the block, some more than once
};

/// Fills in the point at which most is alive. A write that must not touch its sources counts from 2i on, as
/// it will be allocated.
void find_worst_point(const ir::Function& f, Liveness& result) {
  std::vector<int> delta(2 * f.code.size() + 2, 0), delta_predicates = delta;
  for (std::size_t r = 0; r < f.registers.size(); ++r) {
    if (f.registers[r].constant) continue;
    const unsigned rows = rows_of(f.registers[r].type);
    for (const LiveRange& range : result.ranges[r]) {
      std::vector<int>& d = rows ? delta : delta_predicates;
      const int weight = rows ? static_cast<int>(rows) : 1;
      d[range.begin] += weight;
      d[range.end + 1] -= weight;
    }
  }
  int live = 0, predicates = 0;
  for (std::size_t p = 0; p < delta.size(); ++p) {
    live += delta[p];
    predicates += delta_predicates[p];
    if (static_cast<unsigned>(live) > result.max_live_rows) {
      result.max_live_rows = static_cast<unsigned>(live);
      result.worst_instruction = static_cast<std::uint32_t>(p / 2);
    }
    result.max_live_predicates = std::max(result.max_live_predicates, static_cast<unsigned>(predicates));
  }
}

}  // namespace

std::vector<std::vector<bool>> live_behind_blocks(const ir::Function& f, const ControlFlowGraph& cfg) {
  std::vector<std::vector<bool>> behind(cfg.blocks().size(), std::vector<bool>(f.registers.size()));
  const std::vector<BitSet> sets = live_sets_behind_blocks(f, cfg);
  for (std::size_t b = 0; b < sets.size(); ++b)
    sets[b].each([&](int r) { behind[b][static_cast<std::size_t>(r)] = true; });
  return behind;
}

Liveness analyse_liveness(const ir::Function& f, const ControlFlowGraph& cfg) {
  const std::vector<Block>& blocks = cfg.blocks();
  const std::vector<BitSet> live_behind = live_sets_behind_blocks(f, cfg);
  RangeWalk ranges(f);
  for (std::size_t b = blocks.size(); b-- > 0;) ranges.walk(blocks[b], live_behind[b]);
  Liveness result;
  result.ranges = std::move(ranges).ranges();
  find_worst_point(f, result);
  return result;
}

}  // namespace warpvp::ptx
