// Rows of registers that begin as zeros: those that something may read before it has written them.

#include "ptx/first_reads.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ptx/module.h"

namespace warpvp::ptx {
namespace {

/// Rows that begin as zeros, of a kernel with this body.
std::set<unsigned> zero_rows(const std::string& body, std::uint32_t* all = nullptr) {
  const auto module = Module::parse(
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; ret; }\n"
      ".visible .entry k(.param .u64 out, .param .u32 n) {\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<4>;\n  .reg "
      ".pred %p<4>;\n" +
          body + "  ret;\n}\n",
      "first_reads.ptx");
  const auto program = module->entry("k");
  if (all != nullptr) *all = program->rows_reserved();
  std::set<unsigned> rows;
  for (const RowRange& range : *program->zero_rows)
    for (unsigned row = range.first; row < range.first + range.count; ++row) rows.insert(row);
  return rows;
}

TEST(RowsReadFirst, NoneWhereEachIsWrittenBefore) {
  EXPECT_TRUE(zero_rows("mov.u32 %r1, %tid.x;\n add.u32 %r2, %r1, 1;\n ld.param.u64 %rd1, [out];\n"
                        "st.global.u32 [%rd1], %r2;\n")
                  .empty());
  // On every way there.
  EXPECT_TRUE(
      zero_rows("mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 3;\n @%p1 bra A;\n mov.u32 %r2, 1;\n bra B;\n"
                "A: mov.u32 %r2, 2;\nB: ld.param.u64 %rd1, [out];\n st.global.u32 [%rd1], %r2;\n")
          .empty());
}

TEST(RowsReadFirst, WhatAWayLeavesOut) {
  // A guarded write, a way that passes the write, and a loop that reads what its own end writes.
  EXPECT_EQ(zero_rows("mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 3;\n @%p1 mov.u32 %r2, 1;\n"
                      "ld.param.u64 %rd1, [out];\n st.global.u32 [%rd1], %r2;\n")
                .size(),
            1u);
  EXPECT_EQ(zero_rows("mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 3;\n @%p1 bra A;\n mov.u32 %r2, 1;\n"
                      "A: ld.param.u64 %rd1, [out];\n st.global.u32 [%rd1], %r2;\n")
                .size(),
            1u);
  EXPECT_EQ(
      zero_rows("mov.u32 %r1, 0;\nA: add.u32 %r1, %r1, %r3;\n mov.u32 %r3, 5;\n setp.lt.u32 %p1, %r1, 30;\n"
                "@%p1 bra A;\n ld.param.u64 %rd1, [out];\n st.global.u32 [%rd1], %r1;\n")
          .size(),
      1u);
}

TEST(RowsReadFirst, BothRowsOfA64BitRegister) {
  EXPECT_EQ(zero_rows("ld.param.u64 %rd1, [out];\n st.global.u64 [%rd1], %rd2;\n").size(), 2u);
}

TEST(RowsReadFirst, WhatLanesReadOfOthers) {
  EXPECT_EQ(
      zero_rows("mov.u32 %r1, %tid.x;\n shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\n ld.param.u64 %rd1, [out];\n"
                "st.global.u32 [%rd1], %r2;\n")
          .size(),
      1u);
}

TEST(RowsReadFirst, AllOfAProgramWithCalls) {
  std::uint32_t all = 0;
  const auto rows = zero_rows(
      "mov.u32 %r1, 1;\n call (%r2), twice, (%r1);\n ld.param.u64 %rd1, [out];\n"
      "st.global.u32 [%rd1], %r2;\n",
      &all);
  EXPECT_EQ(rows.size(), all);
}

}  // namespace
}  // namespace warpvp::ptx
