#include "ptx/cfg.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/disassemble.h"

namespace warpvp::ptx {
namespace {

bool is_branch(const ir::Instruction& i) {
  return i.opcode == Opcode::bra || i.opcode == Opcode::brx || i.opcode == Opcode::ret ||
         i.opcode == Opcode::exit || i.opcode == Opcode::trap;
}

std::vector<bool> reachable_from_first(const std::vector<std::vector<int>>& successors) {
  std::vector<bool> seen(successors.size(), false);
  std::vector<int> work;
  if (!successors.empty()) {
    seen[0] = true;
    work.push_back(0);
  }
  while (!work.empty()) {
    const int n = work.back();
    work.pop_back();
    for (const int s : successors[static_cast<std::size_t>(n)]) {
      if (!seen[static_cast<std::size_t>(s)]) {
        seen[static_cast<std::size_t>(s)] = true;
        work.push_back(s);
      }
    }
  }
  return seen;
}

}  // namespace

bool ends_block_for_good(const ir::Instruction& i) { return is_branch(i) && i.guard < 0; }

// Dominators of the reversed graph by the iterative method of Cooper, Harvey and Kennedy ("A Simple, Fast
// Dominance Algorithm", 2001). Node n is the virtual exit.
std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors,
                                           const std::vector<bool>& leaves) {
  const int n = static_cast<int>(successors.size());
  const std::vector<bool> reachable = reachable_from_first(successors);
  std::vector<std::vector<int>> predecessors(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i < n; ++i) {
    if (!reachable[static_cast<std::size_t>(i)]) continue;
    for (const int s : successors[static_cast<std::size_t>(i)])
      predecessors[static_cast<std::size_t>(s)].push_back(i);
    if (leaves[static_cast<std::size_t>(i)]) predecessors[static_cast<std::size_t>(n)].push_back(i);
  }

  // Post-order of a depth-first walk backwards from the exit; nodes of endless loops are attached as found
  // missing.
  std::vector<int> order, number(static_cast<std::size_t>(n) + 1, -1);
  std::vector<bool> seen(static_cast<std::size_t>(n) + 1, false);
  std::vector<bool> attached(static_cast<std::size_t>(n) + 1, false);
  const auto walk = [&](int root) {
    std::vector<std::pair<int, std::size_t>> stack{{root, 0}};
    seen[static_cast<std::size_t>(root)] = true;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const std::vector<int>& p = predecessors[static_cast<std::size_t>(node)];
      if (next < p.size()) {
        const int child = p[next++];
        if (!seen[static_cast<std::size_t>(child)]) {
          seen[static_cast<std::size_t>(child)] = true;
          stack.push_back({child, 0});
        }
      } else {
        if (node != n) order.push_back(node);
        stack.pop_back();
      }
    }
  };
  walk(n);
  for (int i = n - 1; i >= 0; --i) {
    if (reachable[static_cast<std::size_t>(i)] && !seen[static_cast<std::size_t>(i)]) {
      attached[static_cast<std::size_t>(i)] = true;
      walk(i);
    }
  }
  order.push_back(n);
  for (std::size_t i = 0; i < order.size(); ++i)
    number[static_cast<std::size_t>(order[i])] = static_cast<int>(i);

  std::vector<int> dominator(static_cast<std::size_t>(n) + 1, -1);
  dominator[static_cast<std::size_t>(n)] = n;
  const auto intersect = [&](int a, int b) {
    while (a != b) {
      while (number[static_cast<std::size_t>(a)] < number[static_cast<std::size_t>(b)])
        a = dominator[static_cast<std::size_t>(a)];
      while (number[static_cast<std::size_t>(b)] < number[static_cast<std::size_t>(a)])
        b = dominator[static_cast<std::size_t>(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = order.size() - 1; k-- > 0;) {
      const int node = order[k];
      const auto u = static_cast<std::size_t>(node);
      int best = leaves[u] || attached[u] ? n : -1;
      for (const int s : successors[u]) {
        if (dominator[static_cast<std::size_t>(s)] < 0) continue;
        best = best < 0 ? s : intersect(best, s);
      }
      if (best != dominator[u]) {
        dominator[u] = best;
        changed = true;
      }
    }
  }
  std::vector<int> result(static_cast<std::size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    const int d = dominator[static_cast<std::size_t>(i)];
    result[static_cast<std::size_t>(i)] = d == n ? -1 : d;
  }
  return result;
}

ControlFlowGraph::ControlFlowGraph(const ir::Function& f) {
  const std::size_t size = f.code.size();
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (const ir::Label& l : f.labels) leader[l.position] = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (is_branch(f.code[i])) leader[i + 1] = true;
  }
  block_of_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (leader[i]) {
      blocks_.emplace_back();
      blocks_.back().begin = static_cast<std::uint32_t>(i);
    }
    blocks_.back().end = static_cast<std::uint32_t>(i) + 1;
    block_of_[i] = static_cast<int>(blocks_.size()) - 1;
  }
  const auto target = [&](int label) {
    const std::uint32_t position = f.labels[static_cast<std::size_t>(label)].position;
    return position < size ? block_of_[position] : -1;
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const ir::Instruction& last = f.code[block.end - 1];
    const auto add = [&](int to) {
      if (to < 0)
        block.leaves = true;
      else if (std::find(block.successors.begin(), block.successors.end(), to) == block.successors.end())
        block.successors.push_back(to);
    };
    if (last.opcode == Opcode::bra) {
      add(target(last.label));
    } else if (last.opcode == Opcode::brx) {
      for (const int label : f.tables[static_cast<std::size_t>(last.table)].labels) add(target(label));
    } else if (is_branch(last)) {
      block.leaves = true;
      block.ends_thread = last.opcode != Opcode::ret || f.is_entry;
    }
    if (!ends_block_for_good(last)) add(b + 1 < blocks_.size() ? static_cast<int>(b) + 1 : -1);
  }
  std::vector<std::vector<int>> successors;
  std::vector<bool> leaves;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (const int s : blocks_[b].successors)
      blocks_[static_cast<std::size_t>(s)].predecessors.push_back(static_cast<int>(b));
    successors.push_back(blocks_[b].successors);
    leaves.push_back(blocks_[b].leaves);
  }
  const std::vector<bool> reachable = reachable_from_first(successors);
  const std::vector<int> ipdom = immediate_post_dominators(successors, leaves);
  int last_end = -1;  // the last place where threads end: kept as the function's exit
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    blocks_[b].reachable = reachable[b];
    blocks_[b].immediate_post_dominator = blocks_[b].reconvergence = ipdom[b];
    if (reachable[b] && leaves[b]) last_end = static_cast<int>(b);
  }

  // Reconvergence: drop every other place where threads end, and blocks from which nothing else is reachable.
  std::vector<bool> kept_leaves(leaves.size()), reaches(leaves.size());
  std::vector<int> work;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    kept_leaves[b] =
        reachable[b] && leaves[b] && (static_cast<int>(b) == last_end || !blocks_[b].ends_thread);
    if (kept_leaves[b]) {
      reaches[b] = true;
      work.push_back(static_cast<int>(b));
    }
  }
  while (!work.empty()) {
    const Block& block = blocks_[static_cast<std::size_t>(work.back())];
    work.pop_back();
    for (const int p : block.predecessors) {
      if (!reaches[static_cast<std::size_t>(p)]) {
        reaches[static_cast<std::size_t>(p)] = true;
        work.push_back(p);
      }
    }
  }
  std::vector<std::vector<int>> pruned(successors.size());
  for (std::size_t b = 0; b < successors.size(); ++b) {
    for (const int s : successors[b]) {
      if (reaches[static_cast<std::size_t>(s)]) pruned[b].push_back(s);
    }
  }
  const std::vector<int> reconvergence = immediate_post_dominators(pruned, kept_leaves);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (reaches[b]) blocks_[b].reconvergence = reconvergence[b];
  }
}

