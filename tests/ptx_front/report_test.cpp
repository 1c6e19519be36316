#include "ptx/report.h"

#include "support.h"

namespace warpvp::ptx {
namespace {

const std::string kText =
    kHeader +
    ".visible .entry add(.param .u64 .ptr .global .align 4 out, .param .f32 x, .param .align 8 .b8 s[24])\n"
    ".maxntid 192, 1, 1\n{\n"
    ".reg .u32 %r<4>; .reg .u64 %rd<4>; .reg .pred %p; .shared .f32 tile[8];\n"
    "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p, %r1, 3;\n@%p bra END;\n"
    "bar.sync 1;\nst.shared.u32 [tile+4], %r1;\nst.global.u32 [%rd1], %r1;\nEND: ret;\n}\n"
    ".visible .entry other() { ret; }\n";

TEST(Report, SaysWhatAKernelNeeds) {
  const SmResources sm;
  ReportOptions options;
  options.sm = &sm;
  options.platform_name = "test_gpu";
  const std::string text = report(kText, "t.ptx", options).text;
  EXPECT_NE(text.find("add\n  registers per thread  3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("predicates            1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("shared memory         32 bytes\n"), std::string::npos) << text;
  EXPECT_NE(text.find("barriers              2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("instructions          8\n"), std::string::npos) << text;
  EXPECT_NE(text.find("block at most         192 threads\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    0  .u64       out (pointer)\n        8  .f32       x\n       16  .b8[24]    s\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("occupancy on test_gpu:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  192 threads: 10 CTAs, 60 warps,  94 %, limited by warps\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.substr(0, text.find("other")).find("  256 threads"), std::string::npos)
      << "more than .maxntid allows";
  EXPECT_NE(text.find("other\n"), std::string::npos) << text;
}

TEST(Report, ControlFlowAsTextAndGraphviz) {
  ReportOptions options;
  options.entry = "add";
  options.cfg = CfgStyle::kText;
  EXPECT_NE(report(kText, "t.ptx", options).text.find("block 0    instructions 0..3"), std::string::npos);
  EXPECT_EQ(report(kText, "t.ptx", options).text.find("other"), std::string::npos);
  options.cfg = CfgStyle::kDot;
  const std::string dot = report(kText, "t.ptx", options).text;
  EXPECT_EQ(dot.rfind("digraph \"add\" {", 0), 0u) << dot;
  EXPECT_EQ(dot.substr(dot.size() - 2), "}\n");
}

TEST(Report, UnknownEntry) {
  ReportOptions options;
  options.entry = "ad";
  try {
    report(kText, "t.ptx", options);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "t.ptx: no kernel 'ad'; did you mean 'add'? It has: add, other");
  }
}

}  // namespace
}  // namespace warpvp::ptx
