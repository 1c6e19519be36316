#include "tests/ptx_reference/on_platform.h"

#include <fmt/format.h>

#include <fstream>
#include <random>

#include "tests/platform/program.h"
#include "tests/ptx_reference/differential.h"

namespace warpvp::reference {
namespace {

void write_bytes(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
  const std::string text = test::read_text(file);
  return {text.begin(), text.end()};
}

}  // namespace

std::string preempting_platform(unsigned sms, const std::string& code, const std::string& front_end) {
  return fmt::format(
      "{{extends: small, sms: {}, mmu: page_tables, ptx: {{code: {}}}, work_distributor: {{policy: fcfs_ppq, "
      "preemption: switch}}, sm: {{frontend: {{mode: {}}}}}}}",
      sms, code, front_end);
}

std::string difference_on_platform(const std::vector<GeneratedProgram>& programs, const PlatformRun& run,
                                   std::uint64_t* saved) {
  const test::ScratchFolder folder;
  std::mt19937_64 random(run.seed);
  std::string buffers, launches, dumps;
  std::uint64_t start_us = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const GeneratedProgram& p = programs[i];
    folder.file(fmt::format("k{}.ptx", i), p.text());
    write_bytes(folder / fmt::format("in{}", i), p.in);
    write_bytes(folder / fmt::format("cells{}", i), p.cells);
    buffers += fmt::format(
        "    in{0}: {{type: u32, init: {{file: in{0}}}}}\n    cells{0}: {{type: u32, init: {{file: "
        "cells{0}}}}}\n"
        "    out{0}: {{type: u32, count: {1}}}\n",
        i, p.threads() * GeneratedProgram::kOutputBytes / 4);
    std::string when = fmt::format("stream: {}", i % run.streams);
    if (run.preempting) {
      start_us += random() % 6;
      when =
          fmt::format("stream: {}, context: {}, priority: {}, start_us: {}", i + 1, i % 4 + 1, i, start_us);
    }
    launches += fmt::format(
        "    - {{ptx: k{0}.ptx, entry: k, grid: [{1}], block: [{2}, {3}], {4}, "
        "args: [{{buffer: in{0}}}, {{buffer: out{0}}}, {{buffer: cells{0}}}]}}\n",
        i, p.grid[0], p.block[0], p.block[1], when);
    dumps += fmt::format(
        "    - {{buffer: out{0}, file: out{0}}}\n    - {{buffer: cells{0}, file: cells{0}}}\n", i);
  }
  const std::string file = folder.file(
      "run.yaml",
      fmt::format("platform: {}\nlimits: {{{}}}\nworkload:\n  buffers:\n{}  launches:\n{}  dumps:\n{}",
                  run.platform, run.limits, buffers, launches, dumps));
  const auto finished = test::run_program_at(run.program, {"run", file, "--out", (folder / "out").string()});
  if (finished.status != 0) return fmt::format("exit status {}: {}", finished.status, finished.err);
  if (saved)
    *saved += test::read_json(folder / "out/result.json")["control"]["work_distributor"]["ctas_saved"]
                  .get<std::uint64_t>();
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Outcome expected = run_reference(programs[i]);
    if (!expected.error.empty())
      return fmt::format("seed {}: reference: {}", programs[i].seed, expected.error);
    Outcome found;
    found.out = read_bytes((folder / "out") / fmt::format("out{}", i));
    found.cells = read_bytes((folder / "out") / fmt::format("cells{}", i));
    if (found.out.size() != expected.out.size() || found.cells.size() != expected.cells.size())
      return fmt::format("seed {}: a dump has {} and {} bytes", programs[i].seed, found.out.size(),
                         found.cells.size());
    const std::string what = difference(found, "platform", expected, "reference");
    if (!what.empty()) return fmt::format("seed {}: {}", programs[i].seed, what);
  }
  return "";
}

}  // namespace warpvp::reference
