// Machine code: what the assembler needs besides for one PTX instruction, counted against ptxas, and how it
// stands in the program.

#include "ptx/machine/expansion.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "ptx/module.h"
#include "ptx/parser.h"
#include "tests/ptx_front/support.h"

namespace warpvp::ptx {
namespace {

using Counts = std::map<std::string, int>;

std::string kernel_of(const std::string& body) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<20>; .reg .f32 "
         "%f<20>; .reg "
         ".b64 %rd<20>; .reg .f64 %fd<20>; .reg .b16 %h<20>; .reg .pred %p<9>;\n" +
         body + "\nret;\n}\n";
}

std::shared_ptr<Program> machine_program(const std::string& body) {
  CodeOptions options;
  options.code = Code::kMachine;
  return Module::parse(kernel_of(body), "test.ptx", options)->entry("k");
}

// ---- the table against what ptxas writes

struct Measured {
  std::string instruction;
  int total = 0;
  Counts counts;
};

std::vector<Measured> measured() {
  std::istringstream in(read_file("tests/ptx_front/data/machine_instructions.tsv"));
  std::vector<Measured> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    Measured m;
    std::string total, counts;
    std::getline(cells, m.instruction, '\t');
    std::getline(cells, total, '\t');
    std::getline(cells, counts);
    m.total = std::stoi(total);
    std::istringstream pairs(counts);
    for (std::string pair; pairs >> pair;) {
      const std::size_t colon = pair.rfind(':');
      m.counts[pair.substr(0, colon)] = std::stoi(pair.substr(colon + 1));
    }
    all.push_back(std::move(m));
  }
  return all;
}

ir::Instruction instruction_of(const std::string& text) {
  const ir::Module module = parse_module(kernel_of(text + ";"), "test.ptx");
  const ir::Function& f = module.functions.at(0);
  if (f.code.empty()) throw InputError(f.refusal);
  return f.code[0];
}

TEST(Expansions, HaveWhatThePtxAssemblerWrites) {
  // Not followed, and why.
  const std::map<std::string, std::string> others = {
      {"mad.wide.u32", "one IMAD.WIDE, as ptxas writes for addresses; its sum here came from a load"},
      {"red.shared.add.f32", "the loop's load is left out"},
      {"atom.shared.add.u64", "the same, with an integer addition"},
  };
  std::set<std::string> forms;
  for (const Measured& m : measured()) {
    SCOPED_TRACE(m.instruction);
    const std::string name = m.instruction.substr(0, m.instruction.find(' '));
    const ir::Instruction i = instruction_of(m.instruction);
    const machine::Expansion& expansion = machine::expansion_of(i);
    forms.insert(machine::form_of(i));
    if (others.count(name)) continue;
    if (expansion.empty()) {
      EXPECT_LE(m.total, 1);
      continue;
    }
    Counts counts;
    for (const machine::MachineStep& step : expansion) {
      std::string mnemonic = step.name;
      if (mnemonic.back() == '@') mnemonic.pop_back();
      // One rule for SEL of either kind, and one for all conversions between float types and integers.
      if (mnemonic == "SEL" && !m.counts.count("SEL")) mnemonic = "FSEL";
      if (mnemonic == "F2F" && m.counts.count("I2F")) mnemonic = "I2F";
      if (mnemonic == "F2F" && m.counts.count("F2I")) mnemonic = "F2I";
      ++counts[mnemonic];
    }
    EXPECT_EQ(counts, m.counts);
  }
  // No single instruction of PTX has these: machine_sequences.tsv has what was measured.
  const auto of_sequences = [](const std::string& form) {
    const auto ends = [&](const std::string& end) {
      return form.size() > end.size() && form.compare(form.size() - end.size(), end.size(), end) == 0;
    };
    return form == "lea.b64" || ends(" again") || ends(" beside");
  };
  for (const std::string& form : machine::expanded_forms())
    EXPECT_TRUE(forms.count(form) || of_sequences(form)) << form << " was not measured";
}

// ---- in a program

