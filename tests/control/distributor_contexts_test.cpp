// What the work distributor tells SMs of the tables of contexts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/distributor_bench.h"

namespace warpvp::test {
namespace {

using Bench = DistributorBench;
using ::testing::ElementsAre;

// What SMs were told, as "SM name value" in the order of the writes.
std::vector<std::string> spaces_told(const ScriptedSms& sms) {
  std::vector<std::string> told;
  for (const auto& setup : sms.setups) {
    const char* const name = setup.offset == regmap::sm::kContext     ? "context"
                             : setup.offset == regmap::sm::kPageTable ? "pages"
                             : setup.offset == regmap::sm::kTextures  ? "textures"
                                                                      : nullptr;
    if (name) told.push_back(std::to_string(setup.sm) + " " + name + " " + std::to_string(setup.value));
  }
  return told;
}

// CUsched section III.B: context, page tables and texture table are written together, before the first CTA.
TEST(WorkDistributor, AnSmIsToldTheTablesOfItsContext) {
  Bench b("bench", 1, {}, Bench::small(), 20, 0x1000);
  const auto row = [&](unsigned context, std::uint64_t pages, std::uint64_t textures) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    wd::ContextRow row{pages, textures};
    EXPECT_EQ(access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::context(context), &row, sizeof row),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.driver.read<std::uint64_t>(wd::context(context) + wd::kContextTextures), textures);
  };
  row(1, 0x2000, 0x7000);
  row(2, 0x3000, 0);
  unsigned slot = 0;
  const auto run = [&](unsigned context) {
    wd::KernelSlotImage k = Bench::kernel(slot, 2, 32);
    k.context = context;
    b.start(slot++, k);
    b.run(500);
    std::vector<std::string> told = spaces_told(b.sms);
    b.sms.setups.clear();
    return told;
  };
  EXPECT_EQ(b.driver.read<std::uint64_t>(wd::context(0) + wd::kContextPageTable), 0x1000u);
  EXPECT_THAT(run(0), ElementsAre("0 context 0", "0 pages 4096", "0 textures 0"));
  EXPECT_THAT(run(1), ElementsAre("0 context 1", "0 pages 8192", "0 textures 28672"));
  EXPECT_THAT(run(1), ::testing::IsEmpty()) << "it has them";
  EXPECT_THAT(run(2), ElementsAre("0 context 2", "0 pages 12288", "0 textures 0"));
  row(2, 0x3000, 0x8000);
  EXPECT_THAT(run(2), ElementsAre("0 context 2", "0 pages 12288", "0 textures 32768"))
      << "its row has changed";
  EXPECT_EQ(b.sms.launches.size(), 10u);
}

TEST(WorkDistributor, WithoutTablesAnSmIsToldItsContextAlone) {
  Bench b("bench", 1);
  for (unsigned slot = 0; slot < 2; ++slot) {
    wd::KernelSlotImage k = Bench::kernel(slot, 1, 32);
    k.context = slot;
    b.start(slot, k);
    b.run(500);
  }
  EXPECT_THAT(spaces_told(b.sms), ElementsAre("0 context 1"));
}

}  // namespace
}  // namespace warpvp::test
