#include "ptx/machine/dominators.h"

#include <cstddef>
#include <utility>

namespace warpvp::ptx::machine {

// The iterative method of Cooper, Harvey and Kennedy.
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

}  // namespace warpvp::ptx::machine
