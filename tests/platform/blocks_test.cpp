// Every block of the platform is chosen by name: whatever the type, results are right and the links keep the
// protocol; an unknown type is an input error; fields that the types share stay when the type changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Kind in the registry, key in the platform.
struct Block {
  const char *kind, *key;
};
const Block kBlocks[] = {{"sm", "sm"},
                         {"crossbar", "crossbar"},
                         {"l2", "l2"},
                         {"dram_channel", "dram"},
                         {"work_distributor", "work_distributor"},
                         {"command_processor", "command_processor"},
                         {"dma_engine", "dma"},
                         {"pcie_link", "pcie"},
                         {"host", "host"}};

/// The registered types of a kind, as the message about an unknown one lists them.
std::vector<std::string> types_of(const Block& block, const ScratchFolder& scratch) {
  const Finished run =
      run_app("small", "vector_add", scratch / "none", {std::string("platform.") + block.key + "=nobody"});
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr(std::string("'platform.") + block.key + "' is 'nobody', an unknown " +
                                 block.kind + "; allowed: "));
  std::string list = run.err.substr(run.err.find("allowed: ") + 9);
  list = list.substr(0, list.find_first_of(";\n"));
  std::vector<std::string> types;
  std::istringstream words(list);
  for (std::string word; words >> word;) types.push_back(word.substr(0, word.find(',')));
  return types;
}

class EveryBlock : public testing::TestWithParam<Block> {};

TEST_P(EveryBlock, RunsRightUnderEachOfItsTypes) {
  const ScratchFolder scratch;
  const std::vector<std::string> types = types_of(GetParam(), scratch);
  ASSERT_FALSE(types.empty());
  for (const std::string& type : types) {
    for (const char* key : {"", ".type"}) {  // a word, or a word for the type alone
      SCOPED_TRACE(type + key);
      std::vector<std::string> settings = {std::string("platform.") + GetParam().key + key + "=" + type,
                                           "platform.check_protocol=true"};
      // SMs that replay profiles need some, and leave no results that could be right.
      const bool replays = std::string(GetParam().key) == "sm" && type == "profile";
      if (replays)
        settings.push_back(
            "platform.sm.profiles=" +
            scratch.file("profiles.yaml",
                         "kernels: {matmul: {threads: 256, cta_us: 2, memory_bytes: 4096}}\n"));
      const Finished run = run_app("small", "matmul", scratch / "out", settings);
      if (type == "vfio_user") {  // its programs come from outside, through a socket
        EXPECT_EQ(run.status, 2);
        EXPECT_THAT(run.err, HasSubstr("warpvp serve FILE --socket PATH"));
        continue;
      }
      EXPECT_EQ(run.status, 0) << run.err;
      const auto result = read_json(scratch / "out/result.json");
      EXPECT_EQ(result["verified"].get<bool>(), !replays);
      EXPECT_EQ(result["config"]["platform"][GetParam().key]["type"], type);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Platform, EveryBlock, testing::ValuesIn(kBlocks),
                         [](const auto& info) { return info.param.key; });

TEST(Blocks, APerfectL2LeavesDramAlone) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_app("small", "vector_add", scratch / "out", {"platform.l2=perfect"}).status, 0);
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_EQ(result["dram"]["reads"].get<int>() + result["dram"]["writes"].get<int>(), 0);
  EXPECT_GT(result["l2"]["accesses"].get<int>(), 0);
  EXPECT_EQ(result["l2"]["hits"], result["l2"]["accesses"]);
}

TEST(Blocks, AnIdealCrossbarMakesNobodyWait) {
  const ScratchFolder scratch;
  std::uint64_t cycles[2];
  for (const bool ideal : {false, true}) {
    std::vector<std::string> settings;
    if (ideal) settings.push_back("platform.crossbar=ideal");
    ASSERT_EQ(run_app("small", "saxpy", scratch / "out", settings).status, 0);
    const auto result = read_json(scratch / "out/result.json");
    cycles[ideal] = result["simulation"]["kernel_cycles"];
    EXPECT_EQ(result["noc"]["reply"]["queueing_cycles"] == 0, ideal);
  }
  EXPECT_LT(cycles[1], cycles[0]);
}

std::string config_of(const std::vector<std::string>& settings) {
  std::vector<std::string> words = {"config", "run.yaml"};
  const ScratchFolder scratch;
  words[1] = scratch.file("run.yaml", "platform: titan_v\nworkload: vector_add\n");
  for (const std::string& s : settings) {
    words.push_back("--set");
    words.push_back(s);
  }
  const Finished run = run_program(words);
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

TEST(Blocks, FieldsThatTypesShareStayWhenTheTypeChanges) {
  // titan_v sets clock_mhz, line_bytes and latency_cycles of the L2; the perfect one has no associativity.
  for (const char* change : {"platform.l2=perfect", "platform.l2.type=perfect", "platform.l2.name=perfect"}) {
    SCOPED_TRACE(change);
    const std::string l2 = config_of({"platform.l2.clock_mhz=1111", change});
    EXPECT_THAT(
        l2, HasSubstr("type: perfect\n    clock_mhz: 1111\n    line_bytes: 128\n    latency_cycles: 181\n"));
    EXPECT_THAT(l2, Not(HasSubstr("mshr_merges: 4\n    request_queue")));
  }
  // The platform's own fields stay for every type.
  EXPECT_THAT(config_of({"platform.crossbar=ideal"}), HasSubstr("type: ideal\n    clock_mhz: 1200\n"));
  // And what is written for the new type counts.
  EXPECT_THAT(config_of({"platform.l2=perfect", "platform.l2.latency_cycles=7"}),
              HasSubstr("latency_cycles: 7\n"));
}

TEST(Blocks, AFieldOfAnotherTypeIsAMistake) {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "run.yaml",
      "platform:\n  extends: small\n  l2: {type: perfect, associativity: 8}\nworkload: vector_add\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("run.yaml:3:23: unknown key 'associativity' in 'platform.l2'"));
  EXPECT_THAT(run.err, HasSubstr("allowed: type, clock_mhz, line_bytes, latency_cycles"));
}

TEST(Blocks, NameIsUnderstoodForType) {
  const ScratchFolder scratch;
  const std::string both = scratch.file(
      "run.yaml", "platform:\n  extends: small\n  l2: {type: perfect, name: cache}\nworkload: vector_add\n");
  const Finished run = run_program({"run", both, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("'platform.l2' has both 'name' and 'type'"));
}

}  // namespace
}  // namespace warpvp::test
