// Energy as a user has it: from a table in YAML to result.json, its columns in experiments, and what is wrong
// in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

constexpr const char kTable[] = R"(energies:
  fetch: {counters: kernels.frontend.fetches, component: front_end, value: 20, low: 10, high: 50, source: a test}
  fma: {counters: kernels.executed.lanes.fp_fma, component: units, value: 2, low: 1, high: 4, bounds: a test}
  others: {counters: kernels.executed.warps.int_add kernels.executed.warps.move, component: units, value: 30, source: a test}
  read: {counters: kernels.executed.rows_read, component: registers, value: 14.2, source: a test}
  write: {counters: kernels.executed.rows_written, component: registers, value: 25.9, source: a test}
  l2: {counters: l2.accesses, by: l2.accesses, component: l2, value: 1, unit: nJ, source: a test}
  act: {counters: dram.activates, by: dram.read_bytes dram.written_bytes, component: dram, value: 2, unit: nJ, source: a test}
  refresh: {counters: dram.refreshes, component: dram, value: 15, unit: nJ, source: a test}
  board: {counters: simulation.cycles, component: board, value: 30, unit: W, source: a test}
  idle: {counters: energy.counts.idle_sm_cycles, component: sms, value: 300, unit: mW, source: a test}
  active: {counters: sms.active_cycles, component: sms, value: 1.3, low: 0.6, high: 1.5, unit: W, source: a test}
)";

constexpr const char kLaunches[] = R"(platform: {extends: small, ptx: {code: ptx}}
workload:
  buffers:
    a: {type: f32, count: 4096, init: {fill: 1.5}}
    b: {type: f32, count: 4096, init: {fill: 2.25}}
    c: {type: f32, count: 4096, init: zero}
  launches:
)";
constexpr const char kLaunch[] = "    - {ptx: " WARPVP_SOURCE
                                 "/sw/kernels/vector_add.ptx, entry: vector_add, grid: [16], block: [256],\n"
                                 "       args: [{buffer: a}, {buffer: b}, {buffer: c}, {u32: 4096}]}\n";

