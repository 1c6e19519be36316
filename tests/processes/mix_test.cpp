// Mixes: drawn from the seed, of the classes asked for, each application about as often as any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "platform/config/process_config.h"

namespace warpvp {
namespace {

std::vector<std::string> drawn(const MixConfig& mix, std::uint64_t seed) {
  std::vector<std::string> names;
  for (const ProcessConfig& process : mix.draw(seed)) names.push_back(process.what());
  return names;
}

MixConfig mix_of(std::uint32_t size, const std::string& kind, std::uint32_t number = 1) {
  MixConfig mix;
  mix.size = size;
  mix.kind = kind;
  mix.number = number;
  return mix;
}

// By the mean time of a CTA: the shorter half of the eleven.
const std::set<std::string> kShort = {"parboil/lbm", "parboil/sad", "parboil/spmv", "parboil/histo",
                                      "parboil/cutcp"};

TEST(Mix, IsTheSameForTheSameSettingsAndSeedAlone) {
  const MixConfig mix = mix_of(8, "short_long");
  EXPECT_EQ(drawn(mix, 3), drawn(mix, 3));
  EXPECT_NE(drawn(mix, 3), drawn(mix, 4));
  EXPECT_NE(drawn(mix, 3), drawn(mix_of(8, "short_long", 2), 3));
}

TEST(Mix, HasTheClassesItsKindSays) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const std::uint32_t size : {2u, 4u, 8u}) {
      const auto shorts = [&](const char* kind) {
        const std::vector<std::string> names = drawn(mix_of(size, kind), seed);
        EXPECT_EQ(names.size(), size);
        return std::count_if(names.begin(), names.end(),
                             [](const std::string& name) { return kShort.count(name) != 0; });
      };
      EXPECT_EQ(shorts("short_short"), size);
      EXPECT_EQ(shorts("long_long"), 0);
      EXPECT_EQ(shorts("short_long"), size / 2);
    }
  }
}

// By the mean time of a launch, as table II of CUsched has it, and by that divided by the launch's CTAs.
TEST(Mix, ShortIsByWhatItIsToldToGoBy) {
  const std::map<std::string, std::set<std::string>> shorts = {
      {"launch", {"parboil/histo", "parboil/spmv", "parboil/cutcp", "parboil/stencil", "parboil/mri_q"}},
      {"share", {"parboil/lbm", "parboil/spmv", "parboil/sad", "parboil/histo", "parboil/mri_q"}}};
  for (const auto& [by, expected] : shorts) {
    MixConfig mix = mix_of(5, "short_short");
    mix.by = by;
    const std::vector<std::string> names = drawn(mix, 1);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected) << by;
  }
}

TEST(Mix, NeedsTheTimesThatItGoesBy) {
  MixConfig mix = mix_of(2, "short_short");
  mix.applications = "latency";  // its profiles have no launch_us
  EXPECT_EQ(drawn(mix, 1).size(), 2u);
  mix.by = "launch";
  EXPECT_THROW(mix.draw(1), InputError);
}

TEST(Mix, InTurnHasEachKindAsOften) {
  const char* kinds[] = {"short_short", "long_long", "short_long"};
  for (std::uint64_t seed = 1; seed <= 7; ++seed)
    EXPECT_EQ(drawn(mix_of(4, "in_turn"), seed), drawn(mix_of(4, kinds[(seed - 1) % 3]), seed)) << seed;
}

TEST(Mix, RepeatsNoneBeforeAllHaveCome) {
  std::map<std::string, int> uses;
  for (const std::string& name : drawn(mix_of(11, "any"), 5)) ++uses[name];
  EXPECT_EQ(uses.size(), 11u);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    uses.clear();
    for (const std::string& name : drawn(mix_of(8, "short_short"), seed)) ++uses[name];
    EXPECT_EQ(uses.size(), kShort.size());
    for (const auto& [name, count] : uses) EXPECT_LE(count, 2) << name;
  }
}

TEST(Mix, TakesEachApplicationAboutAsOften) {
  std::map<std::string, int> uses;
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    for (const std::string& name : drawn(mix_of(2, "short_short"), seed)) ++uses[name];
  // 40 expected; the standard deviation of drawing 2 of 5 is below 5.
  for (const auto& [name, count] : uses) EXPECT_NEAR(count, 40, 20) << name;
}

TEST(Mix, GivesTheFirstOnesPriority) {
  MixConfig mix = mix_of(4, "any");
  mix.urgent = 1;
  const std::vector<ProcessConfig> processes = mix.draw(1);
  EXPECT_EQ(processes[0].priority, 1);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(processes[i].priority, 0);
}

TEST(Mix, NeedsAFolderOfApplications) {
  MixConfig mix = mix_of(2, "any");
  mix.applications = "nothing";
  EXPECT_THROW(mix.draw(1), InputError);
}

}  // namespace
}  // namespace warpvp
