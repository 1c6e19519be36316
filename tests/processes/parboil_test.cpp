// Each application of Parboil alone on gk110: its kernels take the times of CUsched's table II, and are
// launched as often.
#include <gtest/gtest.h>

#include <map>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

struct Row {
  const char* kernel;
  unsigned launches;
  double mean_us;
  unsigned ctas;  ///< mean over launches, rounded down as the table seems to be
};

// CUsched (UPC-DAC-RR-CAP-2013-7), table II.
const std::map<std::string, std::vector<Row>> kTable = {
    {"bfs", {{"bfs_BFSmultiblockinGPU", 1, 35855.01, 14}, {"bfs_BFSinGPU", 2, 13006.62, 1}}},
    {"cutcp", {{"cutcp_cutpotentiallattice", 11, 1519.54, 121}}},
    {"histo",
     {{"histo_histofinal", 20, 70.37, 42},
      {"histo_histoprescan", 20, 22.46, 64},
      {"histo_histointermediates", 20, 79.77, 65},
      {"histo_histomain", 20, 372.47, 84}}},
    {"lbm", {{"lbm_StreamCollide", 100, 2906.77, 18000}}},
    {"mri_gridding",
     {{"mri_gridding_binningReconstruction", 1, 2026.69, 5188},
      {"mri_gridding_scaninterlkernel", 9, 8.49, 29},
      {"mri_gridding_scanLlkernel", 8, 826.98, 2084},
      {"mri_gridding_uniformAdd", 8, 128.44, 2084},
      {"mri_gridding_reorderReconstruction", 1, 2540.83, 5188},
      {"mri_gridding_splitSort", 7, 3843.89, 2594},
      {"mri_gridding_griddingGPUsample", 1, 191356.28, 65536},
      {"mri_gridding_splitRearrange", 7, 1622.76, 2594},
      {"mri_gridding_scaninter2kernel", 9, 9.97, 29}}},
    {"mri_q", {{"mri_q_ComputeQGPU", 2, 3391.58, 1024}, {"mri_q_ComputePhiMagGPU", 1, 5.82, 4}}},
    {"sad",
     {{"sad_largersadcalc8", 1, 8139.52, 8040},
      {"sad_largersadcalc16", 1, 1519.52, 8040},
      {"sad_mbsadcalc", 1, 15452.74, 128640}}},
    {"sgemm", {{"sgemm_mysghmmNT", 1, 3713.92, 528}}},
    {"spmv", {{"spmv_spmvjds", 50, 290.41, 765}}},
    {"stencil", {{"stencil_block2Dregtiling", 100, 2230.80, 256}}},
    {"tpacf", {{"tpacf_genhists", 1, 14604.03, 201}}}};

class Parboil : public testing::TestWithParam<std::string> {};

TEST_P(Parboil, AloneTakesTheTimesOfTableII) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("run.yaml",
                   "platform: gk110\noutput: {kernels: false}\nworkload:\n  processes: [{application: "
                   "parboil/" +
                       GetParam() + "}]\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json process = read_json(scratch / "out/result.json")["processes"][0];
  const std::vector<Row>& rows = kTable.at(GetParam());
  EXPECT_EQ(process["kernels"].size(), rows.size());
  for (const Row& row : rows) {
    const nlohmann::json* kernel = nullptr;
    for (const nlohmann::json& k : process["kernels"])
      if (k["name"] == row.kernel) kernel = &k;
    ASSERT_NE(kernel, nullptr) << row.kernel;
    EXPECT_EQ((*kernel)["launches"], row.launches) << row.kernel;
    EXPECT_EQ((*kernel)["ctas"].get<unsigned>() / row.launches, row.ctas) << row.kernel;
    EXPECT_NEAR((*kernel)["mean_us"].get<double>() / row.mean_us, 1, 0.05) << row.kernel;
  }
}

// The studies take times alone from a file. It must be of the machine and the applications as they are now;
// it does not go stale by a new setting that has a default.
TEST(ParboilAlone, TheFileOfTimesIsWhatRunsTake) {
  const ScratchFolder scratch;
  const std::string command = "run parboil_alone --platform gk110_wide_bursts";
  const Finished run = run_program({"run", "parboil_alone", "--platform", "gk110_wide_bursts", "--quiet",
                                    "--out", (scratch / "out").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_text(scratch / "out/alone.yaml") ==
              read_text(std::string(WARPVP_SOURCE) + "/configs/profiles/parboil-alone.yaml"))
      << "configs/profiles/parboil-alone.yaml is of another machine; `build/release/warpvp " << command
      << " --out runs/alone` writes the new one: copy runs/alone/alone.yaml there, and run the studies of "
         "configs/experiments/cusched.yaml anew";
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, rows] : kTable) out.push_back(name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(TableII, Parboil, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpvp::test
