// The matrix of docs/protection.md: every way to reach memory, from both sides. What is a process's own it
// reaches, with right values; what is another's is a fault of the context that has tried, which alone ends.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

enum Modes { kBoth, kTables, kOwners };

struct Cell {
  const char* way;
  const char* target;
  const char* fault;  ///< nullptr: it is allowed
  Modes modes = kBoth;
};
void PrintTo(const Cell& cell, std::ostream* out) { *out << cell.way << " of " << cell.target; }

constexpr char kForeign[] = "by context 2 in memory of context 1";

constexpr Cell kCells[] = {
    // Global memory, scalar and vector, values and changes.
    {"load", "own", nullptr},
    {"load", "victim", kForeign},
    {"load", "unmapped", "out-of-bounds global load of 4 bytes"},
    {"load_v4", "own_last", nullptr},
    {"load_v4", "victim", kForeign},
    {"load_v4", "border", "out-of-bounds global load of 16 bytes"},
    {"store", "own", nullptr},
    {"store", "victim", kForeign},
    {"store_v2", "own_last", nullptr},
    {"store_v2", "victim", kForeign},
    {"atomic", "own", nullptr},
    {"atomic", "victim", kForeign},
    {"exchange", "own", nullptr},
    {"exchange", "victim", kForeign},
    {"reduce", "own", nullptr},
    {"reduce", "victim", kForeign},
    {"generic_load", "own", nullptr},
    {"generic_load", "victim", kForeign},
    {"generic_store", "own", nullptr},
    {"generic_store", "victim", kForeign},
    // Constants.
    {"constant", "own_constant", nullptr},
    {"constant", "victim_constant", kForeign},
    {"load", "victim_constant", kForeign},
    // Windows: shared memory of another CTA, local memory of another thread, parameters of another kernel.
    {"shared", "offset_252", nullptr},
    {"shared", "offset_256", "out-of-bounds shared store"},
    {"shared", "offset_large", "out-of-bounds shared store"},
    {"generic_load", "own_shared", nullptr},
    {"generic_load", "other_shared", "out-of-bounds shared load"},
    {"generic_store", "other_shared", "out-of-bounds shared store"},
    {"local", "offset_60", nullptr},
    {"local", "offset_64", "out-of-bounds local store"},
    {"local", "offset_large", "out-of-bounds local store"},
    {"generic_load", "own_local", nullptr},
    {"generic_store", "other_local", "out-of-bounds local store"},
    {"generic_load", "other_parameters", "out-of-bounds parameter load"},
    // The region of local memory by its address, and what the driver keeps.
    {"load", "local_region", "by context 2 in memory of the SMs"},
    {"store", "local_region", "by context 2 in memory of the SMs"},
    {"load", "driver", "by context 2 in memory of the driver", kTables},
    {"store", "driver", "by context 2 in memory of the driver", kTables},
    {"load", "driver", "by context 2 in memory of context 0", kOwners},
    // Registers are not in a kernel's address space.
    {"store", "doorbell", "out-of-bounds global store"},
    {"store", "sm_registers", "out-of-bounds global store"},
    // Copies.
    {"copy_from", "own", nullptr},
    {"copy_from", "victim", "read of 256 bytes by a copy of context 2 in memory of context 1"},
    {"copy_to", "own", nullptr},
    {"copy_to", "victim", "write of 256 bytes by a copy of context 2 in memory of context 1"},
    {"copy_in", "own", nullptr},
    {"copy_in", "victim", "write of 4 bytes by a copy of context 2 in memory of context 1"},
    {"copy_out", "own", nullptr},
    {"copy_out", "victim", "read of 4 bytes by a copy of context 2 in memory of context 1"},
    {"fill", "own", nullptr},
    {"fill", "victim", "write of 256 bytes by a copy of context 2 in memory of context 1"},
    // The host program: loads and stores of the CPU, and what the driver does for it.
    {"host_write", "own", nullptr},
    {"host_write", "victim", "host write of 4 bytes by context 2 in memory of context 1"},
    // Rings with packets, arguments and completion signals are the driver's.
    {"host_write", "driver", "host write of 4 bytes by context 2 in memory of the driver", kTables},
    {"host_write", "driver", "host write of 4 bytes by context 2 in memory of context 0", kOwners},
    {"copy_in", "driver", "write of 4 bytes by a copy of context 2 in memory of the driver", kTables},
    {"copy_in", "driver", "write of 4 bytes by a copy of context 2 in memory of context 0", kOwners},
    {"store", "driver", "by context 2 in memory of context 0", kOwners},
    {"host_read", "own", nullptr},
    {"host_read", "victim", "host read of 4 bytes by context 2 in memory of context 1"},
    {"doorbell", "own", nullptr},
    {"doorbell", "victim",
     "host write of 8 bytes by context 2 in the doorbell of queue 3, which is of context 1"},
    {"queue", "victim",
     "host write of 4 bytes by context 2 in the registers of queue 3, which is of context 1"},
    {"clock", "own", nullptr},
    {"free", "own", nullptr},
    {"free", "victim", "free of 1 bytes by context 2 in memory of context 1"},
    {"stream", "own", nullptr},
    {"stream", "victim", "use of context 1 by a process of context 2"},
    {"malloc", "own", nullptr},
    {"malloc", "victim", "use of context 1 by a process of context 2"},
    {"module", "own", nullptr},
    {"module", "victim", "use of context 1 by a process of context 2"},
    {"surface", "own", nullptr},
    {"surface", "victim", "surface of 1 bytes by context 2 in memory of context 1"},
};

