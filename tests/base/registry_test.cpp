// Registries: a name is given once.

#include "base/registry.h"

#include <gtest/gtest.h>

#include "base/plugin_registrations.h"

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

TEST(Registry, APluginsPartIsAddedUnlessItsNameIsTaken) {
  struct Second : Chooser {};
  {
    PluginRegistrations plugin("a.so");
    const PolicyRegistration<Chooser, Second> again("first", "Another first.", "second.cpp");
    EXPECT_EQ(plugin.added(), 0u);
    EXPECT_EQ(plugin.clash().find("test_chooser 'first' is registered twice: in "), 0u) << plugin.clash();
    EXPECT_NE(plugin.clash().find("registry_test.cpp and in a.so (second.cpp)"), std::string::npos);
    const PolicyRegistration<Chooser, Second> own("second", "The second.", "second.cpp");
    EXPECT_EQ(plugin.added(), 1u);
  }
  const auto kept = Registry<Chooser>::instance().make("first");
  EXPECT_NE(dynamic_cast<First*>(kept.get()), nullptr) << "the earlier part stays";
  EXPECT_NE(dynamic_cast<Second*>(Registry<Chooser>::instance().make("second").get()), nullptr);
  EXPECT_EQ(all_registry_entries().back().source, "a.so (second.cpp)");
}

TEST(Registry, OneNameMayBeOfTwoKinds) {
  Registry<Other>::instance().add("first", "", {}, {});
  EXPECT_TRUE(Registry<Other>::instance().contains("first"));
}

}  // namespace
}  // namespace warpvp
