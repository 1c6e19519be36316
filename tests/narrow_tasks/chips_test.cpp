// The GPUs of Pagoda's figures, and that of DARSIE: what they are made of, and the latencies and bandwidths
// that their files promise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

struct Chip {
  std::string platform;
  unsigned sms, l2_kib;
  double clock_mhz, dram_gb_per_s;
};
const std::vector<Chip> kChips = {{"titan_x_pascal", 28, 3072, 1417, 480},
                                  {"titan_x_maxwell", 24, 3072, 1000, 336.6},
                                  {"gtx1080ti", 28, 2816, 1481, 484}};

class GeForce : public testing::TestWithParam<Chip> {};

TEST_P(GeForce, HasTheUnitsOfItsDataSheet) {
  const auto result = result_of_app(GetParam().platform, "saxpy", {});
  const auto& platform = result["config"]["platform"];
  EXPECT_EQ(platform["sms"], GetParam().sms);
  EXPECT_EQ(platform["sm_clock_mhz"], GetParam().clock_mhz);
  EXPECT_EQ(platform["sm"]["resources"]["warps"], 64);
  EXPECT_EQ(platform["l2"]["bank_kib"].get<unsigned>() * platform["address_map"]["banks"].get<unsigned>(),
            GetParam().l2_kib);
}

/// What the app measures under that name.
double measure(const std::string& platform, const std::string& app, const std::string& figure,
               const std::vector<std::string>& settings) {
  return result_of_app(platform, app, settings)["measured"][figure];
}

TEST_P(GeForce, SharedMemoryAnswersAfter24Cycles) {
  EXPECT_NEAR(measure(GetParam().platform, "pointer_chase", "cycles_per_step",
                      {"workload.params.space=shared", "workload.params.steps=4000"}),
              24, 0.5);
}

TEST_P(GeForce, GlobalLoadsPassTheL1By) {
  // The ring would fit the L1; every step is a hit of the L2.
  const double cycles = measure(GetParam().platform, "pointer_chase", "cycles_per_step",
                                {"workload.params.elements=64", "workload.params.steps=1000"});
  EXPECT_GT(cycles, 150);
  EXPECT_LT(cycles, 300);
}

TEST_P(GeForce, DramIsAsFastAsItsPins) {
  // Sixteen megabytes read once by all SMs: within 20 % of the peak, never above it.
  const double gb = measure(
      GetParam().platform, "stream", "gigabytes_per_second",
      {"workload.params.kernel=read", "workload.params.elements=1000000", "workload.params.ctas=448"});
  EXPECT_GT(gb, 0.6 * GetParam().dram_gb_per_s);
  EXPECT_LT(gb, GetParam().dram_gb_per_s);
}

INSTANTIATE_TEST_SUITE_P(Chips, GeForce, testing::ValuesIn(kChips),
                         [](const auto& info) { return info.param.platform; });

}  // namespace
}  // namespace warpvp::test
