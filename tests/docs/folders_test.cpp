// Dependencies run one way (docs/architecture.md): which folder may include which, read from the sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// A source file and a file of the project that it includes, both relative to the project's folder.
struct Include {
  std::string from, what;
};

std::vector<Include> includes_below(const std::string& folder) {
  std::vector<Include> found;
  const fs::path root = WARPVP_SOURCE;
  static const std::regex line_of(R"re(\s*#include "([^"]+)".*)re");
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_match(line, match, line_of))
        found.push_back({fs::relative(entry.path(), root).string(), match[1]});
    }
  }
  return found;
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// What stands between backquotes in the item `- NAME: ...` of a folder's README.md, without what is in
/// brackets.
std::vector<std::string> item(const std::string& readme, const std::string& name) {
  std::string text = readme + "\n- ";
  const std::size_t begin = text.find("\n- " + name + ":");
  if (begin == std::string::npos) return {};
  text = text.substr(begin, text.find("\n- ", begin + 1) - begin);
  text = std::regex_replace(text, std::regex(R"(\([^)]*\))"), "");
  return matches(text, std::regex("`([^`]+)`"));
}

/// Folders at the top that git keeps, but hidden ones.
std::vector<std::string> top_folders() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(WARPVP_SOURCE)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name[0] != '.' && name != "build" && name != "runs" && name != "node_modules")
      found.push_back(name);
  }
  return found;
}

TEST(Folders, EachSaysOnAScreenWhatLivesThere) {
  for (const std::string& folder : top_folders()) {
    const std::string readme = text_of(fs::path(WARPVP_SOURCE) / folder / "README.md");
    EXPECT_FALSE(readme.empty()) << folder << " has no README.md";
    EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 40) << folder;
    for (const std::string& file : item(readme, "Begin with"))
      EXPECT_TRUE(fs::exists(fs::path(WARPVP_SOURCE) / folder / file))
          << folder << "/README.md names " << file;
    for (const std::string& tests : item(readme, "Tests"))
      EXPECT_TRUE(fs::is_directory(fs::path(WARPVP_SOURCE) / tests))
          << folder << "/README.md names " << tests;
  }
}

// "May use" is what the sources keep to, and no more than they use.
TEST(Folders, KnowOnlyThoseThatTheySay) {
  const std::vector<std::string> tops = top_folders();
  for (const std::string& folder : tops) {
    const std::string readme = text_of(fs::path(WARPVP_SOURCE) / folder / "README.md");
    if (readme.find("- May use:") == std::string::npos) continue;
    const std::vector<std::string> list = item(readme, "May use");
    const std::set<std::string> may(list.begin(), list.end());
    std::set<std::string> used;
    for (const Include& include : includes_below(folder)) {
      const std::string other = include.what.substr(0, include.what.find('/'));
      if (other == include.what || other == folder ||
          std::find(tops.begin(), tops.end(), other) == tops.end())
        continue;
      used.insert(other);
      EXPECT_TRUE(may.count(other) != 0) << include.from << " includes " << include.what;
    }
    EXPECT_EQ(used, may) << folder << "/README.md";
  }
}

TEST(Folders, NameTheTargetsThatTheyBuild) {
  const std::regex declared(R"((?:warpvp_library|warpvp_module|add_library|add_executable)\((\w+))");
  for (const std::string& folder : top_folders()) {
    const std::string readme = text_of(fs::path(WARPVP_SOURCE) / folder / "README.md");
    if (readme.find("- Targets:") == std::string::npos) continue;
    std::set<std::string> targets;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPVP_SOURCE) / folder))
      if (entry.path().filename() == "CMakeLists.txt")
        for (const std::string& target : matches(text_of(entry.path()), declared)) targets.insert(target);
    const std::vector<std::string> named = item(readme, "Targets");
    EXPECT_EQ(std::set<std::string>(named.begin(), named.end()), targets) << folder << "/README.md";
  }
}

