// Monitors as a run asks for them: the protocol checker's finding survives whatever follows it, and the
// recorder writes what went over a link.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

Finished run_vector_add(const ScratchFolder& scratch, std::vector<std::string> settings) {
  settings.push_back("workload.params.count=150000");
  return run_app("small", "vector_add", scratch / "run", settings);
}

/// One number that a query on a database gives.
std::int64_t ask(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << sql;
  const std::int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return value;
}

class AfterAViolation : public ::testing::TestWithParam<std::string> {};

TEST_P(AfterAViolation, TheRunEndsThereAndNamesRuleLinkAndTime) {
  const ScratchFolder scratch;
  const Finished run = run_vector_add(
      scratch, {"platform.check_protocol=true", "platform.dram={name: faulty, then: " + GetParam() + "}"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("violation of the TLM base protocol on link dram_"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(": phase out of order at address 0x"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(" ns: "), std::string::npos) << run.err;
  const nlohmann::json result = read_json(scratch / "run/result.json");
  EXPECT_EQ(result["exit_code"], 3);
  EXPECT_NE(result["message"].get<std::string>().find("on link dram_"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Whatever, AfterAViolation, ::testing::Values("hangs", "aborts", "throws"),
                         [](const auto& info) { return info.param; });

// The program counts what it asked the links for; the recorder must have seen the same.
TEST(TransactionRecorder, HasOneRowForEachTransactionOfALink) {
  const ScratchFolder scratch;
  const Finished run = run_vector_add(
      scratch,
      {"monitors=[{links: 'l2_* dram_*', monitor: transaction_recorder}, {links: 'sm_0', monitor: {name: "
       "transaction_recorder, file: sm.db}}]"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto db = scratch / "run/transactions.db";
  const nlohmann::json result = read_json(scratch / "run/result.json");
  const std::string at = "SELECT count(*) FROM transactions JOIN links USING (link_id) WHERE name GLOB ";
  EXPECT_EQ(ask(db, at + "'l2_*'"), result["l2"]["accesses"].get<std::int64_t>());
  EXPECT_EQ(ask(db, at + "'dram_*' AND command = 'read'"), result["dram"]["reads"].get<std::int64_t>());
  EXPECT_EQ(ask(db,
                "SELECT sum(bytes) FROM transactions JOIN links USING (link_id) WHERE name GLOB 'dram_*' "
                "AND command = 'read'"),
            result["dram"]["read_bytes"].get<std::int64_t>());
  EXPECT_EQ(ask(db,
                "SELECT count(*) FROM transactions WHERE NOT (begin_ps <= request_end_ps AND request_end_ps "
                "<= response_begin_ps AND response_begin_ps <= end_ps)"),
            0);
  EXPECT_EQ(ask(db, "SELECT count(*) FROM transactions WHERE status <> 'TLM_OK_RESPONSE'"), 0);
  EXPECT_EQ(ask(db, "SELECT count(*) FROM left_out"), 0);
  EXPECT_GT(ask(scratch / "run/sm.db", at + "'sm_0'"), 0);
  EXPECT_EQ(ask(scratch / "run/sm.db", "SELECT count(*) FROM transactions WHERE sm <> 0"), 0);
}

// The table of docs/swapping-a-module.md.
TEST(Monitors, EveryKindOfLinkHasItsNameAndSeesTraffic) {
  const ScratchFolder scratch;
  const std::vector<std::string> names{
      "sm_0",  "l2_0",     "dram_0",        "pcie_host",   "pcie_dma_0",    "pcie_command_processor", "hub",
      "dma_0", "hub_host", "hub_processor", "bus_to_sm_0", "bus_from_sm_0", "pcie_host_memory"};
  std::string links;
  for (const std::string& name : names) links += name + " ";
  ASSERT_EQ(
      run_vector_add(scratch, {"monitors=[{links: '" + links + "', monitor: transaction_recorder}]"}).status,
      0);
  for (const std::string& name : names)
    EXPECT_GT(ask(scratch / "run/transactions.db",
                  "SELECT count(*) FROM transactions JOIN links USING (link_id) WHERE name = '" + name + "'"),
              0)
        << name;
}

TEST(TransactionRecorder, StopsAtItsLimitAndCountsWhatItLeftOut) {
  const ScratchFolder scratch;
  ASSERT_EQ(
      run_vector_add(scratch, {"monitors=[{links: 'l2_* bus_* pcie_*', monitor: {name: transaction_recorder, "
                               "limit: 10}}]"})
          .status,
      0);
  const auto db = scratch / "run/transactions.db";
  EXPECT_EQ(ask(db, "SELECT count(*) FROM transactions"), 10);
  EXPECT_GT(ask(db, "SELECT transactions FROM left_out"), 1000);
}

TEST(Monitors, DoNotChangeTheResult) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_vector_add(scratch, {}).status, 0);
  const nlohmann::json alone = read_json(scratch / "run/result.json");
  ASSERT_EQ(
      run_vector_add(scratch, {"monitors=[{monitor: protocol_checker}, {monitor: transaction_recorder}]"})
          .status,
      0);
  const nlohmann::json watched = read_json(scratch / "run/result.json");
  for (const char* key : {"simulation", "kernels", "sms", "noc", "l2", "dram", "control"})
    EXPECT_EQ(alone[key], watched[key]) << key;
}

struct Mistake {
  const char* monitors;
  const char* message;
};
class WrongMonitors : public ::testing::TestWithParam<Mistake> {};

TEST_P(WrongMonitors, EndWithTwoAndOneLine) {
  const ScratchFolder scratch;
  const Finished run = run_vector_add(scratch, {std::string("monitors=") + GetParam().monitors});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find(GetParam().message), std::string::npos) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongMonitors,
    ::testing::Values(
        Mistake{"[{links: 'sm_1 dram_99', monitor: protocol_checker}]",
                "no link is called 'dram_99'; allowed: l2_N, "},
        Mistake{"[{links: ' ', monitor: protocol_checker}]", "'monitors.0.links': no link is named"},
        Mistake{"[{monitor: protocol_cheker}]", "did you mean 'protocol_checker'?"},
        Mistake{"[{monitor: {name: transaction_recorder, file: result.json}}]", "not result.json"},
        Mistake{"[{monitor: {name: transaction_recorder, file: ../x.db}}]",
                "must be a file name without folders"}));

}  // namespace
}  // namespace warpvp::test
