// The PTX that microbenchmarks make for themselves: loops of as many copies of an instruction as they say,
// each with the registers that make it a chain or a rate.

#include "sw/apps/micro_code.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "ptx/parser.h"

namespace warpvp::apps {
namespace {

namespace ir = ptx::ir;

const ir::Function& entry(const ir::Module& module, const std::string& name) {
  static const ir::Function none;
  for (const ir::Function& f : module.functions)
    if (f.name == name) return f;
  ADD_FAILURE() << module.file << " has no " << name;
  return none;
}

std::uint32_t position(const ir::Function& f, const std::string& label) {
  for (const ir::Label& l : f.labels)
    if (l.name == label) return l.position;
  ADD_FAILURE() << f.name << " has no label " << label;
  return 0;
}

/// The mnemonics of a text of PTX instructions, in their order.
std::vector<std::string> mnemonics(std::string text) {
  std::vector<std::string> found;
  for (char& c : text)
    if (c == '{' || c == '}') c = ' ';
  std::istringstream statements(text);
  for (std::string statement; std::getline(statements, statement, ';');) {
    std::string first;
    std::istringstream(statement) >> first;
    if (!first.empty() && first != ".reg") found.push_back(first);
  }
  return found;
}

class MicroCode : public testing::TestWithParam<MicroInstruction> {};

TEST_P(MicroCode, RepeatsTheInstruction) {
  const MicroInstruction& instruction = GetParam();
  const std::string name = instruction.name;
  const ir::Module module = ptx::parse_module(micro_ptx(instruction), name);
  ASSERT_EQ(module.functions.size(), 2u);
  const std::vector<std::string> copy = mnemonics(instruction.text);
  ASSERT_EQ(copy.size(), instruction.instructions);
  for (const auto& [form, registers] : {std::pair{"_chain", 1u}, std::pair{"_rate", 8u}}) {
    SCOPED_TRACE(form);
    const ir::Function& f = entry(module, name + form);
    ASSERT_EQ(f.refusal, "");
    ASSERT_EQ(f.params.size(), 5u);
    const std::uint32_t begin = position(f, "ROUND"), end = position(f, "DONE");
    // Nothing but copies, and what repeats the round: an addition, a comparison, two branches.
    ASSERT_EQ(end - begin, kMicroCopies * copy.size() + 4);
    std::vector<int> changed;  // register, by copy
    for (std::uint32_t at = begin; at < end - 4; ++at) {
      const ir::Instruction& i = f.code[at];
      ASSERT_EQ(i.mnemonic, copy[(at - begin) % copy.size()]) << "line " << i.where.line;
      if ((at - begin) % copy.size() == copy.size() - 1) {
        const ir::Operand& to = i.operands[0];
        changed.push_back(to.elements.empty() ? to.index : to.elements[0].index);
      }
    }
    EXPECT_EQ(std::set<int>(changed.begin(), changed.end()).size(), registers);
    for (std::size_t c = registers; c < changed.size(); ++c) EXPECT_EQ(changed[c], changed[c - registers]);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, MicroCode, testing::ValuesIn(micro_instructions()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MicroCode, NamesAreUnique) {
  std::set<std::string> names;
  for (const MicroInstruction& i : micro_instructions()) EXPECT_TRUE(names.insert(i.name).second) << i.name;
}

TEST(MicroCode, StraightCodeHasStretchesOfOneLength) {
  const ir::Module module = ptx::parse_module(instruction_cache_ptx(), "instruction_cache");
  const ir::Function& f = entry(module, "instruction_cache");
  ASSERT_EQ(f.refusal, "");
  ASSERT_EQ(f.tables.size(), 1u);
  ASSERT_EQ(f.tables[0].labels.size(), kMicroStretches);
  std::uint32_t begin = position(f, "S0");
  EXPECT_EQ(f.code[begin - 1].mnemonic, "brx.idx");
  for (const int label : f.tables[0].labels) {
    ASSERT_EQ(f.labels[static_cast<std::size_t>(label)].position, begin);
    for (std::uint32_t i = 0; i < kMicroCopies; ++i, ++begin) ASSERT_EQ(f.code[begin].mnemonic, "add.f32");
  }
  EXPECT_EQ(f.code[begin].mnemonic, "sub.u32");
}

}  // namespace
}  // namespace warpvp::apps
