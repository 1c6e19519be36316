// Loads from constant memory that are wider than the machine's.

#include "ptx/machine/split_loads.h"

#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines split(const std::string& body) {
  return lines_after(
      [](const ir::Module& m, LegalFunction& legal) { split_constant_loads(m, legal.function); }, body);
}

const std::string kAddress =
    "ld.param.u32 %r9, [n];\nmov.u64 %rd1, table;\nmul.wide.u32 %rd2, %r9, 16;\nadd.s64 %rd3, %rd1, %rd2;\n";

TEST(SplitConstantLoads, IntoTwoOfEightBytes) {
  EXPECT_THAT(split(kAddress + "ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3+16];"),
              testing::IsSupersetOf(
                  {"ld.const.v2.f32 {%f1, %f2}, [%rd3+16]", "ld.const.v2.f32 {%f3, %f4}, [%rd3+24]"}));
  EXPECT_THAT(split("@%p1 ld.const.v2.f64 {%d1, %d2}, [table+32];"),
              ElementsAre("@%p1 ld.const.f64 %d1, [table+32]", "@%p1 ld.const.f64 %d2, [table+40]"));
}

// A misaligned one faults before it has read anything; other spaces have 16 bytes.
TEST(SplitConstantLoads, OnlyWhereAlignmentIsProven) {
  for (const std::string& body :
       {std::string("ld.param.u64 %rd3, [p];\nld.const.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];"),
        kAddress + "ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3+8];",
        kAddress + "ld.const.v2.f32 {%f1, %f2}, [%rd3];", kAddress + "ld.const.v2.u64 {%rd3, %rd4}, [%rd3];",
        kAddress + "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];"})
    EXPECT_EQ(split(body), lines_of(body)) << body;
}

}  // namespace
}  // namespace warpvp::ptx::machine
