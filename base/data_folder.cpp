#include "base/data_folder.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "base/error.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {
/// Set by initializers of other files: made when it is first asked for.
fs::path& named_folder() {
  static fs::path folder;
  return folder;
}

/// The folders that may hold the data, the first that does is taken.
std::vector<fs::path> candidates() {
  std::vector<fs::path> places;
  if (!named_folder().empty()) places.push_back(named_folder());
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  // Installed is what lies in bin/: a build folder may have a share/ beside it for other reasons.
  if (!error && program.parent_path().filename() == "bin")
    places.push_back(program.parent_path().parent_path() / "share/warpvp");
  places.emplace_back(WARPVP_SOURCE_DIR);
  return places;
}
}  // namespace

void set_data_folder(const fs::path& share) { named_folder() = share; }

fs::path find_data_folder(const fs::path& name) {
  std::error_code error;
  for (const fs::path& place : candidates())
    if (fs::is_directory(place / name, error)) return place / name;
  return {};
}

fs::path data_folder(const fs::path& name) {
  fs::path folder = find_data_folder(name);
  if (!folder.empty()) return folder;
  std::string places;
  for (const fs::path& place : candidates()) places += (places.empty() ? "" : ", ") + place.string();
  throw InputError(fmt::format(
      "the program's data is missing: there is no folder {} in {}; install warpvp whole (make install "
      "PREFIX=DIR, or the Debian package) and run its bin/warpvp, with share/warpvp beside bin/",
      name.string(), places));
}

}  // namespace warpvp
