// What is not supported refuses what needs it; the rest of the module stays usable.

#include "ptx/disassemble.h"
#include "ptx/report.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

/// The message of looking up a kernel; empty if it is there.
std::string lookup(const Module& module, const std::string& name) {
  try {
    EXPECT_EQ(module.entry(name)->name, name);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::unique_ptr<Module> load(const std::string& text) { return Module::parse(kHeader + text, "t.ptx"); }

using Names = std::vector<std::string>;

TEST(Refusal, OnlyTheKernelThatNeedsIt) {
  const auto m = load(
      ".entry good() { ret; }\n"
      ".entry bad() { .reg .b64 %h; add.f32x2 %h, %h, %h; ret; }\n"
      ".entry also_good() { .reg .u32 %r; mov.u32 %r, %tid.x; ret; }\n");
  EXPECT_EQ(m->entries(), (Names{"also_good", "good"}));
  EXPECT_EQ(lookup(*m, "good"), "");
  EXPECT_EQ(lookup(*m, "bad"), "t.ptx:5:33: instruction 'add.f32x2' is not supported: type '.f32x2'");
  EXPECT_EQ(m->refused().size(), 1u);
  EXPECT_EQ(lookup(*m, "goo"), "t.ptx: no kernel 'goo'; did you mean 'good'? It has: also_good, bad, good");
  EXPECT_EQ(m->entry("also_good")->code.size(), 2u);
}

TEST(Refusal, TheFirstReasonCounts) {
  const auto m =
      load(".entry k() {\nfrobnicate;\n.reg .u32 %r<2>; add.f32x2 %r1, %r1, %r1;\n}\n.entry l() { ret; }");
  EXPECT_EQ(lookup(*m, "k"), "t.ptx:5:1: unknown instruction 'frobnicate'");
  EXPECT_EQ(lookup(*m, "l"), "");
}

TEST(Refusal, EveryKernelThatCanReachTheFunction) {
  const auto m = load(
      ".func leaf() { frobnicate; }\n"
      ".func middle() { call leaf; ret; }\n"
      ".entry far() { call middle; ret; }\n"
      ".entry near() { call leaf; ret; }\n"
      ".entry apart() { ret; }\n");
  const std::string reason = "t.ptx:4:16: unknown instruction 'frobnicate'";
  EXPECT_EQ(lookup(*m, "far"), reason);
  EXPECT_EQ(lookup(*m, "near"), reason);
  EXPECT_EQ(lookup(*m, "apart"), "");
}

TEST(Refusal, IndirectCallsReachWhatHasItsAddressTaken) {
  const std::string functions = ".func taken() { frobnicate; }\n.func other() { ret; }\n";
  const std::string indirect =
      ".entry k(.param .u64 p) { .reg .u64 %rd; ld.param.u64 %rd, [p]; P: .callprototype _ (); "
      "call %rd, (), P; ret; }\n.entry direct() { call other; ret; }\n";
  const std::string reason = "t.ptx:4:17: unknown instruction 'frobnicate'";
  auto m = load(functions + ".global .u64 table[2] = {taken, other};\n" + indirect);
  EXPECT_EQ(lookup(*m, "k"), reason);
  EXPECT_EQ(lookup(*m, "direct"), "");
  m = load(functions + ".global .u64 table[1] = {other};\n" + indirect);
  EXPECT_EQ(lookup(*m, "k"), "") << "nobody takes the address";
  m = load(functions +
           ".entry a(.param .u64 p) { .reg .u64 %rd<3>; ld.param.u64 %rd1, [p]; mov.u64 %rd2, taken; "
           "st.global.u64 [%rd1], %rd2; ret; }\n" +
           indirect);
  EXPECT_EQ(lookup(*m, "k"), reason);
  EXPECT_EQ(lookup(*m, "a"), "") << "it does not call";
}

TEST(Refusal, LoweringRefusesOneKernelToo) {
  const auto m = load(
      ".extern .global .u32 missing; .global .u32 there;\n"
      ".entry k() { .reg .u32 %r; .reg .u64 %rd; mov.u64 %rd, there; ld.global.u32 %r, [missing]; ret; }\n"
      ".entry l() { .reg .u32 %r; ld.global.u32 %r, [there]; ret; }\n");
  EXPECT_EQ(lookup(*m, "k"), "t.ptx:5:81: 'missing' is declared .extern and not defined");
  EXPECT_EQ(lookup(*m, "l"), "");
  // The addresses that the refused kernel wanted are not patched into what is gone.
  std::vector<std::uint64_t> written;
  m->place([](const GlobalVariable&) { return 0x1'0000'0100ull; },
           [&](std::uint64_t at, const std::vector<std::uint8_t>&) { written.push_back(at); });
  EXPECT_EQ(written, std::vector<std::uint64_t>{0x1'0000'0100ull});
  EXPECT_EQ(m->entry("l")->constants[0], 0x100u);
}

TEST(Refusal, VariablesRefuseTheirUsers) {
  const auto m = load(
      ".global .b128 wide[2] = {{1, 2}, 3}, wider;\n"
      ".global .u64 pointer = wide;\n"
      ".global .u64 second = pointer;\n"
      ".global .u32 plain = 5;\n"
      ".entry k() { .reg .u64 %rd; mov.u64 %rd, wider; ret; }\n"
      ".entry l() { .reg .u64 %rd; mov.u64 %rd, second; ret; }\n"
      ".entry m() { .reg .u64 %rd; mov.u64 %rd, plain; ret; }\n");
  const std::string reason = "t.ptx:4:9: type '.b128' is not supported";
  EXPECT_EQ(lookup(*m, "k"), reason);
  EXPECT_EQ(lookup(*m, "l"), reason);
  EXPECT_EQ(lookup(*m, "m"), "");
  ASSERT_EQ(m->globals().size(), 1u);
  EXPECT_EQ(m->globals()[0].name, "plain");
  EXPECT_EQ(m->refused_variables().at("wide"), reason);
  EXPECT_EQ(m->refused_variables().at("second"), reason);
}

TEST(Refusal, AnAddressOfAnUndefinedVariableRefusesItsHolder) {
  const auto m = load(
      ".extern .global .u32 missing;\n.global .u64 a = missing;\n.global .u64 b = a;\n"
      ".entry k() { .reg .u64 %rd; mov.u64 %rd, b; ret; }\n.entry l() { ret; }\n");
  EXPECT_EQ(lookup(*m, "k"),
            "t.ptx:5:14: initial value of 'a' needs 'missing', which is declared .extern and not defined");
  EXPECT_EQ(lookup(*m, "l"), "");
  EXPECT_TRUE(m->globals().empty());
}

TEST(Refusal, HeadersRefuseTheFunctionAndItsCallers) {
  const auto m = load(
      ".func (.param .b128 r) f(.param .u32 a) { { ret; } }\n"
      ".entry k() { .reg .u32 %r; call (%r), f, (%r); ret; }\n"
      ".entry wide(.param .b128 a) { ret; }\n"
      ".entry l() { ret; }\n");
  EXPECT_EQ(lookup(*m, "k"), "t.ptx:4:15: type '.b128' is not supported");
  EXPECT_EQ(lookup(*m, "wide"), "t.ptx:6:20: type '.b128' is not supported");
  EXPECT_EQ(lookup(*m, "l"), "");
}

TEST(Refusal, ClustersAreRefusedByName) {
  const std::string what = " is not supported: thread-block clusters are not modelled";
  const auto m = load(
      ".entry a() .explicitcluster { ret; }\n"
      ".entry b() .reqnctapercluster 2, 1, 1 .maxntid 32 { ret; }\n"
      ".entry c() .maxclusterrank 8 { ret; }\n"
      ".entry d() { .reg .u32 %r; mov.u32 %r, %cluster_ctarank; ret; }\n"
      ".entry e() { barrier.cluster.arrive; ret; }\n"
      ".entry f() { .reg .u64 %rd<3>; tensormap.cp_fenceproxy [%rd1], [%rd2], 128; ret; }\n"
      ".entry g() .explicitcluster .reqnctapercluster 1, 1, 1 { ret; }\n"
      ".entry h() .explicitcluster .reqnctapercluster 1, 2 { ret; }\n");
  EXPECT_EQ(lookup(*m, "a"), "t.ptx:4:12: '.explicitcluster'" + what);
  EXPECT_EQ(lookup(*m, "b"), "t.ptx:5:12: '.reqnctapercluster'" + what);
  EXPECT_EQ(lookup(*m, "c"), "t.ptx:6:12: '.maxclusterrank'" + what);
  EXPECT_EQ(lookup(*m, "d"), "") << "without clusters every CTA is one of its own";
  EXPECT_EQ(lookup(*m, "e"), "");
  EXPECT_EQ(lookup(*m, "f"), "t.ptx:9:32: instruction 'tensormap' is not supported");
  EXPECT_EQ(lookup(*m, "g"), "") << "a cluster of one CTA";
  EXPECT_EQ(lookup(*m, "h"), "t.ptx:11:29: '.reqnctapercluster'" + what);
  EXPECT_EQ(m->entries(), (Names{"d", "e", "g"}));
}

TEST(Refusal, NoreturnIsForFunctions) {
  const auto m =
      load(".func f() .noreturn { trap; }\n.entry k() .noreturn { ret; }\n.entry l() { call f; }\n");
  EXPECT_EQ(lookup(*m, "k"), "t.ptx:5:12: '.noreturn' is for functions; a kernel cannot have it");
  EXPECT_EQ(lookup(*m, "l"), "");
}

// The vendor's assembler agrees on each of these.
TEST(Refusal, NamesAreDeclaredOnceInAScope) {
  const auto reason = [](const std::string& body) {
    return error_of(kHeader + ".entry k(.param .u32 p) {\n" + body + " ret; }");
  };
  EXPECT_EQ(reason(".reg .u32 %x; .reg .u64 %x;"), "t.ptx:5:25: '%x' is declared twice");
  EXPECT_EQ(reason(".reg .u32 %x<4>; .reg .u32 %x<6>;"), "t.ptx:5:28: '%x' is declared twice");
  EXPECT_EQ(reason(".reg .u32 %x<4>; .reg .u32 %x3;"), "t.ptx:5:28: '%x3' is declared twice");
  EXPECT_EQ(reason(".reg .u32 %x3; .reg .u32 %x<4>;"), "t.ptx:5:26: '%x3' is declared twice");
  EXPECT_EQ(reason(".reg .u32 %x; .local .u32 %x;"), "t.ptx:5:27: '%x' is declared twice");
  EXPECT_EQ(reason(".reg .u32 p;"), "t.ptx:5:11: 'p' is declared twice");
  EXPECT_EQ(reason(".reg .u32 %x4; .reg .u32 %x<4>;"), "");
  EXPECT_EQ(reason(".reg .u32 %x; .reg .u32 %x<4>;"), "");
  EXPECT_EQ(reason(".reg .u32 %x<20>; mov.u32 %x10, 1; .reg .u32 %x1<4>;"), "");
  EXPECT_EQ(reason(".reg .u32 %x<4>; { .reg .u64 %x<4>; .reg .u32 p; }"), "") << "inner scopes shadow";
}

TEST(Refusal, TheParserGoesOnAfterAnything) {
  for (const std::string body :
       {"mov.q32 {%a, %b}, {1, 2};",
        "@%nope bra X; X:", "T: .branchtargets A, 5; A: B:", "bra FAR; .reg .u32 %r; add.u32 %r, %r, (((1;",
        "{ frobnicate; } { { } }", "add.u32 1 2", ".reg .v2 .b128 %q;", "L: L: ret;",
        "x: .callprototype _ (.param .b128 a);", ") ;", ".local .b128 a;"}) {
    const auto m = load(".entry k() { " + body + " }\n.entry l() { ret; }\n");
    EXPECT_EQ(m->entries(), Names{"l"}) << body;
    EXPECT_EQ(lookup(*m, "k").rfind("t.ptx:4:", 0), 0u) << body;
    EXPECT_NE(disassemble(parse(kHeader + ".entry k() { " + body + " }")).find("// k is refused: t.ptx:4:"),
              std::string::npos);
  }
}

TEST(Refusal, WithoutFootingTheModuleIsRefused) {
  EXPECT_EQ(error_of(kHeader + ".entry k() { frobnicate;"),
            "t.ptx:4:25: unexpected end of file; the block opened at line 4 needs '}'");
  EXPECT_EQ(error_of(kHeader + ".global .b128 a"), "t.ptx:4:9: type '.b128' is not supported");
}

TEST(Refusal, TheReportShowsTheOthers) {
  const std::string text = kHeader + ".entry good() { ret; }\n.entry bad() { frobnicate; }\n";
  const Report all = report(text, "t.ptx", {});
  EXPECT_EQ(all.usable, 1u);
  EXPECT_EQ(all.refused, 1u);
  EXPECT_NE(all.text.find("good\n  registers per thread"), std::string::npos) << all.text;
  EXPECT_NE(all.text.find("bad\n  refused: t.ptx:5:16: unknown instruction 'frobnicate'\n"),
            std::string::npos)
      << all.text;
  ReportOptions one;
  one.entry = "bad";
  EXPECT_THROW(report(text, "t.ptx", one), InputError);
  one.entry = "good";
  EXPECT_EQ(report(text, "t.ptx", one).refused, 0u);
  ReportOptions dot;
  dot.cfg = CfgStyle::kDot;
  EXPECT_NE(report(text, "t.ptx", dot).text.find("// bad: refused: t.ptx:5:16: "), std::string::npos);
}

TEST(Refusal, TheDisassemblyOfTheRestLoads) {
  const std::string text =
      disassemble(parse(kHeader + ".global .b128 wide; .func f() { frobnicate; }\n.entry bad() { call f; "
                                  "ret; }\n.entry good() { ret; }\n"));
  const auto m = Module::parse(text, "again.ptx");
  EXPECT_EQ(m->entries(), Names{"good"});
  EXPECT_NE(text.find("// f is refused: t.ptx:4:33: "), std::string::npos) << text;
}

}  // namespace
}  // namespace warpvp::ptx
