// Sequences of a few instructions against what the vendor's assembler makes of them.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "ptx/module.h"

namespace warpvp::ptx::machine {
namespace {

const std::string kHead =
    ".version 8.0\n.target sm_75\n.address_size 64\n.const .align 16 .b8 table[4096];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<60>; .reg .f32 %f<40>; .reg .b64 %rd<40>; .reg .f64 %fd<20>;\n"
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, "
    "64;\n"
    "add.s64 %rd4, %rd2, %rd3; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd4];\n"
    "ld.global.v2.u64 {%rd5, %rd6}, [%rd4+16]; ld.global.u64 %rd7, [%rd4+32];\n"
    "ld.global.v2.f32 {%f1, %f2}, [%rd4+40]; ld.global.f32 %f3, [%rd4+48];\n";

// Machine instructions of a kernel, without its accesses to global memory.
int count(const std::string& body) {
  CodeOptions options;
  options.code = Code::kMachine;
  const auto program = Module::parse(kHead + body + "\nret;\n}\n", "t.ptx", options)->entry("k");
  int n = 0;
  for (const Inst& i : program->code) n += i.effect == Effect::kMemory && i.space == Space::kGlobal ? 0 : 1;
  return n;
}

TEST(Sequences, HaveAsManyInstructionsAsThoseOfThePtxAssembler) {
  // Not followed: how many more there are here, and why.
  const std::map<std::string, int> others = {
      {"ld.const.u8 %r10, [table+16]; add",
       -2},  // the chip extends in two steps what is extended in the bank here
      {"ld.const.s16 %r10, [table+16]; add", -2},
      {"and.b64 %rd10, %rd5, 255; or", 1},                        // the upper words of the constant are zero
      {"mul.lo.s32 %r10, %r2, %r3; sub.s32 %r11, %r10, %r4", 1},  // IMAD subtracts too
      {"cvt.u64.u32 %rd10, %r2; add", 1},                         // the upper word is the zero register
      {"fma.rn.f32 %f11, %f1, 0f3F800001, 0f40000001", -1},       // two constants in one instruction
      {"st.global.u32 [%rd4], 5", -1},                            // stores of constants
      {"shl.b64 %rd10, %rd5, 40; add", 2},                        // only by less than a word
      {"div.s32 %r10, %r2, %r3; rem.s32 %r11, %r4, %r3", 1},
      {"div.s32 %r10, %r2, %r3; mul", -1},                      // a move that ptxas needs
      {"shl.b32 %r10, %r2, 3; shr.u32 %r11, %r2, 29; add", 1},  // shift and addition are one LEA here
  };
  std::ifstream in("tests/ptx_machine/data/machine_sequences.tsv");
  const int base = count("st.global.u32 [%rd4], %r2;");
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++rows;
    std::istringstream cells(line);
    std::string body, total;
    std::getline(cells, body, '\t');
    std::getline(cells, total, '\t');
    int more = 0;
    for (const auto& [begin, difference] : others)
      if (body.compare(0, begin.size(), begin) == 0) more = difference;
    EXPECT_EQ(count(body) - base, std::stoi(total) + more) << body;
  }
  EXPECT_GT(rows, 60);
}

}  // namespace
}  // namespace warpvp::ptx::machine
