// Sequences of a few instructions against what the vendor's assembler makes of them.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/exec/functional_runner.h"
#include "ptx/module.h"

namespace warpvp::ptx::machine {
namespace {

const std::string kHead =
    ".version 8.0\n.target sm_75\n.address_size 64\n.const .align 16 .b8 table[4096];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %p<9>; .reg .b32 %r<60>; .reg .f32 %f<40>; .reg .b64 %rd<40>; .reg .f64 %fd<20>;\n"
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, "
    "64;\n"
    "add.s64 %rd4, %rd2, %rd3; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd4];\n"
    "ld.global.v2.u64 {%rd5, %rd6}, [%rd4+16]; ld.global.u64 %rd7, [%rd4+32];\n"
    "ld.global.v2.f32 {%f1, %f2}, [%rd4+40]; ld.global.f32 %f3, [%rd4+48];\n";

std::shared_ptr<Module> module_of(const std::string& body, Code code) {
  CodeOptions options;
  options.code = code;
  return Module::parse(kHead + body + "\nret;\n}\n", "t.ptx", options);
}

// Machine instructions of a kernel, without its accesses to global memory.
int count(const std::string& body) {
  const auto program = module_of(body, Code::kMachine)->entry("k");
  int n = 0;
  for (const Inst& i : program->code) n += i.effect == Effect::kMemory && i.space == Space::kGlobal ? 0 : 1;
  return n;
}

struct Measured {
  std::string body;
  int total = 0;
};
std::vector<Measured> measured() {
  std::ifstream in("tests/ptx_machine/data/machine_sequences.tsv");
  std::vector<Measured> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string body, total;
    std::getline(cells, body, '\t');
    std::getline(cells, total, '\t');
    all.push_back({body, std::stoi(total)});
  }
  return all;
}

// The threads' data after a run on words that look random, some of them small, zero or all ones.
std::vector<std::uint32_t> results(const std::string& body, Code code) {
  const auto module = module_of(body, code);
  FlatMemory memory(1 << 20);
  std::mt19937 random(7);
  const auto fill = [&](std::uint64_t address, std::size_t words, std::uint32_t limit) {
    for (std::size_t k = 0; k < words; ++k) {
      std::uint32_t word = static_cast<std::uint32_t>(random());
      if (limit != 0)
        word %= limit;
      else if (word % 5 == 0)
        word = word % 3 == 0 ? 0 : word % 3 == 1 ? 0xffffffffu : word >> 20;
      memory.write(address + 4 * k, &word, 4);
    }
  };
  // The table's third 64-bit word is an address, and the first word of each thread is an index.
  const std::uint64_t data = memory.allocate(64 * 64);
  module->place([&](const GlobalVariable& g) { return memory.allocate(g.bytes); },
                [&](std::uint64_t address, const std::vector<std::uint8_t>&) {
                  fill(address, 1024, 0);
                  memory.write(address + 16, &data, 8);
                });
  fill(data, 16 * 64, 0);
  for (unsigned thread = 0; thread < 64; ++thread) {
    fill(data + 64 * thread, 1, 250);
    memory.write(data + 64 * thread + 16, &data, 8);
  }
  const auto program = module->entry("k");
  std::vector<std::uint8_t> arguments(program->param_bytes, 0x35);
  std::memcpy(arguments.data(), &data, 8);
  FunctionalRunner runner(memory);
  EXPECT_TRUE(runner.run(*program, {1, 1, 1}, {64, 1, 1}, arguments).ok()) << body;
  std::vector<std::uint32_t> words(16 * 64);
  memory.read(data, words.data(), 4 * words.size());
  return words;
}

TEST(Sequences, HaveTheResultsOfPtx) {
  for (const Measured& m : measured())
    EXPECT_EQ(results(m.body, Code::kMachine), results(m.body, Code::kPtx)) << m.body;
}

// Loops that are unrolled: values from round to round and behind the loop, sides that some threads take,
// loops in loops, an end that singles decide.
TEST(Sequences, UnrolledLoopsHaveTheResultsOfPtx) {
  const std::string end = "st.global.v2.u32 [%rd4], {%r10, %r11};\nst.global.f32 [%rd4+8], %f10;";
  const std::string begin = "mov.u32 %r10, %r3;\nmov.u32 %r11, 7;\nmov.f32 %f10, %f1;\n";
  for (const char* loop :
       {"mov.u32 %r20, 0;\nL: mad.lo.u32 %r10, %r10, %r11, %r20;\nadd.u32 %r11, %r10, %r20;\nadd.u32 %r20, "
        "%r20, 1;\n"
        "setp.lt.u32 %p1, %r20, 9;\n@%p1 bra L;",
        "mov.u32 %r20, 6;\nL: and.b32 %r21, %r2, %r20;\nsetp.eq.u32 %p2, %r21, 2;\n@%p2 bra S;\nadd.u32 "
        "%r22, %r20, %r4;\n"
        "xor.b32 %r10, %r10, %r22;\nbra M;\nS: mul.lo.u32 %r11, %r11, %r20;\nM: sub.u32 %r20, %r20, 1;\n"
        "setp.ne.u32 %p1, %r20, 0;\n@%p1 bra L;\nadd.u32 %r11, %r11, %r20;",
        "mov.u32 %r20, 0;\nO: mov.u32 %r21, 3;\nL: mad.lo.u32 %r10, %r10, %r21, %r20;\nsetp.gt.u32 %p2, "
        "%r10, %r5;\n"
        "@%p2 add.u32 %r11, %r11, %r21;\nsub.u32 %r21, %r21, 1;\nsetp.ne.u32 %p1, %r21, 0;\n@%p1 bra L;\n"
        "add.u32 %r20, %r20, 2;\nsetp.lt.u32 %p3, %r20, 8;\n@%p3 bra O;",
        "lg2.approx.f32 %f20, 0f41800000;\nmov.u32 %r20, 1;\nmov.f32 %f21, 0f3F800000;\nL: ex2.approx.f32 "
        "%f22, %f21;\n"
        "cvt.rzi.s32.f32 %r21, %f22;\nrem.u32 %r22, %r2, %r21;\nadd.u32 %r10, %r10, %r22;\nfma.rn.f32 %f10, "
        "%f10, %f22, %f2;\n"
        "add.s32 %r20, %r20, 1;\ncvt.rn.f32.s32 %f21, %r20;\nsetp.le.f32 %p1, %f21, %f20;\n@%p1 bra L;"}) {
    const std::string body = begin + loop + "\n" + end;
    const auto program = module_of(body, Code::kMachine)->entry("k");
    for (const Inst& i : program->code)
      EXPECT_TRUE(i.target == kNoPc || i.target > static_cast<Pc>(&i - program->code.data())) << body;
    EXPECT_EQ(results(body, Code::kMachine), results(body, Code::kPtx)) << body;
  }
}

TEST(Sequences, HaveAsManyInstructionsAsThoseOfThePtxAssembler) {
  // Not followed: how many more there are here, and why.
  const std::map<std::string, int> others = {
      {"ld.const.u8 %r10, [table+16]; add",
       -2},  // the chip extends in two steps what is extended in the bank here
      {"ld.const.s16 %r10, [table+16]; add", -2},
      {"and.b64 %rd10, %rd5, 255; or", 1},                        // the upper words of the constant are zero
      {"mul.lo.s32 %r10, %r2, %r3; sub.s32 %r11, %r10, %r4", 1},  // IMAD subtracts too
      {"fma.rn.f32 %f11, %f1, 0f3F800001, 0f40000001", -1},       // two constants in one instruction
      {"st.global.u32 [%rd4], 5", -1},                            // stores of constants
      {"shl.b64 %rd10, %rd5, 40; add", 2},                        // only by less than a word
      {"div.s32 %r10, %r2, %r3; rem.s32 %r11, %r4, %r3", 1},
      {"div.s32 %r10, %r2, %r3; mul", -1},                      // a move that ptxas needs
      {"shl.b32 %r10, %r2, 3; shr.u32 %r11, %r2, 29; add", 1},  // shift and addition are one LEA here
  };
  const int base = count("st.global.u32 [%rd4], %r2;");
  const std::vector<Measured> all = measured();
  EXPECT_GT(all.size(), 70u);
  for (const Measured& m : all) {
    int more = 0;
    for (const auto& [begin, difference] : others)
      if (m.body.compare(0, begin.size(), begin) == 0) more = difference;
    EXPECT_EQ(count(m.body) - base, m.total + more) << m.body;
  }
}

}  // namespace
}  // namespace warpvp::ptx::machine
