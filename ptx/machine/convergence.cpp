#include "ptx/machine/convergence.h"

#include <cstddef>
#include <map>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/machine/divergence.h"
#include "ptx/machine/dominators.h"

namespace warpvp::ptx::machine {
namespace {

class Regions {
 public:
  Regions(const ir::Function& f, const ControlFlowGraph& cfg)
      : f_(f), blocks_(cfg.blocks()), dominator_(dominators(blocks_, depth_)), divergence_(f, cfg) {}

  /// By the block where paths meet: the block at whose end the region begins.
  std::map<int, int> find() const {
    std::map<int, int> begins;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const int meet = blocks_[b].reconvergence;
      if (meet < 0 || depth_[b] < 0 || !divergence_.parts(static_cast<int>(b)) || ends_thread(meet)) continue;
      const auto [known, is_new] = begins.emplace(meet, static_cast<int>(b));
      if (!is_new) known->second = common(known->second, static_cast<int>(b));
    }
    for (auto& [meet, begin] : begins) {
      while (repeats(begin, meet) && dominator(begin) >= 0) begin = dominator(begin);
    }
    return begins;
  }

 private:
  int dominator(int b) const { return dominator_[static_cast<std::size_t>(b)]; }
  int depth(int b) const { return depth_[static_cast<std::size_t>(b)]; }
  int common(int a, int b) const {
    while (a != b) {
      if (depth(a) < depth(b))
        b = dominator(b);
      else
        a = dominator(a);
    }
    return a;
  }
  /// Whether control can come back to block `b` without passing `meet`.
  bool repeats(int b, int meet) const {
    std::vector<bool> seen(blocks_.size(), false);
    std::vector<int> work = blocks_[static_cast<std::size_t>(b)].successors;
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (at == b) return true;
      if (at == meet || seen[static_cast<std::size_t>(at)]) continue;
      seen[static_cast<std::size_t>(at)] = true;
      const std::vector<int>& next = blocks_[static_cast<std::size_t>(at)].successors;
      work.insert(work.end(), next.begin(), next.end());
    }
    return false;
  }

  /// Whether block `b` is the end of the thread and nothing else: nobody needs to meet there.
  bool ends_thread(int b) const {
    const Block& block = blocks_[static_cast<std::size_t>(b)];
    return block.ends_thread && block.end - block.begin == 1 && f_.code[block.begin].guard < 0;
  }

  const ir::Function& f_;
  const std::vector<Block>& blocks_;
  std::vector<int> depth_, dominator_;
  Divergence divergence_;
};

}  // namespace

void place_control(ir::Function& f, const CodeOptions& options) {
  if (options.convergence_barriers) {
    const ControlFlowGraph cfg(f);
    for (const auto& [meet, begin] : Regions(f, cfg).find()) {
      ++f.code[cfg.blocks()[static_cast<std::size_t>(begin)].end - 1].control.begins;
      ++f.code[cfg.blocks()[static_cast<std::size_t>(meet)].begin].control.ends;
    }
  }
  if (options.nop_before_barriers) {
    for (ir::Instruction& i : f.code)
      if ((i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && i.modifiers.bar != BarOp::warp_sync)
        ++i.control.nops;
  }
}

}  // namespace warpvp::ptx::machine
