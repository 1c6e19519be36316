// Counters times energies, by hand.

#include "platform/energy/energy_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/energy/counter_reader.h"
#include "platform/results/json_stats.h"
#include "tests/energy/sample.h"

namespace warpvp::test {
namespace {

struct Metered {
  EnergyResult run;
  std::vector<KernelEnergy> kernels;
};

constexpr double kMhz = 500;

Metered meter(const std::string& lines, const SampleRun& run, std::uint64_t kernel_cycles = 0) {
  const Folder folder;
  const EnergyTable table = table_of(folder, lines);
  EnergyMeter meter(table);
  for (const SampleKernel& kernel : run.kernels)
    meter.add_kernel([&](ResultVisitor& v) { kernel.stats(v); }, true);
  EnergyTime time{kMhz, run.sms.size(), run.cycles, 0};
  for (const SampleSm& sm : run.sms) time.active_sm_cycles += sm.active;
  EnergyTime while_kernels = time;
  while_kernels.cycles = kernel_cycles;
  Metered metered;
  metered.run = meter.result([&](ResultVisitor& v) { run.stats(v); }, time, while_kernels);
  metered.kernels = meter.kernels();
  return metered;
}

void expect_range(const EnergyRange& got, double value, double low, double high) {
  EXPECT_DOUBLE_EQ(got.value, value);
  EXPECT_DOUBLE_EQ(got.low, low);
  EXPECT_DOUBLE_EQ(got.high, high);
}

SampleRun two_kernels() {
  SampleRun run;
  run.kernels = {{10, 40, 3}, {30, 60, 1}};
  run.sms = {{100, 25}, {300, 15}};
  run.cycles = 1000;
  run.activates = 8;
  run.reads = 16;  // four of kernels, the others of copies
  run.busy_us = 0.5;
  return run;
}

TEST(EnergyMeter, AddsUpEventsOfKernelsByComponent) {
  const Metered m = meter(
      "  fetch: {counters: kernels.frontend.fetches, component: front, value: 500, low: 250, high: 1000, "
      "source: s}\n"
      "  rows: {counters: kernels.executed.rows_read, component: rows, value: 2, unit: nJ, source: s}\n",
      two_kernels());
  ASSERT_EQ(m.kernels.size(), 2u);
  ASSERT_EQ(m.kernels[0].components.size(), 2u);
  EXPECT_EQ(m.kernels[0].components[0].first, "front");
  expect_range(m.kernels[0].components[0].second, 5, 2.5, 10);
  expect_range(m.kernels[0].components[1].second, 80, 80, 80);
  expect_range(m.kernels[0].total(), 85, 82.5, 90);
  expect_range(m.kernels[1].total(), 135, 127.5, 150);
  expect_range(m.run.whole.dynamic, 220, 210, 240);
  expect_range(m.run.whole.steady, 0, 0, 0);
  expect_range(m.run.kernels.dynamic, 220, 210, 240);
  expect_range(m.run.entries[0].second, 20, 10, 40);
  EXPECT_DOUBLE_EQ(m.run.without_source.value, 0);
}

TEST(EnergyMeter, DividesWhatThePlatformCountsAmongKernels) {
  const Metered m = meter(
      "  act: {counters: dram.activates, by: dram.reads, component: dram, value: 1, low: 0.5, high: 2, unit: "
      "nJ,\n"
      "        bounds: b}\n",
      two_kernels());
  expect_range(m.run.whole.dynamic, 8, 4, 16);
  expect_range(m.run.without_source, 8, 4, 16);
  // 3 and 1 of 16 reads; the rest is nobody's.
  expect_range(m.kernels[0].total(), 1.5, 0.75, 3);
  expect_range(m.kernels[1].total(), 0.5, 0.25, 1);
  expect_range(m.run.kernels.dynamic, 2, 1, 4);
}

// 10 and 30 of the 40 fetches of all SMs; 40 and 60 rows, which nobody counts for the platform.
TEST(EnergyMeter, DividesByWhateverKernelsCount) {
  const Metered m = meter(
      "  a: {counters: dram.activates, by: frontend.fetches, component: a, value: 1, unit: nJ, source: s}\n"
      "  b: {counters: dram.reads, by: executed.rows_read, component: b, value: 1, unit: nJ, source: s}\n",
      two_kernels());
  EXPECT_DOUBLE_EQ(m.kernels[0].components[0].second.value, 2);
  EXPECT_DOUBLE_EQ(m.kernels[1].components[0].second.value, 6);
  EXPECT_DOUBLE_EQ(m.kernels[0].components[1].second.value, 6.4);
  EXPECT_DOUBLE_EQ(m.kernels[1].components[1].second.value, 9.6);
}

TEST(EnergyMeter, LeavesToTheRunWhatIsNoKernels) {
  const Metered m = meter(
      "  act: {counters: dram.activates, component: dram, value: 1, unit: uJ, source: s}\n", two_kernels());
  expect_range(m.run.whole.dynamic, 8000, 8000, 8000);
  expect_range(m.kernels[0].total(), 0, 0, 0);
}

TEST(EnergyMeter, AddsUpSeveralCounters) {
  const Metered m = meter(
      "  reads: {counters: kernels.dram.reads dram.activates, component: dram, value: 1, unit: nJ, source: "
      "s}\n",
      two_kernels());
  expect_range(m.run.whole.dynamic, 12, 12, 12);
  expect_range(m.kernels[0].total(), 3, 3, 3);
}

// 1000 cycles at 500 MHz are 2 us; with kernels 500, 1 us.
TEST(EnergyMeter, PaysPowerForTime) {
  const Metered m = meter(
      "  board: {counters: simulation.cycles, component: board, value: 3, low: 1, high: 4, unit: W, source: "
      "s}\n"
      "  active: {counters: sms.active_cycles, component: sms, value: 500, unit: mW, source: s}\n"
      "  dma: {counters: dma.busy_us, component: dma, value: 2, unit: W, source: s}\n",
      two_kernels(), 500);
  expect_range(m.run.entries[0].second, 6000, 2000, 8000);
  // 400 SM-cycles are 0.8 us.
  expect_range(m.run.entries[1].second, 400, 400, 400);
  expect_range(m.run.entries[2].second, 1000, 1000, 1000);
  expect_range(m.run.whole.steady, 7400, 3400, 9400);
  EXPECT_DOUBLE_EQ(m.run.whole.us, 2);
  expect_range(m.run.kernels.steady, 4400, 2400, 5400);
  EXPECT_DOUBLE_EQ(m.run.kernels.us, 1);
  for (const auto& [name, energy] : m.kernels[0].components) EXPECT_EQ(energy.value, 0) << name;
}

TEST(EnergyMeter, KnowsIdleSms) {
  EnergyTime time{kMhz, 4, 100, 150};
  EXPECT_EQ(time.sm_cycles(), 400u);
  EXPECT_EQ(time.idle_sm_cycles(), 250u);
  time.active_sm_cycles = 500;
  EXPECT_EQ(time.idle_sm_cycles(), 0u);
}

TEST(EnergyMeter, SaysWhatTheRunDoesNotCount) {
  const std::string lines =
      "  p: {counters: dram.policy, component: dram, value: 3, source: s}\n"
      "  f: {counters: kernels.frontend.fetches, component: front, value: 1, source: s}\n";
  EXPECT_EQ(meter(lines, two_kernels()).run.uncounted, "dram.policy");
  EXPECT_EQ(meter(lines, SampleRun()).run.uncounted, "dram.policy") << "there was no kernel to count for";
}

TEST(EnergyMeter, WritesEveryEnergyWithItsBounds) {
  const Metered m = meter(
      "  fetch: {counters: kernels.frontend.fetches, component: front, value: 500, low: 250, high: 1000, "
      "source: s}\n"
      "  board: {counters: simulation.cycles, component: board, value: 1, unit: mW, source: s}\n",
      two_kernels(), 1000);
  const auto kernel = stats_to_json(m.kernels[0]);
  EXPECT_EQ(kernel["total"], 5.0);
  EXPECT_EQ(kernel["total_low"], 2.5);
  EXPECT_EQ(kernel["components"]["front"], 5.0);
  EXPECT_EQ(kernel["components_high"]["front"], 10.0);
  const auto run = stats_to_json(m.run);
  EXPECT_EQ(run["table"], "table.yaml");
  EXPECT_EQ(run["total"], 22.0);
  EXPECT_EQ(run["dynamic"], 20.0);
  EXPECT_EQ(run["static"], 2.0);
  EXPECT_EQ(run["components"]["board"], 2.0);
  EXPECT_EQ(run["entries"]["fetch"], 20.0);
  EXPECT_DOUBLE_EQ(run["average_power"].get<double>(), 0.011) << "22 nJ in 2 us";
  EXPECT_EQ(run["energy_delay_product"], 44.0);
  EXPECT_EQ(run["energy_delay_product_high"], 84.0);
  EXPECT_EQ(run["kernel_time"]["total"], 22.0);
  EXPECT_EQ(run["counts"]["sm_cycles"], 2000);
  EXPECT_FALSE(run.contains("uncounted"));
}

TEST(CounterReader, AddsItemsOfListsAndKeepsRatiosOut) {
  CounterReader reader({"sms.fetches", "dma.busy_us", "kernels.ipc", "dram.policy"});
  two_kernels().stats(reader);
  EXPECT_EQ(reader.counts()[0], 40);
  EXPECT_EQ(reader.counts()[1], 0.5);
  EXPECT_FALSE(reader.counts()[2]);
  EXPECT_FALSE(reader.counts()[3]);
}

}  // namespace
}  // namespace warpvp::test
