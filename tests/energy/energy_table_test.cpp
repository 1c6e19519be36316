// Tables of energies: what is read, and every way in which one can be wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/energy/sample.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;

std::string fault_of(const std::string& lines) {
  const Folder folder;
  try {
    table_of(folder, lines);
  } catch (const InputError& error) {
    return folder.shorten(error.what());
  }
  return "";
}

TEST(EnergyTable, IsReadInTheOrderOfWriting) {
  const Folder folder;
  const EnergyTable table = table_of(
      folder,
      "  fetch: {counters: kernels.frontend.fetches, component: front_end, value: 2, source: a book}\n"
      "  activate: {counters: dram.activates, by: dram.reads, component: dram, value: 1, low: 0.5, high: 3,\n"
      "             unit: nJ, bounds: guessed}\n"
      "  leak: {counters: simulation.cycles dma.busy_us, component: leakage, value: 40, unit: mW, source: "
      "b}\n");
  ASSERT_EQ(table.entries.size(), 3u);
  const EnergyEntry& fetch = table.entries[0];
  EXPECT_EQ(fetch.name, "fetch");
  EXPECT_EQ(fetch.unit, "pJ");
  EXPECT_THAT(fetch.counters, ElementsAre("kernels.frontend.fetches"));
  EXPECT_EQ(fetch.low, 2);
  EXPECT_EQ(fetch.high, 2);
  EXPECT_DOUBLE_EQ(fetch.scale(), 1e-3);
  const EnergyEntry& activate = table.entries[1];
  EXPECT_THAT(activate.by, ElementsAre("dram.reads"));
  EXPECT_EQ(activate.low, 0.5);
  EXPECT_EQ(activate.high, 3);
  EXPECT_DOUBLE_EQ(activate.scale(), 1);
  EXPECT_FALSE(activate.is_power());
  EXPECT_TRUE(table.entries[2].is_power());
  EXPECT_TRUE(table.charges("kernels.frontend"));
  EXPECT_FALSE(table.charges("kernels.executed"));
}

struct Wrong {
  const char* name;
  const char* lines;
  const char* message;
};
void PrintTo(const Wrong& w, std::ostream* out) { *out << w.name; }

