// What a real GPU answered: the reference and the platform, with both kinds of code, say the same, but where
// data/chip_differences.tsv says why not.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "tests/ptx_reference/cases.h"
#include "tests/ptx_reference/chip_answers.h"

namespace warpvp::reference {
namespace {

constexpr unsigned kShards = 4;

std::vector<std::vector<std::string>> table(const std::string& name) {
  return read_answers(std::string(WARPVP_REFERENCE_DATA) + "/" + name);
}

std::uint64_t hex(const std::string& text) { return std::stoull(text, nullptr, 16); }

/// By name: the second cell of each line.
std::map<std::string, std::string> by_name(const std::string& name) {
  std::map<std::string, std::string> all;
  for (const auto& line : table(name)) all[line.at(0)] = line.at(1);
  return all;
}

/// What the reference and the platform make of a program; the platform's with machine code last.
std::vector<std::pair<const char*, Outcome>> outcomes(const GeneratedProgram& p) {
  return {{"reference", run_reference(p)},
          {"platform", run_platform(p, ptx::Code::kPtx)},
          {"machine code", run_platform(p, ptx::Code::kMachine)}};
}

class OnTheChip : public testing::TestWithParam<unsigned> {};

TEST_P(OnTheChip, EveryInstructionFormGivesTheSame) {
  const auto answers = by_name("chip_forms.tsv"), differences = by_name("chip_differences.tsv");
  const std::vector<FormProgram> programs = form_programs();
  for (std::size_t i = GetParam(); i < programs.size(); i += kShards) {
    for (const auto& [who, outcome] : outcomes(programs[i].program)) {
      ASSERT_EQ(outcome.error, "") << who;
      for (std::size_t slot = 0; slot < programs[i].opcodes.size(); slot += kDraws) {
        const std::string& opcode = programs[i].names[slot];
        ASSERT_TRUE(answers.count(opcode) != 0)
            << opcode << ": the chip was not asked; see docs/validation.md for how to ask it";
        const bool same = opcode_digest(programs[i], outcome.out, slot) == hex(answers.at(opcode));
        EXPECT_EQ(same, differences.count(opcode) == 0)
            << opcode << ", " << who
            << (same ? ": agrees, though listed as different" : ": not as on the chip") << "\n  "
            << programs[i].instructions[slot] << "\n  " << programs[i].instructions[slot + 1];
      }
    }
  }
}

TEST_P(OnTheChip, RandomProgramsGiveTheSame) {
  const auto answers = table("chip_programs.tsv");
  const auto differences = by_name("chip_differences.tsv");
  ASSERT_GT(answers.size(), 1000u);
  for (std::size_t i = GetParam(); i < answers.size(); i += kShards) {
    const GeneratedProgram p = generate(std::stoull(answers[i].at(0)), Dialect::kChip);
    ASSERT_EQ(program_digest(p), hex(answers[i].at(1)))
        << "seed " << p.seed << " gives another program than the chip ran; see docs/validation.md";
    for (const auto& [who, outcome] : outcomes(p)) {
      ASSERT_EQ(outcome.error, "") << who;
      EXPECT_EQ(outcome_digest(outcome) == hex(answers[i].at(2)), differences.count(answers[i].at(0)) == 0)
          << "seed " << p.seed << ", " << who;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Quarter, OnTheChip, testing::Range(0u, kShards));

TEST(TheChip, GaveTheCasesTheSameResults) {
  const auto differences = by_name("chip_differences.tsv");
  for (const auto& line : table("chip_cases.tsv")) {
    for (const Case& c : cases()) {
      if (c.name != line.at(0)) continue;
      const GeneratedProgram p = program_of(c);
      ASSERT_EQ(program_digest(p), hex(line.at(1))) << c.name << " is another than the chip ran";
      for (const auto& [who, outcome] : outcomes(p))
        EXPECT_EQ(outcome_digest(outcome) == hex(line.at(2)), differences.count(c.name) == 0)
            << c.name << ", " << who;
    }
  }
}

/// Distance in units in the last place of the first, in f32.
double ulps(float a, float b) {
  const float next = std::nextafterf(std::fabs(a), INFINITY);
  return std::fabs(static_cast<double>(a) - b) / (static_cast<double>(next) - std::fabs(a));
}

TEST(TheChip, ApproximatesAsThePlatformDoes) {
  // How far chip and platform may lie apart: what the ISA allows the one plus what docs/ptx.md says of the
  // other. Relative or absolute, of a form's name up to the second dot.
  struct Allowed {
    double in_ulps, absolute;
  };
  const std::map<std::string, Allowed> allowed = {{"rcp.approx", {1, 0}},       {"sqrt.approx", {2, 0}},
                                                  {"rsqrt.approx", {4, 0}},     {"sin.approx", {1, 0x1p-20}},
                                                  {"cos.approx", {1, 0x1p-20}}, {"lg2.approx", {1, 0x1p-22}},
                                                  {"ex2.approx", {4, 0}},       {"tanh.approx", {8192, 0}},
                                                  {"div.approx", {2, 0}},       {"div.full", {2, 0}}};
  const FormProgram asked = approximate_program();
  const Outcome platform = run_platform(asked.program, ptx::Code::kPtx);
  ASSERT_EQ(platform.error, "");
  const auto lines = table("chip_approximate.tsv");
  std::size_t at = 0;
  for (std::size_t slot = 0; slot < asked.opcodes.size(); ++slot) {
    const ApproximateForm& form = approximate_forms()[slot];
    const std::string name = asked.opcodes[slot].substr(
        0,
        asked.opcodes[slot].find('.', 5 + (asked.opcodes[slot][4] == '.' || asked.opcodes[slot][5] == '.')));
    for (unsigned t = 0; t < kApproximatePoints; ++t, ++at) {
      ASSERT_LT(at, lines.size());
      const auto& line = lines[at];
      ASSERT_EQ(line.at(0), asked.opcodes[slot]);
      ASSERT_EQ(hex(line.at(1)), approximate_operand(asked.program, t, 0, form.bits)) << line.at(0);
      std::uint64_t ours = 0;
      std::memcpy(&ours,
                  platform.out.data() + t * GeneratedProgram::kOutputBytes + slot * FormProgram::kSlotBytes,
                  form.bits / 8);
      const std::uint64_t chips = hex(line.at(3));
      const auto operand_bits = static_cast<std::uint32_t>(hex(line.at(1)));
      float operand = 0;
      std::memcpy(&operand, &operand_bits, 4);
      SCOPED_TRACE(fmt::format("{} of {} {}: chip {}, platform {:x}", line.at(0), line.at(1), line.at(2),
                               line.at(3), ours));
      if (ours == chips) continue;
      // Of sine and cosine the ISA says nothing for angles further out.
      const bool is_angle = name == "sin.approx" || name == "cos.approx";
      if (is_angle && !(std::fabs(operand) <= 6.2831855f)) continue;
      if (form.bits == 64) {
        double a = 0, b = 0;
        std::memcpy(&a, &ours, 8);
        std::memcpy(&b, &chips, 8);
        EXPECT_NEAR(a / b, 1.0, 0x1p-19);
        continue;
      }
      float a = 0, b = 0;
      const auto ours32 = static_cast<std::uint32_t>(ours), chips32 = static_cast<std::uint32_t>(chips);
      std::memcpy(&a, &ours32, 4);
      std::memcpy(&b, &chips32, 4);
      ASSERT_TRUE(std::isfinite(a) && std::isfinite(b));
      const Allowed& limit = allowed.at(name);
      EXPECT_TRUE(ulps(b, a) <= limit.in_ulps || std::fabs(static_cast<double>(a) - b) <= limit.absolute)
          << name;
    }
  }
  EXPECT_EQ(at, lines.size());
}

}  // namespace
}  // namespace warpvp::reference