struct Case {
  ScratchFolder scratch;
  Finished run(const std::string& yaml, const std::string& table = kTable,
               std::vector<std::string> more = {}) const {
    scratch.file("table.yaml", table);
    std::vector<std::string> words = {"run", scratch.file("run.yaml", yaml), "--out",
                                      (scratch / "out").string(), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  nlohmann::json result() const { return read_result(scratch / "out"); }
};

double sum_of(const nlohmann::json& values) {
  double sum = 0;
  for (const auto& value : values) sum += value.get<double>();
  return sum;
}

constexpr const char kWithTable[] = "energy: {table: table.yaml}\n";

TEST(Energy, IsWhatCountersOfTheSameResultCome) {
  const Case c;
  const Finished run =
      c.run("platform: {extends: titan_x_pascal, sms: 2}\nworkload: matmul\n" + std::string(kWithTable));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = c.result();
  const auto& energy = result["energy"];
  ASSERT_EQ(result["kernels"].size(), 1u);
  const auto& kernel = result["kernels"][0];
  const auto& executed = kernel["executed"];

  EXPECT_EQ(sum_of(executed["warps"]), kernel["warp_instructions"].get<double>());
  EXPECT_EQ(sum_of(executed["lanes"]), kernel["thread_instructions"].get<double>());

  const double fetches = kernel["frontend"]["fetches"], fma = executed["lanes"]["fp_fma"],
               others = executed["warps"]["int_add"].get<double>() + executed["warps"]["move"].get<double>(),
               read = executed["rows_read"], written = executed["rows_written"];
  EXPECT_GT(fma, 0);
  const auto bytes = [](const nlohmann::json& dram) {
    return dram["read_bytes"].get<double>() + dram["written_bytes"].get<double>();
  };
  const double acts = result["dram"]["activates"], l2 = kernel["l2"]["accesses"];
  const auto& own = kernel["energy"];
  EXPECT_NEAR(own["components"]["front_end"], fetches * 0.02, 1e-6);
  EXPECT_NEAR(own["components"]["units"], fma * 0.002 + others * 0.03, 1e-6);
  EXPECT_NEAR(own["components_low"]["units"], fma * 0.001 + others * 0.03, 1e-6);
  EXPECT_NEAR(own["components_high"]["units"], fma * 0.004 + others * 0.03, 1e-6);
  EXPECT_NEAR(own["components"]["registers"], read * 0.0142 + written * 0.0259, 1e-6);
  EXPECT_NEAR(own["components"]["l2"], l2, 1e-6);
  EXPECT_NEAR(own["components"]["dram"], 2 * acts * bytes(kernel["dram"]) / bytes(result["dram"]), 1e-6);
  EXPECT_EQ(own["components"]["board"], 0);
  for (const char* end : {"", "_low", "_high"})
    EXPECT_NEAR(sum_of(own[std::string("components") + end]), own[std::string("total") + end], 1e-6);

  const double mhz = result["config"]["platform"]["sm_clock_mhz"], cycles = result["simulation"]["cycles"],
               kernel_cycles = result["simulation"]["kernel_cycles"];
  double active = 0;
  for (const auto& sm : result["sms"]) active += sm["active_cycles"].get<double>();
  const double idle = 2 * cycles - active, nj_of_watt = 1000 / mhz;
  EXPECT_EQ(energy["counts"]["idle_sm_cycles"].get<double>(), idle);
  EXPECT_NEAR(energy["components"]["dram"], 2 * acts + 15 * result["dram"]["refreshes"].get<double>(), 1e-6);
  EXPECT_NEAR(energy["components"]["board"], 30 * cycles * nj_of_watt, 1e-3);
  EXPECT_NEAR(energy["components"]["sms"], (0.3 * idle + 1.3 * active) * nj_of_watt, 1e-3);
  for (const char* end : {"", "_low", "_high"}) {
    const double total = energy[std::string("total") + end];
    EXPECT_NEAR(sum_of(energy[std::string("components") + end]), total, 1e-9 * total);
    EXPECT_NEAR(energy[std::string("dynamic") + end].get<double>() +
                    energy[std::string("static") + end].get<double>(),
                total, 1e-9 * total);
  }
  const double total = energy["total"], us = energy["time_us"];
  EXPECT_NEAR(sum_of(energy["entries"]), total, 1e-9 * total);
  EXPECT_NEAR(us, cycles / mhz, 1e-9);
  EXPECT_NEAR(energy["average_power"], total * 1e-3 / us, 1e-9 * total);
  EXPECT_NEAR(energy["energy_delay_product"], total * us, 1e-9 * total * us);
  EXPECT_NEAR(energy["without_source"], fma * 0.002, 1e-6);
  EXPECT_FALSE(energy.contains("uncounted"));

  const auto& kernels = energy["kernel_time"];
  EXPECT_NEAR(kernels["dynamic"], own["total"], 1e-6);
  EXPECT_NEAR(kernels["static"],
              (30 * kernel_cycles + 0.3 * (2 * kernel_cycles - active) + 1.3 * active) * nj_of_watt, 1e-3);
}

TEST(Energy, ChangesNothingElseAndIsNotThereWithoutATable) {
  const Case c;
  const std::string yaml = "platform: small\nworkload: pair\n";
  ASSERT_EQ(c.run(yaml).status, 0);
  const auto without = c.result();
  ASSERT_EQ(c.run(yaml + kWithTable).status, 0);
  auto with = c.result();
  EXPECT_FALSE(without.contains("energy"));
  for (const auto& kernel : without["kernels"]) {
    EXPECT_FALSE(kernel.contains("energy"));
    EXPECT_FALSE(kernel.contains("executed"));
  }
  EXPECT_GT(with["energy"]["total"].get<double>(), 0);
  with.erase("energy");
  for (auto& kernel : with["kernels"]) {
    kernel.erase("energy");
    kernel.erase("executed");
  }
  with["config"]["energy"] = without["config"].value("energy", nlohmann::json());
  if (!without["config"].contains("energy")) with["config"].erase("energy");
  EXPECT_EQ(with, without);
}

TEST(Energy, OfTwoLaunchesIsTwiceThatOfOne) {
  const Case c;
  // Events that do not depend on what the caches hold already.
  const std::string table =
      "energies:\n"
      "  lanes: {counters: kernels.thread_instructions, component: a, value: 3, source: a test}\n"
      "  read: {counters: kernels.executed.rows_read, component: b, value: 14.2, source: a test}\n"
      "  write: {counters: kernels.executed.rows_written, component: b, value: 25.9, source: a test}\n"
      "  board: {counters: simulation.cycles, component: board, value: 30, unit: W, source: a test}\n";
  ASSERT_EQ(c.run(std::string(kLaunches) + kLaunch + kWithTable, table).status, 0);
  const auto once = c.result();
  ASSERT_EQ(c.run(std::string(kLaunches) + kLaunch + kLaunch + kWithTable, table).status, 0);
  const auto twice = c.result();
  const double dynamic = once["energy"]["dynamic"];
  EXPECT_GT(dynamic, 0);
  EXPECT_NEAR(twice["energy"]["dynamic"], 2 * dynamic, 1e-6);
  EXPECT_NEAR(twice["kernels"][0]["energy"]["total"], dynamic, 1e-6);
  EXPECT_NEAR(twice["kernels"][1]["energy"]["total"], dynamic, 1e-6);
  EXPECT_GT(twice["energy"]["static"], once["energy"]["static"]);
  // Nor does it need the list of launches.
  ASSERT_EQ(
      c.run(std::string(kLaunches) + kLaunch + kLaunch + kWithTable, table, {"--set", "output.kernels=false"})
          .status,
      0);
  EXPECT_EQ(c.result()["energy"], twice["energy"]);
}

// One warp: a move of a special register, an addition of a register to itself, and an exit.
TEST(Energy, CountsRowsOfTheRegisterFile) {
  const Case c;
  c.scratch.file(
      "rows.ptx",
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n"
      ".reg .b64 %d<3>;\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, %r1;\nmul.wide.u32 %d1, %r1, %r2;\n"
      "add.u64 %d2, %d1, %d1;\nret;\n}\n");
  const Finished run = c.run(
      "platform: {extends: small, ptx: {code: ptx}}\nworkload:\n  launches:\n"
      "    - {ptx: rows.ptx, entry: k, grid: [1], block: [32]}\n" +
      std::string(kWithTable));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto executed = c.result()["kernels"][0]["executed"];
  EXPECT_EQ(executed["rows_read"], 0 + 1 + 2 + 2);
  EXPECT_EQ(executed["rows_written"], 1 + 1 + 2 + 2);
  EXPECT_EQ(executed["warps"]["move"], 1);
  EXPECT_EQ(executed["warps"]["int_add"], 2);
  EXPECT_EQ(executed["lanes"]["int_mul"], 32);
  EXPECT_EQ(executed["warps"]["control"], 1);
}

TEST(Energy, SaysWhatAPlatformDoesNotCount) {
  const Case c;
  const Finished run = c.run("platform: {extends: small, dram: {type: fixed_latency}}\nworkload: pair\n" +
                             std::string(kWithTable));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(c.result()["energy"]["uncounted"], "dram.activates dram.refreshes");
}

TEST(Energy, RefusesWrongTablesInOneLine) {
  const Case c;
  const auto expect_refused = [&](const std::string& energy, const std::string& table,
                                  const std::string& message) {
    const Finished run = c.run("platform: small\nworkload: pair\n" + energy, table);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  };
  expect_refused("energy: {tabel: table.yaml}\n", kTable, "nearest: 'table'");
  expect_refused("energy: {table: other.yaml}\n", kTable,
                 "other.yaml; allowed: the path of a file of energies");
  expect_refused(kWithTable,
                 "energies:\n  e: {counters: kernels.frontend.fetch, component: c, value: 1, source: s}\n",
                 "did you mean 'kernels.frontend.fetches'?");
  expect_refused(kWithTable, "energies:\n  e: {counters: l2.accesses, component: c, value: -2, source: s}\n",
                 "table.yaml:2:51: 'energies.e.value' is -2");
  expect_refused(kWithTable, "energies:\n  e: {counters: l2.accesses, component: c, value: 2, sources: s}\n",
                 "unknown key 'sources'");
  expect_refused(kWithTable,
                 "energies:\n  e: {counters: streams.l1.l1_hits, component: c, value: 2, source: s}\n",
                 "repeats what another group of result.json counts");
  expect_refused(kWithTable,
                 "energies:\n  e: {counters: kernels.l1.l1_hits, component: c, value: 2, source: s}\n"
                 "  f: {counters: sms.memory.l1_hits, component: c, value: 2, source: s}\n",
                 "'sms.memory.l1_hits' is charged by 'e' already");
}

TEST(Energy, IsAColumnOfExperiments) {
  const ScratchFolder scratch;
  scratch.file("table.yaml", kTable);
  const std::string file =
      scratch.file("experiment.yaml",
                   "experiment: energies\nbase:\n  platform: small\n  workload: pair\n"
                   "  energy: {table: table.yaml}\n"
                   "matrix:\n  scheduler: {setting: platform.sm.warp_scheduler, values: [lrr, gto]}\n"
                   "table:\n  rows: scheduler\n  values:\n"
                   "    - {key: energy.total, title: nJ}\n"
                   "    - {key: energy.components.registers, title: registers}\n"
                   "    - {key: energy.kernel_time.energy_delay_product, title: edp}\n"
                   "    - {key: kernels.0.energy.total, title: first}\n");
  const Finished run = run_program({"experiment", file, "--out", (scratch / "out").string(), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("registers"));
  EXPECT_THAT(run.out, HasSubstr("gto"));
  EXPECT_EQ(run.out.find(" - "), std::string::npos) << run.out;
}

// Tables that come with warpvp: every counter is there, and the platform that they are of counts them all.
TEST(Energy, TablesOfTheProjectAreWhole) {
  unsigned tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WARPVP_SOURCE "/configs/energy")) {
    ++tables;
    // The tables name counters of front ends that skip, which the plain one does not have.
    for (const char* front_end : {"separate", "darsie"}) {
      const ScratchFolder scratch;
      const Finished run = run_program(
          {"run", "vector_add", "--platform", "titan_x_pascal", "--set", "platform.sms=2", "--set",
           std::string("platform.sm.frontend.mode=") + front_end, "--set",
           "energy.table=" + entry.path().string(), "--out", (scratch / "out").string(), "--quiet"});
      ASSERT_EQ(run.status, 0) << entry.path() << ": " << run.err;
      const auto energy = read_result(scratch / "out")["energy"];
      std::istringstream uncounted(energy.value("uncounted", ""));
      for (std::string counter; uncounted >> counter;)
        EXPECT_TRUE(front_end == std::string("separate") && counter.rfind("sms.policies.front_end.", 0) == 0)
            << entry.path() << ", " << front_end << ": " << counter;
      EXPECT_GT(energy["dynamic"].get<double>(), 0);
      EXPECT_LE(energy["total_low"].get<double>(), energy["total"].get<double>());
      EXPECT_LT(energy["total"].get<double>(), energy["total_high"].get<double>());
    }
  }
  EXPECT_GE(tables, 1u);
}

}  // namespace
}  // namespace warpvp::test
