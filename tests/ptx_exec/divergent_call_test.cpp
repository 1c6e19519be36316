// Lanes of one warp in different functions at once keep their registers, also while they wait for each other.

#include "tests/ptx_exec/divergent_calls.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using divergent_calls::Shape;

class DivergentCalls : public ::testing::TestWithParam<Shape> {};

TEST_P(DivergentCalls, EachLaneKeepsItsRegisters) {
  const Shape& shape = GetParam();
  PtxModule m(divergent_calls::program(shape));
  const unsigned threads = divergent_calls::kThreads;
  const auto out = m.outputs<std::uint32_t>("k", threads, threads);
  for (unsigned t = 0; t < threads; ++t)
    EXPECT_EQ(out[t], divergent_calls::expected(shape, t)) << "thread " << t;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DivergentCalls,
    ::testing::Values(Shape{"table", false, true, 0, "barrier.sync 1"},
                      Shape{"branch", false, false, 0, "barrier.sync 1"},
                      Shape{"nested_table", false, true, 2, "barrier.sync 1"},
                      Shape{"nested_branch", false, false, 2, "barrier.sync 1"},
                      Shape{"counted_barrier", false, true, 2, "barrier.sync 3, 64"},
                      Shape{"recursion", true, true, 2, "barrier.sync 1"},
                      Shape{"recursion_by_branch", true, false, 2, "barrier.sync 1"},
                      Shape{"table_without_barrier", false, true, 2, "bar.warp.sync 0xffffffff"},
                      Shape{"recursion_without_barrier", true, true, 2, "bar.warp.sync 0xffffffff"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp::ptx::testing
