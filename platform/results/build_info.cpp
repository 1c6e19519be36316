#include "platform/results/build_info.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_ver.h>

#include <filesystem>
#include <fstream>

#include "base/data_folder.h"
#include "platform/results/result_writer.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

void read_commit(BuildInfo& info) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path() / "warpvp.commit";
  // The version is told without data too.
  const fs::path installed = find_data_folder("configs").parent_path() / "commit.txt";
  std::ifstream in(fs::is_regular_file(beside, error) ? beside : installed);
  std::string word;
  if (in >> info.commit) info.modified = in >> word && word == "modified";
}

}  // namespace

BuildInfo build_info() {
  BuildInfo info;
  info.version = version();
  info.commit = "unknown";
  read_commit(info);
  info.build_type = WARPVP_BUILD_TYPE;
  info.compiler = WARPVP_COMPILER;
  info.systemc = fmt::format("{}.{}.{}", SC_VERSION_MAJOR, SC_VERSION_MINOR, SC_VERSION_PATCH);
  return info;
}

}  // namespace warpvp
