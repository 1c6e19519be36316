// All passes together: what a kernel needs, where its values come from, and that results stay.

#include "ptx/machine/machine_code.h"

#include <cstring>
#include <filesystem>

#include "ptx/exec/functional_runner.h"
#include "ptx/machine/constant_operands.h"
#include "ptx/machine/registers.h"
#include "ptx/module.h"
#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

CodeOptions machine() {
  CodeOptions options;
  options.code = Code::kMachine;
  return options;
}
Lines constants(const std::string& body) {
  return lines_after([](const ir::Module& m, LegalFunction& legal) { use_constant_operands(m, legal); },
                     body);
}

TEST(MachineCode, TakesAtLeastTheRegistersThatAreSet) {
  const std::string text =
      ".version 7.5\n.target sm_70\n.address_size 64\n.entry k() { .reg .b32 %r1; mov.u32 %r1, %tid.x; ret; "
      "}";
  for (const Code code : {Code::kPtx, Code::kMachine}) {
    CodeOptions options;
    options.code = code;
    const std::uint32_t own = Module::parse(text, "t.ptx", options)->entry("k")->registers_per_thread;
    EXPECT_LT(own, 34u);
    options.least_registers = 34;
    EXPECT_EQ(Module::parse(text, "t.ptx", options)->entry("k")->registers_per_thread, 34u);
  }
}

TEST(ConstantOperands, ParametersAndDimensionsAreReadInPlace) {
  EXPECT_THAT(constants("ld.param.u32 %r1, [n];\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 "
                        "%r4, %r3, %r2, %r3;\n"
                        "setp.ge.u32 %p1, %r4, %r1;"),
              ElementsAre(testing::StartsWith("mov.b32 %r1, %$m"), testing::StartsWith("mov.b32 %r2, %$m"),
                          "mov.u32 %r3, %tid.x", testing::MatchesRegex("mad.lo.s32 %r4, %r3, %.m[0-9]+, %r3"),
                          testing::MatchesRegex("setp.ge.u32 %p1, %r4, %.m[0-9]+")));
}

TEST(ConstantOperands, VectorsOfAParameter) {
  EXPECT_THAT(constants("ld.param.v2.u32 {%r1, %r2}, [p];\nadd.u32 %r4, %r3, %r2;").back(),
              testing::MatchesRegex("add.u32 %r4, %r3, %.m[0-9]+"));
}

// One an instruction; none beside an immediate, in an address, or as data.
TEST(ConstantOperands, NotEverywhere) {
  EXPECT_THAT(
      constants("ld.param.u32 %r1, [n];\nld.param.u64 %rd1, [p];\nmad.lo.s32 %r4, %r1, %r1, %r3;\n"
                "mul.lo.u32 %r5, %r1, 3;\nst.global.u32 [%rd1], %r1;\nmad.wide.u32 %rd2, %r4, 4, %rd1;"),
      ElementsAre(testing::_, testing::_, testing::MatchesRegex("mad.lo.s32 %r4, %.m[0-9]+, %r1, %r3"),
                  "mul.lo.u32 %r5, %r1, 3", "st.global.u32 [%rd1], %r1",
                  testing::MatchesRegex("mad.wide.u32 %rd2, %r4, 4, %.m[0-9]+")));
  for (const char* body : {"ld.param.u32 %r1, [p+6];\nadd.u32 %r2, %r1, %r3;",   // misaligned
                           "ld.param.u32 %r1, [p+12];\nadd.u32 %r2, %r1, %r3;",  // beyond the parameter
                           "@%p1 ld.param.u32 %r1, [n];\nadd.u32 %r2, %r1, %r3;",
                           "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, %r3;"})
    EXPECT_EQ(constants(body), lines_of(body)) << body;
}