const Wrong kWrong[] = {
    {"unknown_key", "  e: {counters: dram.reads, component: c, value: 1, source: s, pj: 2}\n",
     "@table.yaml:2:64: unknown key 'pj' in 'energies.e'"},
    {"misspelt", "  e: {counters: dram.reads, component: c, valeu: 1, source: s}\n",
     "unknown key 'valeu' in 'energies.e'; nearest: 'value'"},
    {"no_value", "  e: {counters: dram.reads, component: c, source: s}\n",
     "@table.yaml:2:3: 'energies.e.value' is missing; allowed: counters, component, value"},
    {"negative", "  e: {counters: dram.reads, component: c, value: -1, source: s}\n",
     "@table.yaml:2:50: 'energies.e.value' is -1"},
    {"not_a_number", "  e: {counters: dram.reads, component: c, value: .nan, source: s}\n",
     "@table.yaml:2:50: 'energies.e.value' is .nan"},
    {"no_counters", "  e: {component: c, value: 1, source: s}\n", "'energies.e.counters' is missing"},
    {"no_component", "  e: {counters: dram.reads, value: 1, source: s}\n",
     "'energies.e.component' is missing"},
    {"two_words", "  e: {counters: dram.reads, component: a b, value: 1, source: s}\n",
     "'energies.e.component': is no single word"},
    {"no_source", "  e: {counters: dram.reads, component: c, value: 1}\n", "'energies.e.source' is missing"},
    {"both", "  e: {counters: dram.reads, component: c, value: 1, low: 0, high: 2, source: s, bounds: b}\n",
     "'energies.e.bounds': there is a source; allowed: one of them"},
    {"no_bounds", "  e: {counters: dram.reads, component: c, value: 1, bounds: b}\n",
     "'energies.e.bounds': needs low and high, one below the other"},
    {"outside", "  e: {counters: dram.reads, component: c, value: 3, low: 0, high: 2, source: s}\n",
     "'energies.e.value': is not from 'low' to 'high'"},
    {"unit", "  e: {counters: dram.reads, component: c, value: 3, unit: J, source: s}\n",
     "one of: pJ, nJ, uJ, mW, W"},
    {"unknown_counter", "  e: {counters: kernels.frontend.fetchs, component: c, value: 1, source: s}\n",
     "@table.yaml:2:17: 'energies.e.counters': 'kernels.frontend.fetchs' is no key of result.json; did you "
     "mean "
     "'kernels.frontend.fetches'?; allowed: counters that add up and repeat no others, see 'warpvp describe "
     "result'"},
    {"ratio", "  e: {counters: kernels.ipc, component: c, value: 1, source: s}\n",
     "'kernels.ipc' is no counter but a ratio, a text or a group"},
    {"group", "  e: {counters: kernels.frontend, component: c, value: 1, source: s}\n",
     "'kernels.frontend' is no counter but a ratio, a text or a group"},
    {"power_of_events", "  e: {counters: dram.reads, component: c, value: 1, unit: W, source: s}\n",
     "'dram.reads' counts requests, and a power is for a time"},
    {"by_of_kernels",
     "  e: {counters: kernels.dram.reads, by: dram.reads, component: c, value: 1, source: s}\n",
     "'energies.e.by': counters below 'kernels' are the kernels' own already"},
    {"by_of_nothing", "  e: {counters: dram.reads, by: dram.activates, component: c, value: 1, source: s}\n",
     "'energies.e.by': 'kernels.dram.activates' is no key of result.json"},
    {"by_of_power",
     "  e: {counters: simulation.cycles, by: dram.reads, unit: W, component: c, value: 1, source: s}\n",
     "'energies.e.by': a power is not divided among kernels"},
    {"twice",
     "  a: {counters: dram.reads, component: c, value: 1, source: s}\n"
     "  b: {counters: dram.reads, component: c, value: 1, source: s}\n",
     "@table.yaml:3:17: 'energies.b.counters': 'dram.reads' is charged by 'a' already; allowed: one entry a "
     "counter, or 'again: true'"},
    {"part_and_whole",
     "  a: {counters: kernels.frontend.fetches, component: c, value: 1, source: s}\n"
     "  b: {counters: sms.fetches, component: c, value: 1, source: s}\n",
     "'sms.fetches' is charged by 'a' already, as a part or the whole of 'kernels.frontend.fetches'"},
    {"dot", "  a.b: {counters: dram.reads, component: c, value: 1, source: s}\n",
     "@table.yaml:2:3: 'energies.a.b' has a dot"},
    {"dot_in_component", "  e: {counters: dram.reads, component: a.b, value: 1, source: s}\n",
     "'energies.e.component': has a dot"},
    {"empty", "  {}\n", "'energies' is empty"},
    {"list", "  - 1\n", "'energies' is a list; allowed: a mapping of names to records"},
};

class WrongEnergyTable : public testing::TestWithParam<Wrong> {};

TEST_P(WrongEnergyTable, IsRefusedInOneLine) {
  const std::string fault = fault_of(GetParam().lines);
  EXPECT_THAT(fault, testing::HasSubstr(GetParam().message));
  EXPECT_EQ(fault.find('\n'), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Tables, WrongEnergyTable, testing::ValuesIn(kWrong),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EnergyTable, ChargesACounterTwiceWhereItSaysSo) {
  EXPECT_EQ(fault_of("  a: {counters: dram.reads, component: c, value: 1, source: s}\n"
                     "  b: {counters: dram.reads, component: d, value: 1, source: s, again: true}\n"),
            "");
}

TEST(EnergyTable, MayNameSeveralPowersOfOneTime) {
  EXPECT_EQ(fault_of("  a: {counters: simulation.cycles, component: c, value: 1, unit: W, source: s}\n"
                     "  b: {counters: simulation.cycles, component: d, value: 1, unit: mW, source: s}\n"),
            "");
}

}  // namespace
}  // namespace warpvp::test
