// Which instructions begin with work that an earlier one has done.

#include "ptx/machine/share_expansions.h"

#include "ptx/machine/expansion.h"
#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

// The forms of all instructions that have an expansion.
std::vector<std::string> forms(const std::string& body) {
  const Passed p =
      passed([](const ir::Module&, LegalFunction& legal) { share_expansions(legal.function); }, body);
  std::vector<std::string> forms;
  for (const ir::Instruction& i : p.legal.function.code)
    if (!expansion_of(i).empty()) forms.push_back(form_of(i));
  return forms;
}

TEST(ShareExpansions, ReciprocalsOfOneDivisor) {
  EXPECT_THAT(
      forms("div.u32 %r1, %r3, %r4;\nrem.u32 %r2, %r5, %r4;\nadd.u32 %r6, %r1, 1;\ndiv.u32 %r7, %r8, %r4;"),
      ElementsAre("div.u32", "rem.u32 again", "div.u32 again"));
  EXPECT_THAT(forms("div.full.f32 %f1, %f3, %f4;\ndiv.full.f32 %f2, %f5, %f4;"),
              ElementsAre("div.full.f32", "div.full.f32 again"));
  EXPECT_THAT(forms("sin.approx.f32 %f1, %f4;\ncos.approx.f32 %f2, %f4;"),
              ElementsAre("sin.approx.f32", "sin.approx.f32 again"));
}

TEST(ShareExpansions, QuotientAndRemainderOfTheSameNumbers) {
  EXPECT_THAT(forms("div.s32 %r1, %r3, %r4;\nrem.s32 %r2, %r3, %r4;"),
              ElementsAre("div.s32", "rem.s32 beside"));
  EXPECT_THAT(forms("rem.u32 %r1, %r3, %r4;\ndiv.u32 %r2, %r3, %r4;"),
              ElementsAre("rem.u32", "div.u32 beside"));
}

TEST(ShareExpansions, KnownDivisors) {
  EXPECT_THAT(forms("div.u32 %r1, %r3, 6;\nrem.u32 %r2, %r3, 6;"),
              ElementsAre("div.u32 imm", "rem.u32 beside"));
  EXPECT_THAT(forms("rem.s32 %r1, %r3, 6;\nrem.s32 %r2, %r5, 6;\ndiv.s32 %r4, %r3, 7;"),
              ElementsAre("rem.s32 imm", "rem.s32 again", "div.s32 imm"));
  EXPECT_THAT(forms("div.u64 %rd1, %rd3, 6;\nrem.s64 %rd2, %rd3, 6;"), ElementsAre("div.u64", "rem.s64"));
}

TEST(ShareExpansions, NotWhereTheWorkIsAnother) {
  for (const char* second :
       {"div.u32 %r2, %r5, %r6;", "div.s32 %r2, %r3, %r4;", "@%p1 rem.u32 %r2, %r3, %r4;",
        "add.u32 %r4, %r4, 1;\ndiv.u32 %r2, %r3, %r4;", "bra L;\nL: div.u32 %r2, %r5, %r4;"}) {
    for (const std::string& form : forms("div.u32 %r1, %r3, %r4;\n" + std::string(second)))
      EXPECT_EQ(form.find(' '), std::string::npos) << second;
  }
  EXPECT_THAT(forms("div.u32 %r4, %r3, %r4;\ndiv.u32 %r2, %r3, %r4;"), ElementsAre("div.u32", "div.u32"));
  EXPECT_THAT(forms("@%p1 div.u32 %r1, %r3, %r4;\ndiv.u32 %r2, %r3, %r4;"),
              ElementsAre("div.u32", "div.u32"));
  // Nothing of these is shared by the assembler.
  EXPECT_THAT(forms("div.rn.f32 %f1, %f3, %f4;\ndiv.rn.f32 %f2, %f5, %f4;"),
              ElementsAre("div.rn.f32", "div.rn.f32"));
  EXPECT_THAT(forms("div.u64 %rd1, %rd3, %rd4;\nrem.u64 %rd2, %rd3, %rd4;"),
              ElementsAre("div.u64", "rem.u64"));
}

}  // namespace
}  // namespace warpvp::ptx::machine
