// What the expansions of machine code cost: issue slots, latencies, held warps.

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

struct Expanded {
  const char* name;
  const char* body;
  const char* issues;
  unsigned parts;
};
void PrintTo(const Expanded& e, std::ostream* out) { *out << e.name; }

class Expansion : public ::testing::TestWithParam<Expanded> {};

TEST_P(Expansion, TakesTheTimeOfItsSteps) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.sfu_unit = config.fp64_unit = UnitConfig(1);
  LatencyConfig& latency = config.latency;
  latency.int_add = latency.logic = latency.compare = latency.fp_mul = latency.fp_add = latency.fp_fma = 4;
  latency.special = 20;
  latency.guard = 8;
  latency.control = 5;
  SmBench bench(config);
  bench.code_options.code = ptx::Code::kMachine;
  bench.run(GetParam().body, 32);
  EXPECT_EQ(bench.text(), GetParam().issues);
  const SmLaunchCounters& counters = *bench.sm.launch_counters(0);
  EXPECT_EQ(counters.expansion_instructions, GetParam().parts);
  EXPECT_EQ(counters.warp_instructions, bench.issues.size());
}

// What is computed is stored, or nothing of it would be left.
INSTANTIATE_TEST_SUITE_P(
    Forms, Expansion,
    ::testing::Values(
        // The upper half waits for the carry, the next addition for the upper half.
        Expanded{"carry",
                 ".reg .u64 %rd<9>; .shared .u64 s; add.u64 %rd1, %rd2, %rd3; add.u64 %rd4, %rd1, %rd3;\n"
                 "st.shared.u64 [s], %rd4; ret;\n",
                 "0:0.0 4:0.1 8:0.2 12:0.3 16:0.4 17:0.5", 2},
        Expanded{"independent_halves",
                 ".reg .u64 %rd<9>; .shared .u64 s; and.b64 %rd1, %rd2, %rd3; and.b64 %rd4, %rd1, %rd3;\n"
                 "st.shared.u64 [s], %rd4; ret;\n",
                 "0:0.0 1:0.1 5:0.2 6:0.3 10:0.4 11:0.5", 2},
        // A comparison guards the scaling, a special function is waited for.
        Expanded{"guard_and_special_function",
                 ".reg .f32 %f<9>; .shared .f32 s; rsqrt.approx.f32 %f1, %f2; st.shared.f32 [s], %f1; ret;\n",
                 "0:0.0 12:0.1 16:0.2 36:0.3 40:0.4 41:0.5", 3},
        // Branches hold the warp.
        Expanded{"branches",
                 ".reg .f32 %f<9>; .shared .f32 s; rcp.rn.f32 %f1, %f2; st.shared.f32 [s], %f1; ret;\n",
                 "0:0.0 1:0.1 2:0.2 6:0.3 10:0.4 22:0.5 27:0.6 47:0.7 51:0.8 52:0.9 57:0.10 61:0.11 62:0.12",
                 10}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::test
