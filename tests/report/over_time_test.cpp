// Charts from interval statistics, against figures worked out by hand.

#include <gtest/gtest.h>

#include "base/error.h"
#include "study/report/sections.h"
#include "tests/report/sample_run.h"

namespace warpvp::report::test {
namespace {

Section section_of(const std::string& csv) {
  const nlohmann::ordered_json result = sample_result();
  RunView run = view_of(result, "result.json");
  run.intervals = parse_csv(csv, "intervals.csv");
  return over_time_section(run);
}

double value(const Section& section, const std::string& chart, const std::string& series, std::size_t i) {
  const Chart* const found = find_chart(section, chart);
  if (found == nullptr) return -1;
  const Series* const points = find_series(*found, series);
  return points != nullptr && points->y.at(i).number ? *points->y[i].number : -2;
}

TEST(OverTime, TurnsIncreasesIntoRates) {
  const Section section = section_of(
      "time_us,cycle,simulation.warp_instructions,dram.read_bytes,l2.hits,l2.accesses,sms.resident_warps,"
      "kernels.stalls.fetch,kernels.stalls.raw_long,noc.request.flits\n"
      "1,1000,500,4000,3,4,8,10,30,100\n"
      "3,3000,500,4000,0,0,6,0,0,300\n");
  EXPECT_EQ(value(section, "time-issue", "simulation.warp_instructions", 0), 0.5);
  EXPECT_EQ(value(section, "time-issue", "simulation.warp_instructions", 1), 0.25);
  EXPECT_NEAR(value(section, "time-bandwidth", "dram.read_bytes", 0), 4, 1e-9);
  EXPECT_NEAR(value(section, "time-bandwidth", "dram.read_bytes", 1), 2, 1e-9);
  EXPECT_EQ(value(section, "time-hits", "l2", 0), 75);
  EXPECT_EQ(value(section, "time-hits", "l2", 1), -2) << "a share of nothing";
  EXPECT_EQ(value(section, "time-occupancy", "sms.resident_warps", 1), 6);
  EXPECT_EQ(value(section, "time-stalls", "no instruction", 0), 25);
  EXPECT_EQ(value(section, "time-stalls", "operand from beyond the L1", 0), 75);
  // 300 flits of 32 bytes in 2 us.
  EXPECT_NEAR(value(section, "time-crossbar", "noc.request.flits", 1), 4.8, 1e-9);
  for (const Chart& chart : section.charts) {
    EXPECT_TRUE(chart.over_time) << chart.id;
    EXPECT_FALSE(chart.summary.empty()) << chart.id;
    EXPECT_EQ(chart.series.at(0).x.at(1), 3.0) << chart.id;
  }
}

TEST(OverTime, KeepsWhatIsOfAnotherSizeApart) {
  const Section section = section_of(
      "time_us,cycle,sms.issued,kernels.thread_instructions,sms.resident_warps,control.dma.copies_under_way,"
      "l1.read_bytes,control.pcie.to_host_bytes\n1,1000,500,16000,64,1,1000,2000\n");
  EXPECT_EQ(value(section, "time-issue", "sms.issued", 0), 0.5);
  EXPECT_EQ(value(section, "time-threads", "kernels.thread_instructions", 0), 16);
  EXPECT_EQ(value(section, "time-occupancy", "sms.resident_warps", 0), 64);
  EXPECT_EQ(value(section, "time-under-way", "control.dma.copies_under_way", 0), 1);
  EXPECT_EQ(value(section, "time-bandwidth", "l1.read_bytes", 0), 1);
  EXPECT_EQ(value(section, "time-copies", "control.pcie.to_host_bytes", 0), 2);
}

TEST(OverTime, TakesMissesAsWellAsAllAccesses) {
  const Section section = section_of("time_us,cycle,dram.row_hits,dram.row_misses\n1,10,1,3\n");
  EXPECT_EQ(value(section, "time-hits", "dram.row", 0), 25);
}

TEST(OverTime, DrawsAnyOtherColumnByItsBlock) {
  const Section section = section_of("time_us,cycle,a.b.x,a.b.y,c\n1,10,5,20,30\n");
  EXPECT_EQ(section.charts.size(), 2u);
  EXPECT_EQ(value(section, "time-of-a-b", "a.b.y", 0), 2);
  EXPECT_EQ(value(section, "time-of-", "c", 0), 3);
}

TEST(OverTime, PutsIntervalsTogetherWhereThereAreTooMany) {
  std::string csv = "time_us,cycle,sm.issued,sm.resident_warps\n";
  for (int i = 1; i <= 4000; ++i)
    csv += std::to_string(i) + "," + std::to_string(10 * i) + ",5," + std::to_string(i) + "\n";
  const Section section = section_of(csv);
  const Chart* const chart = find_chart(section, "time-issue");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->series.at(0).y.size(), 1334u) << "three in a point";
  EXPECT_EQ(chart->series[0].x[0], 3.0);
  EXPECT_EQ(chart->series[0].x.back(), 4000.0);
  for (const Value& v : chart->series[0].y) EXPECT_EQ(v.number, 0.5);
  EXPECT_EQ(value(section, "time-occupancy", "sm.resident_warps", 0), 3);
  EXPECT_NE(section.text.at(0).find("3 put together"), std::string::npos);
}

TEST(OverTime, RefusesATableOfSomethingElse) {
  EXPECT_THROW(section_of("a,b\n1,2\n"), InputError);
  EXPECT_TRUE(section_of("time_us,cycle,x\n").charts.empty());
}

}  // namespace
}  // namespace warpvp::report::test
