// Random programs give the same memory, bit for bit, on the platform and on the reference interpreter.

#include "tests/ptx_reference/differential.h"

#include <gtest/gtest.h>

namespace warpvp::reference {
namespace {

class RandomPrograms : public testing::TestWithParam<unsigned> {};

// Four tests, so that they run side by side.
TEST_P(RandomPrograms, AgreeWithTheReference) {
  constexpr unsigned kPrograms = 100;
  for (unsigned i = 0; i < kPrograms; ++i) {
    const std::string found = report(generate(1'000'000 + GetParam() * kPrograms + i));
    ASSERT_EQ(found, "");
  }
}
INSTANTIATE_TEST_SUITE_P(Quarter, RandomPrograms, testing::Range(0u, 4u));

// Nested loops of 192 threads: more instructions of threads than programs have of warps.
TEST(RandomProgram, MayBeLong) { EXPECT_EQ(difference(generate(517)), ""); }

TEST(RandomProgram, IsNotShrunkToAnotherError) {
  const auto piece = [](const char* text, bool droppable) { return Piece{text, "", {}, droppable}; };
  GeneratedProgram program = generate(1);
  program.root = piece(
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{\n.reg .b64 %d<2>;\n",
      false);
  program.root.inside = {piece("mov.u64 %d0, 16;\n", true), piece("bra NOWHERE;\n", true),
                         piece("st.global.u64 [%d1], %d1;\n", false)};
  program.root.behind = "ret;\n}\n";
  ASSERT_EQ(difference(program), "reference: no label NOWHERE");
  const GeneratedProgram small = shrunk(program);
  EXPECT_EQ(difference(small), "reference: no label NOWHERE");
  EXPECT_EQ(small.root.inside.size(), 2u);
}

}  // namespace
}  // namespace warpvp::reference