// Narrow parameters are extended as their loads would; dimensions are those of the launch.
TEST(ConstantOperands, ValuesAreThoseOfTheLaunch) {
  const std::string text =
      ".version 7.5\n.target sm_70\n.address_size 64\n"
      ".entry k(.param .u64 out, .param .s8 a, .param .u16 b, .param .s32 c, .param .u64 d)\n{\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [out]; ld.param.s8 %r1, [a]; ld.param.u16 %r2, [b]; ld.param.s32 %rd2, [c]; "
      "ld.param.u64 %rd3, [d];\n"
      "mov.u32 %r3, %ntid.y; mov.u32 %r4, %nctaid.z; mov.u32 %r5, %tid.z;\n"
      "add.s32 %r6, %r5, %r1; add.s32 %r7, %r5, %r2; st.global.v2.u32 [%rd1], {%r6, %r7};\n"
      "cvt.u64.u32 %rd4, %r5; add.s64 %rd5, %rd4, %rd2; add.s64 %rd6, %rd4, %rd3; st.global.v2.u64 "
      "[%rd1+16], {%rd5, %rd6};\n"
      "add.s32 %r6, %r5, %r3; add.s32 %r7, %r5, %r4; st.global.v2.u32 [%rd1+8], {%r6, %r7};\nret;\n}\n";
  const auto module = Module::parse(text, "t.ptx", machine());
  const auto program = module->entry("k");
  EXPECT_EQ(program->presets.size(), 7u);
  for (const Inst& i : program->code) EXPECT_FALSE(i.space == Space::kParam) << program->texts[i.ir_index];
  FlatMemory memory(1 << 16);
  const std::uint64_t out = memory.allocate(64);
  std::vector<std::uint8_t> arguments(program->param_bytes);
  std::memcpy(arguments.data(), &out, 8);
  arguments[8] = 0x80;
  arguments[10] = 0xff, arguments[11] = 0xff;
  arguments[15] = 0x80;
  arguments[16] = 0x21, arguments[23] = 0x43;
  FunctionalRunner runner(memory);
  ASSERT_TRUE(runner.run(*program, {1, 1, 5}, {1, 3, 1}, arguments).ok());
  std::uint32_t words[8];
  memory.read(out, words, sizeof words);
  EXPECT_EQ(words[0], 0xffffff80u);
  EXPECT_EQ(words[1], 0xffffu);
  EXPECT_EQ(words[2], 3u);
  EXPECT_EQ(words[3], 5u);
  EXPECT_EQ(words[4], 0x80000000u);
  EXPECT_EQ(words[5], 0xffffffffu);
  EXPECT_EQ(words[6], 0x21u);
  EXPECT_EQ(words[7], 0x43000000u);
}

// Constant memory whose place is known: by name or through a register that holds only the name.
TEST(ConstantOperands, ConstantMemoryIsReadInPlace) {
  EXPECT_THAT(constants("ld.const.f32 %f1, [table+8];\nfma.rn.f32 %f3, %f2, %f1, %f2;"),
              ElementsAre(testing::StartsWith("mov.b32 %f1, %$m"),
                          testing::MatchesRegex("fma.rn.f32 %f3, %f2, %.m[0-9]+, %f2")));
  EXPECT_THAT(
      constants("mov.u64 %rd2, table;\nld.const.v2.u32 {%r1, %r2}, [%rd2+16];\nadd.u32 %r4, %r3, %r2;"),
      ElementsAre(testing::StartsWith("mov.b64 %rd2, %$m"), testing::StartsWith("mov.b32 %r1, %$m"),
                  testing::StartsWith("mov.b32 %r2, %$m"),
                  testing::MatchesRegex("add.u32 %r4, %r3, %.m[0-9]+")));
}

TEST(ConstantOperands, NotFromWhereConstantMemoryIsNotKnown) {
  for (const char* body : {"ld.global.u64 %rd2, [%rd1];\nld.const.u32 %r1, [%rd2];\nadd.u32 %r2, %r1, %r3;",
                           "ld.const.u32 %r1, [table+64];\nadd.u32 %r2, %r1, %r3;",  // beyond
                           "ld.const.u32 %r1, [table+-4];\nadd.u32 %r2, %r1, %r3;",  // before
                           "ld.const.u32 %r1, [table+2];\nadd.u32 %r2, %r1, %r3;",   // misaligned
                           "ld.const.v4.u32 {%r1, %r4, %r5, %r6}, [table+8];\nadd.u32 %r2, %r1, %r3;",
                           "@%p1 ld.const.u32 %r1, [table];\nadd.u32 %r2, %r1, %r3;",
                           "mov.u64 %rd2, table;\n@%p1 add.u64 %rd2, %rd2, 4;\nld.const.u32 %r1, "
                           "[%rd2];\nadd.u32 %r2, %r1, %r3;",
                           "ld.global.u32 %r1, [array];\nadd.u32 %r2, %r1, %r3;"})
    EXPECT_EQ(constants(body), lines_of(body)) << body;
}

