// output.instructions: what is counted by instruction adds up to what is counted otherwise, and changes
// nothing.

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

const std::string kSetting = "output.instructions=true";
const std::vector<std::string> kStalls = {"not_selected", "fetch",   "raw_short", "raw_long", "lsu_full",
                                          "unit_busy",    "barrier", "fence",     "drain"};

struct Line {
  std::string kernel, text;
  std::map<std::string, std::uint64_t> counts;
};

/// Cells after the texts, which are quoted.
std::vector<Line> lines_of(const std::filesystem::path& file) {
  std::istringstream in(read_text(file));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line,
            "kernel,file,line,pc,text,issued,threads,divergent,not_selected,fetch,raw_short,raw_long,lsu_"
            "full,unit_busy,"
            "barrier,fence,drain");
  std::vector<Line> lines;
  while (std::getline(in, line)) {
    Line parsed;
    parsed.kernel = line.substr(1, line.find('"', 1) - 1);
    const std::size_t end = line.rfind('"');
    const std::size_t begin = line.rfind(",\"", end);
    parsed.text = line.substr(begin + 2, end - begin - 2);
    std::istringstream cells(line.substr(end + 2));
    std::vector<std::string> names = {"issued", "threads", "divergent"};
    names.insert(names.end(), kStalls.begin(), kStalls.end());
    std::string cell;
    for (const std::string& name : names) {
      EXPECT_TRUE(std::getline(cells, cell, ','));
      parsed.counts[name] = std::stoull(cell);
    }
    lines.push_back(std::move(parsed));
  }
  return lines;
}

std::uint64_t sum(const std::vector<Line>& lines, const std::string& name) {
  std::uint64_t total = 0;
  for (const Line& line : lines) total += line.counts.at(name);
  return total;
}

struct InstructionFileCase {
  std::string platform, app;
  std::vector<std::string> settings;
};

class InstructionFile : public testing::TestWithParam<InstructionFileCase> {};

TEST_P(InstructionFile, AddsUpAndChangesNothing) {
  const InstructionFileCase& c = GetParam();
  const ScratchFolder scratch;
  ASSERT_EQ(run_app(c.platform, c.app, scratch / "off", c.settings).status, 0);
  std::vector<std::string> settings = c.settings;
  settings.push_back(kSetting);
  const Finished run = run_app(c.platform, c.app, scratch / "on", settings);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "off/instructions.csv"));
  nlohmann::json off = read_json(scratch / "off/result.json"), on = read_json(scratch / "on/result.json");
  for (nlohmann::json* result : {&off, &on})
    for (const char* key : {"host", "config", "provenance"}) result->erase(key);
  EXPECT_EQ(off, on);

  const std::vector<Line> lines = lines_of(scratch / "on/instructions.csv");
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(sum(lines, "issued"), on["simulation"]["warp_instructions"]);
  EXPECT_EQ(sum(lines, "threads"), on["simulation"]["thread_instructions"]);
  for (const std::string& reason : kStalls) {
    std::uint64_t cycles = 0;
    for (const auto& kernel : on["kernels"]) cycles += kernel["stalls"][reason].get<std::uint64_t>();
    EXPECT_EQ(sum(lines, reason), cycles) << reason;
  }
}

const std::vector<InstructionFileCase> kInstructionFileCases = {
    {"small", "matmul", {}},
    {"small", "reduction", {}},
    {"small", "many_streams", {}},
    {"titan_v", "bfs", {"platform.sms=4", "workload.params.vertices=400"}},
    {"ccbp_gpu", "divergence", {"platform.sms=2"}},
    {"vortex_sm", "reduction", {"platform.sm.frontend.mode=coordinated", "workload.params.count=3000"}},
};
INSTANTIATE_TEST_SUITE_P(Apps, InstructionFile, testing::ValuesIn(kInstructionFileCases),
                         [](const auto& info) { return info.param.platform + "_" + info.param.app; });

// Of the first warp half takes a branch and the other half does not; the second warp does not, and waits for
// the first one at a barrier.
constexpr const char* kBranchPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry branch(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .f32 %f<4>;
  .reg .f64 %d<4>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 16;
  cvt.rn.f32.u32 %f1, %r1;
  cvt.f64.f32 %d1, %f1;
  @%p bra LOW;
  fma.rn.f32 %f2, %f1, %f1, %f1;
  add.f32 %f2, %f2, %f1;
  bra JOIN;
LOW:
  mul.f64 %d2, %d1, %d1;
JOIN:
  bar.sync 0;
  @!%p sqrt.rn.f32 %f2, %f2;
  ret;
}
)";

class InstructionCounts : public testing::Test {
 protected:
  InstructionCounts() {
    scratch_.file("k.ptx", kBranchPtx);
    const std::string run = scratch_.file("run.yaml", R"(
platform: {extends: small, ptx: {code: ptx}}
output: {instructions: true}
workload:
  buffers: {out: {type: u32, count: 32, init: zero}}
  launches: [{ptx: k.ptx, entry: branch, grid: [2], block: [64], args: [{buffer: out}]}]
)");
    const Finished done = run_program({"run", run, "--out", (scratch_ / "out").string(), "--quiet"});
    EXPECT_EQ(done.status, 0) << done.err;
    lines_ = lines_of(scratch_ / "out/instructions.csv");
  }
  const Line& line(const std::string& begin) const {
    for (const Line& l : lines_)
      if (l.text.find(begin) != std::string::npos) return l;
    ADD_FAILURE() << "no instruction " << begin;
    return lines_.front();
  }

  ScratchFolder scratch_;
  std::vector<Line> lines_;
};

TEST_F(InstructionCounts, TellDivergenceFromGuards) {
  const auto expect = [&](const char* text, unsigned issued, unsigned threads, unsigned divergent) {
    SCOPED_TRACE(text);
    EXPECT_EQ(line(text).counts.at("issued"), issued);
    EXPECT_EQ(line(text).counts.at("threads"), threads);
    EXPECT_EQ(line(text).counts.at("divergent"), divergent);
  };
  // In two CTAs.
  expect("cvt.rn.f32.u32", 2 * 2, 2 * 64, 0);
  expect("fma.rn.f32", 2 * 2, 2 * (16 + 32), 2);
  expect("add.f32", 2 * 2, 2 * (16 + 32), 2);
  expect("mul.f64", 2, 2 * 16, 2);
  expect("bar.sync", 2 * 2, 2 * 64, 0);
  // Lanes that the guard leaves out are on no other path.
  expect("sqrt", 2 * 2, 2 * (16 + 32), 0);
}

TEST_F(InstructionCounts, ChargeWaitsToWhatWaits) {
  EXPECT_GT(line("bar.sync").counts.at("barrier"), 0u);
  EXPECT_EQ(sum(lines_, "barrier"), line("bar.sync").counts.at("barrier"));
  EXPECT_GT(line("add.f32").counts.at("raw_short"), 0u) << "for the fma";
  EXPECT_EQ(line("mov.u32").counts.at("raw_short"), 0u) << "waits for nothing";
}

TEST_F(InstructionCounts, FloatingPointOperationsAreThoseOfThePtx) {
  const auto kernel = read_json(scratch_ / "out/result.json")["kernels"][0];
  // Two CTAs, 48 threads one way: an fma of two, an addition, a root. 16 the other: one in double precision.
  EXPECT_EQ(kernel["fp32_operations"], 2 * 48 * (2 + 1 + 1));
  EXPECT_EQ(kernel["fp64_operations"], 2 * 16);
}

}  // namespace
}  // namespace warpvp::test
