// docs/configuration.md says what the program says: every section and every row of the page is as `describe
// --markdown` prints it. What the program has beyond the page may come from a file that was added to the
// tree, a policy say, so it is no error: parts that the page does not list, and further names in a list of
// allowed names.

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// The lines of each section, by its headings from the outermost on ("Parts to choose
/// from/dram_channel/...").
std::map<std::string, std::vector<std::string>> sections_of(const std::string& page) {
  std::map<std::string, std::vector<std::string>> sections;
  std::vector<std::string> path;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t depth = line.find_first_not_of('#');
    if (depth != 0 && depth != std::string::npos && line[depth] == ' ') {
      path.resize(depth - 1);
      path.push_back(line.substr(depth + 1));
    }
    std::string key;
    for (const std::string& heading : path) key += "/" + heading;
    sections[key].push_back(line);
  }
  return sections;
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + separator.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

/// Whether a row of the page is the program's, or the program's with further names in its list of allowed
/// ones.
bool same_but_for_further_names(const std::string& page, const std::string& program) {
  const auto ours = split(page, " | "), theirs = split(program, " | ");
  if (ours.size() != theirs.size()) return false;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    const std::size_t colon = ours[i].find(": ");
    if (colon == std::string::npos || ours[i].compare(0, colon + 2, theirs[i], 0, colon + 2) != 0)
      return false;
    const auto names = split(theirs[i].substr(colon + 2), ", ");
    const std::set<std::string> there(names.begin(), names.end());
    for (const std::string& name : split(ours[i].substr(colon + 2), ", "))
      if (!there.count(name)) return false;
  }
  return true;
}

const char* const kRemedy = "run: build/release/warpvp describe --markdown > docs/configuration.md";

TEST(ConfigurationPage, IsWhatTheProgramSays) {
  const Finished run = run_program({"describe", "--markdown"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto program = sections_of(run.out);
  const auto page = sections_of(read_text(std::string(WARPVP_SOURCE) + "/docs/configuration.md"));
  ASSERT_GT(page.size(), 100u);
  for (const auto& [heading, lines] : page) {
    const auto found = program.find(heading);
    ASSERT_NE(found, program.end()) << "the program has no " << heading << "; " << kRemedy;
    ASSERT_EQ(lines.size(), found->second.size()) << heading << "; " << kRemedy;
    for (std::size_t i = 0; i < lines.size(); ++i)
      ASSERT_TRUE(lines[i] == found->second[i] || same_but_for_further_names(lines[i], found->second[i]))
          << lines[i] << "\n"
          << found->second[i] << "\n"
          << heading << "; " << kRemedy;
  }
  for (const auto& [heading, lines] : program) {
    if (page.count(heading)) continue;
    EXPECT_NE(heading.find("/Parts to choose from/"), std::string::npos)
        << "the page lacks " << heading << "; " << kRemedy;
    std::cout << "not on the page: " << heading << "\n";
  }
}

TEST(ConfigurationPage, ToleratesFurtherNamesOnly) {
  const std::string row =
      "| `scheduler` | `fr_fcfs` |  | a dram_scheduler: fcfs, fr_fcfs | Which command goes next. |";
  EXPECT_TRUE(same_but_for_further_names(
      row,
      "| `scheduler` | `fr_fcfs` |  | a dram_scheduler: atlas, fcfs, fr_fcfs | Which command goes next. |"));
  EXPECT_FALSE(same_but_for_further_names(
      row, "| `scheduler` | `fr_fcfs` |  | a dram_scheduler: atlas, fr_fcfs | Which command goes next. |"));
  EXPECT_FALSE(same_but_for_further_names(
      row, "| `scheduler` | `fcfs` |  | a dram_scheduler: fcfs, fr_fcfs | Which command goes next. |"));
  EXPECT_FALSE(same_but_for_further_names(
      row, "| `scheduler` | `fr_fcfs` |  | a dram_scheduler: fcfs, fr_fcfs | Which command is next. |"));
}

// Every registered part, wherever it comes from, can be described.
TEST(ConfigurationPage, EveryPartThatListShowsIsDescribed) {
  const Finished list = run_program({"list", "policies"});
  ASSERT_EQ(list.status, 0) << list.err;
  const Finished page = run_program({"describe", "--markdown"});
  std::istringstream lines(list.out);
  unsigned parts = 0;
  std::string kind;
  bool at_kind = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      at_kind = true;
      continue;
    }
    if (line[0] == '-') continue;
    const std::string name = line.substr(0, line.find(' '));
    if (at_kind) {
      kind = name;
      at_kind = false;
      EXPECT_NE(page.out.find("\n### " + kind + "\n"), std::string::npos) << kind;
      continue;
    }
    ++parts;
    EXPECT_NE(page.out.find("\n#### `" + name + "`\n"), std::string::npos) << kind << " " << name;
  }
  EXPECT_GT(parts, 40u);
}

/// docs/ptx.md names the platforms that lower PTX to machine code; the others keep the text's instructions.
TEST(PtxPage, NamesThePlatformsWithMachineCode) {
  const std::string page = read_text(std::string(WARPVP_SOURCE) + "/docs/ptx.md");
  const std::size_t begin = page.find("Of the shipped platforms `machine` is what");
  ASSERT_NE(begin, std::string::npos);
  const std::string sentence = page.substr(begin, page.find(" have", begin) - begin);
  std::size_t platforms = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(WARPVP_SOURCE) + "/configs/platforms")) {
    if (entry.path().extension() != ".yaml") continue;
    ++platforms;
    const std::string name = entry.path().stem().string();
    const Finished config = run_program({"config", name});
    ASSERT_EQ(config.status, 0) << config.err;
    const bool machine = config.out.find("\nptx:\n  code: machine\n") != std::string::npos;
    EXPECT_NE(machine, config.out.find("\nptx:\n  code: ptx\n") != std::string::npos) << name;
    EXPECT_EQ(sentence.find("`" + name + "`") != std::string::npos, machine) << name;
  }
  EXPECT_GT(platforms, 5u);
}

}  // namespace
}  // namespace warpvp::test