TEST(ConstantOperands, AKernelHasSoManyOfConstantMemory) {
  std::string body = ".reg .b16 %w<99>;\n";
  for (unsigned k = 0; k < kMostConstantWords + 3; ++k)
    body += "ld.const.u8 %w" + std::to_string(k) + ", [table+" + std::to_string(k % 64) +
            "];\nst.global.u8 [%rd1], %w" + std::to_string(k) + ";\n";
  const Lines lines = constants(body);
  EXPECT_EQ(
      std::count_if(lines.begin(), lines.end(), [](const std::string& l) { return l.find("ld.const") == 0; }),
      3);
}

TEST(ConstantOperands, AddressesOfVariables) {
  EXPECT_THAT(
      constants("mov.u64 %rd2, array;\nmad.wide.u32 %rd3, %r1, 4, %rd2;\nld.global.u32 %r2, [%rd3];").at(1),
      testing::MatchesRegex("mad.wide.u32 %rd3, %r1, 4, %.m[0-9]+"));
  for (const char* body : {"mov.u64 %rd2, tile;\nadd.u64 %rd3, %rd2, %rd1;",
                           "mov.u64 %rd2, dynamic;\nadd.u64 %rd3, %rd2, %rd1;"})
    EXPECT_EQ(constants(body), lines_of(body)) << body;
}

// As the memory is when a launch starts, not as the module initialised it.
TEST(ConstantOperands, ConstantMemoryOfTheLaunch) {
  const std::string text =
      ".version 7.5\n.target sm_70\n.address_size 64\n.const .align 8 .u32 words[6] = {7, 9, 0x80000000, 4, "
      "5, 6};\n"
      ".const .align 2 .s16 narrow = -3;\n"
      ".entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [out]; mov.u32 %r5, %tid.x; cvt.u64.u32 %rd2, %r5;\n"
      "ld.const.u32 %r1, [words+4]; ld.const.s16 %r2, [narrow]; ld.const.s32 %rd3, [words+8]; ld.const.u64 "
      "%rd4, "
      "[words+16];\n"
      "add.s32 %r3, %r5, %r1; add.s32 %r4, %r5, %r2; st.global.v2.u32 [%rd1], {%r3, %r4};\n"
      "add.s64 %rd5, %rd2, %rd3; add.s64 %rd6, %rd2, %rd4; st.global.v2.u64 [%rd1+16], {%rd5, "
      "%rd6};\n"
      "mov.u64 %rd7, words+12; add.s64 %rd8, %rd7, %rd2; st.global.u64 [%rd1+32], %rd8;\nret;\n}\n";
  const auto module = Module::parse(text, "t.ptx", machine());
  FlatMemory memory(1 << 16);
  std::uint64_t words = 0;
  module->place(
      [&](const GlobalVariable& g) {
        const std::uint64_t address = memory.allocate(g.bytes);
        if (g.name == "words") words = address;
        return address;
      },
      [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
        memory.write(address, bytes.data(), bytes.size());
      });
  const auto program = module->entry("k");
  for (const Inst& i : program->code) EXPECT_NE(i.space, Space::kConst) << program->texts[i.ir_index];
  const std::uint64_t out = memory.allocate(64);
  std::vector<std::uint8_t> arguments(program->param_bytes);
  std::memcpy(arguments.data(), &out, 8);
  FunctionalRunner runner(memory);
  for (const std::uint32_t second : {9u, 1234u}) {
    memory.write(words + 4, &second, 4);
    ASSERT_TRUE(runner.run(*program, {1, 1, 1}, {1, 1, 1}, arguments).ok());
    std::uint32_t got[8];
    memory.read(out, got, sizeof got);
    std::uint64_t address;
    memory.read(out + 32, &address, sizeof address);
    EXPECT_EQ(address, words + 12);
    EXPECT_EQ(got[0], second);
    EXPECT_EQ(got[1], 0xfffffffdu);
    EXPECT_EQ(got[4], 0x80000000u);
    EXPECT_EQ(got[5], 0xffffffffu);
    EXPECT_EQ(got[6], 5u);
    EXPECT_EQ(got[7], 6u);
  }
}

