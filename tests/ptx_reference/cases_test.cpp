// The cases give the same memory on the platform and on the reference, and what they say.

#include "tests/ptx_reference/cases.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/ptx_reference/differential.h"

namespace warpvp::reference {
namespace {

class Cases : public testing::TestWithParam<std::size_t> {};

TEST_P(Cases, AgreeWithTheReference) {
  const Case& c = cases()[GetParam()];
  const GeneratedProgram p = program_of(c);
  EXPECT_EQ(difference(p), "");
  const Outcome reference = run_reference(p);
  for (unsigned t = 0; c.first && t < c.threads; ++t) {
    std::uint32_t got = 0;
    std::memcpy(&got, reference.out.data() + t * GeneratedProgram::kOutputBytes, 4);
    EXPECT_EQ(got, c.first(t)) << "thread " << t;
  }
}
INSTANTIATE_TEST_SUITE_P(Ptx, Cases, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& info) { return std::string(cases()[info.param].name); });

}  // namespace
}  // namespace warpvp::reference
