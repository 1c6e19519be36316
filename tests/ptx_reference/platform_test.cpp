// The same random programs on the whole platform: launched by a host program, timed by the cycle-accurate SM.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/platform/program.h"
#include "tests/ptx_reference/differential.h"

namespace warpvp::reference {
namespace {

constexpr unsigned kPrograms = 12;

void write_bytes(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
  const std::string text = test::read_text(file);
  return {text.begin(), text.end()};
}

struct Setting {
  const char *name, *platform, *limits;
};
class OnThePlatform : public testing::TestWithParam<Setting> {};

TEST_P(OnThePlatform, RandomProgramsAgreeWithTheReference) {
  const test::ScratchFolder folder;
  std::string buffers, launches, dumps;
  std::vector<GeneratedProgram> programs;
  for (unsigned i = 0; i < kPrograms; ++i) {
    programs.push_back(generate(2'000'000 + i));
    const GeneratedProgram& p = programs.back();
    folder.file(fmt::format("k{}.ptx", i), p.text());
    write_bytes(folder / fmt::format("in{}", i), p.in);
    write_bytes(folder / fmt::format("cells{}", i), p.cells);
    buffers += fmt::format(
        "    in{0}: {{type: u32, init: {{file: in{0}}}}}\n    cells{0}: {{type: u32, init: {{file: "
        "cells{0}}}}}\n"
        "    out{0}: {{type: u32, count: {1}}}\n",
        i, p.threads() * GeneratedProgram::kOutputBytes / 4);
    launches += fmt::format(
        "    - {{ptx: k{0}.ptx, entry: k, grid: [{1}], block: [{2}, {3}], stream: {4}, "
        "args: [{{buffer: in{0}}}, {{buffer: out{0}}}, {{buffer: cells{0}}}]}}\n",
        i, p.grid[0], p.block[0], p.block[1], i % 3);
    dumps += fmt::format(
        "    - {{buffer: out{0}, file: out{0}}}\n    - {{buffer: cells{0}, file: cells{0}}}\n", i);
  }
  const std::string run =
      folder.file("run.yaml", fmt::format("platform: {{extends: small, {}}}\nlimits: {{{}}}\nworkload:\n"
                                          "  buffers:\n{}  launches:\n{}  dumps:\n{}",
                                          GetParam().platform, GetParam().limits, buffers, launches, dumps));
  const auto finished = test::run_program({"run", run, "--out", (folder / "out").string()});
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (unsigned i = 0; i < kPrograms; ++i) {
    SCOPED_TRACE(fmt::format("seed {}", programs[i].seed));
    const Outcome expected = run_reference(programs[i]);
    ASSERT_EQ(expected.error, "");
    EXPECT_TRUE(read_bytes((folder / "out") / fmt::format("out{}", i)) == expected.out);
    EXPECT_TRUE(read_bytes((folder / "out") / fmt::format("cells{}", i)) == expected.cells);
  }
}
// The watchdog looks every 2 us: with the slow clock, every four cycles, at warps in all their states.
INSTANTIATE_TEST_SUITE_P(Schedulers, OnThePlatform,
                         testing::Values(Setting{"lrr", "sm: {warp_scheduler: lrr}", ""},
                                         Setting{"gto", "sm: {warp_scheduler: gto}", ""},
                                         Setting{"impatient_watchdog", "sm_clock_mhz: 2", "progress_us: 400"},
                                         Setting{"impatient_watchdog_and_machine_code",
                                                 "sm_clock_mhz: 2, ptx: {code: machine}",
                                                 "progress_us: 400"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp::reference
