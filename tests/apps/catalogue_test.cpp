// What the apps and workloads declare: names, parameters, limits; and how `pair` and `mix` share an SM.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sw/apps/mix.h"
#include "sw/apps/workload.h"
#include "tests/apps/app_cases.h"
#include "tests/apps/parameters.h"

namespace warpvp::apps {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

TEST(Catalogue, HoldsTheKernelsOfTheQawsPaper) {
  EXPECT_THAT(Registry<Workload>::instance().names(),
              IsSupersetOf({"pc", "pf", "2dc", "dxtc", "bin", "vec", "mm", "his", "atax"}));
}

TEST(Catalogue, EveryAppIsTriedByACase) {
  std::set<std::string> tried;
  for (const test::AppCase& c : test::app_cases()) tried.insert(c.app);
  for (const std::string& name : Registry<App>::instance().names()) {
    const bool needs_a_machine = name == "fault" || name == "corun";  // tests/platform
    EXPECT_EQ(tried.count(name), needs_a_machine ? 0u : 1u) << name;
  }
}

TEST(Catalogue, EveryParameterIsDeclaredOnceWithASentence) {
  unsigned entries = 0;
  for (const RegistryEntryInfo& entry : all_registry_entries()) {
    if (entry.kind != App::kKind && entry.kind != Workload::kKind) continue;
    ++entries;
    test::TextFields visitor;
    entry.params(visitor);  // also checks that the defaults keep their own constraints
    EXPECT_THAT(visitor.poor_docs(), IsEmpty()) << entry.kind << " " << entry.name;
    EXPECT_EQ(entry.doc.back(), '.') << entry.name;
  }
  EXPECT_GT(entries, 25u);
}

TEST(Catalogue, WorkloadsOfferThePersistentForm) {
  for (const RegistryEntryInfo& entry : all_registry_entries()) {
    if (entry.kind != Workload::kKind) continue;
    test::TextFields visitor;
    entry.params(visitor);
    EXPECT_THAT(visitor.keys(), Contains("persistent")) << entry.name;
    EXPECT_THAT(visitor.keys(), Contains("ctas_per_sm")) << entry.name;
  }
}

void expect_refused(const std::string& app, const std::map<std::string, std::string>& params,
                    const std::string& message) {
  try {
    Registry<App>::instance().make(test::choose(app, params));
    ADD_FAILURE() << app << " accepted what it should refuse: " << message;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(Catalogue, ImpossibleParametersAreRefused) {
  expect_refused("vector_add", {{"count", "0"}}, "count");
  expect_refused("vector_add", {{"block", "1025"}}, "block");
  expect_refused("vector_add", {{"cuont", "5"}}, "cuont");
  expect_refused("vector_add", {{"repeat", "0"}}, "repeat");
  expect_refused("pathfinder", {{"height", "128"}}, "height");
  expect_refused("pathfinder", {{"block", "512"}}, "256 or 1024");
  expect_refused("conv2d", {{"block_x", "64"}, {"block_y", "32"}}, "1024");
  expect_refused("matmul", {{"naive", "true"}, {"persistent", "true"}}, "persistent");
  expect_refused("matmul", {{"tile", "24"}}, "16 or 32");
  expect_refused("matmul_half", {{"n", "40"}}, "multiple of 32");
  expect_refused("matmul", {{"naive", "true"}, {"tile", "32"}}, "tile");
  expect_refused("histogram", {{"global_only", "true"}, {"persistent", "true"}}, "persistent");
  expect_refused("reduction", {{"block", "48"}}, "multiple of 32");
  expect_refused("divergence", {{"ways", "3"}}, "ways");
  expect_refused("pointer_chase", {{"stride", "12"}}, "multiple of 8");
  expect_refused("transpose", {{"kernel", "transposed"}}, "kernel");
  expect_refused("hotspot", {{"rows", "64"}, {"columns", "32"}}, "1024");
  expect_refused("hotspot3d", {{"block_x", "64"}, {"block_y", "32"}}, "1024");
  expect_refused("sgemm", {{"block_x", "64"}, {"block_y", "32"}}, "1024");
  expect_refused("kmeans", {{"points", "9"}, {"clusters", "10"}}, "clusters");
  expect_refused("libor", {{"paths", "300"}}, "multiple of block");
  expect_refused("libor", {{"rates", "40"}}, "steps");
  expect_refused("libor", {{"steps", "30"}}, "1 to 40");
  expect_refused("nonlocal_means", {{"block_x", "64"}, {"block_y", "32"}}, "1024");
  expect_refused("floyd_warshall", {{"vertices", "24"}}, "multiple of 16");
  expect_refused("coulomb", {{"columns", "200"}}, "multiple of 128");
  expect_refused("coulomb", {{"rows", "12"}}, "multiple of 8");
  expect_refused("convolution_texture", {{"block_x", "64"}, {"block_y", "32"}}, "1024");
  expect_refused("pair", {{"budget1", "0"}}, "budget1");
  expect_refused("pair", {{"mode", "sometimes"}}, "mode");
  expect_refused("pair", {{"shares", "fair"}}, "shares");
  expect_refused("mix", {{"kernels", "pc,vek"}}, "unknown workload 'vek'");
  expect_refused("mix", {{"kernels", ""}}, "unknown workload ''");
  expect_refused("mix", {{"kernels", "pc,vec"}, {"budgets", "1"}}, "one number for each");
  expect_refused("mix", {{"kernels", "pc"}, {"budgets", "0"}}, "budgets");
}

TEST(EqualWarpShares, HalvesTheSmBetweenEqualKernels) {
  EXPECT_THAT(equal_warp_shares({8, 8}, {8, 8}), ElementsAre(4, 4));
}

TEST(EqualWarpShares, TheKernelThatFitsLeastSetsTheNumberOfWarps) {
  EXPECT_THAT(equal_warp_shares({8, 8}, {8, 5}), ElementsAre(2, 2));
}

TEST(EqualWarpShares, CtasOfDifferentSizeGetEquallyManyWarps) {
  // 2-warp CTAs limited to 32 an SM: 16 of them are 32 warps, which four CTAs of 8 warps match.
  EXPECT_THAT(equal_warp_shares({2, 8}, {32, 8}), ElementsAre(16, 4));
  // 3 and 4 warps a CTA: multiples of 12 warps.
  EXPECT_THAT(equal_warp_shares({3, 4}, {21, 16}), ElementsAre(8, 6));
}

TEST(EqualWarpShares, ThirdsForThree) {
  EXPECT_THAT(equal_warp_shares({8, 8, 8}, {8, 8, 8}), ElementsAre(2, 2, 2));
}

TEST(EqualWarpShares, RefusesWhatLeavesAKernelOut) {
  EXPECT_THROW(equal_warp_shares({8, 8}, {8, 1}), InputError);
  EXPECT_THROW(equal_warp_shares({32, 32, 32}, {2, 2, 2}), InputError);
}

}  // namespace
}  // namespace warpvp::apps
