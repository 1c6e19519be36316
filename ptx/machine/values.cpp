#include "ptx/machine/values.h"

#include "ptx/liveness.h"

namespace warpvp::ptx::machine {
namespace {

// Immediate dominators by the iterative method of Cooper, Harvey and Kennedy; -1 for block 0 and unreachable
// ones.
std::vector<int> dominators(const std::vector<Block>& blocks, std::vector<int>& depth) {
  std::vector<int> order, number(blocks.size(), -1);
  std::vector<bool> seen(blocks.size(), false);
  std::vector<std::pair<int, std::size_t>> stack;
  if (!blocks.empty()) {
    stack.push_back({0, 0});
    seen[0] = true;
  }
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const std::vector<int>& successors = blocks[static_cast<std::size_t>(node)].successors;
    if (next < successors.size()) {
      const int child = successors[next++];
      if (!seen[static_cast<std::size_t>(child)]) {
        seen[static_cast<std::size_t>(child)] = true;
        stack.push_back({child, 0});
      }
    } else {
      number[static_cast<std::size_t>(node)] = static_cast<int>(order.size());
      order.push_back(node);
      stack.pop_back();
    }
  }
  std::vector<int> dominator(blocks.size(), -1);
  if (blocks.empty()) return dominator;
  dominator[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = order.size() - 1; k-- > 0;) {
      const int node = order[k];
      int best = -1;
      for (int p : blocks[static_cast<std::size_t>(node)].predecessors) {
        if (dominator[static_cast<std::size_t>(p)] < 0) continue;
        if (best < 0) {
          best = p;
          continue;
        }
        int a = p;
        while (a != best) {
          while (number[static_cast<std::size_t>(a)] < number[static_cast<std::size_t>(best)])
            a = dominator[static_cast<std::size_t>(a)];
          while (number[static_cast<std::size_t>(best)] < number[static_cast<std::size_t>(a)])
            best = dominator[static_cast<std::size_t>(best)];
        }
      }
      if (best != dominator[static_cast<std::size_t>(node)]) {
        dominator[static_cast<std::size_t>(node)] = best;
        changed = true;
      }
    }
  }
  depth.assign(blocks.size(), -1);
  depth[0] = 0;
  dominator[0] = -1;
  for (std::size_t k = order.size() - 1; k-- > 0;) {
    const auto node = static_cast<std::size_t>(order[k]);
    depth[node] = depth[static_cast<std::size_t>(dominator[node])] + 1;
  }
  return dominator;
}

}  // namespace

Values::Values(const ir::Function& f, const ControlFlowGraph& cfg)
    : cfg_(cfg), definition_(f.registers.size(), -1), reads_(f.registers.size(), 0) {
  dominator_ = dominators(cfg.blocks(), depth_);
  std::vector<int> registers;
  std::vector<unsigned> writes(f.registers.size(), 0);
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    registers_written(f.code[i], registers);
    for (const int r : registers) {
      ++writes[static_cast<std::size_t>(r)];
      definition_[static_cast<std::size_t>(r)] = f.code[i].guard < 0 ? static_cast<int>(i) : -1;
    }
  }
  for (std::size_t r = 0; r < writes.size(); ++r) {
    if (writes[r] != 1) definition_[r] = -1;
  }
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    registers_read(f.code[i], registers);
    for (const int r : registers) {
      const auto u = static_cast<std::size_t>(r);
      ++reads_[u];
      if (definition_[u] >= 0 &&
          (definition_[u] == static_cast<int>(i) ||
           !passes(static_cast<std::uint32_t>(definition_[u]), static_cast<std::uint32_t>(i))))
        definition_[u] = -1;
    }
  }
}

bool Values::passes(std::uint32_t first, std::uint32_t at) const {
  const int from = cfg_.block_of(first);
  int to = cfg_.block_of(at);
  if (from == to) return first <= at;
  const auto depth = [&](int b) { return depth_[static_cast<std::size_t>(b)]; };
  if (depth(from) < 0 || depth(to) < 0) return false;
  while (depth(to) > depth(from)) to = dominator_[static_cast<std::size_t>(to)];
  return from == to;
}

}  // namespace warpvp::ptx::machine
