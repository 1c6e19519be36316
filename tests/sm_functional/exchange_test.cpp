// `sm.exchange`: when SMs without a pipeline see what others have stored, and what that costs in time.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

std::string exchanged(const std::string& when) { return "platform.sm.exchange=" + when; }

// An atomic waits for the end of its slice, and a load sees the store before it at once.
TEST(FunctionalSm, ExchangeBySliceTakesItsTime) {
  const ScratchFolder scratch;
  scratch.file("chain.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry stores(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 0;
  st.global.u32 [%rd1], %r1;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1], %r1;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry atomics(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 0;
  st.global.u32 [%rd1], %r1;
  atom.global.add.u32 %r1, [%rd1], 1;
  atom.global.add.u32 %r1, [%rd1], %r1;
  red.global.add.u32 [%rd1], %r1;
  ret;
}
)");
  const auto cycles = [&](const char* entry, const char* when) {
    const std::string file = scratch.file(
        "chain.yaml",
        std::string("platform: {extends: small, sms: 1, ptx: {code: ptx}, sm: {type: functional}}\n"
                    "workload:\n"
                    "  buffers: {out: {type: u32, count: 1, init: zero}}\n"
                    "  launches: [{ptx: chain.ptx, entry: ") +
            entry +
            ", grid: [1], block: [1], args: [{buffer: out}]}]\n"
            "  dumps: [{buffer: out, file: out}]\n");
    const Finished run =
        run_program({"run", file, "--set", exchanged(when), "-q", "-o", (scratch / when).string()});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read_text(scratch / when / "out"), std::string("\2\0\0\0", 4)) << entry << ' ' << when;
    return read_result(scratch / when)["simulation"]["kernel_cycles"].get<std::int64_t>();
  };
  const std::int64_t at_once = cycles("stores", "at_once");
  EXPECT_LE(cycles("stores", "slice"), at_once + 500);
  EXPECT_LE(cycles("atomics", "at_once"), at_once);
  const std::int64_t three_slices = cycles("atomics", "slice");
  EXPECT_GT(three_slices, at_once + 2 * 500);
  EXPECT_LE(three_slices, at_once + 4 * 500);
}

// By slices where that is no hindrance; at once where CTAs look for others, and where what they do is put
// off.
TEST(FunctionalSm, ExchangeIsChosenByWhatKernelsDo) {
  const ScratchFolder scratch;
  const auto kernel = [](const std::string& name, const std::string& loop) {
    return ".visible .entry " + name + R"((.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, 0;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
loop:
)" + loop + R"(
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 100;
  @%p1 bra loop;
  ret;
}
)";
  };
  scratch.file("three.ptx",
               ".version 7.0\n.target sm_70\n.address_size 64\n" +
                   kernel("plain", "  st.global.u32 [%rd3], %r2;\n  add.u32 %r3, %r3, %r2;") +
                   kernel("adds", "  atom.global.add.u32 %r3, [%rd3], 1;") +
                   kernel("looks_back",
                          "  ld.global.u32 %r3, [%rd3];\n  add.u32 %r3, %r3, 1;\n"
                          "  st.global.u32 [%rd3], %r3;") +
                   // Lane by lane backwards.
                   kernel("apart",
                          "  mov.u32 %r3, %tid.x;\n  sub.u32 %r3, 1, %r3;\n  mad.lo.u32 %r3, %r1, 2, %r3;\n"
                          "  mul.wide.u32 %rd2, %r3, 4;\n  add.u64 %rd2, %rd1, %rd2;\n"
                          "  st.global.u32 [%rd2], %r2;\n") +
                   // Two CTAs, in turn.
                   kernel("in_turn",
                          "wait:\n  ld.volatile.global.u32 %r3, [%rd1];\n  and.b32 %r4, %r3, 1;\n"
                          "  setp.ne.u32 %p2, %r4, %r1;\n  @%p2 bra wait;\n  add.u32 %r3, %r3, 1;\n"
                          "  st.volatile.global.u32 [%rd1], %r3;"));
  const auto run = [&](const std::string& entry, const std::string& when, const std::string& threads) {
    const std::string file =
        scratch.file("three.yaml",
                     "platform: {extends: small, ptx: {code: ptx}, sm: {type: functional}}\nworkload:\n"
                     "  buffers: {out: {type: u32, count: 4, init: zero}}\n  launches: [{ptx: three.ptx, "
                     "entry: " +
                         entry + ", grid: [2], block: [" + (entry == "apart" ? "2" : "1") +
                         "], args: [{buffer: out}]}]\n  dumps: [{buffer: out, file: out}]\n");
    const Finished ran =
        run_program({"run", file, "--set", exchanged(when), "--set", "platform.evaluation.threads=" + threads,
                     "-q", "-o", (scratch / when).string()});
    EXPECT_EQ(ran.status, 0) << ran.err;
    const bool stores = entry == "plain" || entry == "apart";
    const std::string last = stores ? std::string("c\0\0\0c", 5) : std::string("d\0\0\0d", 5);
    const std::string left = read_text(scratch / when / "out");
    EXPECT_EQ(left.substr(0, 5), entry == "in_turn" ? std::string("\xc8\0\0\0\0", 5) : last) << entry << when;
    return read_result(scratch / when)["simulation"]["kernel_cycles"].get<std::int64_t>();
  };
  for (const std::string entry : {"plain", "adds", "looks_back", "apart", "in_turn"}) {
    const std::int64_t chosen = run(entry, "auto", "1"), slices = run(entry, "slice", "1"),
                       at_once = run(entry, "at_once", "1");
    EXPECT_EQ(chosen, run(entry, "auto", "2")) << entry;
    EXPECT_NE(slices, at_once) << entry;
    if (entry == "plain") EXPECT_EQ(chosen, slices);
    if (entry == "in_turn") EXPECT_EQ(chosen, at_once);
    // The first slice finds out.
    if (entry == "adds") EXPECT_LT(5 * chosen, slices);
    if (entry == "looks_back" || entry == "apart") EXPECT_LT(chosen, slices) << entry;
  }
}

