// Every key of result.json is declared with a unit and a sentence: what real runs write is looked up in the
// reference, and docs/statistics.md is compared with what the program prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "platform/run/run.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Every key of a result with a value that it has, without list indices. `config` has a reference of its own.
void keys_of(const nlohmann::json& value, const std::string& path,
             std::map<std::string, nlohmann::json>& keys) {
  if (!path.empty()) keys[path] = value;
  if (path == "config") return;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      keys_of(member, path.empty() ? key : path + "." + key, keys);
  } else if (value.is_array()) {
    for (const auto& item : value)
      if (item.is_object()) keys_of(item, path, keys);
  }
}

struct Case {
  const char* name;
  const char* yaml;
  int status;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"small", "platform: small\nworkload: {app: pair}\n", 0},
    {"remark", "platform: small\nworkload: many_streams\n", 0},
    {"measured", "platform: small\nworkload: chase_l1\n", 0},
    {"titan_v", "platform: {extends: titan_v, sms: 2}\nworkload: matmul\n", 0},
    {"vortex", "platform: vortex_sm\nworkload: {app: vector_add}\n", 0},
    {"ccbp", "platform: {extends: ccbp_gpu, sms: 2}\nworkload: histogram\n", 0},
    {"coordinated",
     "platform: {extends: small, sm: {frontend: {mode: coordinated, fetch_width: 1}, oracle: true}}\n"
     "workload: {app: vector_add}\n",
     0},
    {"hardware",
     "platform: {extends: small, command_processor: {type: hardware}, dram: {type: fixed_latency}}\n"
     "workload: {app: vector_add}\n",
     0},
    {"native",
     "platform: {extends: small, command_processor: {type: native}, crossbar: {type: ideal}}\n"
     "workload: {app: vector_add}\n",
     0},
    {"riscv_checked",
     "platform: {extends: small, command_processor: {type: riscv, core: {checks: true}}}\n"
     "workload: {app: vector_add}\nprofile: true\n",
     0},
    {"isolated",
     "platform: {extends: small, l2: {type: perfect}, sm: {memory: {model: isolated}}}\n"
     "workload: {app: vector_add}\n",
     0},
    {"qv100", "platform: {extends: qv100, sms: 2}\nworkload: walsh\n", 0},
    {"textures", "platform: small\nworkload: texture\n", 0},
    {"launch_list", "platform: small\nworkload: list_two_streams\n", 0},
    {"two_kernels", "platform: {extends: titan_v, sms: 1}\nworkload: scan\n", 0},
    {"instructions",
     "platform: {extends: vortex_sm, sm: {memory: {instruction_cache: {prefetch_lines: 2}}}}\nworkload: "
     "{app: "
     "divergence}\n",
     0},
    {"energy",
     "platform: {extends: titan_x_pascal, sms: 2}\nworkload: vector_add\nenergy: {table: " WARPVP_SOURCE
     "/configs/energy/gtx1080ti_gpuwattch.yaml}\n",
     0},
    {"redundancy", "platform: small\nworkload: matmul\noutput: {redundancy: true}\n", 0},
    {"deadlock", "platform: small\nworkload: fault_deadlock\n", 3},
};

class StatisticsReference : public testing::TestWithParam<Case> {};

