// Registries: a name is given once.

#include "base/registry.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

struct Chooser {
  static constexpr const char* kKind = "test_chooser";
  virtual ~Chooser() = default;
};
struct First : Chooser {};
struct Other {
  static constexpr const char* kKind = "test_other";
};
WARPVP_REGISTER_POLICY(Chooser, First, "first", "Takes the first.");

TEST(Registry, KnowsWhereAPartIsRegistered) {
  const RegistryEntryInfo& entry = all_registry_entries().front();
  EXPECT_EQ(entry.kind, "test_chooser");
  EXPECT_NE(entry.source.find("registry_test.cpp"), std::string::npos) << entry.source;
}

TEST(RegistryDeathTest, ANameGivenTwiceStopsTheProgramNamingBothFiles) {
  EXPECT_EXIT(
      (PolicyRegistration<Chooser, First>("first", "Again.", "other_place.cpp")),
      ::testing::ExitedWithCode(2),
      "test_chooser 'first' is registered twice: in .*registry_test.cpp and in other_place.cpp; give one");
}

TEST(Registry, OneNameMayBeOfTwoKinds) {
  Registry<Other>::instance().add("first", "", {}, {});
  EXPECT_TRUE(Registry<Other>::instance().contains("first"));
}

}  // namespace
}  // namespace warpvp