std::string ControlFlowGraph::text(const ir::Module& m, const ir::Function& f) const {
  std::string out;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    out += fmt::format("  block {:<4} instructions {}..{}, line {}", b, block.begin, block.end - 1,
                       f.code[block.begin].where.line);
    out += " ->";
    for (const int s : block.successors) out += fmt::format(" {}", s);
    if (block.leaves) out += " exit";
    if (block.successors.size() > 1 || (block.leaves && !block.successors.empty())) {
      out += block.immediate_post_dominator < 0
                 ? std::string("; post-dominated by exit")
                 : fmt::format("; post-dominated by {}", block.immediate_post_dominator);
      if (block.reconvergence != block.immediate_post_dominator)
        out += fmt::format(", meets at {}", block.reconvergence);
    }
    if (!block.reachable) out += "; unreachable";
    out += fmt::format("  [{}]\n", disassemble(m, f, f.code[block.end - 1]));
  }
  return out;
}

std::string ControlFlowGraph::dot(const ir::Module& m, const ir::Function& f) const {
  const auto escape = [](const std::string& s) {
    std::string out;
    for (const char c : s) {
      if (c == '"' || c == '\\' || c == '{' || c == '}' || c == '<' || c == '>' || c == '|') out += '\\';
      out += c;
    }
    return out;
  };
  std::string out =
      fmt::format("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", escape(f.name));
  bool exits = false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    out += fmt::format("  b{} [label=\"block {}\\l", b, b);
    for (std::uint32_t i = block.begin; i < block.end; ++i)
      out += escape(disassemble(m, f, f.code[i])) + "\\l";
    out += "\"];\n";
    for (const int s : block.successors) out += fmt::format("  b{} -> b{};\n", b, s);
    if (block.leaves) {
      out += fmt::format("  b{} -> exit;\n", b);
      exits = true;
    }
    if (block.successors.size() > 1 && block.reconvergence >= 0) {
      out += fmt::format("  b{} -> b{} [style=dotted, constraint=false];\n", b, block.reconvergence);
    }
  }
  if (exits) out += "  exit [shape=oval];\n";
  return out + "}\n";
}

}  // namespace warpvp::ptx