TEST_P(StatisticsReference, HasEveryKeyOfARun) {
  const ScratchFolder folder;
  const Finished run =
      run_program({"run", folder.file("run.yaml", GetParam().yaml), "--quiet", "--out", folder / "out"});
  ASSERT_EQ(run.status, GetParam().status) << run.err;
  std::map<std::string, nlohmann::json> keys;
  keys_of(read_json(folder / "out/result.json"), "", keys);
  ASSERT_GT(keys.size(), 200u);
  const ResultReference reference = result_reference();
  for (const auto& [key, value] : keys) {
    // The whole path, not the end of another one.
    const ResultKey* declared = nullptr;
    for (const ResultKey* found : reference.find(key))
      if (std::count(found->path.begin(), found->path.end(), '.') == std::count(key.begin(), key.end(), '.'))
        declared = found;
    ASSERT_NE(declared, nullptr) << key << " is not in the reference";
    using Kind = ResultKey::Kind;
    const bool group = declared->kind == Kind::kGroup, list = declared->kind == Kind::kList;
    EXPECT_EQ(value.is_object() && !list, group) << key;
    EXPECT_EQ(value.is_string(), declared->kind == Kind::kText) << key;
    EXPECT_EQ(value.is_boolean(), declared->kind == Kind::kFlag) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, StatisticsReference, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// What a quantity is counted in, and one or more whole sentences.
TEST(StatisticsReference, HasAUnitAndASentenceForEveryKey) {
  const ResultReference reference = result_reference();
  EXPECT_GT(reference.keys().size(), 300u);
  for (const ResultKey& key : reference.keys()) {
    EXPECT_EQ(key.kind == ResultKey::Kind::kQuantity, !key.unit.empty()) << key.path;
    EXPECT_THAT(key.doc, testing::MatchesRegex("[A-Z].*\\.")) << key.path;
    EXPECT_EQ(key.doc.find('|'), std::string::npos) << key.path << " is a row of a table";
  }
}

// Sums over like parts hold their amounts too, such as the time that copy engines were busy: no key of the
// reference is missing from a run for that. Of a run that has all the parts, only what depends on something
// else is not there.
TEST(StatisticsReference, HasNoKeyThatARunOfAllPartsLacks) {
  const ScratchFolder folder;
  const Finished run = run_app("small", "pair", folder / "out", {});
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json result = read_json(folder / "out/result.json");
  std::map<std::string, nlohmann::json> keys;
  keys_of(result, "", keys);
  const ResultReference reference = result_reference();
  for (const ResultKey& key : reference.keys()) {
    if (key.only.empty()) {
      EXPECT_TRUE(keys.count(key.path)) << key.path;
    }
  }
  const double copies = result["control"]["dma"]["busy_us"], all = result["simulation"]["time_us"];
  EXPECT_GT(copies, 0);
  EXPECT_LT(copies, 2 * all) << "two engines";
}

TEST(StatisticsReference, SaysWhenAKeyIsThere) {
  const ResultReference reference = result_reference();
  const auto only = [&](const char* key) {
    const auto found = reference.find(key);
    return found.size() == 1 ? found[0]->only : "found " + std::to_string(found.size());
  };
  EXPECT_EQ(only("remark"), "when the app has something to say");
  EXPECT_EQ(only("simulation.scheduling.errors"), "with `platform.sm.oracle`");
  EXPECT_EQ(only("kernels.ipc"), "when the kernel has ended");
  EXPECT_EQ(only("l2.stall_cycles"), "with `platform.l2.type: cache`");
  EXPECT_EQ(only("l2.accesses"), "") << "of all types";
  EXPECT_EQ(only("dram.row_hits"), "with `platform.dram.type: controller`");
  EXPECT_EQ(only("control.command_processor.core.sleeping"),
            "with `platform.command_processor.type: assisted` or `native` or `riscv`");
  EXPECT_THAT(only("stack_bytes"), HasSubstr("`platform.command_processor.core.checks`"));
  EXPECT_THAT(only("miss_queue.peak_entries"), HasSubstr("`platform.sm.memory.l1.miss_queue: fifo`"));
  EXPECT_EQ(only("simulation.nops"), "");
}

/// The rows of each section of the page, by key.
std::map<std::string, std::string> rows_of(const std::string& page) {
  std::map<std::string, std::string> rows;
  std::istringstream lines(page);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("## ", 0) == 0) section = line;
    const std::string key = line.rfind("| `", 0) == 0 ? line.substr(0, line.find("` |")) : line;
    rows[section + "\n" + key] = line;
  }
  return rows;
}

// A type of block that was added to the tree may have statistics of its own, which are no error: rows and
// sections beyond the page's are allowed if they say which type has them.
TEST(StatisticsPage, IsWhatTheProgramSays) {
  const char* remedy = "; run: build/release/warpvp describe result --markdown > docs/statistics.md";
  const Finished run = run_program({"describe", "result", "--markdown"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string page = read_text(std::string(WARPVP_SOURCE) + "/docs/statistics.md");
  if (run.out == page) return;
  const auto program_rows = rows_of(run.out), page_rows = rows_of(page);
  const auto without_types = [](const std::string& row) {
    return row.substr(0, row.find(" Only with `platform."));
  };
  for (const auto& [key, row] : page_rows) {
    const auto found = program_rows.find(key);
    ASSERT_NE(found, program_rows.end()) << "the program has no " << row << remedy;
    EXPECT_EQ(without_types(row), without_types(found->second)) << remedy;
  }
  std::set<std::string> added;  // sections that one type has
  for (const auto& [key, row] : program_rows)
    if (!page_rows.count(key) && row.find(" Only with `platform.") != std::string::npos)
      added.insert(key.substr(0, key.find('\n')));
  for (const auto& [key, row] : program_rows)
    EXPECT_TRUE(page_rows.count(key) || added.count(key.substr(0, key.find('\n'))))
        << "the page lacks " << row << remedy;
}

TEST(StatisticsPage, ProgramDescribesOneKey) {
  const Finished one = run_program({"describe", "result", "kernels.l1.l1_hits"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(
      one.out,
      "# `kernels.l1.l1_hits`\n\nUnit: transactions\n\nL1 accesses that found all their sectors valid.\n\n");
  const Finished all = run_program({"describe", "result", "l1_hits"});
  EXPECT_THAT(all.out, HasSubstr("# `kernels.l1.l1_hits`"));
  EXPECT_THAT(all.out, HasSubstr("# `sms.memory.l1_hits`"));
  const Finished wrong = run_program({"describe", "result", "kernels.l1.l1_hit"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'kernels.l1.l1_hits'?"));
}

}  // namespace
}  // namespace warpvp::test
