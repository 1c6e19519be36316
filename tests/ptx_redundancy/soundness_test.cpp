// Marked instructions are redundant: random kernels, executed warp by warp in random turns, are watched by
// the limit study, which compares what warps yield that have come the same way.

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ptx/module.h"
#include "tests/ptx_redundancy/random_kernels.h"
#include "tests/ptx_redundancy/watched_run.h"

namespace warpvp::ptx {
namespace {

RedundancyCounts study_of(unsigned seed, Code code, bool by_xy, std::string& wrong) {
  const random_kernels::Kernel kernel(seed);
  FlatMemory memory(1 << 20);
  CodeOptions options;
  options.code = code;
  const auto module = Module::parse(kernel.text(), "random.ptx", options);
  module->place([&](const GlobalVariable& v) { return memory.allocate(v.bytes); },
                [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                  memory.write(address, bytes.data(), bytes.size());
                });
  const auto program = module->entry("k");
  std::vector<std::uint32_t> table(random_kernels::kTableWords);
  std::mt19937 random(seed);
  for (std::uint32_t& word : table) word = static_cast<std::uint32_t>(random());
  const std::uint64_t out = memory.allocate(4 * 1024), in = memory.allocate(4 * table.size());
  memory.write(in, table.data(), 4 * table.size());
  std::vector<std::uint8_t> arguments(program->param_bytes);
  const std::uint32_t n = static_cast<std::uint32_t>(random());
  std::memcpy(&arguments[0], &out, 8);
  std::memcpy(&arguments[8], &in, 8);
  std::memcpy(&arguments[16], &n, 4);
  RedundancyStudy study(*program, kernel.block, by_xy);
  std::mt19937 turns(seed);
  wrong = run_watched(*program, kernel.block, 2, arguments, memory, study, [&](unsigned warps) {
    const auto warp = static_cast<unsigned>(turns() % warps);
    return Turn{warp, 1 + static_cast<unsigned>(turns() % 20)};
  });
  const RedundancyCounts counts = study.counts();
  if (wrong.empty()) wrong = counts.first_unsound;
  if (!wrong.empty()) wrong += " (seed " + std::to_string(seed) + ")";
  return counts;
}

struct Batch {
  unsigned first;
  Code code;
};
class Soundness : public ::testing::TestWithParam<Batch> {};

constexpr unsigned kBatch = 500;

TEST_P(Soundness, WhatIsMarkedIsRedundant) {
  RedundancyCounts all;
  for (unsigned seed = GetParam().first; seed != GetParam().first + kBatch; ++seed) {
    std::string wrong;
    const RedundancyCounts counts = study_of(seed, GetParam().code, seed % 2 != 0, wrong);
    ASSERT_EQ(wrong, "");
    all.instructions += counts.instructions;
    all.block += counts.block;
    all.marked += counts.marked;
    all.marked_of_block += counts.marked_of_block;
    all.block_with_results += counts.block_with_results;
  }
  // It does not pass for want of marks.
  EXPECT_GT(all.marked * 25, all.instructions);
  EXPECT_GT(all.marked_of_block * 4, all.block_with_results);
}
std::vector<Batch> batches() {
  std::vector<Batch> list;
  for (unsigned i = 0; i < 10; ++i) list.push_back({1 + i * kBatch, i % 2 ? Code::kMachine : Code::kPtx});
  return list;
}
INSTANTIATE_TEST_SUITE_P(Redundancy, Soundness, ::testing::ValuesIn(batches()), [](const auto& info) {
  return std::to_string(info.param.first) + (info.param.code == Code::kPtx ? "_ptx" : "_machine");
});

}  // namespace
}  // namespace warpvp::ptx
