// Each kernel of LAX alone on lax_gpu takes the time of the thesis' table 3.1.
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

struct Row {
  const char* kernel;
  unsigned ctas, threads;  ///< of all CTAs
  double us;
};

// Yeh's thesis, table 3.1; gemm_256 is ours.
const Row kTable[] = {
    {"tensor_1", 16, 16384, 3.96}, {"tensor_2", 1, 128, 1.79},     {"tensor_3", 2, 2048, 4.45},
    {"tensor_4", 1, 64, 4.74},     {"activation_5", 1, 128, 8.87}, {"gemm_128", 1, 1024, 127.48},
    {"gemm_256", 2, 2048, 254.96}, {"ipv6", 8, 8192, 25},          {"cuckoo", 8, 8192, 300},
    {"gmm", 2, 2048, 1500},        {"stem", 4, 4096, 150}};

TEST(LaxGpu, KernelsAloneTakeTheTimesOfTable31) {
  const ScratchFolder scratch;
  std::string steps;
  for (const Row& row : kTable)
    steps +=
        std::string("  - launch: {kernel: ") + row.kernel + ", ctas: " + std::to_string(row.ctas) + "}\n";
  scratch.file("all.yaml", "profiles: " WARPVP_SOURCE "/configs/profiles/lax.yaml\nsteps:\n" + steps);
  const std::string file =
      scratch.file("run.yaml", "platform: lax_gpu\nworkload:\n  processes: [{application: all.yaml}]\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto kernels = read_json(scratch / "out/result.json")["kernels"];
  ASSERT_EQ(kernels.size(), std::size(kTable));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Row& row = kTable[i];
    EXPECT_EQ(kernels[i]["name"], row.kernel);
    const double took = kernels[i]["end_us"].get<double>() - kernels[i]["start_us"].get<double>();
    EXPECT_NEAR(took / row.us, 1, 0.05) << row.kernel << " takes " << took << " us";
    const auto& grid = kernels[i]["grid"];
    const auto& block = kernels[i]["block"];
    EXPECT_EQ(grid[0].get<unsigned>() * block[0].get<unsigned>(), row.threads) << row.kernel;
  }
}

}  // namespace
}  // namespace warpvp::test
