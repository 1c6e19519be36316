// Threads of one warp that wait for each other, on the timed SM; and predicted schedules of such warps.

#include <gtest/gtest.h>

#include "tests/platform/program.h"
#include "tests/ptx_exec/independent_kernels.h"
#include "tests/ptx_exec/random_paths.h"

namespace warpvp::test {
namespace {

/// Runs `k(out)` of a PTX text as one CTA; `expected` are the first words of `out`.
Finished run_kernel(const ScratchFolder& scratch, const std::string& text, unsigned threads,
                    const std::vector<std::uint32_t>& expected, const std::vector<std::string>& settings) {
  scratch.file("k.ptx", text);
  std::string values;
  for (const std::uint32_t value : expected) values += (values.empty() ? "" : ", ") + std::to_string(value);
  const std::string file = scratch.file(
      "run.yaml",
      fmt::format("platform: small\nworkload:\n  buffers:\n    out: {{type: u32, count: {}, init: zero}}\n  "
                  "launches:\n"
                  "    - {{ptx: k.ptx, entry: k, grid: [1], block: [{}], args: [{{buffer: out}}]}}\n"
                  "  checks:\n    - {{buffer: out, equals: {{values: [{}]}}}}\n",
                  expected.size(), threads, values));
  std::vector<std::string> words{"run", file, "--out", (scratch / "out").string()};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run_program(words);
}

TEST(IndependentThreads, MakeProgressOnTheSm) {
  for (const independent::Case& c : independent::cases()) {
    const ScratchFolder scratch;
    std::vector<std::uint32_t> expected;
    for (unsigned t = 0; t < c.threads; ++t) expected.push_back(c.expected(t));
    const Finished run = run_kernel(scratch, c.text, c.threads, expected,
                                    {"platform.sm.divergence.switch_after=16", "limits.cycles=20000000"});
    EXPECT_EQ(run.status, 0) << c.name << ": " << run.err;
    if (std::string(c.name).find("spin") == 0) {
      std::uint64_t switches = 0;
      const auto result = read_json(scratch / "out" / "result.json");
      for (const auto& sm : result["sms"]) switches += sm["path_switches"].get<std::uint64_t>();
      EXPECT_GE(switches, 31u) << c.name;
    }
  }
}

TEST(IndependentThreads, OnManyPathsComputeOnTheSmWhatTheirThreadsSay) {
  for (unsigned seed = 2000; seed < 2012; ++seed) {
    const ScratchFolder scratch;
    const random_paths::Program program(seed, true);
    std::vector<std::uint32_t> expected = program.expected(80);
    expected.pop_back();
    const Finished run =
        run_kernel(scratch, program.text(), 80, expected,
                   {fmt::format("platform.sm.divergence.switch_after={}", 1 + seed % 3 * 5)});
    EXPECT_EQ(run.status, 0) << "seed " << seed << ": " << run.err;
  }
}

TEST(IndependentThreads, AreAFaultOnAChipThatHasNone) {
  const ScratchFolder scratch;
  const independent::Case c = independent::cases().front();
  const Finished run =
      run_kernel(scratch, c.text, c.threads, std::vector<std::uint32_t>(32, 0), {"platform=ccbp_gpu"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("bar.warp.sync whose mask names threads of the warp that are on another path"),
            std::string::npos)
      << run.err;
  for (const char* place : {"kernel k", "k.ptx:", "lane 16", "warp 0"})
    EXPECT_NE(run.err.find(place), std::string::npos) << place << " in " << run.err;
}

TEST(IndependentThreads, HaveSchedulesThatCanBePredicted) {
  for (unsigned seed : {3001u, 3002u, 3003u}) {
    const ScratchFolder scratch;
    scratch.file("k.ptx", random_paths::Program(seed, true, false).text());
    const std::string file =
        scratch.file("run.yaml",
                     "platform: vortex_sm\nworkload:\n  buffers:\n    out: {type: u32, count: 512, init: "
                     "zero}\n  launches:\n"
                     "    - {ptx: k.ptx, entry: k, grid: [2], block: [80], args: [{buffer: out}]}\n");
    const Finished run = run_program({"predict", file, "--out", (scratch / "out").string(), "--set",
                                      "platform.sm.divergence.independent_threads=true", "--set",
                                      "platform.sm.divergence.switch_after=2"});
    EXPECT_EQ(run.status, 0) << "seed " << seed << run.out << run.err;
    EXPECT_TRUE(read_json(scratch / "out" / "predict.json")["exact"].get<bool>());
  }
}

}  // namespace
}  // namespace warpvp::test
