// Launch lists that say more than launches: foreign CUDA run without any C++, and what is wrong with a list.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

const std::string kFolder = std::string(WARPVP_SOURCE) + "/tests/platform/foreign/";

std::string foreign_list() { return read_text(kFolder + "filter.yaml"); }

/// The list with `from` replaced by `to`, run; its PTX is found where it lies.
Finished run_changed(const ScratchFolder& scratch, const std::string& from, const std::string& to) {
  std::string text = foreign_list();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::filesystem::copy_file(kFolder + "filter.ptx", scratch / "filter.ptx",
                             std::filesystem::copy_options::overwrite_existing);
  const std::string file = scratch.file("list.yaml", text);
  return run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
}

float first_float(const std::filesystem::path& file) {
  const std::string bytes = read_text(file);
  float value = -1;
  if (bytes.size() == 32) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(LaunchSteps, RunForeignCudaWithoutCpp) {
  const ScratchFolder scratch;
  const Finished run =
      run_program({"run", kFolder + "filter.yaml", "--quiet", "--out", (scratch / "out").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_TRUE(result["verified"]);
  // One convolution, one sum, three turns that are counted and four until the flag is set.
  EXPECT_EQ(result["kernels"].size(), 9u);
  EXPECT_EQ(result["kernels"][0]["name"], "convolve<float, 2>");
  EXPECT_EQ(result["kernels"][0]["entry"], "_Z8convolveIfLi2EEv3JobT_");
  // Dumps in the middle show each turn.
  EXPECT_EQ(first_float(scratch / "out/ramp_0.bin"), 512);
  EXPECT_EQ(first_float(scratch / "out/ramp_1.bin"), 256);
  EXPECT_EQ(first_float(scratch / "out/ramp_2.bin"), 128);
}

TEST(LaunchSteps, TheResolvedListRunsAsTheWrittenOne) {
  const ScratchFolder scratch;
  const Finished printed = run_program({"config", kFolder + "filter.yaml"});
  ASSERT_EQ(printed.status, 0) << printed.err;
  const std::string file = scratch.file("resolved.yaml", printed.out);
  ASSERT_EQ(run_program({"run", kFolder + "filter.yaml", "-q", "--out", (scratch / "a").string()}).status, 0);
  const Finished run = run_program({"run", file, "-q", "--out", (scratch / "b").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  auto a = read_json(scratch / "a/result.json"), b = read_json(scratch / "b/result.json");
  for (const char* key : {"host", "provenance"}) {
    a.erase(key);
    b.erase(key);
  }
  EXPECT_EQ(a.dump(), b.dump());
}

TEST(LaunchSteps, VariablesAreSetFromTheCommandLine) {
  const ScratchFolder scratch;
  const Finished run = run_program({"run", kFolder + "filter.yaml", "--quiet", "--set",
                                    "workload.variables.h=2", "--out", (scratch / "out").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_json(scratch / "out/result.json")["kernels"][0]["grid"][1], 2);
}

TEST(LaunchSteps, AChecksDifferenceInTheMiddleFailsTheRun) {
  const ScratchFolder scratch;
  const Finished run = run_changed(scratch, "equals: {values: [8]}", "equals: {values: [9]}");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("list.yaml:"));
  EXPECT_THAT(run.err, HasSubstr("'imaging::calls' differs at element 0: got 8, expected 9"));
}

TEST(LaunchSteps, WithoutTheWriteTheConstantIsWhatTheModuleSays) {
  const ScratchFolder scratch;
  const Finished run = run_changed(scratch, "{f32: [0, 0, 0.5, 0, 0]}", "{f32: [0, 0, 1, 0, 0]}");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("buffer 'smooth' differs at element 1: got 2, expected 1"));
}

TEST(LaunchSteps, PaddingLetsAKernelReadPastItsBuffer) {
  const ScratchFolder scratch;
  const std::string ptx =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      "  .reg .u64 %rd<2>;\n  .reg .u32 %r<2>;\n  ld.param.u64 %rd1, [p];\n"
      "  ld.global.u32 %r1, [%rd1+16777216];\n  ret;\n}\n";
  scratch.file("k.ptx", ptx);
  const auto run = [&](const std::string& pad) {
    const std::string file =
        scratch.file("run.yaml", "platform: small\nworkload:\n  pad_bytes: " + pad +
                                     "\n  buffers: {a: {type: u32, count: 64, init: zero}}\n"
                                     "  launches: [{ptx: k.ptx, block: [1], args: [{buffer: a}]}]\n");
    return run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
  };
  EXPECT_EQ(run("0").status, 3);
  EXPECT_EQ(run("33554432").status, 0);
}

TEST(LaunchSteps, ModulesAreLinked) {
  const ScratchFolder scratch;
  const auto run = [&](const std::string& link) {
    const std::string file = scratch.file(
        "run.yaml",
        "platform: small\nworkload:\n  buffers: {v: {type: f32, count: 4, init: iota}}\n  steps:\n"
        "    - ptx: " +
            kFolder + "link_main.ptx\n" + link +
            "      block: [32]\n      args: [{buffer: v}, {s32: 4}]\n"
            "    - {check: {symbol: calls}, type: s32, equals: {values: [6]}}\n"
            "  checks: [{buffer: v, equals: {values: [2, 5, 8, 11]}}]\n");
    return run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
  };
  const Finished linked = run("      link: [" + kFolder + "link_library.ptx]\n");
  EXPECT_EQ(linked.status, 0) << linked.err;
  EXPECT_TRUE(std::filesystem::exists(scratch / "out/linked_0.ptx"));
  const Finished alone = run("");
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err, HasSubstr("declared"));
}

struct Mistake {
  const char* name;
  const char *from, *to;
  std::vector<std::string> told;
};
void PrintTo(const Mistake& m, std::ostream* os) { *os << m.name; }

class EveryStepMistake : public testing::TestWithParam<Mistake> {};

TEST_P(EveryStepMistake, IsToldInOneLineWithItsPlace) {
  const ScratchFolder scratch;
  const Finished run = run_changed(scratch, GetParam().from, GetParam().to);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  for (const std::string& part : GetParam().told) EXPECT_THAT(run.err, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, EveryStepMistake,
    testing::Values(
        Mistake{"unknown_variable",
                "count: $n, init: iota",
                "count: $m, init: iota",
                {"list.yaml:7:31", "no variable 'm'", "allowed: w, h, n"}},
        Mistake{"bad_arithmetic", "$(4 * (n - 1))", "$(4 * (n - ))", {"list.yaml:39:", "is wrong at ')'"}},
        Mistake{"offset_past_the_end",
                "{buffer: smooth, offset: 16}",
                "{buffer: smooth, offset: 1024}",
                {"list.yaml:14:", "offset 1024 is past the end of buffer 'smooth' of 1024 bytes"}},
        Mistake{"copy_too_long",
                "bytes: $(4 * (n - 1))",
                "bytes: $(4 * n)",
                {"list.yaml:39:", "1024 bytes from offset 4 of buffer 'image', which has 1020 there"}},
        Mistake{"no_such_symbol",
                "{symbol: taps}",
                "{symbol: tap}",
                {"list.yaml:17:", "no variable 'tap'", "did you mean 'taps'?"}},
        Mistake{"symbol_too_short",
                "[0, 0, 0.5, 0, 0]",
                "[0, 0, 0.5, 0, 0, 7]",
                {"list.yaml:17:", "24 bytes at", "run past the end of the allocation"}},
        Mistake{"no_such_template",
                "convolve<float, 2>",
                "convolve<double, 2>",
                {"list.yaml:18:", "convolve<double, 2>", "did you mean"}},
        Mistake{"ambiguous_name",
                "convolve<float, 2>",
                "convolve",
                {"list.yaml:18:", "'convolve' names 2 kernels", "convolve<float, 1>"}},
        Mistake{"float_for_a_whole_number",
                "{buffer: ramp}, {s32: 8}, {f32: 10}]}\n        - {dump",
                "{buffer: ramp}, {f32: 8}, {f32: 10}]}\n        - {dump",
                {"list.yaml:44:", "argument 1 is f32", ".u32", "a whole number"}},
        Mistake{"whole_number_for_a_float",
                "{s32: 8}, {f32: 10}]}\n        - {dump",
                "{s32: 8}, {s32: 10}]}\n        - {dump",
                {"list.yaml:44:", "argument 2 is s32", ".f32", "a floating-point number"}},
        Mistake{"loop_without_end",
                "equals: 1\n",
                "equals: 2\n",
                {"list.yaml:47:", "'until' has not come true after 20 turns"}},
        Mistake{"loop_without_bound",
                "      at_most: 20\n",
                "",
                {"list.yaml:47:", "'workload.steps.", "at_most"}},
        Mistake{"unknown_step_key",
                "{memset: {buffer: shifted, offset: 0}, value",
                "{memset: {buffer: shifted, offset: 0}, valeu",
                {"list.yaml:38:", "unknown key 'valeu'", "nearest: 'value'"}},
        Mistake{"unknown_buffer",
                "{check: shifted",
                "{check: shiftd",
                {"list.yaml:40:", "did you mean 'shifted'?"}},
        Mistake{"dumps_into_one_file",
                "ramp_$i.bin",
                "ramp.bin",
                {"list.yaml:45:", "'ramp.bin', which another dump writes"}},
        Mistake{"unknown_member_type",
                "- u8: [1, 2, 3, 4]",
                "- u9: [1, 2, 3, 4]",
                {"list.yaml:26:", "unknown type 'u9'", "did you mean"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::test
