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

}  // namespace
}  // namespace warpvp::reference
