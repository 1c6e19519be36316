// Every transaction of a run is accounted for: whoever sent it, one that is never answered is a deadlock that
// names its link, and an answer that is an error is a fault; neither run is "verified".

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guards/meddler.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

class MeddlerType final : public LinkMonitorType {
 public:
  explicit MeddlerType(MeddlerConfig config) : config_(std::move(config)) {}
  std::unique_ptr<LinkMonitor> build(const char* name, const LinkPlace&) override {
    return std::make_unique<Meddler>(name, config_);
  }

 private:
  MeddlerConfig config_;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(LinkMonitorType, MeddlerType, MeddlerConfig, "meddler",
                                   "Answers with an error, late or never.");

struct UnansweredCase {
  const char* name;
  const char* links;
  const char* commands;
  const char* named = "";  ///< the link in the message; empty: as `links`
  const char* platform = "";
};

// An L2 of which a kernel's stores throw lines out.
constexpr const char* kSmallL2 = ", l2: {type: cache, bank_kib: 4, associativity: 4}";

std::string run_file(const UnansweredCase& c, const std::string& mode) {
  return std::string("platform: {extends: small") + c.platform +
         "}\nworkload: {app: vector_add}\nlimits: {progress_us: 8000}\nmonitors: [{links: '" + c.links +
         "', monitor: {name: meddler, mode: " + mode + ", commands: " + c.commands + "}}]\n";
}

RunOutcome run_with(const UnansweredCase& c, const std::string& mode) {
  const Folder folder;
  return run_yaml(folder, run_file(c, mode));
}

class Unanswered : public ::testing::TestWithParam<UnansweredCase> {};

TEST_P(Unanswered, IsADeadlockThatNamesTheLink) {
  const RunOutcome run = run_with(GetParam(), "silent");
  EXPECT_EQ(run.status, 3) << run.err;
  const std::string named = *GetParam().named ? GetParam().named : GetParam().links;
  EXPECT_NE(run.err.find("link " + named), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("unanswered for"), std::string::npos) << run.err;
  EXPECT_FALSE(run.result["verified"]);
}

TEST_P(Unanswered, RequestThatIsNeverTakenIsOneToo) {
  const RunOutcome run = run_with(GetParam(), "withhold");
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_NE(run.err.find("unanswered for"), std::string::npos) << run.err;
  EXPECT_FALSE(run.result["verified"]);
}

TEST_P(Unanswered, ErrorIsAFault) {
  const RunOutcome run = run_with(GetParam(), "error");
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_FALSE(run.result["verified"]);
}

INSTANTIATE_TEST_SUITE_P(
    Initiators, Unanswered,
    ::testing::Values(
        UnansweredCase{"L1Reads", "sm_0", "read"}, UnansweredCase{"L1Writes", "sm_0", "write"},
        UnansweredCase{"CrossbarReads", "l2_0", "read"}, UnansweredCase{"CrossbarWrites", "l2_0", "write"},
        UnansweredCase{"Fills", "dram_0", "read"},
        UnansweredCase{"WriteBacks", "dram_*", "write", "dram_", kSmallL2},
        UnansweredCase{"CopyReads", "dma_0", "read"}, UnansweredCase{"CopyWrites", "dma_0", "write"},
        UnansweredCase{"HubReads", "hub", "read"}, UnansweredCase{"HubWrites", "hub", "write"},
        UnansweredCase{"PacketReads", "hub_processor", "read"},
        UnansweredCase{"Signals", "hub_processor", "write"}, UnansweredCase{"Host", "pcie_host", "any"},
        UnansweredCase{"HostAtTheHub", "hub_host", "any"},
        UnansweredCase{"Walks", "page_tables", "read", "", ", mmu: page_tables"}),
    [](const auto& info) { return info.param.name; });

/// A process simulates once: another one does this.
nlohmann::json result_of_another_process(const std::string& yaml) {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    run_yaml(folder, yaml);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return nlohmann::json::parse(folder.read("out/result.json"));
}

TEST(Answered, LateIsAsGoodAsEver) {
  const UnansweredCase write_backs{"", "dram_*", "write", "", kSmallL2};
  const nlohmann::json usual = result_of_another_process(run_file(write_backs, "soon"));
  EXPECT_TRUE(usual["verified"]);
  const RunOutcome late = run_with(write_backs, "late");
  EXPECT_EQ(late.status, 0) << late.err;
  EXPECT_TRUE(late.result["verified"]);
  EXPECT_EQ(late.result["simulation"], usual["simulation"]);
  EXPECT_EQ(late.result["l2"], usual["l2"]);
}

}  // namespace
}  // namespace warpvp::test
