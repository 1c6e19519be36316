// Dependencies run one way (docs/architecture.md): which folder may include which, read from the sources.
#include <gtest/gtest.h>

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

TEST(Folders, KnowOnlyThoseThatTheyMay) {
  const std::map<std::string, std::vector<std::string>> may = {
      {"base", {"base/"}},
      {"ptx", {"base/", "ptx/"}},
      {"interconnect", {"base/", "interconnect/"}},
      {"sw/runtime", {"base/", "ptx/", "interconnect/", "sw/runtime/"}},
  };
  for (const auto& [folder, allowed] : may)
    for (const Include& include : includes_below(folder)) {
      bool ok = include.what.find('/') == std::string::npos;
      for (const std::string& start : allowed) ok = ok || starts_with(include.what, start);
      EXPECT_TRUE(ok) << include.from << " includes " << include.what;
    }
}

TEST(Folders, AModuleKnowsNoOtherModuleAndOnlyTheSmKnowsPtx) {
  // A type that stands in a folder of its own knows the face that it implements.
  const std::set<std::pair<std::string, std::string>> faces = {
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

TEST(Folders, NoTwoRoomsOfAModuleIncludeEachOther) {
  for (const std::string module : {"modules/sm/", "modules/command_processor/"}) {
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