// As code behind an assertion that compilers take for one that returns. Its constants are not those of the
// beginning.
TEST(ConstantOperands, CodeThatNothingReachesTakesNone) {
  const auto module = Module::parse(
      ".version 7.5\n.target sm_70\n.address_size 64\n.global .align 8 .u64 words[4];\n"
      ".entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
      "st.global.u32 [%rd2], 7; bra end;\n"
      "behind: mul.lo.u32 %r2, %r1, %r1; mov.u64 %rd3, words; mad.wide.u32 %rd4, %r2, 4, %rd3; st.global.u32 "
      "[%rd4], 8; bra behind;\n"
      "end: ret;\n}\n",
      "t.ptx", machine());
  FlatMemory memory(1 << 16);
  module->place([&](const GlobalVariable& g) { return memory.allocate(g.bytes); },
                [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                  memory.write(address, bytes.data(), bytes.size());
                });
  const auto program = module->entry("k");
  const std::uint64_t out = memory.allocate(64);
  std::vector<std::uint8_t> arguments(program->param_bytes);
  std::memcpy(arguments.data(), &out, 8);
  ASSERT_TRUE(FunctionalRunner(memory).run(*program, {1, 1, 1}, {1, 1, 1}, arguments).ok());
  std::uint32_t got = 0;
  memory.read(out, &got, sizeof got);
  EXPECT_EQ(got, 7u);
}

TEST(Registers, AsManyAsCostNoThreads) {
  const SmResources sm;
  ir::Function f;
  EXPECT_EQ(registers_without_loss(f, sm, 10), 32u);  // 64 warps of 32 registers
  EXPECT_EQ(registers_without_loss(f, sm, 32), 32u);
  EXPECT_EQ(registers_without_loss(f, sm, 33), 40u);  // units of 8
  EXPECT_EQ(registers_without_loss(f, sm, 250), 255u);
  f.max_registers = 36;
  EXPECT_EQ(registers_without_loss(f, sm, 33), 36u);
  f = {};
  f.required_threads[0] = 1024;
  f.required_threads[1] = f.required_threads[2] = 1;
  EXPECT_EQ(registers_without_loss(f, sm, 33), 64u);  // one CTA either way
  EXPECT_EQ(registers_without_loss(f, sm, 20), 32u);
}

// Registers of every shipped kernel: machine code reaches the occupancy of the text's own order.
TEST(MachineCode, CostsNoOccupancy) {
  const SmResources sm;
  for (const auto& file : std::filesystem::directory_iterator("sw/kernels")) {
    if (file.path().extension() != ".ptx") continue;
    const std::string path = file.path().string();
    const auto before = Module::load(path), after = Module::load(path, machine());
    for (const std::string& entry : before->entries()) {
      const auto a = before->entry(entry), b = after->entry(entry);
      const std::uint32_t block = a->required_block[0]
                                      ? a->required_block[0] * a->required_block[1] * a->required_block[2]
                                  : a->max_threads ? a->max_threads
                                                   : 256;
      EXPECT_GE(cta_needs(sm, block, b->registers_per_thread, b->static_shared_bytes, b->barriers).most_ctas,
                cta_needs(sm, block, a->registers_per_thread, a->static_shared_bytes, a->barriers).most_ctas)
          << entry;
      const auto parts =
          std::count_if(b->code.begin(), b->code.end(), [](const Inst& i) { return i.is_part; });
      // ptxas 11.8 for sm_70 unrolls the same loops.
      const bool unrolled = entry == "dxtc" || entry == "dxtc_persistent" || entry == "texture_image";
      EXPECT_EQ(b->code.size() - static_cast<std::size_t>(parts) > a->code.size(), unrolled) << entry;
    }
  }
}

struct SharedLoads {
  unsigned narrow = 0, wide = 0;
};
SharedLoads shared_loads(const std::string& file, const std::string& entry) {
  const auto program = Module::load("sw/kernels/" + file, machine())->entry(entry);
  SharedLoads loads;
  for (const Inst& i : program->code) {
    if (i.effect != Effect::kMemory || i.space != Space::kShared || i.is_store) continue;
    ++(i.vector == 4 ? loads.wide : loads.narrow);
  }
  return loads;
}

// ptxas 13 for sm_75 has 16 narrow and 4 wide shared loads in this kernel.
TEST(MachineCode, LoadsSharedMemoryAsTheVendorsAssemblerDoes) {
  const SharedLoads loads = shared_loads("matmul.ptx", "matmul");
  EXPECT_EQ(loads.narrow, 16u);
  EXPECT_EQ(loads.wide, 4u);
}

// ptxas 11.8 for sm_70 makes four wide loads of the sixteen in the eight rounds of the last loop, which are
// none before it is unrolled; a fifth is elsewhere.
TEST(MachineCode, UnrolledLoopsLoadInWideAccesses) { EXPECT_EQ(shared_loads("dxtc.ptx", "dxtc").wide, 4u); }

}  // namespace
}  // namespace warpvp::ptx::machine