TEST(Folders, TheRuntimeKnowsNoHardware) {
  for (const Include& include : includes_below("sw/runtime"))
    EXPECT_FALSE(starts_with(include.what, "modules/") || starts_with(include.what, "sw/apps/"))
        << include.from << " includes " << include.what;
}

TEST(Folders, AModuleKnowsNoOtherModuleAndOnlyTheSmKnowsPtx) {
  // A type that stands in a folder of its own knows the face that it implements.
  const std::set<std::pair<std::string, std::string>> faces = {
      {"modules/vfio_user", "modules/host/endpoint_registers.h"},
      {"modules/vfio_user", "modules/host/threaded_host.h"},
      {"modules/sm_functional", "modules/sm/functional_ctas.h"},
      {"modules/sm_functional", "modules/sm/config.h"},  // sources of instructions are made with it
      {"modules/sm_functional", "modules/sm/instruction_source.h"},
      {"modules/sm_functional", "modules/sm/sm.h"},
      {"modules/sm_functional", "modules/sm/sm_context.h"},
      {"modules/sm_functional", "modules/sm/sm_registers.h"},
      {"modules/sm_profile", "modules/sm/context_switch_config.h"},
      {"modules/sm_profile", "modules/sm/sm.h"},
      {"modules/sm_profile", "modules/sm/sm_registers.h"}};
  for (const Include& include : includes_below("modules")) {
    const std::string own = include.from.substr(0, include.from.find('/', sizeof "modules"));
    if (starts_with(include.what, "modules/")) {
      EXPECT_TRUE(starts_with(include.what, own + "/") || faces.count({own, include.what}) != 0)
          << include.from << " includes " << include.what;
    }
    EXPECT_FALSE(starts_with(include.what, "platform/") || starts_with(include.what, "predict/"))
        << include.from << " includes " << include.what;
    if (own != "modules/sm") {
      EXPECT_FALSE(starts_with(include.what, "ptx/")) << include.from << " includes " << include.what;
    }
  }
}

TEST(Folders, NoTwoRoomsIncludeEachOther) {
  for (const std::string module :
       {"modules/sm/", "modules/command_processor/", "platform/", "study/", "sw/"}) {
    std::set<std::pair<std::string, std::string>> edges;
    const auto room_of = [&](const std::string& file) {
      const std::string rest = file.substr(module.size());
      return rest.find('/') == std::string::npos ? "" : rest.substr(0, rest.find('/'));
    };
    for (const Include& include : includes_below(module)) {
      if (!starts_with(include.what, module)) continue;
      const std::string from = room_of(include.from), to = room_of(include.what);
      if (!from.empty() && !to.empty() && from != to) edges.insert({from, to});
    }
    EXPECT_FALSE(edges.empty());
    for (const auto& [from, to] : edges)
      EXPECT_EQ(edges.count({to, from}), 0u) << module << from << " and " << module << to;
  }
}

TEST(Folders, ThePlatformKnowsFacesOnly) {
  // The assembly itself; recorders and predictions look at `sm.type: cycle` on purpose.
  const std::set<std::string> concrete = {"modules/sm/streaming_multiprocessor.h",
                                          "interconnect/switched_crossbar.h",
                                          "interconnect/direct_crossbar.h",
                                          "modules/l2/cache_bank.h",
                                          "modules/l2/perfect_bank.h",
                                          "modules/dram/dram_controller.h",
                                          "modules/host/chunked_dma_engine.h",
                                          "modules/host/packet_link.h",
                                          "modules/host/threaded_host.h",
                                          "modules/work_distributor/status_register_distributor.h",
                                          "modules/command_processor/queued_command_processor.h"};
  for (const std::string& header : concrete)
    EXPECT_TRUE(fs::exists(fs::path(WARPVP_SOURCE) / header)) << header;
  for (const Include& include : includes_below("platform"))
    EXPECT_EQ(concrete.count(include.what), 0u) << include.from << " includes " << include.what;
}

}  // namespace
