#include "base/data_folder.h"

#include <system_error>

namespace warpvp {
namespace fs = std::filesystem;

namespace {
/// Set by initializers of other files: made when it is first asked for.
fs::path& named_folder() {
  static fs::path folder;
  return folder;
}
}  // namespace

void set_data_folder(const fs::path& share) { named_folder() = share; }

fs::path data_folder(const fs::path& name) {
  std::error_code error;
  if (!named_folder().empty() && fs::is_directory(named_folder() / name, error)) return named_folder() / name;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    // Installed is what lies in bin/: a build folder may have a share/ beside it for other reasons.
    const fs::path installed = program.parent_path().parent_path() / "share/warpvp" / name;
    if (program.parent_path().filename() == "bin" && fs::is_directory(installed, error)) return installed;
  }
  return fs::path(WARPVP_SOURCE_DIR) / name;
}

}  // namespace warpvp
