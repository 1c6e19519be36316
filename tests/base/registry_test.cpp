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
    const PolicyRegistration<Chooser, Second> once_more("first", "Once more.", "third.cpp");
    EXPECT_NE(plugin.clash().find("(second.cpp)"), std::string::npos) << "the first clash is the one to mend";
    const PolicyRegistration<Chooser, Second> own("second", "The second.", "second.cpp");
    EXPECT_EQ(plugin.added(), 1u);
  }
  const auto kept = Registry<Chooser>::instance().make("first");
  EXPECT_NE(dynamic_cast<First*>(kept.get()), nullptr) << "the earlier part stays";
  EXPECT_NE(dynamic_cast<Second*>(Registry<Chooser>::instance().make("second").get()), nullptr);
  EXPECT_EQ(all_registry_entries().back().source, "a.so (second.cpp)");
  const PolicyRegistration<Chooser, Second> later("later", "After the plugin.", "later.cpp");
  EXPECT_EQ(all_registry_entries().back().source, "later.cpp") << "no part of the plugin";
}

struct Typo {
  const char* word;
  std::vector<std::string> names;
  const char* nearest;
};
void PrintTo(const Typo& t, std::ostream* out) { *out << t.word; }
class NearestName : public ::testing::TestWithParam<Typo> {};

TEST_P(NearestName, IsTheOneWithTheFewestEdits) {
  EXPECT_EQ(nearest_name(GetParam().word, GetParam().names), GetParam().nearest);
}
INSTANTIATE_TEST_SUITE_P(
    Registry, NearestName,
    ::testing::Values(Typo{"opne", {"closed", "open"}, "open"},    // two letters exchanged
                      Typo{"grd", {"greedy", "grid"}, "grid"},     // one is missing
                      Typo{"gridd", {"greedy", "grid"}, "grid"},   // one too many
                      Typo{"cat", {"car", "cab"}, "car"},          // of two that are as near the first
                      Typo{"abcd", {"abxy"}, "abxy"},              // two edits are near always
                      Typo{"abc", {"xyz"}, ""},                    // three are not
                      Typo{"abcdefgh", {"abcdxxxx"}, "abcdxxxx"},  // half of the word is
                      Typo{"abcdefgh", {"abcxxxxx"}, ""},          // more is not
                      Typo{"anything", {}, ""}));

TEST(Registry, OneNameMayBeOfTwoKinds) {
  Registry<Other>::instance().add(
      "first", "", {}, [](const PolicyChoice&, const NoContext&) { return std::unique_ptr<Other>(); });
  EXPECT_TRUE(Registry<Other>::instance().contains("first"));
}

}  // namespace
}  // namespace warpvp