// A kernel that is hindered a little at each launch is known after some, and is tried again after many.
TEST(FunctionalSm, ExchangeRemembersKernels) {
  const ScratchFolder scratch;
  const auto kernel = [](const std::string& name, const std::string& rows) {
    return ".visible .entry " + name + "(.param .u64 out) {\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<2>;\n" +
           "  ld.param.u64 %rd1, [out];\n" + rows + "  ret;\n}\n";
  };
  std::string looks_back;
  for (int i = 0; i < 3; ++i)
    looks_back += "  st.global.u32 [%rd1], %r1;\n  ld.global.u32 %r1, [%rd1];\n  add.u32 %r1, %r1, 1;\n";
  scratch.file("two.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n" +
                              kernel("looks_back", looks_back) +
                              kernel("stores", "  mov.u32 %r1, 3;\n  st.global.u32 [%rd1], %r1;\n"));
  std::string launches;
  for (int i = 0; i < 72; ++i)
    for (const char* entry : {"looks_back", "stores"})
      launches += std::string("    - {ptx: two.ptx, entry: ") + entry +
                  ", grid: [1], block: [1], args: [{buffer: out}]}\n";
  const std::string file =
      scratch.file("two.yaml",
                   "platform: {extends: small, sms: 1, ptx: {code: ptx}, sm: {type: functional}}\n"
                   "workload:\n  buffers: {out: {type: u32, count: 1, init: zero}}\n  launches:\n" +
                       launches);
  const auto cycles = [&](const std::string& when) {
    const Finished ran =
        run_program({"run", file, "--set", exchanged(when), "-q", "-o", (scratch / when).string()});
    EXPECT_EQ(ran.status, 0) << ran.err;
    std::vector<std::int64_t> all;
    const auto result = read_result(scratch / when);
    for (const auto& one : result["kernels"]) all.push_back(one["execution_cycles"]);
    return all;
  };
  const std::vector<std::int64_t> chosen = cycles("auto"), at_once = cycles("at_once");
  ASSERT_EQ(chosen.size(), 144u);
  ASSERT_EQ(at_once.size(), 144u);
  for (std::size_t launch = 0; launch < 72; ++launch) {
    EXPECT_NE(chosen[2 * launch + 1], at_once[2 * launch + 1]) << launch;
    // Three look-ups a launch, of which more than eight count; then 63 launches at once.
    EXPECT_EQ(chosen[2 * launch] == at_once[2 * launch], launch % 66 >= 3) << launch;
  }
}

}  // namespace
}  // namespace warpvp::test
