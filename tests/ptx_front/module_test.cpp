// What compilers emit around functions: aliases, initial values of every kind, debug data, attributes.

#include <utility>

#include "support.h"

namespace warpvp::ptx {
namespace {

std::vector<std::uint8_t> placed(const Module& constant, const std::string& name) {
  auto& m = const_cast<Module&>(constant);
  std::vector<std::uint8_t> found;
  std::uint64_t next = 0x1'2345'6700ull;
  std::vector<std::pair<std::uint64_t, std::string>> places;
  m.place(
      [&](const GlobalVariable& v) {
        places.push_back({next, v.name});
        return std::exchange(next, next + 0x100);
      },
      [&](std::uint64_t at, const std::vector<std::uint8_t>& bytes) {
        for (const auto& [address, variable] : places) {
          if (address == at && variable == name) found = bytes;
        }
      });
  return found;
}

TEST(ModuleScope, BytesOfAddresses) {
  const auto m = Module::parse(kHeader +
                                   ".global .u32 x;\n"
                                   ".global .b8 packed[12] = {1, 0xff(x), 0xff00(x), 0xff0000(generic(x)), "
                                   "0xff000000(x+2), 0xff00000000(x), -1, 0xff(x+2), 0xff00(x-1)};\n",
                               "t.ptx");
  EXPECT_EQ(placed(*m, "packed"),
            (std::vector<std::uint8_t>{1, 0x00, 0x67, 0x45, 0x23, 0x01, 255, 2, 0x66, 0, 0, 0}));
}

TEST(ModuleScope, BytesOfFunctionAddresses) {
  const auto m = Module::parse(
      kHeader +
          ".func f() { ret; } .func g() { ret; }\n.global .b8 a[2] = {0xff(g), 0xff00000000000000(g)};\n",
      "t.ptx");
  EXPECT_EQ(placed(*m, "a"), (std::vector<std::uint8_t>{16, 0x7f}));
}

TEST(ModuleScope, NegativeFloatAndNestedValues) {
  const auto m =
      Module::parse(kHeader +
                        ".const .align 8 .s16 a[2][2] = {{-1, -2}, {3}};\n"
                        ".global .f32 f[2] = {0f3F800000, -0.5};\n.global .u64 p = generic(f)+4;\n",
                    "t.ptx");
  EXPECT_EQ(m->globals()[0].initial, (std::vector<std::uint8_t>{255, 255, 254, 255, 3, 0, 0, 0}));
  EXPECT_EQ(m->globals()[1].initial, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf}));
  EXPECT_EQ(placed(*m, "p"), (std::vector<std::uint8_t>{4, 0x68, 0x45, 0x23, 1, 0, 0, 0}));
}

TEST(ModuleScope, AnAliasIsTheFunctionItStandsFor) {
  const auto m = Module::parse(
      kHeader +
          ".visible .func (.param .u32 r) f(.param .u32 a) { .reg .u32 %r; ld.param.u32 %r, [a]; "
          "st.param.u32 [r], %r; ret; }\n"
          ".visible .func (.param .u32 r) g(.param .u32 a);\n.global .u64 table = g;\n"
          ".entry k() { .reg .u32 %r; call (%r), g, (%r); ret; }\n"
          ".entry a(.param .u64 p) { .reg .u64 %rd<3>; mov.u64 %rd1, g; mov.u64 %rd2, f; ret; }\n"
          ".alias g, f;\n",
      "t.ptx");
  EXPECT_EQ(m->refused().size(), 0u);
  EXPECT_EQ(m->entry("k")->function_of, (std::vector<std::string>{"k", "f"}));
  const auto a = m->entry("a");
  EXPECT_EQ(a->code[0].src[0].index, a->code[1].src[0].index) << "one address";
  EXPECT_EQ(placed(*m, "table"), (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0xfc, 0x7f}));
}

TEST(ModuleScope, WhatCompilersAddLoads) {
  EXPECT_EQ(error_of(".version 9.0\n.target sm_90a, debug\n.address_size 64\n"
                     ".file 1 \"/a/b.cu\", 170, 22\n"
                     ".extern .shared .align 16 .b8 dynamic[];\n"
                     ".common .global .align 4 .u32 c;\n.weak .global .u32 w = 1;\n"
                     ".global .attribute(.managed) .align 4 .u32 managed;\n"
                     ".global .attribute(.unified(19,95)) .u32 unified;\n"
                     ".pragma \"nounroll\";\n"
                     ".visible .entry k(.param .align 16 .b8 s[48], .param .u64 .ptr .global .align 8 q)\n"
                     ".maxntid 128, 2, 1\n.minnctapersm 2\n.maxnreg 64\n{\n"
                     ".loc 1 5 3\n.reg .u64 %rd<3>;\n$L__func_begin0:\n.loc 1 6 1, function_name $L__info0, "
                     "inlined_at 1 7 2\n"
                     ".pragma \"used_bytes_mask 4095\";\nP: .callprototype (.param .b32 _) _ (.param .b64 _) "
                     ".noreturn;\n"
                     "ret;\n$L__func_end0:\n}\n"
                     ".section .debug_str {\n$L__info0:\n.b8 95,90\n.b8 0\n}\n"
                     ".section .debug_abbrev\n{\n.b8 1 // code\n.b64 $L__func_begin0\n.b32 "
                     ".debug_str+4\n.b32 $L__a-$L__b\n}\n"
                     ".section .debug_macinfo { }\n"),
            "");
}

TEST(ModuleScope, DebugBuildsOfNvccLoad) {
  const auto m = Module::parse(read_file("tests/ptx_front/data/nvcc_debug.ptx"), "nvcc_debug.ptx");
  EXPECT_TRUE(m->refused().empty()) << m->refused().begin()->second;
  EXPECT_EQ(m->entries(), (std::vector<std::string>{"_Z1kIfEvPT_i", "_Z1kIiEvPT_i"}));
  EXPECT_TRUE(m->entry("_Z1kIiEvPT_i")->uses_heap);
}

}  // namespace
}  // namespace warpvp::ptx
