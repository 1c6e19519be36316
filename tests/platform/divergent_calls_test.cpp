// Functions that lanes of one warp are in at the same time, on the timed SM: its scoreboard follows their
// frames.

#include "tests/ptx_exec/divergent_calls.h"

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using divergent_calls::Shape;

TEST(DivergentCalls, RunOnTheSm) {
  for (const Shape& shape : {Shape{"nested_table", false, true, 2, "barrier.sync 1"},
                             Shape{"recursion", true, true, 2, "barrier.sync 1"}}) {
    const ScratchFolder scratch;
    scratch.file("calls.ptx", divergent_calls::program(shape));
    std::string values;
    for (unsigned t = 0; t < divergent_calls::kThreads; ++t)
      values += (t ? ", " : "") + std::to_string(divergent_calls::expected(shape, t));
    const std::string file = scratch.file(
        "run.yaml",
        "platform: small\nworkload:\n  buffers:\n    out: {type: u32, count: 64, init: zero}\n"
        "  launches:\n    - {ptx: calls.ptx, entry: k, grid: [1], block: [64], args: [{buffer: out}]}\n"
        "  checks:\n    - {buffer: out, equals: {values: [" +
            values + "]}}\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(run.status, 0) << shape.name << ": " << run.err;
  }
}

}  // namespace
}  // namespace warpvp::test
