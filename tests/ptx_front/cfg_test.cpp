#include "ptx/cfg.h"

#include "support.h"

namespace warpvp::ptx {
namespace {

using Graph = std::vector<std::vector<int>>;

std::vector<int> ipdom(const Graph& g, const std::vector<int>& leaving) {
  std::vector<bool> leaves(g.size(), false);
  for (const int n : leaving) leaves[static_cast<std::size_t>(n)] = true;
  return immediate_post_dominators(g, leaves);
}

// Post-dominators by definition, as an independent check: p post-dominates n if no path from n that avoids p
// leaves; the immediate one is post-dominated by all the others.
std::vector<int> ipdom_by_definition(const Graph& g, const std::vector<int>& leaving) {
  const int n = static_cast<int>(g.size());
  const auto leaves_avoiding = [&](int from, int avoid) {
    if (from == avoid) return false;
    std::vector<bool> seen(g.size(), false);
    std::vector<int> work{from};
    seen[static_cast<std::size_t>(from)] = true;
    while (!work.empty()) {
      const int u = work.back();
      work.pop_back();
      if (std::find(leaving.begin(), leaving.end(), u) != leaving.end()) return true;
      for (const int s : g[static_cast<std::size_t>(u)]) {
        if (s != avoid && !seen[static_cast<std::size_t>(s)]) {
          seen[static_cast<std::size_t>(s)] = true;
          work.push_back(s);
        }
      }
    }
    return false;
  };
  std::vector<int> result(g.size(), -1);
  for (int u = 0; u < n; ++u) {
    std::vector<int> dominators;
    for (int p = 0; p < n; ++p) {
      if (p != u && !leaves_avoiding(u, p)) dominators.push_back(p);
    }
    for (const int p : dominators) {
      bool nearest = true;
      for (const int q : dominators) nearest &= q == p || !leaves_avoiding(p, q);
      if (nearest) result[static_cast<std::size_t>(u)] = p;
    }
  }
  return result;
}

TEST(PostDominators, NestedIf) {
  // 0 -> 1 | 5;  1 -> 2 | 3;  2, 3 -> 4;  4, 5 -> 6
  const Graph g = {{1, 5}, {2, 3}, {4}, {4}, {6}, {6}, {}};
  EXPECT_EQ(ipdom(g, {6}), (std::vector<int>{6, 4, 4, 4, 6, 6, -1}));
}

TEST(PostDominators, LoopWithBreakAndContinue) {
  // 0 -> 1; 1: header -> 2 | 6; 2 -> 3 (break: 6) ; 3 -> 1 (continue) | 4; 4 -> 5; 5 -> 1; 6 exit
  const Graph g = {{1}, {2, 6}, {6, 3}, {1, 4}, {5}, {1}, {}};
  EXPECT_EQ(ipdom(g, {6}), (std::vector<int>{1, 6, 6, 1, 5, 1, -1}));
}

TEST(PostDominators, Switch) {
  // 0 -> 1..4; 2 falls through to 3; all meet at 5
  const Graph g = {{1, 2, 3, 4}, {5}, {3}, {5}, {5}, {}};
  EXPECT_EQ(ipdom(g, {5}), (std::vector<int>{5, 5, 3, 5, 5, -1}));
}

TEST(PostDominators, Irreducible) {
  // Two entries into the loop 1 <-> 2, left from either.
  const Graph g = {{1, 2}, {2, 3}, {1, 4}, {5}, {5}, {}};
  EXPECT_EQ(ipdom(g, {5}), (std::vector<int>{5, 5, 5, 5, 5, -1}));
}

TEST(PostDominators, EndlessLoopHasABranchInside) {
  // 0 -> 1; 1 -> 2 | 3; 2, 3 -> 4; 4 -> 1, never leaving
  const Graph g = {{1}, {2, 3}, {4}, {4}, {1}};
  EXPECT_EQ(ipdom(g, {}), (std::vector<int>{1, 4, 4, 4, -1}));
}

TEST(PostDominators, TwoExitsMeetOnlyAtTheEnd) {
  const Graph g = {{1, 2}, {}, {}};
  EXPECT_EQ(ipdom(g, {1, 2}), (std::vector<int>{-1, -1, -1}));
}

TEST(PostDominators, AgreeWithTheDefinitionOnRandomGraphs) {
  std::uint32_t state = 12345;
  const auto random = [&](std::uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
  };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t n = 3 + random(10);
    Graph g(n);
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      g[i].push_back(static_cast<int>(i) + 1);  // everything reaches the end and is reached
      if (random(2)) {
        const int other = static_cast<int>(random(n));
        if (other != g[i][0]) g[i].push_back(other);
      }
    }
    std::vector<int> leaving{static_cast<int>(n) - 1};
    if (random(3) == 0) leaving.push_back(static_cast<int>(random(n)));
    EXPECT_EQ(ipdom(g, leaving), ipdom_by_definition(g, leaving)) << "round " << round;
  }
}

