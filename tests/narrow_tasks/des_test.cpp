// Triple DES against published vectors, and its tables against the standard's steps.

#include "sw/pagoda/workloads/des.h"

#include <gtest/gtest.h>

#include "sw/apps/inputs.h"

namespace warpvp::pagoda {
namespace {

TEST(TripleDes, ThreeEqualKeysAreDes) {
  // A worked example that many textbooks have.
  const std::array<std::uint64_t, 3> keys{0x133457799bbcdff1, 0x133457799bbcdff1, 0x133457799bbcdff1};
  EXPECT_EQ(triple_des(triple_des_tables(keys), 0x0123456789abcdef), 0x85e813540f0ab405u);
  EXPECT_EQ(triple_des_by_standard(keys, 0x0123456789abcdef), 0x85e813540f0ab405u);
}

TEST(TripleDes, GivesTheVectorsOfSp80067) {
  // NIST SP 800-67, appendix B: "The qufck brown fox jump".
  const std::array<std::uint64_t, 3> keys{0x0123456789abcdef, 0x23456789abcdef01, 0x456789abcdef0123};
  const TripleDesTables tables = triple_des_tables(keys);
  EXPECT_EQ(triple_des(tables, 0x5468652071756663), 0xa826fd8ce53b855fu);
  EXPECT_EQ(triple_des(tables, 0x6b2062726f776e20), 0xcce21c8112256fe6u);
  EXPECT_EQ(triple_des(tables, 0x666f78206a756d70), 0x68d5c05dd9b6b900u);
}

TEST(TripleDes, TablesAreWhatTheStandardSays) {
  apps::Inputs inputs(7);
  const auto word = [&] { return std::uint64_t{inputs.word()} << 32 | inputs.word(); };
  for (unsigned i = 0; i < 200; ++i) {
    const std::array<std::uint64_t, 3> keys{word(), word(), word()};
    const std::uint64_t block = word();
    ASSERT_EQ(triple_des(triple_des_tables(keys), block), triple_des_by_standard(keys, block)) << i;
  }
}

}  // namespace
}  // namespace warpvp::pagoda
