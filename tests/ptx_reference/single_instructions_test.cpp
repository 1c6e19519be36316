// Single instructions beside a real GPU: what the platform gives, as text and as machine code, is what the
// chip gave, warp by warp, but where data/chip_single_differences.tsv says why not.

#include "tests/ptx_reference/single_instructions.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/ptx_reference/chip_answers.h"
#include "tests/ptx_reference/differential.h"
#include "tests/ptx_reference/form_programs.h"

namespace warpvp::reference {
namespace {

constexpr unsigned kParts = 4;

/// The lines of a table by their first cell.
std::map<std::string, std::vector<std::string>> lines_of(const std::string& name) {
  std::map<std::string, std::vector<std::string>> all;
  for (const auto& line : read_answers(std::string(WARPVP_REFERENCE_DATA) + "/" + name))
    all[line.at(0)] = line;
  return all;
}

class SingleInstructions : public testing::TestWithParam<unsigned> {};

TEST_P(SingleInstructions, GiveWhatTheChipGives) {
  const auto answers = lines_of("chip_single.tsv"), differences = lines_of("chip_single_differences.tsv");
  const std::vector<SingleInstruction> all = single_instructions();
  for (std::size_t i = GetParam(); i < all.size(); i += kParts) {
    const SingleInstruction& one = all[i];
    for (const ptx::Code code : {ptx::Code::kPtx, ptx::Code::kMachine}) {
      const Outcome ours = run_platform(one.program, code);
      ASSERT_EQ(ours.error, "") << one.name;
      if (one.approximate) continue;
      ASSERT_TRUE(answers.count(one.name) != 0)
          << one.name << ": the chip was not asked; see docs/validation.md for how to ask it";
      const auto& answer = answers.at(one.name);
      ASSERT_EQ(program_digest(one.program), std::stoul(answer.at(1), nullptr, 16))
          << one.name << ": another program than the chip ran";
      std::string digests;
      for (unsigned w = 0; w < warps_of(one); ++w) {
        char text[16];
        std::snprintf(text, sizeof text, "%s%08x", w == 0 ? "" : " ", warp_digest(one, ours.out, w));
        digests += text;
      }
      EXPECT_EQ(digests == answer.at(2), differences.count(one.name) == 0)
          << one.name << ": " << digests << "\n"
          << answer.at(2);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Part, SingleInstructions, testing::Range(0u, kParts));

}  // namespace
}  // namespace warpvp::reference
