// What an instruction does to memory that SMs share happens at the end of the edge at which it issues:
// whoever issues at the same edge, in whatever order, does not see it yet.

#include <fmt/format.h>

#include <cstring>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

TEST(Effects, ALoadSeesTheStoresOfEarlierEdgesOnly) {
  SmConfig config;
  config.schedulers = 2;
  SmBench bench(config);
  const std::uint64_t shared_by_both = *bench.memory.allocate(256), out = *bench.memory.allocate(4096);
  std::memset(bench.memory.at(shared_by_both), 0, 4);
  constexpr unsigned kStores = 24, kLoads = 24;
  // Warp 0 stores 1, 2, 3, ...; warp 1, on the other sub-core, loads as often.
  std::string body = fmt::format(
      ".reg .u32 %r<64>; .reg .u64 %rd<4>; .reg .pred %p;\n"
      "mov.u64 %rd1, {};\nmov.u64 %rd2, {};\nmov.u32 %r0, %tid.x;\nsetp.ge.u32 %p, %r0, 32;\n@%p bra "
      "LOADS;\n",
      shared_by_both, out);
  for (unsigned i = 1; i <= kStores; ++i) body += fmt::format("st.global.u32 [%rd1], {};\n", i);
  body += "ret;\nLOADS:\n";
  for (unsigned i = 0; i < kLoads; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1];\n", i + 1);
  for (unsigned i = 0; i < kLoads; ++i) body += fmt::format("st.global.u32 [%rd2+{}], %r{};\n", 4 * i, i + 1);
  body += "ret;\n";
  bench.run(body, 64);

  constexpr int kFirstStore = 5, kFirstLoad = kFirstStore + kStores + 1;
  std::vector<Cycle> stored, loaded;
  for (const auto& issue : bench.issues) {
    if (issue.warp == 0 && issue.pc >= kFirstStore && issue.pc < kFirstStore + static_cast<int>(kStores))
      stored.push_back(issue.cycle);
    if (issue.warp == 1 && issue.pc >= kFirstLoad && issue.pc < kFirstLoad + static_cast<int>(kLoads))
      loaded.push_back(issue.cycle);
  }
  ASSERT_EQ(stored.size(), kStores);
  ASSERT_EQ(loaded.size(), kLoads);
  unsigned at_one_edge = 0;
  for (unsigned i = 0; i < kLoads; ++i) {
    std::uint32_t expected = 0, value;
    for (unsigned s = 0; s < kStores; ++s) {
      if (stored[s] < loaded[i]) expected = s + 1;
      at_one_edge += stored[s] == loaded[i];
    }
    std::memcpy(&value, bench.memory.at(out + 4 * i), 4);
    EXPECT_EQ(value, expected) << "load " << i << " at edge " << loaded[i];
  }
  EXPECT_GE(at_one_edge, 3u) << "the test has to look at edges at which both issue";
}

TEST(Effects, OfTwoStoresAtOneEdgeTheOneThatIssuedLastStays) {
  SmConfig config;
  config.schedulers = 2;
  SmBench bench(config);
  const std::uint64_t out = *bench.memory.allocate(4096);
  constexpr unsigned kStores = 24;
  // Both warps do the same, so that they mostly issue together; a warp's number is what it stores.
  std::string body = fmt::format(
      ".reg .u32 %r<4>; .reg .u64 %rd<4>;\nmov.u64 %rd1, {};\nmov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\n",
      out);
  for (unsigned i = 0; i < kStores; ++i) body += fmt::format("st.global.u32 [%rd1+{}], %r1;\n", 4 * i);
  bench.run(body + "ret;\n", 64);

  unsigned together[2] = {0, 0};
  for (unsigned i = 0; i < kStores; ++i) {
    std::vector<SmBench::Issue> issued;
    for (const auto& issue : bench.issues)
      if (issue.pc == static_cast<int>(3 + i)) issued.push_back(issue);
    ASSERT_EQ(issued.size(), 2u);
    std::uint32_t value;
    std::memcpy(&value, bench.memory.at(out + 4 * i), 4);
    EXPECT_EQ(value, issued[1].warp) << "store " << i;
    together[issued[1].warp] += issued[0].cycle == issued[1].cycle;
  }
  EXPECT_GT(together[0], 0u) << "sub-cores take turns at being first";
  EXPECT_GT(together[1], 0u);
}

}  // namespace
}  // namespace warpvp::test