TEST(Expansions, ComeBeforeTheInstructionThatComputes) {
  const auto p =
      machine_program("mov.f32 %f1, 0f40000000; sqrt.approx.f32 %f2, %f1; st.global.f32 [%rd1], %f2;");
  std::vector<const Inst*> parts;
  const Inst* whole = nullptr;
  for (const Inst& i : p->code) {
    if (i.is_part) parts.push_back(&i);
    if (i.opcode == Opcode::sqrt) whole = &i;
  }
  ASSERT_EQ(parts.size(), 3u);
  ASSERT_EQ(whole, parts.back() + 1);
  EXPECT_EQ(whole->unit, Unit::kFp32);
  EXPECT_EQ(whole->op_class, OpClass::kFpMul);
  EXPECT_EQ(parts[0]->op_class, OpClass::kGuard);
  EXPECT_EQ(parts[2]->unit, Unit::kSfu);
  for (const Inst* part : parts) EXPECT_EQ(part->line, whole->line);
  const Pc first = static_cast<Pc>(parts[0] - p->code.data());
  EXPECT_NE(p->locate(first).find("FSETP@ of sqrt.approx.f32 %f2, %f1"), std::string::npos)
      << p->locate(first);
  // The first waits for the source, the next ones for what is before them, and the last as well.
  EXPECT_EQ(parts[0]->reads[0], whole->reads[0]);
  for (unsigned k = 0; k < 3; ++k) {
    ASSERT_EQ(parts[k]->written_rows, 1u) << k;
    EXPECT_EQ(parts[k]->writes[0], whole->writes[0]) << k;
  }
  EXPECT_EQ(parts[1]->reads[0], whole->writes[0]);
}

TEST(Expansions, AreNotThereInPtxCode) {
  const auto p =
      Module::parse(kernel_of("div.rn.f32 %f1, %f2, %f3; add.u64 %rd1, %rd2, %rd3;"), "test.ptx")->entry("k");
  EXPECT_EQ(p->code.size(), 3u);
  for (const Inst& i : p->code) EXPECT_FALSE(i.is_part);
}

TEST(Expansions, HaveTheGuardOfTheirInstruction) {
  const auto p =
      machine_program("setp.eq.u32 %p1, %r1, 1; @!%p1 div.rn.f32 %f1, %f2, %f3; st.global.f32 [%rd1], %f1;");
  unsigned parts = 0;
  for (const Inst& i : p->code) {
    if (!i.is_part) continue;
    ++parts;
    EXPECT_EQ(i.guard.kind, OperandKind::kPred);
    EXPECT_TRUE(i.guard.negated);
    EXPECT_GE(i.read_preds, 1u);
  }
  EXPECT_EQ(parts, 10u);
}

TEST(Expansions, MoveTheTargetsOfBranches) {
  const auto p = machine_program(R"(
    mov.u32 %r9, %tid.x;
    setp.gt.u32 %p1, %r9, 3;
AGAIN:
    add.u64 %rd1, %rd1, %rd2;
    st.global.u64 [%rd3], %rd1;
    setp.lt.u64 %p2, %rd1, %rd4;
    @%p2 bra AGAIN;
    @%p1 bra END;
    div.u32 %r2, %r9, %r3;
    st.global.u32 [%rd3], %r2;
    st.global.u32 [%rd3], %r9;
    bar.sync 0;
END:
    add.u64 %rd5, %rd1, 3;
    st.global.u64 [%rd3], %rd5;
  )");
  unsigned branches = 0;
  for (const Inst& i : p->code) {
    if (i.opcode != Opcode::bra) continue;
    ++branches;
    // Where the expansion of the addition begins.
    ASSERT_LT(i.target, p->code.size());
    EXPECT_TRUE(p->code[i.target].is_part);
    EXPECT_TRUE(i.target == 0 || !p->code[i.target - 1].is_part);
    if (i.reconverge != kNoPc && i.reconverge > 0) {
      EXPECT_FALSE(p->code[i.reconverge - 1].is_part);
    }
  }
  EXPECT_EQ(branches, 2u);
}

}  // namespace
}  // namespace warpvp::ptx