ControlFlowGraph graph_of(const std::string& body) {
  const ir::Module m = parse(kernel(".reg .pred %p<9>; .reg .u32 %r<9>;\n" + body));
  return ControlFlowGraph(m.functions[0]);
}

TEST(ControlFlow, BlocksAndSuccessors) {
  const ControlFlowGraph g = graph_of(
      "mov.u32 %r1, 1;\n"  // block 0
      "@%p1 bra A;\n"
      "mov.u32 %r2, 2;\n"  // block 1
      "bra B;\n"
      "A: mov.u32 %r3, 3;\n"  // block 2
      "B: ret;\n");           // block 3
  ASSERT_EQ(g.blocks().size(), 4u);
  EXPECT_EQ(g.blocks()[0].successors, (std::vector<int>{2, 1}));
  EXPECT_EQ(g.blocks()[1].successors, (std::vector<int>{3}));
  EXPECT_EQ(g.blocks()[2].successors, (std::vector<int>{3}));
  EXPECT_TRUE(g.blocks()[3].leaves);
  EXPECT_EQ(g.blocks()[0].immediate_post_dominator, 3);
  EXPECT_EQ(g.blocks()[0].reconvergence, 3);
  EXPECT_EQ(g.block_of(3), 1);
}

TEST(ControlFlow, EarlyExitDoesNotKeepTheOthersApart) {
  // Lanes that leave at the top never come back, so the loop's branch meets where the loop ends.
  const ControlFlowGraph g = graph_of(
      "L: @%p1 bra OUT;\n"  // block 0
      "mov.u32 %r1, 1;\n"   // block 1
      "@%p2 bra L;\n"
      "mov.u32 %r2, 2;\n"  // block 2
      "ret;\n"
      "OUT: exit;\n"  // block 3: the function's last way out
  );
  ASSERT_EQ(g.blocks().size(), 4u);
  EXPECT_EQ(g.blocks()[0].immediate_post_dominator, -1);
  EXPECT_EQ(g.blocks()[1].immediate_post_dominator, -1);
  EXPECT_EQ(g.blocks()[1].reconvergence, 0);  // block 2 ends its threads: the rest goes round again
  EXPECT_EQ(g.blocks()[0].reconvergence, 3);
}

TEST(ControlFlow, GuardedReturnFallsThrough) {
  const ControlFlowGraph g = graph_of("@%p1 ret;\nmov.u32 %r1, 1;\nret;\n");
  ASSERT_EQ(g.blocks().size(), 2u);
  EXPECT_TRUE(g.blocks()[0].leaves);
  EXPECT_EQ(g.blocks()[0].successors, (std::vector<int>{1}));
  EXPECT_EQ(g.blocks()[0].reconvergence, 1);
}

TEST(ControlFlow, IndirectBranchGoesToItsWholeTable) {
  const ControlFlowGraph g = graph_of(
      "T: .branchtargets A, B, A;\n"
      "brx.idx %r1, T;\n"
      "A: mov.u32 %r1, 1;\n"
      "B: ret;\n");
  EXPECT_EQ(g.blocks()[0].successors, (std::vector<int>{1, 2}));
  EXPECT_EQ(g.blocks()[0].immediate_post_dominator, 2);
}

TEST(ControlFlow, UnreachableCodeIsTolerated) {
  const ControlFlowGraph g = graph_of("bra E;\nmov.u32 %r1, 1;\nE: ret;\n");
  EXPECT_FALSE(g.blocks()[1].reachable);
  EXPECT_TRUE(g.blocks()[2].reachable);
}

TEST(ControlFlow, Dumps) {
  const ir::Module m = parse(kernel(".reg .pred %p; @%p bra E; trap;\nE: ret;"));
  const ControlFlowGraph g(m.functions[0]);
  const std::string text = g.text(m, m.functions[0]);
  EXPECT_NE(
      text.find(
          "block 0    instructions 0..0, line 6 -> 2 1; post-dominated by exit, meets at 2  [@%p bra E]"),
      std::string::npos)
      << text;
  const std::string dot = g.dot(m, m.functions[0]);
  EXPECT_EQ(dot.rfind("digraph \"k\" {", 0), 0u);
  EXPECT_NE(dot.find("b0 -> b2;"), std::string::npos);
  EXPECT_NE(dot.find("b2 -> exit;"), std::string::npos);
}

}  // namespace
}  // namespace warpvp::ptx
