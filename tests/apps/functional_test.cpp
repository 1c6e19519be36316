// Every app on a device without timing: the shipped PTX, run by ptx/exec, gives what the CPU references say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sw/apps/app.h"
#include "sw/apps/workload.h"
#include "tests/apps/app_cases.h"
#include "tests/apps/functional_device.h"
#include "tests/apps/parameters.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

apps::AppContext context() {
  apps::AppContext c;
  c.seed = 5;
  c.kernel_folder = "sw/kernels/";  // tests run in the root of the project
  return c;
}

class FunctionalApps : public ::testing::TestWithParam<AppCase> {};

TEST_P(FunctionalApps, Verifies) {
  const AppCase& c = GetParam();
  FunctionalDevice device;
  const apps::AppResult result =
      Registry<apps::App>::instance().make(choose(c.app, c.params))->run(device, context());
  EXPECT_TRUE(result.verified) << result.message;
  EXPECT_FALSE(device.launches().empty());
  EXPECT_EQ(device.allocations(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, FunctionalApps, ::testing::ValuesIn(app_cases()),
                         [](const auto& info) { return info.param.label; });

/// A copy of a kernel folder's file with one text replaced, in a folder of its own.
std::string folder_with_changed_kernel(const std::string& file, const std::string& from,
                                       const std::string& to) {
  std::ifstream in("sw/kernels/" + file);
  std::stringstream text;
  text << in.rdbuf();
  std::string changed = text.str();
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos);
  changed.replace(at, from.size(), to);
  const std::string folder = ::testing::TempDir() + "/";
  std::ofstream(folder + file) << changed;
  return folder;
}

TEST(FunctionalApps, AWrongKernelIsNoticed) {
  apps::AppContext c = context();
  c.kernel_folder = folder_with_changed_kernel("saxpy.ptx", "fma.rn.f32", "fma.rz.f32");
  FunctionalDevice device;
  const apps::AppResult result =
      Registry<apps::App>::instance().make(choose("saxpy", {{"count", "500"}}))->run(device, c);
  EXPECT_FALSE(result.verified);
  EXPECT_THAT(result.message, HasSubstr("y["));
  EXPECT_THAT(result.message, HasSubstr("of 500 differ"));
}

struct PlantedFault {
  std::string app;
  std::map<std::string, std::string> params;
  std::string file, from, to;
};

// One instruction or one number that is a little off, in the kernels of the DARSIE study.
TEST(FunctionalApps, ALittleWrongKernelsAreNoticed) {
  const std::vector<PlantedFault> faults = {
      {"libor", {{"paths", "256"}}, "libor.ptx", "0f3FB8AA3B", "0f3FB80000"},  // log2 e
      {"libor", {{"paths", "256"}}, "libor.ptx", "0fBF000000", "0fBEFF0000"},  // a half
      {"nonlocal_means", {{"height", "8"}}, "nonlocal_means.ptx", "0fBFB8AA3B", "0fBFB00000"},
      {"nonlocal_means", {{"height", "8"}}, "nonlocal_means.ptx", "0f3CA72F05", "0f3CA00000"},  // one in 49
      {"floyd_warshall", {}, "floyd_warshall.ptx", "setp.ge.s32", "setp.lt.s32"},
      {"floyd_warshall", {{"kernel", "tiles"}}, "floyd_warshall.ptx", "min.s32", "max.s32"},
      {"coulomb", {}, "coulomb.ptx", "rsqrt.approx.ftz.f32", "rcp.approx.ftz.f32"},
      {"coulomb", {}, "coulomb.ptx", "mul.rn.f32", "add.rn.f32"},
      {"convolution_texture", {}, "convolution_texture.ptx", "fma.rn.f32", "fma.rz.f32"},
      {"pathfinder", {{"columns", "2000"}, {"block", "1024"}}, "pathfinder_1024.ptx", "min.s32", "max.s32"},
      {"matmul_half", {}, "matmul_half.ptx", "m8n8.x4.trans.shared", "m8n8.x4.shared"},
      {"matmul_half",
       {},
       "matmul_half.ptx",
       "m16n8k16.row.col.f32.f16.f16.f32",
       "m16n8k16.row.col.f32.bf16.bf16.f32"},
      {"matmul", {{"tile", "32"}}, "matmul_32.ptx", "fma.rn.f32", "fma.rz.f32"}};
  for (const PlantedFault& f : faults) {
    apps::AppContext c = context();
    c.kernel_folder = folder_with_changed_kernel(f.file, f.from, f.to);
    FunctionalDevice device;
    const apps::AppResult result =
        Registry<apps::App>::instance().make(choose(f.app, f.params))->run(device, c);
    EXPECT_FALSE(result.verified) << f.file << ": " << f.to << " for " << f.from;
    EXPECT_THAT(result.message, HasSubstr("differ"));
  }
}

TEST(FunctionalApps, PairLaunchesBothWithTheirNamesBudgetsAndEqualWarps) {
  FunctionalDevice device(3);
  const apps::AppResult result =
      Registry<apps::App>::instance()
          .make(choose("pair", {{"k1", "his"}, {"k2", "atax"}, {"budget2", "8"}, {"size", "0.02"}}))
          ->run(device, context());
  ASSERT_TRUE(result.verified) << result.message;
  ASSERT_EQ(device.launches().size(), 3u);  // atax is two kernels
  const auto& k1 = device.launches()[0];
  const auto& k2 = device.launches()[1];
  EXPECT_EQ(k1.name, "K1");
  EXPECT_EQ(k1.entry, "histogram_persistent");
  EXPECT_EQ(k1.budget, 1u);
  EXPECT_EQ(k2.name, "K2");
  EXPECT_EQ(k2.entry, "atax_rows_persistent");
  EXPECT_EQ(k2.budget, 8u);
  EXPECT_EQ(device.launches()[2].entry, "atax_columns_persistent");
  EXPECT_NE(k1.stream, k2.stream);
  EXPECT_EQ(k1.ctas % 3, 0u);
  EXPECT_EQ(k1.ctas * 8, k2.ctas * 2);  // CTAs of 8 and of 2 warps
}

TEST(FunctionalApps, PersistentGridDoesNotDependOnTheWork) {
  FunctionalDevice device(4);
  for (const char* count : {"10", "10000"}) {
    Registry<apps::App>::instance()
        .make(choose("vector_add", {{"count", count}, {"persistent", "true"}, {"ctas_per_sm", "3"}}))
        ->run(device, context());
    EXPECT_EQ(device.launches().back().ctas, 12u);
  }
}

TEST(FunctionalApps, ScaleChangesTheWork) {
  for (const std::string& name : Registry<apps::Workload>::instance().names()) {
    std::uint64_t instructions[2];
    for (int i = 0; i < 2; ++i) {
      FunctionalDevice device;
      auto workload = Registry<apps::Workload>::instance().make(name.c_str());
      workload->scale(i == 0 ? 0.05 : 0.4);
      const rt::Stream s = device.create_stream({});
      workload->prepare(device, context(), 0, s);
      workload->reset(device, s);
      workload->launch(device, s, {});
      workload->collect(device, s);
      EXPECT_TRUE(workload->verify().verified) << name;
      instructions[i] = 0;
      for (const auto& launch : device.launches()) instructions[i] += launch.warp_instructions;
    }
    EXPECT_GT(instructions[1], instructions[0] * 2) << name;
  }
}

TEST(FunctionalApps, HelloPrintsFromEveryWarp) {
  FunctionalDevice device;
  Registry<apps::App>::instance().make(choose("hello", {}))->run(device, context());
  EXPECT_THAT(device.printed(), HasSubstr("cta 1 warp 1: number -42, ratio 0.125, done\n"));
  EXPECT_EQ(std::count(device.printed().begin(), device.printed().end(), '\n'), 4);
}

TEST(FunctionalApps, FaultsAreFaults) {
  const std::map<std::string, std::string> kinds{
      {"out_of_bounds", ""},    {"misaligned", ""},         {"trapped", ""},
      {"failed_assertion", ""}, {"deadlocked", "deadlock"}, {"endless", "limit"}};
  for (const auto& [kind, message] : kinds) {
    FunctionalDevice device;
    device.instruction_limit = 100000;
    try {
      Registry<apps::App>::instance().make(choose("fault", {{"kind", kind}}))->run(device, context());
      ADD_FAILURE() << kind << " did not fault";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(message)) << kind;
    }
  }
}

}  // namespace
}  // namespace warpvp::test