struct HostileRun {
  Finished finished;
  nlohmann::json result;
};

HostileRun run(const std::string& hostile, const std::string& victim, const std::string& mode,
               const std::string& more = "") {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "run.yaml",
      fmt::format("platform: {{extends: small, mmu: {}{}}}\nworkload:\n  processes:\n"
                  "    - {{app: victim, params: {{{}}}}}\n    - {{app: hostile, params: {{{}}}}}\n"
                  "    - {{app: matmul, params: {{m: 32, n: 64}}}}\n",
                  mode, more, victim, hostile));
  HostileRun ran;
  ran.finished = run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
  if (std::filesystem::exists(scratch / "out/result.json"))
    ran.result = read_json(scratch / "out/result.json");
  return ran;
}

/// The victim and the bystander have finished and are right; the hostile one has faulted so, or (nullptr)
/// finished.
void expect_guilty_alone(const HostileRun& ran, const char* fault) {
  ASSERT_FALSE(ran.result.is_null()) << ran.finished.err;
  const auto& processes = ran.result["processes"];
  for (const unsigned innocent : {0u, 2u}) {
    EXPECT_EQ(processes[innocent]["state"], "finished") << processes[innocent]["name"];
    EXPECT_EQ(processes[innocent]["verified"], true)
        << processes[innocent]["name"] << ": " << ran.finished.err;
    EXPECT_EQ(processes[innocent]["fault"], "");
  }
  if (!fault) {
    EXPECT_EQ(ran.finished.status, 0) << ran.finished.err;
    EXPECT_EQ(processes[1]["state"], "finished");
    EXPECT_EQ(processes[1]["verified"], true) << ran.finished.err;
    return;
  }
  EXPECT_EQ(ran.finished.status, 3) << ran.finished.err;
  EXPECT_THAT(ran.finished.err, StartsWith("warpvp: process hostile: "));
  EXPECT_THAT(ran.finished.err, HasSubstr(fault));
  EXPECT_EQ(processes[1]["state"], "faulted");
  EXPECT_EQ(processes[1]["verified"], false);
  EXPECT_THAT(processes[1]["fault"].get<std::string>(), HasSubstr(fault));
  EXPECT_TRUE(processes[1]["turnaround_us"].is_null());
}

class Protection : public testing::TestWithParam<std::tuple<Cell, const char*>> {};

TEST_P(Protection, IsTheOwnersAlone) {
  const auto [cell, mode] = GetParam();
  expect_guilty_alone(run(fmt::format("way: {}, target: {}", cell.way, cell.target), "launches: 4", mode),
                      cell.fault);
}

std::vector<std::tuple<Cell, const char*>> matrix() {
  std::vector<std::tuple<Cell, const char*>> all;
  for (const Cell& cell : kCells) {
    if (cell.modes != kOwners) all.emplace_back(cell, "page_tables");
    if (cell.modes != kTables) all.emplace_back(cell, "none");
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Matrix, Protection, testing::ValuesIn(matrix()), [](const auto& info) {
  const Cell& cell = std::get<0>(info.param);
  return fmt::format("{}_{}_{}", cell.way, cell.target, std::get<1>(info.param));
});

class Stale : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Modes, Stale, testing::Values("page_tables", "none"),
                         [](const auto& info) { return std::string(info.param); });

// TLBs, the shared one, and what the walker knows of tables have the page; so have L1 and L2.
TEST_P(Stale, MemoryThatWasFreedIsNotReached) {
  expect_guilty_alone(run("way: frees_first, target: own", "reuses: true, launches: 2", GetParam()), nullptr);
  expect_guilty_alone(run("way: frees_first, target: nobody", "reuses: true, launches: 2", GetParam()),
                      "out-of-bounds global load of 4 bytes");
}

TEST_P(Stale, MemoryThatAnotherHasGotIsNotReached) {
  expect_guilty_alone(run("way: frees_first, target: reused", "reuses: true, launches: 2", GetParam()),
                      kForeign);
}

// The new owner of pages finds none of the values of the one before.
TEST_P(Stale, ValuesOfAnotherContextAreGone) {
  expect_guilty_alone(run("way: successor", "launches: 2", GetParam()), nullptr);
}

}  // namespace
}  // namespace warpvp::test
